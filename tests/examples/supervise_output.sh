#!/usr/bin/env bash
# heeler-supervise whose own output nobody reads, whose command writes faster than can be read, and whose regular expression
# backtracks: what it watches for, signals and deadlines go on. Of secrets in the output nothing is kept, however it is cut.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/supervise_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/supervise_checks.sh"

# Two pipes that are open for reading, and that nobody reads; the second is full already.
mkfifo "$work/unread" "$work/full"
exec 7<>"$work/unread" 8<>"$work/full"
timeout 1 cat /dev/zero >&8

echo "== nobody reads standard output"
start_supervisor "$work/unread" "$work/err" --name killed --preset long_run --interval 1s --timeout 6s --grace 1s --report "$work/killed.txt" -- yes
ends 124 "a deadline"
says "$work/killed.txt" 'terminated'
start_supervisor "$work/unread" "$work/err" --name interrupted -- sh -c 'echo $$ >'"$work"'/yes.pid; exec yes'
until_true grep -q 'standard output is not read' "$work/err" || fail "nothing says that it waits" "$work/err"
kill -INT "$supervisor"
ends 130 "Ctrl-C"
gone "$(cat "$work/yes.pid")" || fail "Ctrl-C left the command alive"
says "$work/err" 'bytes of output were not read'
start_supervisor "$work/unread" "$work/err" --name nudged --stdin nudges --preset long_run --interval 1s -- \
    sh -c 'head -c 3000000 /dev/zero & read -r line; echo "$line" >'"$work"'/heard; wait'
until_true test -s "$work/heard" || fail "no nudge reached the command" "$work/err"
kill -INT "$supervisor"
ends 130 "Ctrl-C after a nudge"

echo "== nobody reads errors, or either"
start_supervisor "$work/out" "$work/full" --name quiet -- sh -c 'echo done; exit 3'
ends 3 "the command's own end"
says "$work/out" done
start_supervisor "$work/full" "$work/full" --name neither -- yes
until_true test -s "$state/runs/neither/child" || fail "the command did not start"
sleep 1
kill -TERM "$supervisor"
ends 143 "SIGTERM"
start_supervisor "$work/full" "$work/full" --name neither --metric nonsense -- true
ends 64 "a message that nobody reads"

echo "== a slow reader loses nothing"
{ "$bin" --state-dir "$state" --name slow -- sh -c 'head -c 4000000 /dev/zero; echo end' 2>"$work/err"; echo $? >"$work/status"; } |
    { sleep 3; wc -c >"$work/count"; }
[ "$(cat "$work/count")" = 4000004 ] || fail "$(cat "$work/count") of 4000004 bytes were passed on"
[ "$(cat "$work/status")" = 0 ] || fail "status $(cat "$work/status")" "$work/err"

echo "== a command that tells secrets begins"
cat >"$work/tells.sh" <<'END'
line=$(head -c 2035 /dev/zero | tr '\0' x)
for i in $(seq 60); do
    printf '%s password=hun' "$line"
    printf 'ter2\n'
done
sleep 1
printf 'token=zyg'
sleep 3
printf 'otish2\n'
sleep 1
exit 4
END
start_supervisor "$work/tells.out" "$work/tells.err" --name tells --preset long_run --interval 2s --report "$work/tells.txt" -- sh "$work/tells.sh"
tells=$supervisor

echo "== an expression that backtracks"
start_supervisor "$work/out" "$work/err" --name regex --metric 'match:(a*)*(b|c)(a|aa)+$' -- \
    sh -c 'i=0; while [ $i -lt 50 ]; do printf "%01000d\n" 0 | tr 0 a; i=$((i + 1)); done; exit 4'
ends 4 "lines that do not match"
refuses() { # EXPRESSION WHY
    "$bin" --state-dir "$state" --name regex --metric "match:$1" -- true 2>"$work/err"
    [ $? = 64 ] || fail "$1 is not refused" "$work/err"
    says "$work/err" "$2"
}
refuses '(\w)\1 (\d+)' 'a back-reference ("\\1") needs an engine that backtracks'
refuses 'at (\d+)(?= of)' 'looking ahead or behind ("(?=") needs an engine that backtracks'
refuses '(\d+' 'missing )'
counting=()
counts() { # NAME EXPRESSION LINE NUMBER
    start_supervisor "$work/$1.out" "$work/$1.err" --name "$1" --metric "match:$2" --interval 1s -- sh -c "printf '%b\n' '$3'; sleep 3"
    counting+=("$supervisor $1 $4")
}
counts words '^(?:step|passed)\s+#?(\d+)\b' 'passed #12 of 90' 12
counts classes '[[:alpha:]]+=([0-9]{1,3}?)$' 'a=7' 7
counts broken 'done: (\d+)' 'broken \0377 text, done: 31' 31
for each in "${counting[@]}"; do
    read -r supervisor name number <<<"$each"
    ends 0 "an expression, $name"
    says "$work/$name.err" " $number the number in"
done

echo "== a detached command that writes fast"
start_supervisor /dev/null "$work/err" --name fast --detach --stdin nudges --preset long_run --interval 1s --output-limit 32MB -- \
    sh -c 'echo $$ >'"$work"'/fast.pid; base64 /dev/urandom | head -c 400000000; date +%s >'"$work"'/written
           read -r line; date +%s >'"$work"'/told; sleep 100'
until_true test -s "$work/written" && until_true test -s "$work/told" || fail "no nudge came" "$work/err"
late=$(($(cat "$work/told" 2>/dev/null || echo 1000) - $(cat "$work/written" 2>/dev/null || echo 0)))
[ "$late" -le 40 ] || fail "its silence was noticed after $late s" "$work/err"
kept=$(du -cb "$state"/runs/fast/output* | tail -n 1 | cut -f 1)
[ "$kept" -le 100000000 ] || fail "$kept bytes of output are kept"
[ -s "$state/runs/fast/output.1" ] || fail "nothing is kept of what came before"
kill -INT "$supervisor"
ends 130 "Ctrl-C of a detached one"
kill -KILL "$(cat "$work/fast.pid")"

echo "== secrets that a read, or a long line, cuts in two"
supervisor=$tells
ends 4 "a command that tells secrets"
says "$work/tells.txt" LOOP_DETECTED
for word in hun ter2 zyg otish2; do
    found=$(grep -arl "$word" "$state/runs/tells" "$work/tells.txt" "$work/tells.err") && fail "$word is kept in $found"
done

finish
