#!/usr/bin/env bash
# heeler-supervise whose database is busy, gone or cannot be written when the command ends: nothing is lost in silence, and the
# command's own exit status is always said.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/supervise_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/supervise_checks.sh"
command -v sqlite3 >/dev/null || { echo "sqlite3 is not installed: skipped"; exit 77; }

# begin NAME OPTIONS... -- COMMAND...: in the background; its process id is in $supervisor, its database in $store.
begin() {
    store=$state/runs/$1/store.sqlite
    start_supervisor "$work/out" "$work/err" --name "$@"
}

# lock: nobody else writes to the database until `unlock`.
lock() {
    mkfifo "$work/hold"
    sqlite3 "$store" <"$work/hold" >/dev/null 2>"$work/locked" &
    locker=$!
    exec 9>"$work/hold"
    printf '.timeout 60000\nBEGIN IMMEDIATE;\n.output %s\nSELECT 1;\n.output\n' "$work/is_locked" >&9
    until_true test -s "$work/is_locked" || fail "it cannot be locked" "$work/locked"
}
unlock() {
    exec 9>&-
    wait "$locker"
    rm -f "$work/hold" "$work/is_locked"
}

# stored NAME: the states of its runs, oldest first.
stored() { sqlite3 -cmd '.timeout 60000' "$state/runs/$1/store.sqlite" "SELECT group_concat(state) FROM (SELECT state FROM runs ORDER BY rowid)"; }
expect_stored() { # NAME STATES WHAT
    local got
    got=$(stored "$1")
    [ "$got" = "$2" ] || fail "$3: the runs are stored as \"$got\", not \"$2\"" "$work/err"
}
# under_way: the command of `begin` works, its run is stored, and whatever is written at the start is written.
under_way() { until_true is_stored && until_true grep -q ' HEALTHY ' "$work/err" || fail "it is not under way" "$work/err"; }
is_stored() { [ -s "$store" ] && [ -s "${store%/*}/child" ] && sqlite3 -readonly -cmd '.timeout 60000' "$store" "SELECT state FROM runs" 2>/dev/null | grep -q running; }
work_until_told='while [ ! -e '$work'/go ]; do sleep 0.1; done; rm '$work'/go'

echo "== busy for a moment"
begin busy -- sh -c "$work_until_told; exit 3"
under_way
lock
touch "$work/go"
until_true grep -q 'not recorded yet' "$work/err" || fail "nothing says that the end waits" "$work/err"
unlock
ends 3 "a store that is busy for a moment"
expect_stored busy failed "after a moment"
[ ! -e "$state/runs/busy/ends" ] || fail "the end is noted although it is stored"

echo "== busy for long"
begin long --preset long_run --interval 1s -- sh -c "$work_until_told; echo done"
under_way
lock
until_true grep -q 'error in' "$work/err"
sleep 5
said=$(grep -c 'error in' "$work/err")
[ "$said" -ge 1 ] && [ "$said" -le 4 ] || fail "errors that go on were said $said times" "$work/err"
touch "$work/go"
ends 74 "a store that stays busy"
unlock
says "$work/err" "the command's own exit status is 0"
says "$work/err" 'the end of the run (completed, status 0, at .*) is not recorded'
expect_stored long running "nothing could be stored"
begin long -- true
ends 0 "the next start"
says "$work/err" 'recorded now how long@.* ended: completed, status 0, at'
expect_stored long completed,completed "the next start"
[ ! -e "$state/runs/long/ends" ] || fail "the end is noted although it is stored"

echo "== Ctrl-C ends the waiting"
begin impatient -- sh -c "$work_until_told; exit 5"
under_way
lock
touch "$work/go"
until_true grep -q 'not recorded yet' "$work/err"
SECONDS=0
kill -INT "$supervisor"
ends 74 "Ctrl-C"
[ $SECONDS -le 8 ] || fail "Ctrl-C did not end the waiting"
unlock
says "$work/err" "the command's own exit status is 5"

echo "== gone"
begin gone -- sh -c "$work_until_told; exit 4"
under_way
rm "$store"*
until_true grep -q 'error in list' "$work/err"
sleep 2
said=$(grep -c 'error in list' "$work/err")
[ "$said" = 1 ] || fail "an error that goes on was said $said times" "$work/err"
touch "$work/go"
ends 74 "a store that is gone"
says "$work/err" "the command's own exit status is 4"
says "$work/err" 'is not recorded: store .*store.sqlite: the file was deleted'
begin gone -- true
ends 0 "the next start"
says "$work/err" 'the store knows nothing of gone@.*, which ended: failed, status 4, at'
begin something -- sh -c "$work_until_told; exit 6"
under_way
rm "$store"*
echo "something else" >"$store"
touch "$work/go"
ends 74 "a store that something else took the place of"
says "$work/err" "the command's own exit status is 6"
begin nowhere -- sh -c "$work_until_told; exit 7"
under_way
rm -r "$state/runs/nowhere"
touch "$work/go"
ends 74 "a state directory that is gone"
says "$work/err" "the command's own exit status is 7"
says "$work/err" 'Nor can it be noted'

echo "== killed between the command's end and the record of it"
begin killed -- sh -c "$work_until_told; exit 0"
under_way
lock
touch "$work/go"
until_true grep -q 'not recorded yet' "$work/err"
kill -KILL "$supervisor"
wait "$supervisor" 2>/dev/null
unlock
begin killed -- true
ends 0 "the next start"
expect_stored killed completed,completed "the next start after SIGKILL"

echo "== an alert that cannot be written"
mkdir -p "$state/runs/mute/alerts.log"
begin mute --preset long_run --interval 1s --grace 1s --timeout 3s -- sleep 100
ends 124 "a deadline"
[ "$(grep -c 'alert (.*alerts.log. is a directory.*): .*heeler' "$work/err")" -ge 1 ] || fail "no alert came" "$work/err"
[ -z "$(grep '^heeler: alert (' "$work/err" | sort | uniq -d)" ] || fail "an alert came twice" "$work/err"

echo "== places that cannot be used are refused at the start"
refuses() { # WHY OPTIONS...
    local why=$1
    shift
    begin refused "$@" -- touch "$work/began"
    ends 64 "$*"
    says "$work/err" "$why"
    [ ! -e "$work/began" ] || fail "$*: the command was started"
}
touch "$work/file"
mkfifo "$work/pipe"
refuses 'is not a directory' --snapshot "$work/none"
refuses 'is not a directory' --snapshot "$work/file"
refuses 'is not a directory' --report "$work/none/report.txt"
refuses 'is not a file that can be replaced' --report "$work"
refuses 'is not a file that can be replaced' --report "$work/pipe"
mkdir "$work/reports"
begin late --report "$work/reports/late.txt" -- sh -c "rmdir $work/reports; exit 8"
ends 73 "a report that cannot be written"
says "$work/err" "the command's own exit status is 8"
says "$work/err" 'Final status'

finish
