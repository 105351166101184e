#!/usr/bin/env bash
# heeler-supervise with real commands: exit statuses, one command per name, Ctrl-C, and SIGKILL of the supervisor itself.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/supervise_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/supervise_checks.sh"
agents=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../examples/supervise/agents" && pwd)

# expect STATUS WHAT COMMAND...: runs heeler-supervise; its output is in $work/out and $work/err.
expect() {
    local status=$1 what=$2
    shift 2
    timeout 100 "$bin" --state-dir "$state" "$@" >"$work/out" 2>"$work/err" </dev/null
    local got=$?
    [ "$got" = "$status" ] || fail "$what: status $got, not $status" "$work/err"
}

# along STATUS WHAT NAME ARGUMENTS...: like expect, beside what follows until `joined`; its output is in $work/NAME.out and .err.
along() {
    local status=$1 what=$2 name=$3
    shift 3
    timeout 100 "$bin" --state-dir "$state" --name "$name" "$@" >"$work/$name.out" 2>"$work/$name.err" </dev/null &
    beside+=("$! $status $name $what")
}
beside=()
joined() {
    local each pid status name what got
    for each in "${beside[@]}"; do
        read -r pid status name what <<<"$each"
        wait "$pid"
        got=$?
        [ "$got" = "$status" ] || fail "$what: status $got, not $status" "$work/$name.err"
    done
    beside=()
}

begin() { start_supervisor "$work/out" "$work/err" "$@"; }
written() { [ -s "$1" ]; }

# A command with a descendant: both note their process ids.
family='echo $$ >'$work'/leader.pid; sh -c "echo \$\$ >'$work'/child.pid; exec sleep 600" & wait'

echo "== exit statuses"
expect 0 "success" -- true
expect 3 "its own status" -- sh -c 'echo out; echo err >&2; exit 3'
[ "$(cat "$work/out")" = out ] || fail "output is not passed on alone" "$work/out"
says "$work/err" '^err$'
expect 137 "a signal" -- sh -c 'kill -KILL $$'
expect 127 "no such command" -- heeler-no-such-command
says "$work/err" 'cannot start "heeler-no-such-command": No such file'
expect 126 "not executable" -- /etc/passwd
expect 64 "no command"
expect 64 "no duration" --interval soon -- true
says "$work/err" '"soon" is no duration'
expect 64 "an interval that is too short" --interval 10ms -- true
expect 64 "an unknown metric" --metric steps -- true
says "$work/err" 'use lines, files:DIR, commits:REPO or match:REGEX'
expect 64 "a bad regular expression" --metric 'match:(' -- true
expect 64 "a name with a slash" --name ../x -- true
expect 64 "a terminal cannot be detached" --pty --detach -- true
expect 64 "nothing to adopt" --adopt --name nobody
touch "$work/file"
state=$work/file expect 73 "no state directory" -- true
says "$work/err" "$work/file"
mkdir -p "$state/runs/strange"
echo "something else" >"$state/runs/strange/store.sqlite"
expect 74 "a database that is something else" --name strange -- true
says "$state/runs/strange/store.sqlite" "something else"
echo "process what" >"$state/runs/strange/child"
expect 73 "a damaged record" --name strange -- true

echo "== terminal, environment, metrics"
expect 0 "a terminal" --pty -- sh -c 'test -t 0 && test -t 1'
expect 1 "none" -- sh -c 'test -t 1'
expect 0 "a number in the output" --metric 'match:passed ([0-9]+)' --report json -- \
    sh -c 'for i in 1 2 3 4; do echo "passed $i"; sleep 0.5; done'
says "$work/out" '"final_status":"completed"'
mkdir "$work/src"
expect 0 "files" --preset long_run --interval 1s --metric "files:$work/src" --report "$work/report.json" -- \
    sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do echo $i >'"$work"'/src/f$i; sleep 0.5; done'
says "$work/report.json" '"conditions":\[\]'

echo "== secrets, and who may read them"
umask 0
expect 0 "a secret in its command" --name secret --goal 'use DB_PASS=hunter2' --report json -- \
    sh -c 'ls "$0" >/dev/null; true' "$work" -u x --token hunter2 'password=hunter 2'
says "$work/out" '--token \[redacted\]'
! grep -rqa hunter "$work/out" "$work/err" "$state/runs/secret" || fail "a secret is shown or stored" "$work/err"
[ -z "$(find "$state/runs/secret" -perm /077)" ] || fail "others can read" <(ls -lR "$state/runs/secret")
umask 022
state="$work/it's state" expect 0 "an alert" --name told --timeout 2s --interval 1s -- \
    sh -c 'until grep -q "; stop: heeler-ctl" "$HEELER_TEST/err"; do sleep 0.1; done'
