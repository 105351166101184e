#!/usr/bin/env bash
# heeler-ctl without --store: the runs of all stores that heeler-supervise and heeler-watch keep in this home.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/tool_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool_checks.sh"
begin ctl supervise
unset HEELER_STORE HEELER_PING_URL
export XDG_STATE_HOME=$work/state USER=ana
lacks() { ! grep -qF -- "$1" "$work/out" || fail "something says \"$1\""; }

expect 2 "nothing is kept" status
says "--store is missing"
says "nothing is kept in $work/state/heeler"

"$bin/heeler-supervise" --name first -- true >"$work/out" 2>&1 || fail "heeler-supervise"
expect 0 "one store" status --all
says "| first@"
expect 0 "one store, everything" freeze
expect 0 "one store, everything" unfreeze

"$bin/heeler-supervise" --name second -- sleep 600 >"$work/live" 2>&1 &
behind=$!
for _ in $(seq 600); do
    [ -e "$work/state/heeler/runs/second/child" ] && "$tool" status 2>/dev/null | grep -q '| second@' && break
    sleep 0.1
done
expect 0 "what is under way" status
says "| second@"
lacks "| first@"
expect 0 "all runs" status --all --json
[ "$(grep -c '"type":"run"' "$work/out")" = 2 ] || fail "not both runs are listed once"
second=$(sed -n 's/.*"type":"run","run":"\(second@[^"]*\)".*/\1/p' "$work/out")
first=$(sed -n 's/.*"type":"run","run":"\(first@[^"]*\)".*/\1/p' "$work/out")
expect 0 "why" explain "$first"
expect 0 "the end of one" report "$first"
says "completed"
expect 0 "a decision" snooze "$second" --for 1h
says "noted as decision"
expect 0 "one run" status "$second"
says "$second"
expect 0 "by its name" snooze second --for 2h
says "second is the run $second"
says "noted as decision"
expect 0 "what is over, by its name" report first
says "first is the run $first"
says "completed"
expect 0 "a silence about a run" silence --run second --for 1h --because test
says "about run $second"
expect 3 "a silence about nobody" silence --run third --for 1h --because test
expect 3 "a run that nobody knows" ack "${second}x"
says "nearest: \"$second\""
expect 0 "alerts of each" outbox
says "runs/first/store.sqlite"
says "runs/second/store.sqlite"
expect 2 "everything, in one of several" freeze
says "there are several"
says "runs/first/store.sqlite"
expect 2 "a silence, in one of several" silence --class supervised --for 1h --because test

# One that is broken is said, and hides no other.
mkdir -p "$work/state/heeler/runs/broken"
head -c 8192 /dev/zero >"$work/state/heeler/runs/broken/store.sqlite"
expect 1 "a broken store" status
says "| second@"
says "runs/broken/store.sqlite"

kill -INT "$behind"
wait "$behind"
behind=
expect 0 "a store that is named" --store "sqlite:$work/state/heeler/runs/first/store.sqlite" status --all
lacks "| second@"
finish
