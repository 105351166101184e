#!/usr/bin/env bash
# heeler-ctl on a PostgreSQL store: the same answers as on a file, and no store is begun where there is none.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
ctl=$bin/heeler-ctl
replay=$bin/heeler-replay
for program in "$ctl" "$replay"; do
    [ -x "$program" ] || { echo "not built: $program"; exit 1; }
done
"$ctl" --store postgres:port=1 status 2>&1 | grep -q "built without PostgreSQL" && { echo "built without PostgreSQL"; exit 77; }
. "$(dirname "${BASH_SOURCE[0]}")/../support/own_postgres.sh"
own_postgres ctl
export USER=ana HEELER_STORE=$server_url
tool=$ctl
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool_checks.sh"
watch() { "$replay" --preset long_run --store "$HEELER_STORE" - >"$work/out" 2>&1 || fail "heeler-replay"; }

expect 1 "no store" status
says "it holds no store; check the URL and --schema"
expect 1 "still none" freeze
says "it holds no store"
expect 1 "no server" --store "postgres:host=$work user=heeler password=hidden" status
grep -q hidden "$work/out" && fail "a password is shown"
expect 1 "no name of a schema" --schema "" status

now=$(date -u +%FT%TZ)
watch <<EOF
{"at":"$now","type":"run","run":"it's \"x\"; DROP TABLE runs; --"}
{"at":"$now","type":"run","run":"old"}
{"at":"$now","type":"state","run":"old","state":"failed"}
EOF
hostile='it'\''s "x"; DROP TABLE runs; --'
expect 0 "status" status
says "$hostile"
expect 0 "all" status --all
says "failed"
expect 0 "outbox" outbox
expect 0 "explain" explain "$hostile"
expect 0 "report" report old
expect 3 "an unknown run" ack olt
says 'nearest: "old"'
expect 3 "an ended run" ack old
expect 0 "snooze" snooze "$hostile" --for 2h
says "noted as decision 1"
expect 0 "freeze" freeze
expect 0 "status" status
says "FROZEN since"
watch <<EOF
{"at":"$now","type":"run","run":"new"}
{"at":"$now","type":"tick"}
EOF
expect 0 "status" status
says "snoozed until"
says "FROZEN since"
"$HEELER_POSTGRES_BIN/psql" -q -h "$data" -U heeler -d postgres >"$work/out" 2>&1 <<'EOF' || fail "psql"
INSERT INTO heeler.leases VALUES ('dog', 'd', 3, extract(epoch FROM now() + interval '10 min') * 1000000);
UPDATE heeler.runs SET holder = 'dog', epoch = 3;
EOF
expect 0 "holders" holders
grep -Eq '\| dog +\| 3 +\| live, 9m 5[0-9]s left +\| [1-9]' "$work/out" || fail "dog's lease"
expect 0 "status" status
says "| Watchdog |"
expect 1 "another schema" --schema elsewhere status

finish
