#!/usr/bin/env bash
# heeler-ctl explain: where the loop detector of a stored run stands, rule by rule.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
for program in "$bin/heeler-ctl" "$bin/heeler-replay"; do
    [ -x "$program" ] || { echo "not built: $program"; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}
# explain PRESET CALLS: of a run that has made the same call so often.
explain() {
    {
        echo '{"t":0,"type":"run","run":"r","task":"Fix the test"}'
        for t in $(seq 1 "$2"); do
            echo "{\"t\":$t,\"type\":\"tool_call\",\"name\":\"Bash\",\"args\":{\"command\":\"make test\"}}"
            echo "{\"t\":$t,\"type\":\"tool_result\",\"output\":\"1 failed\",\"ok\":false}"
        done
        echo '{"t":20,"type":"tick"}'
    } >"$work/run.jsonl"
    rm -f "$work"/runs.db*
    "$bin/heeler-replay" --preset "$1" --store "sqlite:$work/runs.db" "$work/run.jsonl" >"$work/out" 2>&1 || fail "heeler-replay"
    "$bin/heeler-ctl" --store "sqlite:$work/runs.db" explain r >"$work/out" 2>&1 || fail "explain"
}
holds() { grep -qF -- "$2" "$work/out" || fail "$1: no $2"; }
lacks() { ! grep -qF -- "$2" "$work/out" || fail "$1: $2"; }

explain recommended 2
holds "two of three" "The loop detector after event 3, the newest that was stored; counts against heeler's own thresholds"
holds "two of three" "Verdict: none: no rule has what it needs; nearest is 'repeat' with 2 of 3"
holds "two of three" '| fruitless'

explain recommended 1
holds "one call" "nearest is 'repeat' with 1 of 3"

explain recommended 0
lacks "a run that did nothing" "The loop detector"

explain long_run 5
lacks "a class without it" "The loop detector"

[ "$failures" -eq 0 ] && echo "all good"
exit "$((failures > 0))"
