#!/usr/bin/env bash
# heeler-fleet: several watchdogs on one PostgreSQL store; one is killed, one is paused, every stall is continued once.
#   fleet.sh          some hundred runs
#   fleet.sh full     10,000 runs
# The server is made for it and thrown away.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
fleet=$bin/heeler-fleet
[ -x "$fleet" ] || { echo "not built: $fleet"; exit 1; }
. "$(dirname "${BASH_SOURCE[0]}")/../support/own_postgres.sh"
own_postgres fleet
export HEELER_STORE=$server_url

if [ "${1-}" = full ]; then
    timeout 400 "$fleet" "${@:2}"
    exit
fi

tool=$fleet
time_limit=100
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool_checks.sh"

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

finish
