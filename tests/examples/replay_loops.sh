#!/usr/bin/env bash
# heeler-replay --loops and --explain: which loops are in recordings, and why an event had its verdict, or none.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/replay_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/replay_checks.sh"
lines() { [ "$(wc -l <"$work/out")" -eq "$2" ] || fail "$1: not $2 lines"; }

# unit T COMMAND ANSWER OK: a call with its result.
unit() {
    echo "{\"t\":$1,\"type\":\"tool_call\",\"name\":\"Bash\",\"args\":{\"command\":\"$2\"}}"
    echo "{\"t\":$1.5,\"type\":\"tool_result\",\"output\":\"$3\",\"ok\":$4}"
}
key="ghp_$(printf 'a1B2%.0s' 1 2 3 4 5 6 7 8 9)"
{
    echo '{"t":0,"type":"run","run":"demo","task":"Fix the test"}'
    for t in 1 2 3 4; do unit "$t" "make test TOKEN=$key" '1 failed' false; done
    unit 5 'cat notes' 'a line that nobody has seen' true
    echo '{"t":6,"type":"progress","value":3}'
    for t in 7 8 9; do unit "$t" 'make all' '\u001b[31mno rule' false; done
    echo '{"t":10,"type":"message","role":"user","text":"Stop that"}'
    for t in 11 12 13; do unit "$t" 'make' 'all is as it was' true; done
} >"$work/demo.jsonl"

common='"sessionId":"s1","isSidechain":false'
{
    echo "{\"type\":\"user\",$common,\"timestamp\":\"2026-03-08T10:00:00Z\",\"message\":{\"content\":\"Fix the test\"}}"
    for i in $(seq 10 19); do
        echo "{\"type\":\"assistant\",$common,\"timestamp\":\"2026-03-08T10:00:${i}.100Z\",\"message\":{\"id\":\"m$i\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t$i\",\"name\":\"Bash\",\"input\":{\"command\":\"make test\"}}]}}"
        echo "{\"type\":\"user\",$common,\"timestamp\":\"2026-03-08T10:00:${i}.900Z\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t$i\",\"is_error\":true,\"content\":\"1 failed\"}]}}"
    done
} >"$work/session.jsonl"
gzip -k "$work/session.jsonl"
{
    echo '{"t":0,"type":"run","run":"long","task":"x"}'
    unit 1 "$(printf 'x%.0s' $(seq 4060)) $key" 'done' true
} >"$work/long.jsonl"
echo '{"t":0,"type":"run","run":"quiet","task":"x"}' >"$work/quiet.jsonl"
echo 'no JSON at all' >"$work/prose.txt"

# --loops: a line for each, whatever was told of it, and what it came to.
replay 0 "loops" --loops "$work/demo.jsonl"
lines "loops" 4
holds "an episode" "$work/demo.jsonl: run demo, events 0 to 7: makes the same call 4 times, with the same outcome; level nudge, rule repeat, 1 round after it was found; ended by a result with something new, event 9; example: Bash {\"command\":\"make test"
holds "one that a person ended" 'events 11 to 16: makes the same call 3 times, with the same outcome; level nudge, rule repeat; ended by a message of the user, event 17;'
holds "one that goes on" 'events 18 to 23: makes the same call 3 times, with the same outcome; level nudge, rule repeat; goes on to the end;'
holds "counts" '3 loops (0 of level stop, 3 of level nudge) in 1 of 1 file with 1 run'
lacks "a secret" "$key"
lacks "a control character" $'\e'

replay 0 "several files" --loops "$work/session.jsonl.gz" "$work/prose.txt" "$work/quiet.jsonl" "$work/missing"
holds "a session file" "session.jsonl.gz: run s1, events 1 to 20: makes the same call 10 times, with the same outcome; level stop, rule repeat, 7 rounds after it was found; goes on to the end; example: Bash {\"command\":\"make test\"}: 1 failed"
holds "several files" '1 loop (1 of level stop, 0 of level nudge) in 1 of 2 files'
holds "files that cannot be read" '; 2 files could not be read'
says "a file that cannot be read" "prose.txt holds no line of a scenario, and is in none of the formats qwen, claude-code, "
says "a missing file" "cannot read '$work/missing'"

replay 3 "nothing that can be read" --loops "$work/prose.txt" "$work/missing"
says "nothing that can be read" "none of the formats qwen, claude-code, claude-stream, codex, codex-exec, gemini, gemini-stream, openhands, swe-agent, pi, otel, copilot, cursor"
echo 'torn' >>"$work/demo.jsonl"
replay 0 "a torn file" --loops "$work/demo.jsonl"
says "a torn file" "demo.jsonl: 1 line was skipped"

