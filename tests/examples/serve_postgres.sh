#!/usr/bin/env bash
# heeler-serve on PostgreSQL: a server that starts later is waited for, one that never does is not waited for in vain, and one
# that hangs holds clients up for a bounded time.
set -uo pipefail

: "${HEELER_BIN:?the directory of the built examples}"
serve=$HEELER_BIN/heeler-serve
[ -x "$serve" ] || { echo "not built: $serve"; exit 1; }
"$serve" --patience 100ms --store postgres:port=1 </dev/null 2>&1 | grep -q "built without PostgreSQL" &&
    { echo "built without PostgreSQL"; exit 77; }
. "$(dirname "${BASH_SOURCE[0]}")/../support/own_postgres.sh"
own_postgres serve
tool=$serve
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool_checks.sh"
hello='{"op":"hello","protocol":"heeler","version":1}'

bash "$server" stop "$data"
(sleep 1.5; bash "$server" again "$data" >"$work/server" 2>&1) &
printf '%s\n{"id":1,"op":"start","run":"nightly"}\n' "$hello" | timeout 200 "$serve" --patience 2m \
    --store "$server_url" >"$work/out" 2>&1 ||
    fail "a server that starts later"
says "it is waited for"
says '"run":"nightly","found":false,"not_stored":null'
wait

bash "$server" stop "$data"
expect 74 "no server" --patience 1s --store "$server_url"
says "check the server"
rm "$work/out" # the last one waited, too
"$serve" --patience 10m --store "$server_url" </dev/null >"$work/out" 2>&1 &
behind=$!
for _ in $(seq 600); do
    grep -qs "it is waited for" "$work/out" && break
    sleep 0.1
done
SECONDS=0
kill "$behind"
wait "$behind"
[ $? = 74 ] || fail "asked to end while it waits"
behind=
[ "$SECONDS" -lt 100 ] || fail "it waited all the same: $SECONDS s"

bash "$server" again "$data" >"$work/server" 2>&1
if command -v python3 >/dev/null; then
    python3 "$(dirname "${BASH_SOURCE[0]}")/serve_hangs.py" "$serve" "$server_url" "$data" "$work" ||
        fail "a server that hangs"
fi
finish
