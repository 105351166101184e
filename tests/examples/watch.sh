#!/usr/bin/env bash
# heeler-watch on a home whose sessions this script writes: who is live and what they do, a loop and a question that are told
# once, also after a restart, and what agents may leave in their folders.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/tool_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool_checks.sh"
begin watch
unset CLAUDE_CONFIG_DIR CODEX_HOME PI_CODING_AGENT_DIR OPENHANDS_PERSISTENCE_DIR HEELER_PING_URL
export XDG_STATE_HOME=$work/state
home=$work/home
mkdir -p "$home"

now=$(date +%s)
at() { date -u -d "@$((now + $1))" +%Y-%m-%dT%H:%M:%SZ; }

# A session of Claude Code, in $file, called $session.
claude() {
    session=$1
    file=$home/.claude/projects/-home-me-parser/$session.jsonl
    mkdir -p "$(dirname "$file")"
}
# line TYPE SECONDS MESSAGE
line() {
    printf '{"type":"%s","sessionId":"%s","isSidechain":false,"cwd":"/home/me/parser","timestamp":"%s","message":%s}\n' \
        "$1" "$session" "$(at "$2")" "$3" >>"$file"
}
is_told() { line user "$1" "{\"content\":\"$2\"}"; }
calls() { # SECONDS ID COMMAND
    line assistant "$1" "{\"id\":\"m$2\",\"content\":[{\"type\":\"tool_use\",\"id\":\"$2\",\"name\":\"Bash\",\"input\":{\"command\":\"$3\"}}],\"usage\":{\"input_tokens\":100,\"output_tokens\":11}}"
}
is_answered() { # SECONDS ID OUTPUT FAILED
    line user "$1" "{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"$2\",\"is_error\":$4,\"content\":\"$3\"}]}"
}
loops() { # FROM COUNT ID: the same failing command, ten seconds apart
    local i
    for i in $(seq 0 $(($2 - 1))); do
        calls $(($1 + 10 * i)) "$3$i" "make test"
        is_answered $(($1 + 10 * i + 2)) "$3$i" "error: parser.c:12: unknown type name" true
    done
}

once() { expect 0 "the table" --once --home "$home" "$@"; }

once
says 'No session was written to within 2h'
says "$home/.claude/projects (claude)"

claude works
is_told -300 "Port the parser"
calls -290 a1 "make"
is_answered -280 a1 "ok" false
calls -20 a2 "make check"
claude asks
is_told -100 "Delete the old branch"
line assistant -90 '{"id":"q","content":[{"type":"tool_use","id":"q1","name":"AskUserQuestion","input":{"question":"All of it?"}}]}'
claude loops
is_told -200 "Fix the build"
loops -190 8 f
claude gone
is_told -90000 "Old work"
touch -d '3 hours ago' "$file"
mkdir -p "$home/.claude/projects/-home-me-parser/works/subagents"
claude agent-a1b2
mv_to=$home/.claude/projects/-home-me-parser/works/subagents/agent-a1b2.jsonl
is_told -60 "Look for the tests"
mv "$file" "$mv_to"

rollout=$home/.codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-0195aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee.jsonl
mkdir -p "$(dirname "$rollout")"
{
    printf '{"timestamp":"%s","type":"session_meta","payload":{"id":"0195aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee","cwd":"/home/me/docs"}}\n' "$(at -600)"
    printf '{"timestamp":"%s","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Write the page"}]}}\n' "$(at -599)"
    printf '{"timestamp":"%s","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Written."}]}}\n' "$(at -500)"
    printf '{"timestamp":"%s","type":"event_msg","payload":{"type":"task_complete"}}\n' "$(at -500)"
} >"$rollout"
chat=$home/.gemini/tmp/docs-1/chats/session-2026-03-01T10-00-abcd.jsonl
mkdir -p "$(dirname "$chat")"
{
    printf '{"sessionId":"g","projectHash":"0123abcd","startTime":"%s"}\n' "$(at -60)"
    printf '{"id":"1","timestamp":"%s","type":"user","content":"Rename it"}\n' "$(at -59)"
    printf '{"id":"2","timestamp":"%s","type":"gemini","content":"","toolCalls":[{"id":"c","name":"replace","args":{},"status":"executing"}],"tokens":{"input":5,"output":1}}\n' "$(at -50)"
} >"$chat"
events=$home/.openhands/conversations/0a1b2c/events
mkdir -p "$events"
printf '{"kind":"MessageEvent","timestamp":"2020-01-01T00:00:00","source":"user","llm_message":{"content":[{"type":"text","text":"Sort it"}]}}' \
    >"$events/event-00000-a.json"
printf '{"kind":"ActionEvent","timestamp":"2020-01-01T00:00:01","source":"agent","thought":[],"action":{"kind":"TerminalAction"},"tool_name":"terminal","tool_call_id":"c"}' \
    >"$events/event-00001-b.json"
before=$(find "$home" -type f -exec sha256sum {} + | sort)

