#!/usr/bin/env bash
# heeler-measure on a PostgreSQL store: the same day as in memory.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
measure=$bin/heeler-measure
[ -x "$measure" ] || { echo "not built: $measure"; exit 1; }
"$measure" --store postgres:port=1 2>&1 | grep -q "built without PostgreSQL" && { echo "built without PostgreSQL"; exit 77; }
. "$(dirname "${BASH_SOURCE[0]}")/../support/own_postgres.sh"
own_postgres measure
store=$server_url

for seed in 1 2; do
    timeout 100 "$measure" --seed $seed >"$work/memory" 2>&1 || { cat "$work/memory"; exit 1; }
    timeout 100 "$measure" --seed $seed --store "$store" --schema "day_$seed" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
    diff "$work/memory" "$work/out" || { echo "FAILED: seed $seed"; exit 1; }
done
echo "all passed"