says "$work/err" "progress_age is a stall after 10m 0s, but a run is over its time limit after 2s, so that it is never found"
says "$work/err" "; next: .*; stop: heeler-ctl --store 'sqlite:$work/it'.''s state/runs/told/store.sqlite' snooze --for 2h -- 'told@"
stop=$(sed -n 's/.*; stop: heeler-ctl/heeler-ctl/p' "$work/err" | head -1)
(PATH=$(dirname "$bin"):$PATH && eval "$stop") >"$work/pasted" 2>&1
[ $? = 3 ] || fail "the stop command does not find the run" "$work/pasted"
says "$work/pasted" 'ended at'

echo "== one command per name"
begin --name single -- sh -c "$family"
until_true written "$work/child.pid" || fail "the command did not start" "$work/err"
"$bin" --state-dir "$state" --name single -- true 2>"$work/err2"
[ $? = 69 ] || fail "a second instance is not refused" "$work/err2"
says "$work/err2" "process $supervisor"

echo "== Ctrl-C"
kill -INT "$supervisor"
wait "$supervisor"
[ $? = 130 ] || fail "Ctrl-C does not end with 130" "$work/err"
gone "$(cat "$work/leader.pid")" || fail "Ctrl-C left the command alive"
gone "$(cat "$work/child.pid")" || fail "Ctrl-C left a descendant alive"
says "$state/runs/single/report.json" '"final_status":"cancelled"'
says "$work/err" 'Final status'

