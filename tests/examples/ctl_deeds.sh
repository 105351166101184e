#!/usr/bin/env bash
# heeler-ctl pause, resume, step and limit on a command that heeler-supervise watches: what is noted is done to it.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/supervise_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/supervise_checks.sh"
[ -x "$HEELER_BIN/heeler-ctl" ] || { echo "not built: $HEELER_BIN/heeler-ctl"; exit 1; }
[ -r /proc/self/stat ] || { echo "no /proc: skipped"; exit 77; }

# ctl STATUS ARGUMENTS...: what it says is in $work/said.
ctl() {
    local status=$1
    shift
    timeout 100 "$HEELER_BIN/heeler-ctl" --store "sqlite:$store" --by ana "$@" >"$work/said" 2>&1 </dev/null
    local got=$?
    [ "$got" = "$status" ] || fail "heeler-ctl $*: status $got, not $status" "$work/said"
}
said() { grep -qF -- "$1" "$work/said" || fail "heeler-ctl: nothing says \"$1\"" "$work/said"; }
on_record() { timeout 100 "$HEELER_BIN/heeler-ctl" --store "sqlite:$store" explain deeds 2>&1 | grep -qF -- "$1"; }
is_in_state() { [ "$(sed 's/.*) //' "/proc/$(cat "$work/command.pid")/stat" 2>/dev/null | cut -c1)" = "$1" ]; }
stopped() { is_in_state T; }
running() { ! is_in_state T; }

store=$state/runs/deeds/store.sqlite
start_supervisor "$work/out" "$work/err" --name deeds --interval 1s --preset long_run --timeout 1h -- \
    sh -c 'echo $$ >'"$work"'/command.pid; i=0; while :; do i=$((i + 1)); echo "step $i"; sleep 0.2; done'
until_true test -s "$store" && until_true test -s "$work/command.pid" || fail "it does not begin" "$work/err"

echo "== pause and resume"
until_true on_record '"status":"HEALTHY"' || fail "it is not watched" "$work/err"
ctl 0 pause deeds --because "the gateway is deployed"
said "noted as decision"
until_true stopped || fail "the command goes on" "$work/err"
until_true on_record '"verb":"pause","by":"ana","because":"the gateway is deployed"' || fail "nothing is on record" "$work/err"
until_true on_record 'paused, ' || fail "the run is not shown as paused" "$work/err"
sleep 3
stopped || fail "it does not stay paused" "$work/err"
ctl 0 pause deeds
said "it was paused already"
ctl 0 resume deeds
until_true running || fail "the command does not go on" "$work/err"

echo "== a step without an incident"
ctl 0 step deeds
said "nothing was wrong with the run"
until_true on_record '"verb":"step","by":"ana","ignored":"nothing is wrong with the run"' || fail "nothing is on record" "$work/err"

echo "== a limit"
ctl 2 limit deeds
ctl 2 limit deeds cost=5
said "LIMIT is 'cost=5', but must be timeout=DURATION, tokens=NUMBER or money=USD, for example timeout=3h"
ctl 2 limit deeds tokens=0
said "tokens is '0', but must be a whole number from 1 to"
ctl 2 limit deeds tokens=many
ctl 2 limit deeds timeout=1h money=-1
said "money is '-1', but must be an amount of USD from 0.01 to"
ctl 2 limit deeds timeout=soon
ctl 2 limit deeds timeout=0s
said "timeout: \"0s\" is no duration"
ctl 3 limit nobody timeout=1h
ctl 0 limit deeds tokens=1000000
until_true on_record '"verb":"limit","by":"ana","tokens":1000000,"ignored":"its class has no budget of tokens' ||
    fail "a budget that nobody asks for is taken" "$work/err"
ctl 0 limit deeds money=5
said "nothing looked at what it may spend"
until_true on_record '"usd":5,"ignored":"its class has no budget of money' || fail "likewise of money" "$work/err"
ctl 0 limit deeds timeout=2h
until_true on_record "its own limits: timeout 2h 0m" || fail "the limit is not shown" "$work/err"
ctl 0 status deeds
said "timeout 2h 0m"
ctl 0 limit deeds timeout=1s
said "noted as decision"
ends 124 "a limit that is over"
on_record '"verb":"limit","by":"ana","timeout_s":1' || fail "nothing is on record" "$work/err"
ctl 3 pause deeds
said "ended at"

finish