# row ID: its line of the table, with one space between words and bars.
row() { grep -F "| $1 " "$work/out" | tr -s ' '; }
# shows ID TEXT WHAT
shows() { row "$1" | grep -qF -- "$2" || fail "$3"; }
once
shows claude/works '| parser | HEALTHY | ' "a session that works"
shows claude/works ' ago | 2 | 222 | Bash |' "what it does"
shows claude/asks ' | waits for you |' "a session that has asked"
shows claude/loops '| LOOP_DETECTED |' "a session that goes round in circles"
shows claude/loops ' ago | 8 | 888 | thinks |' "what it has done"
shows claude/agent-a1b2 ' | thinks |' "a sub-agent"
shows codex/0195aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee '| docs | HEALTHY | ' "a session of Codex"
shows codex/0195aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee ' | waits for you |' "whose turn it is"
shows gemini/session-2026-03-01T10-00-abcd '| docs-1 | HEALTHY |' "a session of Gemini CLI"
shows gemini/session-2026-03-01T10-00-abcd ' ago | 1 | 6 | replace |' "what it does"
shows openhands/0a1b2c '| HEALTHY |' "a session of OpenHands"
shows openhands/0a1b2c ' ago | 1 | 0 | terminal |' "what it does"
[ -z "$(row claude/gone)" ] || fail "a session that is not live"
once --live 4h
row claude/gone >/dev/null || fail "--live is not heard"

# watch SECONDS ARGUMENTS...: what it said is in $work/out.
watch() {
    local length=$1
    shift
    timeout 60 "$tool" --home "$home" --every 1s --for "$length" "$@" >"$work/out" 2>&1 || fail "it ends with $?"
}
told() { grep -cE "$1" "$work/out"; }

export HEELER_ASKS_PERSON__AFTER_S=30 HEELER_OUTBOX__GROUP_INTERVAL_S=0
each_is_told() { grep -qF '[claude/loops]' "$work/out" && grep -qF '[claude/asks]' "$work/out"; }
"$tool" --home "$home" --every 1s >"$work/out" 2>&1 &
behind=$!
for _ in $(seq 600); do
    each_is_told && break
    sleep 0.1
done
sleep 3 # who is told of now is told of wrongly
kill -TERM "$behind"
wait "$behind" || fail "it ends with $?"
behind=
[ "$(told 'run.unhealthy \[claude/loops\].*Looping: makes the same call 8 times')" = 1 ] || fail "the loop is not told once"
[ "$(told 'worker.needs_input \[claude/asks\]')" = 1 ] || fail "the question is not told once"
[ "$(told 'heeler (run|worker|escalation)')" = 2 ] || fail "something else is told"
[ -s "$work/state/heeler/watch.db" ] || fail "nothing is kept"
[ "$before" = "$(find "$home" -type f -exec sha256sum {} + | sort)" ] || fail "something was written"

watch 4s
[ ! -s "$work/out" ] || fail "told again after a restart"

# It goes on while it is watched.
touch "$work/before"
"$tool" --home "$home" --every 1s >"$work/live" 2>&1 &
behind=$!
for _ in $(seq 600); do
    [ -n "$(find "$work/state" -type f -newer "$work/before" -size +0)" ] && break
    sleep 0.1
done
sleep 1
now=$(date +%s)
claude asks
is_answered 0 q1 "All of it" false
claude loops
for i in 1 2 3 4 5 6; do
    calls 0 "n$i" "cat part$i.c"
    is_answered 0 "n$i" "int part$i(void);" false
done
claude late
is_told 0 "Fix the tests"
loops 0 8 l
for _ in $(seq 600); do
    grep -q 'run.unhealthy \[claude/late\]' "$work/live" && grep -q 'run.recovered \[claude/loops\]' "$work/live" && break
    sleep 0.1
done
kill -TERM "$behind"
wait "$behind" || fail "it ends with $?"
behind=
cp "$work/live" "$work/out"
[ "$(told 'run.unhealthy \[claude/late\]')" = 1 ] || fail "a loop that begins while it watches"
[ "$(told 'run.recovered \[claude/loops\]')" = 1 ] || fail "nobody is told that the loop is over"

# Nothing that lies there may stop it.
mkfifo "$home/.claude/projects/-home-me-parser/fifo.jsonl"
ln -s "$work" "$home/.claude/projects/linked"
ln -s /etc/passwd "$home/.claude/projects/-home-me-parser/link.jsonl"
head -c 200000 /dev/urandom >"$home/.claude/projects/-home-me-parser/noise.jsonl"
printf '{"no":"session"}\n' >"$home/.claude/projects/-home-me-parser/other.jsonl"
: >"$home/.claude/projects/-home-me-parser/empty.jsonl"
mkdir "$home/.claude/projects/-home-me-parser/folder.jsonl"
claude long
is_told 0 "Read it"
calls 0 z "cat big"
head -c 5000000 /dev/zero | tr '\0' 'x' >>"$file"
echo >>"$file"
is_answered 1 z "done" false
once
row claude/works >/dev/null || fail "what lies there hides a session"
shows claude/long ' ago | 1 | ' "a line that is too long hides a session"
says 'is longer than'
[ -z "$(row claude/fifo)$(row claude/link)$(row claude/noise)$(row claude/other)$(row claude/empty)" ] ||
    fail "what is no session is shown"

expect 2 "too often" --every 10ms
says 'at least 1s'
expect 2 "no store" --store nowhere
says 'sqlite:PATH'
expect 2 "a channel that there is not" --notify pigeon
expect 2 "nobody is told" --once --notify slack
expect 2 "no home" --home "$work/nowhere"
finish
