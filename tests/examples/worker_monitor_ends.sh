#!/usr/bin/env bash
# heeler-worker-monitor and what goes wrong: bad arguments, a shell where an agent should be, an orchestrator that is
# gone, talks without end or sits in a pane, a server that is gone.
set -uo pipefail
. "$(dirname "$0")/../support/worker_panes.sh"

echo "== bad arguments"
pane fails "urgent worker" "$agents/worker.sh" fails 0.4 >/dev/null
asks=$(pane asks worker "$agents/worker.sh" asks 0.4)
refused "--restart: of what" --restart
refused "--check needs --own and --agent" --check check -- true
refused "--after-clear needs --own and --agent" --after-clear notes -- true
refused "--clear-tool needs --own and --agent" --clear-tool
refused "has no orchestrator" --clear-tool --own %0 --agent claude -- true
refused "--name-regex: .code-\(7. is no regular expression" --name-regex "code-(7" -- true
refused "--notify 'pigeon' must be" --notify pigeon -- true
refused "no duration" --every soon -- true
refused "'memory' or 'sqlite:PATH'" --store redis -- true
refused "no id of a pane" --own worker --agent claude -- true
refused "no tmux server" --socket "$work/nowhere" --own %0 --agent claude -- true
refused "no program runs in a pane %999" --socket "$socket" --own %999 --agent claude -- true
refused "belong together" --own %0 -- true
refused "reads nothing that is typed" --own %0 --agent heeler-worker-monitor -- true
refused "belong together" --agent claude -- true
TMUX_PANE='' refused "runs in no pane" --own self --agent claude -- true
refused "cannot start" --own none -- heeler-no-such-command
refused "no orchestrator: give a command behind --, or a pane the tag orchestrator" --socket "$socket"

echo "== a shell is neither cleared nor nudged"
shell=$(pane lost worker sh -c 'PS1="$ "; export PS1; cd "$1"; exec sh -i' sh "$work")
printf '#!/bin/sh\ntouch "%s/executed"\n' "$work" >"$work/clear"
chmod +x "$work/clear"
echo "echo '{\"nudge\":\"lost\",\"text\":\"$work/clear\"}'; cat" >"$work/nudges.sh"
for how in "--own $shell --agent sh" "--own $shell --agent claude"; do
    # shellcheck disable=SC2086 # several words
    TMUX_PANE=$shell run_until "which is a shell" "$work/out" $how --clear "$work/clear" --tell-clears -- sh "$work/nudges.sh"
    says "$work/out" "cleared 0 times"
    count "$work/out" 'monitor\.clear' 0 # the orchestrator repeats what it is told
done
TMUX_PANE='' run_until "nudge lost: nothing is typed into the pane $shell: it runs sh, which is a shell" "$work/out" \
    -- sh "$work/nudges.sh"
says "$work/out" "cleared 0 times"
[ ! -e "$work/executed" ] || fail "what was typed was executed"
shows "$shell" "clear" && fail "something was typed into a shell"
tell_tmux kill-pane -t "$shell"

echo "== a clear is done, whatever comes after it"
cat >"$work/leaves.sh" <<'AGENT'
stty -echo
seq 8
read -r line
PS1=$(printf '\033[H\033[2J\033[3J$ ') exec sh -i # which clears it by its prompt
AGENT
leaves=$(pane leaves visitor sh "$work/leaves.sh")
within "its conversation" shows "$leaves" 8
run_until "which is a shell" "$work/out" --own "$leaves" --agent leaves.sh --tell-clears --after-clear notes -- cat
says "$work/out" "cleared 1 times"
says "$work/out" "after the clear nothing was typed: .*which is a shell"
count "$work/out" 'monitor\.clear' 1
shows "$leaves" notes && fail "something was typed into a shell"
tell_tmux kill-pane -t "$leaves"

echo "== an orchestrator that is gone ends the monitor, with what it owes kept; or it is started again"
echo '{"stuck_treshold": 3}' >"$work/config.json"
mkdir "$work/bin"
cat >"$work/bin/tmux" <<END
#!/bin/sh
# The orchestrator dies in the first poll after a cycle, which found nothing: before what this one finds is told.
case \$* in *capture-pane*)
    if grep -q '^checked' "$work/out" && [ ! -e "$work/died" ]; then
        touch "$work/died"
        kill -9 "\$(cat "$work/orchestrator")" && sleep 0.2
    fi ;;
esac
exec "$(command -v tmux)" "\$@"
END
chmod +x "$work/bin/tmux"
PATH=$work/bin:$PATH timeout 60 "$monitor" --socket "$socket" --own none --every 1 --for 20 --store "sqlite:$work/owed.db" \
    --config "$work/config.json" -- sh -c 'echo $$ >"$0"; exec sleep 60' "$work/orchestrator" >"$work/out" 2>"$work/err"
[ $? = 1 ] || fail "an orchestrator that is gone" "$work/out"
says "$work/err" "the orchestrator has ended: exit status 137"
says "$work/err" "2 alerts are not delivered, and kept: the next start tries again"
: >"$work/late"
ended=$(date -u +%FT%T.%3N)
for times in 1 2; do # what was told is not told again
    timeout 60 "$monitor" --socket "$socket" --own none --every 1 --for 4 --store "sqlite:$work/owed.db" -- sh -c 'cat >>"$0"' "$work/late" \
        >"$work/out" 2>&1 || fail "start $times after it" "$work/out"
    for who in fails asks; do count "$work/late" "\"worker_name\":\"$who\"" 1; done
done
while IFS= read -r at; do
    [[ $at < $ended ]] || fail "what was told at $at was not owed, but found anew" "$work/late"
done < <(sed -E 's/.*"at":"([^"]*)".*/\1/' "$work/late")
says "$work/err" "'stuck_treshold' is no setting; did you mean 'stuck_threshold'"
cat >"$work/once.sh" <<END
#!/bin/sh
read -r line && echo "\$line" >>"$work/first"
timeout 1 cat >>"$work/first" # what came with it would be lost
exit 0
END
: >"$work/first"
begin_late() {
    within "one alert" test -s "$work/first"
    pane late worker "$agents/worker.sh" fails 0.4 >/dev/null
}
begin_late & # each orchestrator reads one alert, and what comes with it
run_until '"worker_name":"late"' "$work/first" --own none --restart -- sh "$work/once.sh"
says "$work/out" "the orchestrator has ended: exit status 0; it is started again"

echo "== nudges without end stop neither the cycles nor the end"
run_until "^checked" "$work/out" --own none -- sh -c 'while echo "{\"nudge\":\"nobody\",\"text\":\"x\"}"; do :; done'

echo "== an orchestrator in a pane"
: >"$work/chief"
pane chief orchestrator sh -c 'stty -echo; while IFS= read -r line; do echo "$line" >>"$0"; done' "$work/chief" >/dev/null
run_until '"msg_type":"worker.error".*"worker_name":"fails"' "$work/chief" --own none

echo "== a server that is gone"
: >"$work/out"
"$monitor" --socket "$socket" --own none --every 1 -- cat >"$work/out" 2>&1 &
begun=$!
within "a cycle" grep -q "^checked" "$work/out"
tell_tmux kill-server
within "a server that is gone" grep -q "error in list : there is no tmux server" "$work/out"
kill -TERM $begun
wait $begun || fail "a server that is gone" "$work/out"

finish
