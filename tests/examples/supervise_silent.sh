#!/usr/bin/env bash
# Channels that take every call and never answer hold up neither what heeler-supervise does to its command, nor its end; what
# nobody got is said, is kept, and is delivered by heeler-ctl.
set -uo pipefail

# shellcheck source=../support/stand_ins.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/stand_ins.sh"
supervise=$(built supervise) || exit 1
ctl=$(built ctl) || exit 1

stand_in loopback_silent.py http
silent=(--notify "webhook:$http/a" --notify "webhook:$http/b" --notify "webhook:$http/c")

# took WHAT SECONDS: since the last call of `begin`.
begin() { began=$(date +%s); }
took() {
    local seconds=$(($(date +%s) - began))
    [ $seconds -le "$2" ] || fail "$1 took $seconds s instead of $2"
}

begin
timeout 200 "$supervise" --state-dir "$work/state" --name timed --preset long_run --timeout 4s --interval 2s --linger 1s "${silent[@]}" -- sleep 100 >"$work/out" 2>"$work/err"
status=$?
took "a command that overran its time" 50
[ $status = 124 ] || fail "status $status: the watchdog did not end it"
[ "$(sort -u "$work/asked" | grep -c .)" = 3 ] || fail "not each channel was asked"
grep -q "alerts\? \(is\|are\) not delivered.*heeler-ctl --store 'sqlite:$work/state/runs/timed/store.sqlite' deliver" "$work/err" || fail "it is not said that an alert is kept"

# asked to end while an alert hangs, and the command does not end by itself
: >"$work/asked"
begin
"$supervise" --state-dir "$work/state" --name asked --preset long_run --interval 1s "${silent[@]}" -- sh -c 'trap "" TERM; sleep 100' >"$work/out" 2>"$work/err" &
pid=$!
until_true test -s "$work/asked" || fail "nobody was told that nothing goes on"
sleep 0.5
begin
kill -INT $pid
wait $pid
took "Ctrl-C" 40
grep -q "not delivered, and kept" "$work/err" || fail "it is not said what nobody got"

# Who delivers by hand, and loses patience with those that hang, has told the others once.
printf '#!/bin/sh\necho told >>"%s/told"\n' "$work" >"$work/quick"
chmod +x "$work/quick"
each_is_asked() { [ "$(sort -u "$work/asked" | grep -c .)" = 3 ]; }
for _ in 1 2; do
    : >"$work/asked"
    "$ctl" --store "sqlite:$work/state/runs/timed/store.sqlite" deliver --notify "command:$work/quick" "${silent[@]}" >"$work/out" 2>"$work/err" &
    pid=$!
    until_true each_is_asked || fail "those that hang are not asked"
    until_true test -s "$work/told" || fail "one that hangs holds up another"
    sleep 2 # until it is noted who has it
    kill -TERM $pid
    wait $pid
done
[ "$(grep -c . "$work/told")" = 1 ] || fail "one that has an alert was told $(grep -c . "$work/told") times because others hang"

# One that is refused when the command ends is tried until it is taken.
touch "$work/down"
timeout 100 "$supervise" --state-dir "$work/state" --name late --preset long_run --timeout 3s --interval 1s --stdin nudges --notify "webhook:$http/late" \
    -- sleep 100 >"$work/out" 2>"$work/err" &
pid=$!
until_true grep -q 'not delivered yet' "$work/err" || fail "nothing is refused at the end"
touch "$work/up"
wait $pid
[ $? = 124 ] || fail "the watchdog did not end it"
[ "$(grep -c '^/late .*"kind":"escalation"' "$work/got")" = 1 ] || fail "the last alert was not tried again"
! grep -q "not delivered, and kept" "$work/err" || fail "it is said to be kept although it was delivered"

# A later start on what the interrupted one left.
timeout 100 "$supervise" --state-dir "$work/state" --name asked "${silent[@]}" -- sleep 1 >"$work/out" 2>"$work/err" || fail "a later start failed"
grep -q '^/c .*"name":"asked"' "$work/got" || fail "a later start did not deliver what was kept"

: >"$work/got"
timeout 60 "$ctl" --store "sqlite:$work/state/runs/timed/store.sqlite" deliver "${silent[@]}" >"$work/out" 2>"$work/err" || fail "deliver failed"
for channel in a b c; do
    [ "$(grep -c "^/$channel .*escalation" "$work/got")" -ge 1 ] || fail "$channel did not get the escalation"
    [ "$(grep "^/$channel " "$work/got" | sort | uniq -d | grep -c .)" = 0 ] || fail "$channel got one twice"
done
timeout 60 "$ctl" --store "sqlite:$work/state/runs/timed/store.sqlite" outbox >"$work/out" 2>"$work/err"
grep -q "No alert waits" "$work/out" || fail "an alert waits yet"

finish "neither the command nor the end waits for a channel"
