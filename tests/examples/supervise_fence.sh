#!/usr/bin/env bash
# heeler-supervise tells its commands by a fence whose the run is: an agent that stood still while another was started in its
# place learns that before it does anything that cannot be undone, by the shell function and by the header, which stand alone.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/supervise_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/supervise_checks.sh"
command -v setsid >/dev/null || { echo "skipped: no setsid"; exit 77; }
compiler=${CXX:-c++}
command -v "$compiler" >/dev/null || { echo "skipped: no $compiler"; exit 77; }

# A worker of another project has copies of these two and nothing else.
cp "$(dirname "${BASH_SOURCE[0]}")"/../../include/heeler/agent/check_fence.{hpp,sh} "$work/"
cat >"$work/worker.cpp" <<'SOURCE'
#include "check_fence.hpp"
int main() { return static_cast<int>(heeler::check_fence()); }
SOURCE
"$compiler" -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "$work/worker.cpp" -o "$work/worker" ||
    { fail "the header alone is no C++17"; finish; }
cat >"$work/ask.sh" <<'SOURCE'
. "$HEELER_TEST/check_fence.sh"
check_fence
by_shell=$?
"$HEELER_TEST/worker"
echo "$by_shell $?" >"$HEELER_TEST/$1.now" && mv "$HEELER_TEST/$1.now" "$HEELER_TEST/$1"
SOURCE
# Left behind by its command, it stands still until somebody wakes it.
cat >"$work/behind.sh" <<'SOURCE'
sh "$HEELER_TEST/ask.sh" before
echo $$ >"$HEELER_TEST/behind.pid"
kill -STOP $$
sh "$HEELER_TEST/ask.sh" woken
SOURCE
answer() { cat "$work/$1" 2>/dev/null || echo nothing; }
stands_still() { grep -q '^State:.*T' "/proc/$(cat "$work/behind.pid")/status"; }

echo "== an agent that stood still, was replaced and wakes"
start_supervisor "$work/out" "$work/err" --name release -- sh -c 'setsid sh "$HEELER_TEST/behind.sh" & until [ -s "$HEELER_TEST/behind.pid" ]; do sleep 0.1; done'
ends 0 "the first start"
until_true stands_still || fail "the first agent does not stand still"
[ "$(answer before)" = "0 0" ] || fail "the first agent before that: $(answer before)"
start_supervisor "$work/out" "$work/err" --name release -- sh "$work/ask.sh" fresh
ends 0 "the second start"
[ "$(answer fresh)" = "0 0" ] || fail "the agent that has the run: $(answer fresh)"
kill -CONT "$(cat "$work/behind.pid")"
until_true [ -s "$work/woken" ] || fail "the first agent does not wake"
[ "$(answer woken)" = "1 1" ] || fail "the agent that was replaced: $(answer woken)"

echo "== other runs, and agents of nobody"
start_supervisor "$work/out" "$work/err" --name other -- sh "$work/ask.sh" other
ends 0 "another run"
[ "$(answer other)" = "0 0" ] || fail "the agent of another run: $(answer other)"
(unset HEELER_FENCE HEELER_GENERATION && sh "$work/ask.sh" nobody)
[ "$(answer nobody)" = "2 2" ] || fail "an agent of nobody: $(answer nobody)"

echo "== a fence that somebody damaged"
echo "mine" >"$state/runs/release/fence"
start_supervisor "$work/out" "$work/err" --name release -- true
ends 73 "a damaged fence"
says "$work/err" "is damaged: make sure that no worker runs, and remove it"
finish
