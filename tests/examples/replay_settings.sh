#!/usr/bin/env bash
# heeler-replay with settings: the environment counts only with --env and goes over the file; a bad file is exit status 2.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/replay_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/replay_checks.sh"

cat >"$work/stall.jsonl" <<'LINES'
{"t": 0, "type": "run", "run": "r", "task": "Port the parser", "expected_s": 600, "metric": "files"}
{"t": 0, "type": "progress", "value": 3}
{"t": 300, "type": "progress", "value": 3}
LINES
echo '{"interval_s": 20}' >"$work/good.json"
printf '{"interval_s": 20,\n "debounce" 3}' >"$work/bad.json"

# stalls STATUS WHAT ARGUMENT...: the same run each time.
stalls() { replay "$1" "$2" --preset long_run "${@:3}" "$work/stall.jsonl"; }

export HEELER_INTERVAL_S=100 HEELER_DEBOUNC=3 HEELER_JOBS=4 HEELER_MAX_ATTEMPTS=abc

stalls 0 "the environment alone"
lacks "without --env" '{"warning"'
holds "without --env" '"action":"inject:nudge","t":120,'

stalls 0 "the file" --config "$work/good.json"
holds "the file" '"action":"inject:nudge","t":40,'

stalls 0 "both" --config "$work/good.json" --env
holds "the environment goes over the file" '"action":"inject:nudge","t":200,'
holds "a misspelt variable" "did you mean 'HEELER_DEBOUNCE'?"
holds "a wrong value" '"warning":"wrong_type","t":0,"setting":"HEELER_MAX_ATTEMPTS"'
lacks "a variable of another purpose" HEELER_JOBS

stalls 0 "a file that the shell writes in place" --config <(cat "$work/good.json")
holds "a file that the shell writes in place" '"action":"inject:nudge","t":40,'

# The two settings of which one is tried on what was recorded, compared as the README says.
verdicts() { timeout 60 "$bin" --preset long_run "$@" "$work/stall.jsonl" 2>/dev/null | grep -E '^\{"(status|action|alert)"'; }
compare() { diff <(verdicts) <(verdicts "$@") >"$work/out" 2>"$work/err" </dev/null; }
compare || fail "the same settings differ"
[ "$(verdicts | wc -l)" -ge 4 ] || fail "nothing to compare"
compare --config "$work/good.json" && fail "other settings make no difference"
holds "what is no more" '< {"action":"inject:nudge","t":120,'
holds "what is new" '> {"action":"inject:nudge","t":40,'
compare --config <(echo '{"interval_s": 60, "max_attempts": 2}') || fail "settings that change nothing differ"

stalls 2 "a bad file" --config "$work/bad.json"
grep -q 'bad.json: not JSON: line 2, column 13: ' "$work/err" || fail "a bad file: no place"
stalls 2 "a missing file" --config "$work/missing.json"
stalls 2 "a list" --config <(echo '[1]')
grep -q 'they must be one JSON object' "$work/err" || fail "a list: no word of it"

[ "$failures" -eq 0 ] && echo "all good"
exit "$((failures > 0))"
