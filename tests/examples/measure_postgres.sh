#!/usr/bin/env bash
# heeler-measure on a PostgreSQL store: the same day as in memory.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
measure=$bin/heeler-measure
[ -x "$measure" ] || { echo "not built: $measure"; exit 1; }
"$measure" --store postgres:port=1 2>&1 | grep -q "built without PostgreSQL" && { echo "built without PostgreSQL"; exit 77; }
for directory in $(dirname "$(command -v initdb || echo /none/initdb)") /usr/lib/postgresql/*/bin; do
    [ -x "$directory/initdb" ] && [ -x "$directory/psql" ] && export HEELER_POSTGRES_BIN=$directory
done
[ -n "${HEELER_POSTGRES_BIN:-}" ] || { echo "no PostgreSQL server is installed"; exit 77; }

server=$(cd "$(dirname "${BASH_SOURCE[0]}")/../support" && pwd)/postgres_server.sh
work=$(mktemp -d)
data=/tmp/heeler-measure-$$
trap 'bash "$server" remove "$data"; rm -rf "$work"' EXIT
bash "$server" start "$data" $$ >"$work/server" 2>&1 || { cat "$work/server"; exit 1; }
store="postgres:host=$data user=heeler dbname=postgres"

for seed in 1 2; do
    timeout 100 "$measure" --seed $seed >"$work/memory" 2>&1 || { cat "$work/memory"; exit 1; }
    timeout 100 "$measure" --seed $seed --store "$store" --schema "day_$seed" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
    diff "$work/memory" "$work/out" || { echo "FAILED: seed $seed"; exit 1; }
done
echo "all passed"
