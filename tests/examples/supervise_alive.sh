#!/usr/bin/env bash
# heeler-supervise tells systemd and a dead man's switch that it is alive, and its command does not speak for it.
set -uo pipefail

# shellcheck source=../support/stand_ins.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/stand_ins.sh"
supervise=$(built supervise) || exit 1

stand_in loopback_alive.py http notify
url=$http/secret

NOTIFY_SOCKET=$work/notify WATCHDOG_USEC=1000000 HEELER_PING_URL=$url timeout 60 "$supervise" --state-dir "$work/state" --name alive \
    -- bash -c 'for i in 1 2 3 4 5 6; do echo "step $i, ${NOTIFY_SOCKET-nobody}"; sleep 0.5; done' >"$work/out" 2>"$work/err" ||
    fail "it ended with an error"
noted pings . # which are written down when they have come
noted notified '^STOPPING=1$'
after_its_end() { [ -n "$(sed '1,/^STOPPING=1$/d' "$work/notified")" ]; }
until_true after_its_end || fail "its end is not told"
[ "$(grep -c . "$work/pings")" = 1 ] || fail "not one ping in the first minute"
[ "$(head -n 1 "$work/notified")" = EXTEND_TIMEOUT_USEC=180000000 ] || fail "its start may not take long"
[ "$(grep -v EXTEND "$work/notified" | head -n 1)" = READY=1 ] && [ "$(grep -c READY "$work/notified")" = 1 ] ||
    fail "not ready, once and first"
! sed '1,/^READY=1$/d; /^STOPPING=1$/,$d' "$work/notified" | grep EXTEND || fail "it asks for time while it works"
[ "$(grep -c WATCHDOG=1 "$work/notified")" -ge 3 ] || fail "not alive at half the time"
grep -q 'STATUS=1 runs watched, 0 incidents open, 0 alerts waiting' "$work/notified" || fail "no status"
[ "$(sed '1,/^STOPPING=1$/d' "$work/notified" | head -n 1)" = EXTEND_TIMEOUT_USEC=120000000 ] || fail "its end is not told"
grep -qx 'step 6, nobody' "$work/out" || fail "the command could speak for heeler-supervise"

timeout 60 "$supervise" --state-dir "$work/state" --name wrong --ping example.org -- true >"$work/out" 2>"$work/err"
[ $? = 64 ] || fail "an address that is none was taken"

touch "$work/down"
timeout 60 "$supervise" --state-dir "$work/state" --name down --ping "$url" -- sleep 2 >"$work/out" 2>"$work/err" ||
    fail "a switch that is down ended it"
grep -q "the dead man's switch answered 503" "$work/err" || fail "it is not said that the switch is down"
! grep -q secret "$work/err" || fail "the address is shown"

finish "alive, and said so"
