#!/usr/bin/env bash
# heeler-session-monitor on five agents that run: who is alerted about, told, given up and left alone, and that nobody's
# log is touched. Then: an end by signal, a restart on the same store, a chat that cannot be reached.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
monitor=$bin/heeler-session-monitor
ctl=$bin/heeler-ctl
agent=$(cd "$(dirname "$0")/../../examples/session_monitor/agents" && pwd)/session.sh
for program in "$monitor" "$ctl"; do
    [ -x "$program" ] || { echo "not built: $program"; exit 1; }
done
work=$(mktemp -d)
sessions=$work/sessions
alerts=$sessions/alerts.jsonl
store=sqlite:$work/store.db
declare -A agents=()
watching=
failures=0
mkdir "$sessions" "$work/copies"

# What has ended is not asked for by its process id, which may be somebody else's by now.
runs() { jobs -pr | grep -qx "$1"; }
finish() {
    local pid
    for pid in $(jobs -pr); do kill "$pid"; done
    wait
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "FAILED: $1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2"
    failures=$((failures + 1))
}

says() { grep -qE -- "$2" "$1" || fail "nothing says \"$2\"" "$1"; }
silent() { ! grep -qE -- "$2" "$1" || fail "it says \"$2\"" "$1"; }
count() { [ "$(grep -cE -- "$2" "$1")" = "$3" ] || fail "not $3 times: \"$2\"" "$1"; }

# within WHAT COMMAND...: until the command succeeds, for a minute.
within() {
    local end=$((SECONDS + 60)) what=$1
    shift
    until "$@" 2>/dev/null; do
        [ $SECONDS -lt $end ] || { fail "$what: not in time" "$work/out"; return; }
        sleep 0.2
    done
}
alerted() { grep -E "\"session\":\"$1\"" "$alerts" | grep -qE -- "$2"; }

play() { # NAME WAY
    SESSION_COPY=$work/copies/$1 sh "$agent" "$2" "$sessions/$1" 0.3 &
    agents[$1]=$!
}
stop_agents() {
    local pid
    for pid in "${agents[@]}"; do runs "$pid" && kill "$pid"; done
    wait "${agents[@]}" 2>/dev/null
}
watch() { # ARGUMENTS...: the monitor in the background
    "$monitor" "$sessions" --scale 240 --every 250ms --config "$work/config.json" --store "$store" \
        --issues "$work/issues" "$@" >>"$work/out" 2>>"$work/err" &
    watching=$!
}
watched() { # STATUS WHAT: it has ended with this status
    within "$2: the end" eval "! runs $watching"
    runs "$watching" && kill -KILL "$watching"
    wait "$watching"
    local got=$?
    watching=
    [ "$got" = "$1" ] || fail "$2: status $got, not $1" "$work/err"
}

echo "== bad arguments"
refused() { # TEXT ARGUMENTS...
    local text=$1
    shift
    timeout 100 "$monitor" "$@" >"$work/refused" 2>&1 </dev/null
    [ $? = 2 ] || fail "taken: $*" "$work/refused"
    says "$work/refused" "$text"
}
refused "DIR is required"
refused "does not exist" "$work/nowhere"
refused "'memory' or 'sqlite:PATH'" "$sessions" --store redis
refused "no duration" "$sessions" --for soon
refused "excludes" "$sessions" --for 5 --until-idle
refused "300" "$sessions" --scale 301
refused "does not exist" "$sessions" --config "$work/nowhere.json"
echo '{"silence_s": 960, "duration_limit_s": 3600, "interval_s": 60}' >"$work/config.json"
refused "interval_s is 0.25" "$sessions" --config "$work/config.json" --scale 240

echo "== five agents"
echo '{"silence_s": 960, "duration_limit_s": 3600, "silence": 3}' >"$work/config.json"
watch --until-idle
mkdir "$sessions/looping"
echo popoto >"$sessions/looping/project"
for way in fine silent looping failing overdue; do play $way $way; done
within "the silent one" alerted silent 'Silent for [0-9]+ minutes'
within "the looping one" alerted looping 'Looping: Bash called [0-9]+ times consecutively'
within "the looping one goes on" alerted looping 'run.(recovered|ended)'
within "the failing one" alerted failing 'Looping: Bash called|Error cascade'
within "the silent one is given up" alerted silent 'outcome abandoned'
within "the overdue one" alerted overdue 'Running for 1 hour'
[ -e "$sessions/fine/done" ] || fail "the fine one is not done"
stop_agents
: >"$sessions/overdue/done"
watched 0 "five agents"

