#!/usr/bin/env bash
# heeler-supervise tells once a day how the day was: at the time, late where it was not there, and not again after a restart.
set -uo pipefail

# shellcheck source=../support/stand_ins.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/stand_ins.sh"
supervise=$(built supervise) || exit 1

stand_in loopback_channels.py smtp http
export HEELER_WEBHOOK_URL=$http/hook HEELER_WEBHOOK_SECRET=webhook-secret

# watch NAME TIME COMMAND...
watch() {
    local name=$1 time=$2
    shift 2
    timeout 100 "$supervise" --state-dir "$work/state" --name "$name" --digest "$time" --notify webhook -- "$@" >"$work/out" 2>"$work/err"
}
digests() { grep -c '"kind": "watchdog.digest"' "$work/got"; }

soon=$(date -u -d '+4 seconds' +%H:%M:%S)
watch daily "$soon" bash -c "for _ in {1..600}; do grep -qs 'watchdog.digest' '$work/got' && break; sleep 0.1; done; sleep 1" ||
    fail "it ended with an error"
[ "$(digests)" = 1 ] || fail "not one digest at $soon"
grep '"kind": "watchdog.digest"' "$work/got" | grep -q 'all is well: 1 run watched (1 running); since its start at ' || fail "other words"
grep -q 'watchdog.digest.*all is well' "$work/state/runs/daily/alerts.log" || fail "the log does not have it"
grep -qx '....-..-..' "$work/state/runs/daily/digest" || fail "its date is not kept"

if [ "$(date -u +%Y-%m-%d)" = "$(cat "$work/state/runs/daily/digest")" ]; then # and not a moment before midnight
    watch daily "$soon" sleep 2 || fail "the next one ended with an error"
    [ "$(digests)" = 1 ] || fail "one day was told twice"
fi

watch late 00:00 sleep 2 || fail "one that begins after the time ended with an error"
[ "$(digests)" = 2 ] || fail "one that begins after the time says nothing"
grep '"kind": "watchdog.digest"' "$work/got" | tail -n 1 | grep -q '(late: it was due at ....-..-..T00:00Z)' || fail "it does not say that it is late"

watch wrong 24:00 true
[ $? = 64 ] || fail "a time that is none was taken"
grep -q -- '--digest: "24:00" is no time of the day: write 09:00' "$work/err" || fail "it is not said what a time is"

finish "told once a day"
