#!/usr/bin/env bash
# The monitor tells systemd and a dead man's switch that it is alive, while it is and its store works. Both are stand-ins on this
# machine.
set -uo pipefail

# shellcheck source=../support/stand_ins.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/stand_ins.sh"
monitor=$(built session-monitor) || exit 1
mkdir "$work/sessions"

# watch SECONDS ARGUMENTS...: what the stand-ins heard before is forgotten.
watch() {
    local length=$1
    shift
    rm -f "$work/pings" "$work/notified"
    timeout 60 "$monitor" "$work/sessions" --every 250ms --for "$length" "$@" >>"$work/out" 2>"$work/err"
}

stand_in loopback_alive.py http notify
url=$http/secret
export NOTIFY_SOCKET=$work/notify WATCHDOG_USEC=1000000

watch 4 --ping "$url" || fail "it ended with an error"
[ "$(grep -c . "$work/pings")" = 1 ] || fail "not one ping in the first minute"
grep -qx /secret "$work/pings" || fail "another address"
noted notified '^STOPPING=1$'
[ "$(grep -v EXTEND "$work/notified" | head -n 1)" = READY=1 ] && [ "$(grep -c READY "$work/notified")" = 1 ] || fail "not ready, once and first"
[ "$(grep -c WATCHDOG=1 "$work/notified")" -ge 4 ] || fail "not alive at half the time"
[ "$(grep -c WATCHDOG=1 "$work/notified")" -le 9 ] || fail "alive more often than at half the time"
grep -q 'STATUS=0 runs watched' "$work/notified" || fail "no status"
[ "$(grep -v EXTEND "$work/notified" | tail -n 1)" = STOPPING=1 ] || fail "its end is not told"
[ ! -s "$work/err" ] || fail "something was said"

touch "$work/down"
watch 2 --ping "$url" || fail "a switch that is down ended it"
grep -q "the dead man's switch answered 503" "$work/err" || fail "it is not said that the switch is down"
! grep -q secret "$work/err" || fail "the address is shown"
[ "$(grep -c . "$work/pings")" = 1 ] || fail "asked again too soon"
rm "$work/down"

# A store that cannot be used: nothing is decided, so nobody is told that all is well.
mkdir "$work/nothing.db"
watch 2 --ping "$url" --store "sqlite:$work/nothing.db"
[ ! -e "$work/pings" ] || fail "a ping without a store"
! grep -q 'READY\|WATCHDOG' "$work/notified" || fail "ready without a store"

watch 1 --ping ftp://example.org && fail "an address that is none was taken"
unset NOTIFY_SOCKET WATCHDOG_USEC
watch 1 || fail "without anybody to tell"
[ ! -e "$work/notified" ] || fail "nobody was to be told"

# Two on one store would act on the same sessions: whichever comes second says so, and holds still.
timeout 200 "$monitor" "$work/sessions" --every 250ms --store "sqlite:$work/one.db" >/dev/null 2>"$work/other" &
other=$!
until_true test -s "$work/one.db" || fail "the first does not begin"
watch 4 --store "sqlite:$work/one.db"
kill -TERM "$other"
wait "$other"
refused=$(grep -l "another watchdog without a name works on this store" "$work/err" "$work/other" | wc -l)
[ "$refused" = 1 ] || fail "$refused of two monitors on one store were refused"

finish "alive, and said so"
