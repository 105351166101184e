#!/usr/bin/env bash
# heeler-supervise between a command and what stands around it: what the command reads, that its errors stay apart from its
# output, and where heeler-supervise itself speaks.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/supervise_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/supervise_checks.sh"

# run STATUS WHAT ARGUMENTS...: its standard input is the caller's, its output and errors are in $work/out and $work/err.
run() {
    local status=$1 what=$2 got
    shift 2
    timeout -k 1 100 "$bin" --state-dir "$state" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ "$got" = "$status" ] || fail "$what: status $got, not $status" "$work/err"
}
holds() { [ "$(cat "$work/$1")" = "$2" ] || fail "$3: $1 is \"$(head -c 300 "$work/$1")\", not \"$2\""; }
lacks() { ! grep -aq -- "$2" "$work/$1" || fail "$1 says \"$2\"" "$work/$1"; }

# in_terminal COMMAND: runs it in a terminal of its own, which types what comes on standard input.
in_terminal() { timeout -k 1 100 script -qec "$1" /dev/null >"$work/screen" 2>&1; }

echo "== what heeler-supervise reads, the command reads, to its end"
printf 'a\nb' | run 0 "a pipe" -- cat
holds out $'a\nb' "a pipe"
run 0 "nothing" -- cat </dev/null
holds out "" "nothing"
echo of a file >"$work/in"
run 0 "a file" -- cat <"$work/in"
holds out "of a file" "a file"
run 0 "a closed one" -- cat <&-
holds out "" "a closed one"
yes | run 0 "one that never ends" -- true
{ sleep 2; echo late; } | run 0 "a slow one" -- cat
holds out late "a slow one"
echo kept | run 0 "detached" --detach -- cat
holds out kept "detached"

echo "== or what was asked for"
echo a | run 0 "none" --stdin none -- cat
holds out "" "none"
echo a | run 0 "a terminal that is spoken to" --pty -- sh -c 'test -t 0 && test -t 1'
says "$work/err" 'standard input is not passed on'
run 0 "nothing is lost" --pty -- true </dev/null
lacks err 'is not passed on'
echo a | run 0 "a terminal for output alone" --pty --stdin pass -- sh -c 'test -t 1 && cat'
holds out a "a terminal for output alone"
run 64 "another word" --stdin some -- true </dev/null
hears='read -r line; echo "heard: $line"'
for way in "--stdin nudges" --pty; do
    # shellcheck disable=SC2086 # two words
    run 0 "a nudge, $way" $way --preset long_run --interval 1s -- sh -c "$hears" </dev/null
    says "$work/out" 'heard: .'
done

echo "== a command that nobody can speak to"
run 0 "a stall" --preset long_run --interval 1s --name deaf -- \
    sh -c 'echo begun; until grep -qs "needs a person" "$0"; do sleep 0.1; done' "$state/runs/deaf/alerts.log" </dev/null
says "$work/err" 'nothing can be said to the command'
says "$work/err" 'inject:nudge: unsupported'
says "$state/runs/deaf/alerts.log" 'heeler escalation .* needs a person (STALLED, unsupported)'
run 0 "shadow mode says nothing anyway" --shadow -- true </dev/null
lacks err 'nothing can be said'

echo "== a terminal"
if command -v script >/dev/null; then
    in_terminal "'$bin' --state-dir '$state' --name term -- test -t 0" </dev/null || fail "the terminal is not passed on" "$work/screen"
    heard=$work/heard # the typing ends when it was heard
    { until_true test -e "$heard.ready"; echo typed; until_true test -e "$heard"; } |
        in_terminal "'$bin' --state-dir '$state' --name term -- sh -c 'touch $heard.ready; $hears; touch $heard'" || fail "typed" "$work/screen"
    says "$work/screen" 'heard: typed'
    # Whoever types at the shell speaks to the shell.
    cat >"$work/job.sh" <<'JOB'
set -m
"$1" --state-dir "$2" --name job -- cat &
wait $!
JOB
    in_terminal "bash '$work/job.sh' '$bin' '$state'" </dev/null || fail "in the background" "$work/screen"
    says "$work/screen" 'in the background'
else
    echo "(left out: there is no script)"
fi

echo "== errors stay apart"
run 0 "two streams" -- sh -c 'echo out; echo err >&2' </dev/null
holds out out "two streams"
says "$work/err" '^err$'
timeout 100 "$bin" --state-dir "$state" -- sh -c 'for i in 1 2 3 4 5; do echo $i; echo $i >&2; done' </dev/null >"$work/both" 2>&1
[ "$(grep -v '^heeler: \|^ \|:' "$work/both" | head -n 10 | tr -d '\n')" = 1122334455 ] || fail "one place for both, another order" "$work/both"
run 0 "errors are watched" --name watched --metric 'match:passed ([0-9]+)' --interval 1s -- sh -c 'echo passed 12 >&2; sleep 3' </dev/null
says "$work/err" ' 12 the number in'
cat >"$work/halves.sh" <<'HALVES'
i=0
while [ $((i += 1)) -le 30 ]; do
    printf 'password=hun'
    printf 'password=hun' >&2
    sleep 0.1
    echo ter2
    echo ter2 >&2
done
sleep 2
HALVES
run 0 "halves of lines" --name halves --preset long_run --interval 2s --report "$work/halves.txt" -- sh "$work/halves.sh" </dev/null
says "$work/halves.txt" LOOP_DETECTED
! grep -arlE 'hun|ter2' "$state/runs/halves" || fail "half a secret is kept"
{ timeout 60 "$bin" --state-dir "$state" --log "$work/log" --name slow -- sh -c 'head -c 4000000 /dev/zero >&2; echo end >&2' 2>&1 >"$work/out" </dev/null; } |
    { sleep 3; wc -c >"$work/count"; }
[ "$(cat "$work/count")" = 4000004 ] || fail "$(cat "$work/count") of 4000004 bytes of errors were passed on"

echo "== whoever reads it ends first"
{ "$bin" --state-dir "$state" --name gone -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.2; done' </dev/null 2>"$work/err"; echo $? >"$work/status"; } |
    head -n 1 >/dev/null
[ "$(cat "$work/status")" = 0 ] || fail "the command did not go on" "$work/err"
[ "$(grep -c 'standard output is closed' "$work/err")" = 1 ] || fail "it is not said once that output is lost" "$work/err"
if [ -c /dev/full ]; then
    "$bin" --state-dir "$state" --name full -- echo lost </dev/null >/dev/full 2>"$work/err"
    says "$work/err" 'standard output is closed'
fi

echo "== where it speaks itself"
run 3 "a file" --log "$work/log2" --name told -- sh -c 'echo out; echo err >&2; exit 3' </dev/null
holds out out "a file"
holds err err "a file"
says "$work/log2" '^heeler: nothing can be said'
says "$work/log2" 'Final status'
mine=$(ls /proc/self/fd </dev/null 2>/dev/null)
run 0 "a descriptor" --log fd:9 -- ls /proc/self/fd </dev/null 9>"$work/log3"
holds out "$mine" "a descriptor, which the command does not have"
holds err "" "a descriptor"
says "$work/log3" 'Final status'
run 64 "a descriptor that is not there" --log fd:77 -- true </dev/null
run 64 "one that is only read" --log fd:9 -- true </dev/null 9<"$work/in"
run 73 "a file that cannot be made" --log "$work/nowhere/log" -- true </dev/null
mkfifo "$work/fifo"
run 64 "a pipe with a name" --log "$work/fifo" -- true </dev/null

finish
