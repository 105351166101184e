#!/usr/bin/env bash
# heeler-fleet: several watchdogs on one PostgreSQL store; one is killed, one is paused, every stall is continued once. Then
# again while the network between watchdogs and server holds statements, and cuts connections before and after them.
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

# bad_network PER_MILLE ARGUMENTS...: a fleet of which so many statements are struck. Its record is in $work/bad.
bad_network() {
    local rate=$1 seed=$RANDOM status
    shift
    coproc network { exec "$bin/../tests/heeler_bad_network" "$data" "$seed" "$rate" 4000 "heeler-fleet w"; }
    local from=${network[0]} to=${network[1]} directory
    read -r directory <&"$from"
    HEELER_STORE="postgres:host=$directory user=heeler dbname=postgres" \
        timeout "${time_limit:-400}" "$fleet" --schema bad_network --json "$@" >"$work/bad" 2>&1 </dev/null
    status=$?
    exec {to}>&-
    { echo "seed $seed"; cat <&"$from"; } >>"$work/bad"
    return $status
}

if [ "${1-}" = full ]; then
    timeout 400 "$fleet" "${@:2}" || exit
    [ -x "$bin/../tests/heeler_bad_network" ] || exit 0
    bad_network 5 "${@:2}"
    cat "$work/bad"
    grep -qF '"twice":0,"never":0,"needless":0' "$work/bad"
    exit
fi

tool=$fleet
time_limit=200
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool_checks.sh"

# It mostly waits, as the other one does.
bad_network 15 --runs 150 --stalls 40 --watchdogs 3 --pace 0.3 &
bad=$!
small=(--runs 600 --stalls 70 --watchdogs 3)
printf '#!/bin/sh\ncat >>"%s"; echo >>"%s"\n' "$work/told" "$work/told" >"$work/person"
chmod +x "$work/person"
for pace in 0.3 1; do # a machine that is too slow says so
    : >"$work/told"
    timeout 200 "$fleet" "${small[@]}" --pace $pace --schema "pace_${pace/./_}" --json --notify "command:$work/person" >"$work/out" 2>&1 </dev/null
    status=$?
    grep -q 'take a greater one' "$work/out" || grep -q '"slow":[1-9]' "$work/out" || break
done
[ $status = 0 ] || fail "six hundred runs: status $status"
grep -q '"kind":"orchestrator.lost"' "$work/told" || fail "nobody is told of the lost watchdog" "$work/err"
says '"once":74,"twice":0,"never":0,"needless":0,"slow":0'
says '"late_counted":0'
says '"faults":0'
says "w2 is killed"
says "w3 goes on"
expect 1 "a schema that is there" "${small[@]}" --schema "pace_${pace/./_}"
says "is there already"
expect 2 "more stalls than runs" --runs 5 --stalls 6
expect 2 "another store" --store sqlite:x.db
expect 2 "a channel that there is not" --notify pigeon
wait $bad
cp "$work/bad" "$work/out"
says '"completed":150,'
says '"twice":0,"never":0,"needless":0'
says '"late_counted":0'
says "w3 goes on"
grep -q "[1-9][0-9]* cut after" "$work/out" || fail "the network was good"

finish