rm -f "$work"/*.pid
begin --name twice --grace 10m -- sh -c 'trap "" INT TERM; '"$family"'; sleep 600'
until_true written "$work/child.pid" || fail "the command did not start" "$work/err"
kill -INT "$supervisor"
until_true grep -q 'once more to end it at once' "$work/err" || fail "Ctrl-C says nothing" "$work/err"
alive "$(cat "$work/leader.pid")" || fail "a command that ignores the first Ctrl-C does not get its time"
kill -INT "$supervisor"
ends 130 "a second Ctrl-C ends at once"
says "$work/err" 'the command: ended by SIGKILL'
gone "$(cat "$work/leader.pid")" || fail "a second Ctrl-C left the command alive"

echo "== SIGKILL of the supervisor at several moments"
for delay in 0 0.002 0.005 0.01 0.02 0.05 0.1 0.3 1; do
    rm -f "$work"/*.pid
    begin --name killed -- sh -c "$family"
    sleep $delay
    kill -KILL "$supervisor"
    wait "$supervisor" 2>/dev/null
    sleep 0.3
    for file in "$work/leader.pid" "$work/child.pid"; do
        [ ! -s "$file" ] || until_true gone "$(cat "$file")" || fail "killed after $delay s, $file is alive"
    done
done
expect 0 "a new start after it" --name killed --report json -- true
says "$work/out" '"final_status":"completed"'

echo "== interventions survive, and an earlier command is found"
begin --name kept --detach --stdin nudges --preset long_run --interval 1s -- \
    sh -c 'echo $$ >'"$work"'/kept.pid; echo working; while :; do sleep 0.5; done'
until_true grep -q 'inject:nudge: done' "$work/err" || fail "no nudge came" "$work/err"
kill -KILL "$supervisor"
wait "$supervisor" 2>/dev/null
kept=$(cat "$work/kept.pid")
alive "$kept" || fail "a detached command died with its supervisor"
grep -aq 'inject:nudge\|nudge' "$state"/runs/kept/store.sqlite* || fail "the nudge is not in the database"
expect 75 "an earlier command" --name kept -- true
names_pid "$work/err" "is still alive (" "$kept"
says "$work/err" "--adopt"
alive "$kept" || fail "the refused start touched the earlier command"
begin --name kept --adopt --detach --preset long_run --interval 1s
until_true grep -q 'went on watching' "$work/err" || fail "it was not adopted" "$work/err"
sleep 1
kill -INT "$supervisor"
wait "$supervisor"
alive "$kept" || fail "Ctrl-C ended a detached command"
says "$state/runs/kept/report.json" '"action_taken":"inject:nudge"'
("$bin" --state-dir "$state" --name kept --wait >/dev/null 2>&1; echo $? >"$work/waited") &
sleep 0.5
[ ! -e "$work/waited" ] || fail "--wait did not wait"
kill -KILL "$kept"
until_true written "$work/waited" && [ "$(cat "$work/waited")" = 0 ] || fail "--wait did not see the end"

begin --name kept --detach -- sh -c 'echo $$ >'"$work"'/again.pid; trap "" TERM; while :; do sleep 0.5; done'
until_true written "$work/again.pid"
kill -KILL "$supervisor"
wait "$supervisor" 2>/dev/null
expect 0 "--kill, then a new command" --name kept --kill --grace 500ms -- true
gone "$(cat "$work/again.pid")" || fail "--kill did not end the earlier command"

echo "== how a detached command ended is known to whoever adopts it, or comes later"
# A quick one ends while it is adopted, once DETACHED is there.
detached() { # NAME STATUS
    rm -f "$work/go"
    begin --name "$1" --detach -- sh -c 'echo $$ >'"$work"'/one.pid; while [ ! -e '"$work"'/go ]; do sleep 0.1; done; exit '"$2"
    until_true written "$work/one.pid" || fail "$1: it did not start" "$work/err"
    kill -INT "$supervisor"
    ends 130 "$1: Ctrl-C leaves it alone"
    alive "$(cat "$work/one.pid")" || fail "$1: Ctrl-C ended a detached command"
}
for status in 0 3; do
    detached adopted "$status"
    begin --name adopted --adopt --detach
    until_true grep -q 'went on watching' "$work/err" || fail "it was not adopted" "$work/err"
    touch "$work/go"
    ends "$status" "an adopted command that ends with $status"
    says "$state/runs/adopted/report.json" "\"final_status\":\"$([ "$status" = 0 ] && echo completed || echo failed)\""
    says "$state/runs/adopted/report.json" "\"exit_status\":$status"
    rm -f "$work/one.pid"
done
detached unseen 0
unseen=$(cat "$work/one.pid")
touch "$work/go"
until_true gone "$unseen" && until_true [ -s "$state/runs/unseen/status" ] || fail "nobody wrote its end down"
expect 0 "the next start" --name unseen -- true
"${bin%supervise}ctl" --store "sqlite:$state/runs/unseen/store.sqlite" status --all >"$work/unseen" 2>&1
[ "$(grep -c '| completed ' "$work/unseen")" = 2 ] || fail "who ended well unseen is not completed" "$work/unseen"
expect 127 "no such detached command" --name absent --detach -- heeler-no-such-command
says "$work/out" 'cannot start "heeler-no-such-command": No such file'
expect 143 "a detached command and its signal" --name signalled --detach -- sh -c 'kill -TERM $$'

echo "== settings of a file and of the environment"
echo '{"interval_s": 7, "duration_limt_s": 3}' >"$work/settings.json"
expect 0 "settings" --name settings --config "$work/settings.json" -- true
says "$work/err" "did you mean 'duration_limit_s'"
expect 64 "no such file of settings" --config "$work/no-such.json" -- true
says "$work/err" "no-such.json"
echo '{"duration_limit_s": 1}' >"$work/settings.json"
expect 124 "a time limit of the file" --name settings --preset long_run --interval 1s --config "$work/settings.json" -- sleep 60
HEELER_DURATION_LIMIT_S=600 expect 0 "the environment goes over the file" --name settings --preset long_run --interval 1s \
    --config "$work/settings.json" -- sleep 3
HEELER_DURATION_LIMT_S=600 expect 0 "a misspelt variable" --name settings -- true
says "$work/err" "did you mean 'HEELER_DURATION_LIMIT_S'"

echo "== what a command puts in the place of files that are written"
echo precious >"$work/precious"
untouched() { # WHAT
    [ "$(cat "$work/precious")" = precious ] || fail "$1: a file elsewhere was written" "$work/precious"
    [ ! -e "$work/made" ] || fail "$1: a file elsewhere was made"
}
trap_at() { # NAME FILE KIND
    mkdir -p "$state/runs/$1"
    case $3 in
        pipe) mkfifo "$state/runs/$1/$2" ;;
        link) ln -s "$work/precious" "$state/runs/$1/$2" ;;
        nothing) ln -s "$work/made" "$state/runs/$1/$2" ;;
    esac
}
for kind in pipe link nothing; do
    for file in child.new report.txt report.txt.new report.json; do
        trap_at "trap-$kind-$file" "$file" "$kind"
        expect 0 "$kind $file" --name "trap-$kind-$file" -- true
        [ -f "$state/runs/trap-$kind-$file/report.json" ] || fail "$kind $file: there is no report"
        untouched "$kind $file"
    done
    for file in lock child; do
        trap_at "trap-$kind-$file" "$file" "$kind"
        expect 73 "$kind $file" --name "trap-$kind-$file" -- touch "$work/made"
        says "$work/err" "$file' is a .*, but only regular files are opened"
        untouched "$kind $file"
    done
    trap_at "trap-$kind-store" store.sqlite "$kind"
    expect 74 "$kind store" --name "trap-$kind-store" -- touch "$work/made"
    untouched "$kind store"
    trap_at "trap-$kind-output" output "$kind"
    expect 126 "$kind output" --name "trap-$kind-output" --detach -- touch "$work/made"
    says "$work/err" "output' is a .*, but only regular files are opened"
    untouched "$kind output"
done
trap_at trap-alerts alerts.log pipe
along 124 "no alert waits for who reads a pipe" trap-alerts --stdin nudges --preset long_run --interval 1s --grace 1s -- \
    "$agents/stalling_agent.sh" 0.2
trap_at trap-alerts-link alerts.log link
along 124 "no alert goes elsewhere" trap-alerts-link --stdin nudges --preset long_run --interval 1s --grace 1s -- \
    "$agents/stalling_agent.sh" 0.2
ln -s "$work" "$state/runs/elsewhere"
expect 73 "a run's directory that is a link" --name elsewhere -- true
[ ! -e "$work/lock" ] || fail "the state of a run went elsewhere"

echo "== who left the session of the command"
# One whose parent is over, one whose environment is gone too.
strays='(setsid sh -c "echo \$\$ >'$work'/stray1.pid; exec sleep 600" &)
        (setsid env -i PATH="$PATH" sh -c "echo \$\$ >'$work'/stray2.pid; exec sleep 600" &)
        while [ ! -s '$work'/stray1.pid ] || [ ! -s '$work'/stray2.pid ]; do sleep 0.1; done;'
begin --preset long_run --interval 1s --timeout 1h --grace 1s --name strays -- sh -c "$strays echo >'$work'/away; sleep 600"
until_true written "$work/away"
"${bin%supervise}ctl" --store "sqlite:$state/runs/strays/store.sqlite" limit strays timeout=1s >"$work/limit" 2>&1 ||
    fail "no limit" "$work/limit"
ends 124 "a deadline"
for file in "$work/stray1.pid" "$work/stray2.pid"; do
    until_true gone "$(cat "$file")" || fail "the watchdog left $file alive" "$work/err"
    says "$work/err" "also ended, having left its session: pid.* $(cat "$file")"
    rm "$file"
done
expect 0 "a daemon that is left" --name strays -- sh -c "$strays :"
says "$work/err" "the command left running, in a session of their own: pid.*$(cat "$work/stray1.pid")"
says "$work/err" "in a session of their own: pid.*$(cat "$work/stray2.pid")"
alive "$(cat "$work/stray1.pid")" || fail "a daemon was ended although the command was not"
kill -KILL $(cat "$work/stray1.pid" "$work/stray2.pid")
rm "$work"/stray?.pid
begin --name strays --detach -- sh -c "$strays sleep 600"
until_true written "$work/stray2.pid"
until_true written "$work/stray1.pid"
sleep 0.5
kill -KILL "$supervisor"
wait "$supervisor" 2>/dev/null
expect 0 "--kill" --name strays --kill --grace 1s
until_true gone "$(cat "$work/stray1.pid")" || fail "--kill left who left the session alive" "$work/err"
names_pid "$work/err" "also ended, having left its session: " "$(cat "$work/stray1.pid")"
kill -KILL "$(cat "$work/stray2.pid")" # nobody can know whose it was
begin --name zombies -- sh -c 'i=0; while [ $i -lt 40 ]; do (setsid true &); i=$((i + 1)); done; echo >'"$work"'/many; sleep 600'
until_true written "$work/many"
zombies() { cat /proc/[0-9]*/stat 2>/dev/null | grep -c " Z $supervisor "; }
few_zombies() { [ "$(zombies)" -le 2 ]; }
until_true few_zombies || fail "$(zombies) adopted processes are not let go of"
kill -INT "$supervisor"
wait "$supervisor"

echo "== the main job"
along 0 "a loop is broken" loop --stdin nudges --preset long_run --interval 2s --report json -- "$agents/looping_agent.sh" 0.4
along 124 "a stall ends" stall --stdin nudges --preset long_run --interval 1s --grace 2s --snapshot "$agents" --report json -- \
    "$agents/stalling_agent.sh" 0.2
begin --name shadow --shadow --stdin nudges --preset long_run --interval 1s -- sh -c 'echo once; while read -r line; do echo "$line"; done'
sleep 7
kill -INT "$supervisor"
wait "$supervisor"
[ "$(cat "$work/out")" = once ] || fail "shadow mode spoke to the command" "$work/out"
says "$work/err" 'shadow mode'
joined
says "$work/loop.out" '"action_taken":"inject:break_pattern","outcome":"recovered"'
says "$work/stall.out" '"final_status":"terminated"'
[ -f "$state"/runs/stall/snapshots/*/stalling_agent.sh ] || fail "there is no snapshot"
says "$state/runs/stall/alerts.log" 'CRITICAL heeler escalation'
untouched "alerts"

finish
