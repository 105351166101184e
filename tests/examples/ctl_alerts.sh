#!/usr/bin/env bash
# heeler-ctl test-alert: an alert to each channel's stand-in on this machine, and what is said when one does not arrive.
set -uo pipefail

# shellcheck source=../support/stand_ins.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/stand_ins.sh"
bin=$(built ctl) || exit 1

# expect STATUS WHAT ARGS...
expect() {
    local wanted=$1 what=$2 status
    shift 2
    timeout 60 "$bin" "$@" >"$work/out" 2>"$work/err"
    status=$?
    [ $status = "$wanted" ] || fail "$what: status $status instead of $wanted"
}

says() { grep -q -- "$1" "$work/out" "$work/err" || fail "nothing says \"$1\""; }

stand_in loopback_channels.py smtp http

expect 2 "without a token" test-alert --notify telegram:5
says "set HEELER_TELEGRAM_TOKEN"
expect 2 "without an address" test-alert --notify slack
says "set HEELER_SLACK_URL"
expect 2 "a webhook without an address" test-alert --notify webhook
says "set HEELER_WEBHOOK_URL"
expect 2 "what is no channel" test-alert --notify pigeon:coop
says "must be telegram:CHAT"
expect 2 "without a channel" test-alert
says "notify"
XDG_STATE_HOME=$work/state expect 2 "a verb that needs a store" status
says "store is missing"

export HEELER_TELEGRAM_TOKEN=telegram-token HEELER_TELEGRAM_API=$http HEELER_SLACK_URL=$http/slack/key
export HEELER_WEBHOOK_URL=$http/hook HEELER_WEBHOOK_SECRET=webhook-secret HEELER_GITHUB_TOKEN=github-token HEELER_GITHUB_API=$http
export HEELER_SMTP_SERVER=smtp://127.0.0.1:$(cat "$work/smtp") HEELER_SMTP_FROM=heeler@example.org
cat >"$work/program" <<PROGRAM
#!/bin/sh
cat >>'$work/from_program'
PROGRAM
chmod +x "$work/program"

expect 0 "all channels" test-alert --notify telegram:-100 --notify slack --notify webhook \
    --notify github:acme/agents --notify email:ada@example.org --notify "command:$work/program"
[ "$(grep -c ': delivered$' "$work/out")" = 6 ] || fail "not all of six were delivered"
for channel in telegram slack webhook github email; do
    [ "$(grep -c "\"channel\": \"$channel\"" "$work/got")" = 1 ] || fail "$channel did not get one"
done
grep -q '"chat_id": "-100"' "$work/got" || fail "the wrong chat"
grep -q '"signed": true' "$work/got" || fail "the webhook is not signed"
grep -q '"kind":"watchdog.test"' "$work/from_program" || fail "the program did not get it"

touch "$work/down"
expect 4 "a channel that is down, beside one that is not" test-alert --notify telegram:-100 --notify email:ada@example.org
says "^telegram:-100: not delivered: telegram answered 503"
says "^email:ada@example.org: delivered"
rm "$work/down"
HEELER_TELEGRAM_TOKEN=another-token-of-mine expect 4 "a token that is wrong" test-alert --notify telegram:-100
says "telegram answered 401: Unauthorized"
! grep -q another-token "$work/out" "$work/err" || fail "a token is shown"
HEELER_TELEGRAM_API=http://127.0.0.1:1 expect 4 "nobody there" test-alert --notify telegram:-100
says "not delivered: telegram: "

finish "all channels"
