#!/usr/bin/env bash
# heeler-supervise --agent: what a coding agent prints of its work is read; one that goes round in circles is told so in the way in
# which it hears, and counts as told when it has shown that; where there is no way, a person is.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/tool_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool_checks.sh"
begin supervise
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
stand_in=$here/../support/stream_stand_in.py
unset HEELER_PING_URL
export XDG_STATE_HOME=$work/state HEELER_VERIFY_AFTER_S=2

# supervised NAME TASK OPTION... -- COMMAND...: in $work/out what heeler-supervise and the command say, in $work/stream the rest.
supervised() {
    local name=$1 task=$2
    shift 2
    printf '%s' "$task" | timeout 120 "$tool" --name "$name" "$@" >"$work/stream" 2>"$work/out"
    status=$?
}
lacks() { ! grep -qF -- "$1" "$work/out" || fail "it says \"$1\""; }

# Messages on its input: the task first, then what the watchdog says, which it shows again.
supervised talks "Fix the build" --agent claude -- python3 "$stand_in" claude 300 --input-format stream-json --replay-user-messages
[ "$status" = 0 ] || fail "an agent that reads messages: status $status"
says 'status LOOP_DETECTED'
says 'inject:nudge: done (heard after its acknowledgement)'
says '"told": "[watchdog] You seem to go round in circles'
says 'inject:nudge | recovered'
grep -qF '"text": "Fix the build"' "$work/stream" || fail "its task does not reach it"
grep -qF '"subtype": "success"' "$work/stream" || fail "its output is not passed on"
lacks 'STALLED'

# It does not show messages again: its next step counts.
supervised silent "Fix the build" --agent claude -- python3 "$stand_in" claude 300 --input-format=stream-json stream-json
says 'inject:nudge: done (heard after its next step)'

# What it reads when its turn is over it does not show: the end of its next turn counts.
supervised secretive "Fix the build" --agent claude -- python3 "$stand_in" claude 5 --input-format stream-json --replay-user-messages secretive
[ "$status" = 0 ] || fail "an agent that does not show all that it reads: status $status"
grep -q 'Still done' "$work/stream" || fail "it is not told after its turn"
says 'inject:nudge: done (heard after its turn)'

# A task of JSON lines is passed on as it is, and an agent without one ends.
supervised lines '{"type":"user","message":{"role":"user","content":[{"type":"text","text":"As it is"}]}}' \
    --agent claude -- python3 "$stand_in" claude 3 --input-format stream-json --replay-user-messages
grep -qF '"text": "As it is"' "$work/stream" || fail "a task of JSON lines does not reach it"
supervised nothing '' --agent claude -- python3 "$stand_in" claude 3 --input-format stream-json
[ "$status" = 3 ] || fail "an agent without a task: status $status"

# One that takes no word while it works is interrupted, and goes on with its session.
supervised again '' --agent codex --resume "exec python3 '$stand_in' codex 300 resume \"\$HEELER_SESSION\" \"\$HEELER_WORDS\"" \
    -- python3 "$stand_in" codex 300
[ "$status" = 0 ] || fail "an agent that is interrupted: status $status"
says 'interrupting the command'
says 'inject:nudge: done (heard after its next step)'
says '"calls": 0, "told": "[watchdog] You seem to go round in circles'
[ "$(grep -c thread.started "$work/stream")" = 2 ] || fail "it does not go on once"
supervised broken '' --agent codex --resume 'exit "$HEELER_GENERATION"' -- python3 "$stand_in" codex 300
[ "$status" = 2 ] || fail "an agent that cannot go on: status $status, not its generation"

# In a terminal, which ends lines in its own way.
supervised terminal '' --agent codex --pty -- python3 "$stand_in" codex 20
[ "$status" = 0 ] || fail "an agent in a terminal: status $status"
says 'status LOOP_DETECTED'
says '1100 tokens since the run started'

# There is no way to it.
supervised deaf '' --agent gemini -- python3 "$stand_in" gemini 40
[ "$status" = 0 ] || fail "an agent that hears nothing: status $status"
says 'nothing can be said to the command: its nudges are told to you (or --resume)'
says 'needs a person (LOOP_DETECTED'
says '1100 tokens since the run started'

# Who works is not alarmed, however often it is looked at.
supervised works '' --agent generic --interval 1s -- python3 "$stand_in" codex 0 resume session words
[ "$status" = 0 ] || fail "an agent that works: status $status"
lacks 'alert'

# What is no stream is output, and harms nobody.
supervised noise '' --agent codex -- sh -c 'printf "{\"type\":\n\377\n\n{}\n[]\nplain\n{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n{\"type\":"'
[ "$status" = 0 ] || fail "noise: status $status"
[ "$(tail -n1 "$work/stream")" = '{"type":' ] || fail "what was begun is not passed on"

# Who forgot the option that makes an agent print a stream is told so, once, with the option.
unknown='--agent claude: the command tells nothing of its work that can be read, so only its output is watched; does it run with -p --output-format stream-json --verbose?'
for lines in 1 9; do
    supervised forgotten '' --agent claude -- sh -c "for i in \$(seq $lines); do echo \"Line \$i.\"; done"
    [ "$status" = 0 ] || fail "an agent without a stream: status $status"
    [ "$(grep -cF -- "$unknown" "$work/out")" = 1 ] || fail "an agent without a stream is not named once after $lines lines"
done
supervised before '' --agent codex -- sh -c "echo Loading; exec python3 '$stand_in' codex 3"
lacks 'tells nothing of its work'
supervised quiet '' --agent claude -- true
lacks 'tells nothing of its work'

expect 64 "an agent that nobody knows" --agent pigeon -- true
expect 64 "going on as nobody" --resume true -- true
says '--resume needs --agent'
expect 64 "going on as somebody else" --agent codex --resume true --adopt --name nightly
says 'not known any more'
expect 64 "going on alone" --agent codex --resume true --detach -- true
finish
