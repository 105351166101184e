#!/usr/bin/env bash
# heeler-measure: the same seed, the same day, whatever the store; the targets are met where agents behave as they should.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
measure=$bin/heeler-measure
[ -x "$measure" ] || { echo "not built: $measure"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tool=$measure
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool_checks.sh"

expect 0 "memory"
says "200 runs, seed 1"
says "none missing, none twice, none without need"
[ "$(grep -c '| yes |$' "$work/out")" = 4 ] || fail "not all targets are met"
cp "$work/out" "$work/memory"
expect 0 "a file" --store "sqlite:$work/store.db"
cmp -s "$work/out" "$work/memory" || fail "a file makes another day"
expect 1 "a store that has runs" --store "sqlite:$work/store.db"
says "the store holds a run with this id already"

for seed in 2 3 5; do
    expect 0 "seed $seed" --seed $seed --json
    [ "$(grep -o '"met":true' "$work/out" | wc -l)" = 4 ] || fail "seed $seed: not all targets are met"
done
expect 0 "a thousand runs" --runs 1000 --seed 7 --stalled 0.7 --careless 0.2 --recovers 0.4 --spawn-fails 0.4
expect 0 "nobody recovers" --recovers 0 --json
says '"recovery_rate":{"value":0,"target":0.7,"met":false}'
expect 0 "nobody stalls" --stalled 0 --careless 0 --json
says '"detection_rate":{"value":null,"target":0.9,"met":false}'
says '"false_alarm_rate":{"value":0,"target":0.05,"met":true}'
expect 2 "a share above one" --stalled 1.5
expect 2 "no store" --store elsewhere

finish
