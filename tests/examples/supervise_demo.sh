#!/usr/bin/env bash
# The demo, as somebody reads it who knows nothing: commands that can be typed, words that are explained, no time twice.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/supervise_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/supervise_checks.sh"
[ -x "${bin%supervise}ctl" ] || { echo "heeler-ctl is not built"; exit 77; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=$work/demo.out

# In a copy, so that nothing is left in the sources.
mkdir -p "$work/copy/examples/supervise"
cp "$root/examples/demo.sh" "$work/copy/examples/"
cp -r "$root/examples/supervise/agents" "$work/copy/examples/supervise/"
HEELER_BIN=$(cd "${bin%/*}" && pwd) timeout 100 bash "$work/copy/examples/demo.sh" >"$out" 2>&1 </dev/null || fail "the demo fails" "$out"

legend=$work/legend
sed -n '/=== What you will see/,/=== 1\./p' "$out" >"$legend"
rest=$work/rest
sed '1,/=== 1\./d' "$out" >"$rest"

echo "== what is typed can be typed"
grep '^\$ heeler-supervise' "$out" | sed 's/^\$ //' >"$work/typed"
[ "$(grep -c . "$work/typed")" = 2 ] || fail "not two commands" "$out"
while IFS= read -r line; do
    eval "set -- $line"
    while [ $# -gt 1 ] && [ "$1" != --goal ]; do shift; done
    case $2 in
    "Write the release notes of 2.4" | "Work through the twelve steps") ;;
    *) fail "the quotes of a goal are lost: $line" ;;
    esac
done <"$work/typed"

echo "== words are explained"
for word in $(grep -aoE 'heeler: status [A-Z_]+' "$rest" | awk '{print $3}' | sort -u) \
    $(grep -aoE 'heeler: (inject:[a-z_]+|snapshot|escalate|terminate): ' "$rest" | awk '{sub(/:$/, "", $2); print $2}' | sort -u) \
    $(grep -aoE 'led to: [a-z]+' "$rest" | awk '{print tolower($3)}' | sort -u); do
    grep -qi -- "\b$word\b" "$legend" || fail "\"$word\" is not explained" "$legend"
done
says "$rest" 'LOOP_DETECTED (block, period 5'
says "$rest" 'STALLED (zero_delta'

echo "== nothing twice"
if grep -aE 'status ([A-Z_]+): \1' "$rest" >"$work/twice"; then fail "a status twice" "$work/twice"; fi
time='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z'
if grep -ahE "^(heeler: )?(alert: )?($time).* \3 " "$rest" "$work"/copy/build/demo/state-*/runs/*/alerts.log >"$work/twice"; then
    fail "a time twice" "$work/twice"
fi
says "$(echo "$work"/copy/build/demo/state-*/runs/stalling/alerts.log)" 'CRITICAL heeler escalation'
says "$rest" 'ended with 124, as it should'
finish
