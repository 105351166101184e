#!/usr/bin/env bash
# heeler-ctl prune: runs that are long over are forgotten, whatever is not over stays.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/tool_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool_checks.sh"
begin ctl replay
export XDG_STATE_HOME=/nowhere HEELER_STORE=sqlite:$work/watchdog.db
lacks() { ! grep -qF -- "$1" "$work/out" || fail "something says \"$1\""; }

days_ago() { date -u -d "@$(($(date -u +%s) - $1 * 86400 - $2))" +%Y-%m-%dT%H:%M:%SZ; }
# A run that was told to be stalled, and ended.
run() { # NAME DAYS_AGO
    echo "{\"at\":\"$(days_ago "$2" 3000)\",\"type\":\"run\",\"run\":\"$1\",\"task\":\"Port the parser\"}"
    echo "{\"at\":\"$(days_ago "$2" 2900)\",\"type\":\"checkpoint\",\"run\":\"$1\",\"step\":1,\"text\":\"lexer done\"}"
    echo "{\"at\":\"$(days_ago "$2" 1000)\",\"type\":\"state\",\"run\":\"$1\",\"state\":\"completed\"}"
}
{
    run ancient 100
    run older 20
    run recent 2
    echo "{\"at\":\"$(days_ago 1 600)\",\"type\":\"run\",\"run\":\"works\"}"
} >"$work/scenario"
"$bin/heeler-replay" --preset long_run --store "$HEELER_STORE" "$work/scenario" >"$work/out" 2>&1 || fail "heeler-replay"
expect 0 "before" report ancient
size=$(stat -c %s "$work/watchdog.db")

expect 0 "what is long over" prune
says "forgot 2 runs, "
expect 0 "what is left" status --all
says "| recent "
says "| works "
lacks "ancient"
lacks "older"
expect 3 "a forgotten run" report ancient
expect 0 "again" prune
says "forgot 0 runs, 0 alerts and 0 audit records"
expect 0 "sooner" prune --ended 1d --audit 1d --compact --json
says '{"type":"pruned","runs":1,'
[ "$(stat -c %s "$work/watchdog.db")" -le "$size" ] || fail "the file has grown"
expect 0 "what works is never forgotten" status
says "| works "

expect 2 "what has just ended" prune --ended 10m
says "--ended is '10m', but must be at least 1h"
expect 2 "no length" prune --audit soon
says "--audit"
finish
