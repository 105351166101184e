#!/usr/bin/env bash
# heeler-fleet: several watchdogs on one PostgreSQL store; one is killed, one is paused, every stall is continued once.
#   fleet.sh          some hundred runs
#   fleet.sh full     10,000 runs
# The server is made for it and thrown away.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
fleet=$bin/heeler-fleet
[ -x "$fleet" ] || { echo "not built: $fleet"; exit 1; }
for directory in $(dirname "$(command -v initdb || echo /none/initdb)") /usr/lib/postgresql/*/bin; do
    [ -x "$directory/initdb" ] && [ -x "$directory/psql" ] && export HEELER_POSTGRES_BIN=$directory
done
[ -n "${HEELER_POSTGRES_BIN:-}" ] || { echo "no PostgreSQL server is installed"; exit 77; }

server=$(cd "$(dirname "${BASH_SOURCE[0]}")/../support" && pwd)/postgres_server.sh
work=$(mktemp -d)
data=/tmp/heeler-fleet-$$
trap 'bash "$server" remove "$data"; rm -rf "$work"' EXIT
bash "$server" start "$data" $$ >"$work/server" 2>&1 || { cat "$work/server"; exit 1; }
export HEELER_STORE="postgres:host=$data user=heeler dbname=postgres"

if [ "${1-}" = full ]; then
    timeout 400 "$fleet" "${@:2}"
    exit
fi

failures=0
fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}
expect() { # STATUS WHAT ARGUMENTS...
    local status=$1 what=$2
    shift 2
    timeout 100 "$fleet" "$@" >"$work/out" 2>&1 </dev/null
    local got=$?
    [ "$got" = "$status" ] || fail "$what: status $got, not $status"
}
says() { grep -qF -- "$1" "$work/out" || fail "nothing says \"$1\""; }

small=(--runs 600 --stalls 70 --watchdogs 3 --pace 0.3)
expect 0 "six hundred runs" "${small[@]}" --json
says '"once":74,"twice":0,"never":0,"needless":0'
says '"late_counted":0'
says '"faults":0'
says "w2 is killed"
says "w3 goes on"
expect 1 "a schema that is there" "${small[@]}"
says "is there already"
expect 2 "more stalls than runs" --runs 5 --stalls 6
expect 2 "another store" --store sqlite:x.db

[ $failures = 0 ] || { echo "$failures failed"; exit 1; }
echo "all passed"