silent "$alerts" '"session":"fine"'
says "$alerts" "\"to\":\"$sessions\""
[ "$(grep -c . "$alerts")" = "$(grep -cE '"project":"(sessions|popoto)"' "$alerts")" ] || fail "an alert without project" "$alerts"
[ "$(grep -cE '"session":"looping","project":"popoto"' "$alerts")" -gt 1 ] || fail "looping without its project" "$alerts"
says "$work/out" "^Project: popoto"
says "$work/out" "^⚠ Session looping"
says "$work/out" "^failing: abandon done"
says "$work/out" "^silent: abandon done"
silent "$work/out" "^(fine|looping|overdue): abandon"
silent "$work/out" "^(fine|silent|overdue): inject"
says "$sessions/looping/inbox.read" "^\[watchdog\] Looping: Bash called [0-9]+ times"
count "$sessions/looping/inbox.read" "^\[watchdog\]" 1
says "$sessions/failing/inbox" "^\[watchdog\] Error cascade: [0-9]+ errors in last 20 calls"
[ -z "$(find "$work/issues" "$alerts" "$work"/store* -perm /077)" ] || fail "others can read" <(ls -lR "$work")
[ "$(find "$work/issues" -type f | wc -l)" = 1 ] || fail "not one issue" <(ls "$work/issues")
cat "$work"/issues/* >"$work/issue"
says "$work/issue" "Session failing had critical issues"
says "$work/issue" "^- Looping: Bash called [0-9]+ times consecutively"
says "$work/issue" "^- Error cascade: [0-9]+ errors in last 20 calls"
says "$work/issue" "^Next: the run may still be running; it is no longer watched$"
says "$work/issue" "^Stop: heeler-ctl --store '$store' snooze --for 2h -- 'failing'$"
says "$work/err" "'silence_s'"
for name in "${!agents[@]}"; do
    cmp "$sessions/$name/tool_use.jsonl" "$work/copies/$name" || fail "the log of $name is not what the agent wrote"
    runs "${agents[$name]}" && fail "the agent $name is left behind"
done
agents=()

echo "== the chat cannot be reached; a signal; a restart"
mv "$alerts" "$work/alerts"
mkdir "$alerts"
mkdir "$sessions/second"
echo "team-seven" >"$sessions/second/origin"
watch
play second failing
within "the log speaks for the chat" grep -qE "(WARNING|CRITICAL) heeler run.unhealthy \[second\] \(sessions\).*is a directory" "$work/err"
rmdir "$alerts"
within "the alert comes late" alerted second '"to":"team-seven"'
within "given up" grep -q "second: abandon done" "$work/out"
within "filed" grep -q "second: file_issue done" "$work/out"
play third overdue
within "a log" test -s "$sessions/third/tool_use.jsonl"
within "registered" eval "'$ctl' --store '$store' status | grep -q third"
kill -TERM "$watching"
watched 0 "SIGTERM"

watch --until-idle
stop_agents
rm -r "$sessions/third"
watched 0 "the restart"
silent "$alerts" '"session":"(silent|failing|overdue|third)"'
[ "$(find "$work/issues" -type f | wc -l)" = 2 ] || fail "not two issues" <(ls "$work/issues")
"$ctl" --store "$store" status --all >"$work/status" 2>&1 || fail "heeler-ctl" "$work/status"
for run in "silent .*abandoned" "failing .*abandoned" "fine .*completed" "overdue .*completed" "third .*cancelled"; do
    says "$work/status" "$run"
done
for name in "${!agents[@]}"; do
    runs "${agents[$name]}" && fail "the agent $name is left behind"
done
cmp "$sessions/second/tool_use.jsonl" "$work/copies/second" || fail "the log of second is not what the agent wrote"

echo "== a session of nine hours, found late, and folders that stop or misuse who looks into them"
rm -rf "$sessions" "$work/out" "$work/err" "$work/issues"
mkdir "$sessions" "$work/elsewhere" "$work/issues"
echo precious >"$work/elsewhere/file"
log_of() { # NAME CALLS SECONDS: different calls, the first one SECONDS ago
    mkdir "$sessions/$1"
    awk -v calls="$2" -v start="$(($(date +%s) - $3))" -v lasting="$3" 'BEGIN {
        for (i = 0; i < calls; ++i) {
            about = sprintf("\"tool_use_id\":\"%d\",\"timestamp\":%d", i, start + lasting * i / calls)
            printf "{\"event\":\"pre_tool_use\",\"tool_name\":\"Read\",\"tool_input\":{\"n\":%d},%s}\n", i, about
            printf "{\"event\":\"post_tool_use\",\"tool_output_preview\":\"%0400d\",%s}\n", i, about
        }
    }' >"$sessions/$1/tool_use.jsonl"
}
looping_log() { # NAME: six times the same, just now
    mkdir "$sessions/$1"
    for _ in 1 2 3 4 5 6; do
        printf '{"event":"pre_tool_use","tool_name":"Bash","tool_input":{"a":1},"timestamp":%d}\n' "$(date +%s)"
    done >"$sessions/$1/tool_use.jsonl"
}
log_of nine 6000 135  # 3.4 MB; 135 s stand for 9 hours
looping_log pipes
mkfifo "$sessions/pipes/origin" "$sessions/pipes/project" "$sessions/pipes/inbox"
looping_log links
ln -s /dev/zero "$sessions/links/origin"
ln -s "$work/elsewhere/file" "$sessions/links/project"
ln -s "$work/elsewhere/file" "$sessions/links/inbox"
looping_log names
ln "$work/elsewhere/file" "$sessions/names/inbox"
looping_log long
truncate -s 4T "$sessions/long/origin"
mkdir "$sessions/endless" "$sessions/pipe"
ln -s /dev/zero "$sessions/endless/tool_use.jsonl"
mkfifo "$sessions/pipe/tool_use.jsonl"
ln -s "$work/copies" "$sessions/elsewhere"
ln -s "$work/elsewhere/file" "$sessions/alerts.jsonl"
ln -s "$work/elsewhere" "$sessions/issues"
# Built with a sanitizer it takes all addresses there are.
limit=unlimited
! (ulimit -v 1000000 && "$monitor" --help) >"$work/out" 2>&1 || limit=1000000
(
    ulimit -v $limit
    exec timeout -k 1 60 "$monitor" "$sessions" --scale 240 --every 250ms --project heeler --for 3
) >"$work/out" 2>"$work/err" </dev/null
status=$?
[ $status = 0 ] || fail "status $status, not 0" "$work/err"
[ "$(cat "$work/elsewhere/file")" = precious ] || fail "a file elsewhere was written" "$work/elsewhere/file"
[ "$(ls "$work/elsewhere")" = file ] || fail "files elsewhere" <(ls "$work/elsewhere")
says "$work/err" "run.unhealthy \[nine\] \(heeler\).*Running for 9 hours"
for name in pipes links names long; do says "$work/err" "run.unhealthy \[$name\] \(heeler\).*Looping: Bash called 6 times"; done
says "$work/err" "pipes/origin' is a named pipe"
says "$work/err" "links/origin' is a link"
says "$work/err" "alerts.jsonl' is a link"
for name in pipes links names; do says "$work/out" "^$name: inject:steer failed.*inbox"; done
says "$work/err" "endless.*is a link"
says "$work/err" "pipe.*is a named pipe"

echo "== the same session, with all that is known of it"
rm -rf "${sessions:?}"/*
log_of nine 6000 135
timeout -k 1 60 "$monitor" "$sessions" --scale 240 --every 250ms --for 2 >"$work/out" 2>"$work/err" </dev/null || fail "no end" "$work/err"
says "$alerts" '"session":"nine","project":"sessions".*Running for 9 hours'
says "$work/out" "^Duration: 9h [0-9]+m"
says "$work/out" "^Tool calls: 6000"

echo "== a store that is gone while it is in use is said once"
timeout -k 1 60 "$monitor" "$sessions" --scale 240 --every 250ms --store "sqlite:$work/gone.db" --for 4 >"$work/out" 2>"$work/err" </dev/null &
watching=$!
within "a store" test -s "$work/gone.db"
rm "$work"/gone.db*
wait "$watching"
watching=
count "$work/err" "error in list: .*gone.db: the file was deleted" 1

[ $failures = 0 ] || { echo "$failures checks failed"; sed 's/^/    /' "$work/out" "$work/err"; exit 1; }
echo "ok"
