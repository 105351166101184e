#!/usr/bin/env bash
# A session in trouble reaches people: a Telegram message in the chat that it came from, an issue on GitHub; and the log, while
# Telegram cannot be reached. Telegram and GitHub are stand-ins on this machine.
set -uo pipefail

# shellcheck source=../support/stand_ins.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/stand_ins.sh"
monitor=$(built session-monitor) || exit 1
sessions=$work/sessions

# session NAME CHAT: the same call eight times, and nothing for forty minutes since.
session() {
    local at number
    at=$(date -u -d '-40 minutes' +%Y-%m-%dT%H:%M:%SZ)
    mkdir -p "$sessions/$1"
    echo "$2" >"$sessions/$1/origin"
    for number in $(seq 8); do
        printf '{"event":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"%s","timestamp":"%s"}\n' \
            "$number" "$at"
        printf '{"event":"post_tool_use","tool_name":"Bash","is_error":false,"tool_use_id":"%s","timestamp":"%s"}\n' "$number" "$at"
    done >"$sessions/$1/tool_use.jsonl"
}

# watch SECONDS ARGUMENTS...
watch() {
    timeout 60 "$monitor" "$sessions" --scale 1 --every 250ms --for "$1" --project ai --config "$work/config.json" \
        --store "sqlite:$work/store.db" --notify telegram:7 --issues github:acme/agents >>"$work/out" 2>>"$work/err" ||
        fail "the monitor failed"
}

stand_in loopback_channels.py smtp http
export HEELER_TELEGRAM_TOKEN=telegram-token HEELER_TELEGRAM_API=$http HEELER_GITHUB_TOKEN=github-token HEELER_GITHUB_API=$http
echo '{"retry_failed_alerts": true, "outbox.first_retry_s": 1}' >"$work/config.json"

session abcdef1234567 -42
watch 3
[ "$(grep -c '"channel": "telegram", "chat_id": "-42"' "$work/got")" = 1 ] || fail "not one message in the session's chat"
grep '"channel": "telegram"' "$work/got" | grep -q 'Session abcdef12.*Project: ai.*Silent for 40 minutes' || fail "another message"
[ "$(grep -c '"channel": "github", "title": "\[Watchdog\] Session abcdef12 had critical issues"' "$work/got")" = 1 ] ||
    fail "not one issue"
grep '"channel": "github", "title"' "$work/got" |
    grep -qF "\nNext: the run may still be running; it is no longer watched\nStop: heeler-ctl --store 'sqlite:$work/store.db' snooze --for 2h -- 'abcdef1234567'\n" ||
    fail "the issue does not say what comes next, or how to stop it"

touch "$work/down"
session fedcba7654321 -43
watch 2
grep -q 'CRITICAL heeler .*\[fedcba7654321\].*not delivered by' "$work/err" || fail "the log does not have what Telegram did not take"
! grep -q '"chat_id": "-43"' "$work/got" || fail "it was down"
rm "$work/down"
watch 4
[ "$(grep -c '"channel": "telegram", "chat_id": "-43"' "$work/got")" = 1 ] || fail "not delivered once when it could be"
[ "$(grep -c '"channel": "github", "title"' "$work/got")" = 2 ] || fail "not one issue each"
! grep -q 'telegram-token\|github-token' "$work/out" "$work/err" "$sessions/alerts.jsonl" || fail "a token is shown"

finish "a message, an issue, and the log"