# --explain: family by family.
replay 0 "two of three" --explain demo@3 "$work/demo.jsonl"
holds "the event" 'event 3 (line 5, 2.5 s), a result: 1 failed'
holds "its call" 'event 2 (line 4, 2.0 s), a call: Bash {"command":"make test'
holds "no verdict" "Verdict: none: no rule has what it needs; nearest is 'repeat' with 2 of 3"
holds "the class" 'Seen as: a failure; no progress: nothing in it is new'
holds "the episode" 'Episode: no loop goes on'
holds "a family" '| errclass  | 2 of 5 '
holds "a family that it does not concern" 'write (it looks at changes only)'
lacks "a secret" "$key"
lacks "JSON lines" '"status"'

replay 0 "three of three" --explain demo@5 "$work/demo.jsonl"
holds "a verdict" "Verdict: nudge, by the rule 'repeat'"
holds "its row" '| repeat    | 3 of 3 | nudge '
holds "the episode" "Episode: a loop goes on that began with event 0; it is found at this event; evidence: the same call; 5 rounds after it was found, or by a rule's own count, the level is stop"

replay 0 "what cancels" --explain demo@9 "$work/demo.jsonl"
holds "news" 'Seen as: information; it is news'
holds "what news cancel" 'Episode: no loop goes on; the news ended the one before'
holds "fruitless" 'the result is news: it counts anew'
replay 0 "a message of the user" --explain demo@17 "$work/demo.jsonl"
holds "a message of the user" 'Cancelled: a message of the user: it is another task, so all counts and the episode are void'

replay 0 "a call" --explain demo@2 "$work/demo.jsonl"
holds "a call" 'Its result is event 3: --explain demo@3'
replay 0 "an event that the detector does not look at" --explain demo@10 "$work/demo.jsonl"
holds "an event that the detector does not look at" 'Event 10 is none that the loop detector looks at. The last one before:'
replay 0 "a session" --explain s1@4 "$work/session.jsonl.gz"
holds "a session" "nearest is 'repeat' with 2 of 3"

replay 0 "a long text" --explain long@1 "$work/long.jsonl"
holds "a long text" 'xxxx...'
lacks "the beginning of a secret" 'ghp_'

# What says nothing of time is judged as it comes.
sed -E 's/"t":[0-9.]+,/"t":null,/; s/"run":"demo"/"id":"timeless"/' "$work/demo.jsonl" | gzip >"$work/timeless.jsonl.gz"
replay 0 "a recording without times" "$work/timeless.jsonl.gz"
holds "a recording without times" '{"status":"LOOP_DETECTED","t":0,"run":"timeless","findings":["LOOP_DETECTED"],"level":"nudge"'
holds "its first event" '"rule":"repeat","detector":"loop","repeats":3,"needed":3,"subject":"Bash","first":0,"last":5'
replay 0 "its loops" --loops "$work/timeless.jsonl.gz"
holds "its loops" '3 loops (0 of level stop, 3 of level nudge) in 1 of 1 file with 1 run'

# What is wrong is said, with what is known.
for wrong in demo @3 demo@ demo@x demo@-1 'demo@3 ' demo@99999999999999999999; do
    replay 2 "--explain $wrong" --explain "$wrong" "$work/demo.jsonl"
    says "--explain $wrong" "must be RUN@EVENT"
done
replay 2 "no such run" --explain dem@3 "$work/demo.jsonl"
says "no such run" "no run 'dem' has anything that the loop detector looks at; known are 'demo' (up to event 23); did you mean 'demo'?"
replay 2 "no such event" --explain demo@24 "$work/demo.jsonl"
says "no such event" "the run 'demo' has no event 24 that the loop detector looks at; it has events 0 to 23"
replay 2 "a run that did nothing" --explain quiet@0 "$work/quiet.jsonl"
says "a run that did nothing" "nor has any other"
replay 2 "a preset without it" --preset long_run --explain demo@3 "$work/demo.jsonl"
says "a preset without it" "the preset 'long_run' does not have the detector 'loop'"
replay 2 "both" --loops --explain demo@3 "$work/demo.jsonl"
replay 2 "two files without --loops" "$work/demo.jsonl" "$work/quiet.jsonl"
says "two files without --loops" "only --loops and --limits take more than one file"
replay 3 "an unreadable file" --explain demo@3 "$work/prose.txt"

[ "$failures" -eq 0 ] && echo "all good"
exit "$((failures > 0))"
