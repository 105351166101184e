#!/usr/bin/env bash
# Six channels that take every call and never answer: heeler-session-monitor goes on judging, is alive for systemd, ends in
# time, and says what nobody got; a later start delivers it, to each channel once. A file that cannot be written tells nobody
# else again.
set -uo pipefail

# shellcheck source=../support/stand_ins.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/stand_ins.sh"
monitor=$(built session-monitor) || exit 1
ctl=$(built ctl) || exit 1
sessions=$work/sessions

# session NAME: the same call eight times, just now.
session() {
    local at number
    at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    mkdir -p "$sessions/$1"
    for number in $(seq 8); do
        printf '{"event":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"%s","timestamp":"%s"}\n' \
            "$number" "$at"
        printf '{"event":"post_tool_use","tool_name":"Bash","is_error":false,"tool_use_id":"%s","timestamp":"%s"}\n' "$number" "$at"
    done >"$sessions/$1/tool_use.jsonl"
}

stand_in loopback_silent.py http
channels=()
for channel in a b c d e f; do channels+=(--notify "webhook:$http/$channel"); done
echo '{"retry_failed_alerts": true, "outbox.first_retry_s": 1}' >"$work/config.json"

# start ARGUMENTS...
start() {
    "$monitor" "$sessions" --scale 20 --every 500ms --config "$work/config.json" --store "sqlite:$work/store.db" "$@" \
        >"$work/out" 2>"$work/err" &
    pid=$!
}

# until_there FILE WORDS
until_there() { until_true grep -qs "$2" "$1"; }

session first0000000
start "${channels[@]}"
until_there "$work/asked" /f || fail "the last channel was not asked beside the first"
session second000000
until_there "$work/out" "Session second00" || fail "another session is not looked at"
began=$(date +%s)
kill -TERM $pid
wait $pid || fail "it ended with an error"
[ $(($(date +%s) - began)) -le 40 ] || fail "its end took $(($(date +%s) - began)) s"
# Of a slow build the second one may not have been tried yet.
grep -Eq "(1 alert is|2 alerts are) not delivered, and kept" "$work/err" || fail "it is not said what nobody got"

touch "$work/up"
: >"$work/got"
start "${channels[@]}"
for channel in a b c d e f; do until_there "$work/got" "^/$channel .*second0" || fail "$channel did not get the alert"; done
sleep 2
kill -TERM $pid
wait $pid || fail "it ended with an error"
for channel in a b c d e f; do
    [ "$(grep -c "^/$channel .*first0.*run first0" "$work/got")" = 1 ] || fail "$channel did not get the first alert once"
    [ "$(grep -c "^/$channel .*second0.*run second0" "$work/got")" = 1 ] || fail "$channel did not get the second alert once"
done

rm "$sessions/alerts.jsonl"
mkdir "$sessions/alerts.jsonl"
: >"$work/got"
session third0000000
start "${channels[@]}"
until_there "$work/got" "^/f .*third00" || fail "nobody was told"
sleep 4
kill -TERM $pid
wait $pid
start "${channels[@]}"
sleep 3
kill -TERM $pid
wait $pid
for channel in a b c d e f; do
    [ "$(grep -c "^/$channel .*third00" "$work/got")" = 1 ] || fail "$channel was told again because a file cannot be written"
done

# What nobody got is delivered by heeler-ctl too, although its session is not over, and by nobody again.
rm "$work/up"
: >"$work/asked"
session fourth000000
start "${channels[@]}"
until_there "$work/asked" /f || fail "the last channel was not asked"
kill -TERM $pid
wait $pid
grep -q "heeler-ctl --store 'sqlite:$work/store.db' deliver" "$work/err" || fail "it is not said how to deliver it"
touch "$work/up"
: >"$work/got"
timeout 60 "$ctl" --store "sqlite:$work/store.db" deliver "${channels[@]}" >"$work/out" 2>"$work/err" || fail "deliver failed"
once() {
    for channel in a b c d e f; do
        [ "$(grep -c "^/$channel .*fourth0" "$work/got")" = 1 ] || fail "$channel did not get the alert of heeler-ctl once"
    done
}
once
start "${channels[@]}"
sleep 3
kill -TERM $pid
wait $pid
once

finish "nobody waits for a channel"
