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
for directory in $(dirname "$(command -v initdb || echo /none/initdb)") /usr/lib/postgresql/*/bin; do
    [ -x "$directory/initdb" ] && [ -x "$directory/psql" ] && export HEELER_POSTGRES_BIN=$directory
done
[ -n "${HEELER_POSTGRES_BIN:-}" ] || { echo "no PostgreSQL server is installed"; exit 77; }

server=$(cd "$(dirname "${BASH_SOURCE[0]}")/../support" && pwd)/postgres_server.sh
work=$(mktemp -d)
data=/tmp/heeler-ctl-$$
trap 'bash "$server" remove "$data"; rm -rf "$work"' EXIT
bash "$server" start "$data" $$ >"$work/server" 2>&1 || { cat "$work/server"; exit 1; }
export USER=ana HEELER_STORE="postgres:host=$data user=heeler dbname=postgres"
failures=0

fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}
expect() { # STATUS WHAT ARGUMENTS...
    local status=$1 what=$2
    shift 2
    timeout 60 "$ctl" "$@" >"$work/out" 2>&1 </dev/null
    local got=$?
    [ "$got" = "$status" ] || fail "$what: status $got, not $status"
}
says() { grep -qF -- "$1" "$work/out" || fail "nothing says \"$1\""; }
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

[ $failures = 0 ] || { echo "$failures failed"; exit 1; }
echo "all passed"
