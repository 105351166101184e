#!/usr/bin/env bash
# heeler-worker-monitor on workers in real panes of tmux: who the orchestrator is told about, once each; who is nudged; that
# the monitor's own pane stays small over many cycles and grows where it is not cleared; that a pane which is closed
# and opened again is watched again. Then what goes wrong: an orchestrator that is gone, a server that is gone.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
monitor=$bin/heeler-worker-monitor
agents=$(cd "$(dirname "$0")/../../examples/worker_monitor/agents" && pwd)
[ -x "$monitor" ] || { echo "not built: $monitor"; exit 1; }
command -v tmux >/dev/null || { echo "heeler: skipped: no tmux here"; exit 77; }
work=$(mktemp -d)
socket=$work/tmux
told=$work/told
failures=0
cycles=${HEELER_MONITOR_CYCLES:-40} # more of them in tests/run.sh --full

finish() {
    tmux -S "$socket" kill-server 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT

fail() {
    echo "FAILED: $1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2" | cut -c 1-300
    failures=$((failures + 1))
}
says() { grep -qE -- "$2" "$1" || fail "nothing says \"$2\"" "$1"; }
count() { [ "$(grep -cE -- "$2" "$1")" = "$3" ] || fail "not $3 times: \"$2\"" "$1"; }
# within SECONDS WHAT COMMAND...: until the command succeeds.
within() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" 2>/dev/null; do
        [ $SECONDS -lt $end ] || { fail "$what: not in time"; return; }
        sleep 0.2
    done
}
tell_tmux() { tmux -S "$socket" -f /dev/null "$@"; }
# pane NAME TAGS COMMAND...: opens a pane and prints its id.
pane() {
    local name=$1 tags=$2 id
    shift 2
    id=$(tell_tmux new-session -d -P -F '#{pane_id}' -x 100 -y 12 "$@")
    tell_tmux set-option -p -t "$id" @tags "$tags"
    tell_tmux set-option -p -t "$id" @name "$name"
    echo "$id"
}
history_of() { tell_tmux display-message -p -t "$1" '#{history_size}'; }
shows() { tell_tmux capture-pane -p -S - -t "$1" | grep -qF -- "$2"; }
heard() { grep -qE "\"msg_type\":\"$2\".*\"worker_name\":\"$1\"" "$told"; }
gone() { [ "$(tell_tmux display-message -p -t "$1" '#{pane_id}')" != "$1" ]; }
# watch TAGS ARGUMENTS...: the monitor in a pane of its own, which is printed.
watch() {
    local tags=$1
    shift
    pane __watchdog "$tags" "$agents/monitor.sh" sh -c '"$@" 2>&1 & echo $! >"$0"; wait $!; echo "ended with $?"' "$work/pid" \
        "$monitor" --socket "$socket" --own self --agent monitor.sh --every 1 --config "$work/config.json" "$@" -- "$agents/orchestrator.sh" "$told"
}

echo "== bad arguments"
refused() { # TEXT ARGUMENTS...
    local text=$1
    shift
    timeout 20 "$monitor" "$@" >"$work/refused" 2>&1 </dev/null
    [ $? = 2 ] || fail "taken: $*" "$work/refused"
    says "$work/refused" "$text"
}
refused "--restart: of what" --restart
refused "need --own and --agent" --check check -- true
refused "--notify 'pigeon' must be" --notify pigeon -- true
refused "no duration" --every soon -- true
refused "'memory' or 'sqlite:PATH'" --store redis -- true
refused "no id of a pane" --own worker --agent claude -- true
refused "no tmux server" --socket "$work/nowhere" --own %0 --agent claude -- true
refused "belong together" --own %0 -- true
refused "reads nothing that is typed" --own %0 --agent heeler-worker-monitor -- true
refused "belong together" --agent claude -- true
TMUX_PANE='' refused "runs in no pane" --own self --agent claude -- true
refused "cannot start" --own none -- heeler-no-such-command

echo "== $cycles cycles"
echo '{"stuck_threshold": 3}' >"$work/config.json"
: >"$told"
pane works worker "$agents/worker.sh" works 0.4 >/dev/null
stalls=$(pane 'stalls; $(touch x) --help' worker "$agents/worker.sh" stalls 0.4)
pane fails "urgent worker" "$agents/worker.sh" fails 0.4 >/dev/null
tell_tmux split-window -d -t "$stalls" # beside it, and nobody's worker
asks=$(pane asks worker "$agents/worker.sh" asks 0.4)
pane finishes worker "$agents/worker.sh" finishes 0.4 >/dev/null
stranger=$(pane stranger visitor "$agents/worker.sh" fails 0.4)
begin=$SECONDS
own=$(watch watchdog --store "sqlite:$work/store.db")
refused "no program runs in a pane %999" --socket "$socket" --own %999 --agent claude -- true

within 20 "an error" heard fails worker.error
within 20 "complete" heard finishes worker.complete
within 20 "a question" heard asks worker.needs_input
within 20 "a stall" grep -q '"msg_type":"worker.stuck"' "$told"
within 20 "a nudge" shows "$stalls" "told: Are you stuck? Please go on."
within 20 "it goes on" shows "$stalls" "step 8"
tell_tmux send-keys -t "$asks" -l y
tell_tmux send-keys -t "$asks" Enter
within 20 "the answer" shows "$asks" "going on"
says "$told" '"intervals_stuck":3,"last_output_preview":"step 1\\n.*step 5"'
says "$told" '"worker_name":"fails",.*"error_source":"output","error_context":"Error: cannot open parser.y"'
says "$told" '"worker_name":"asks",.*"prompt_type":"confirmation","prompt_preview":"Do you want to proceed\? \(y/n\)"'
says "$told" '"worker_name":"finishes",.*"outcome":"complete","completion_message":"all 12 tests pass"'

refused "no orchestrator: give a command behind --, or a pane the tag orchestrator" --socket "$socket"
dies=$(pane dies worker sh -c 'echo working; sleep 3; exit 3')
tell_tmux set-option -p -t "$dies" remain-on-exit on
pane closes worker sh -c 'echo working; sleep 3' >/dev/null
within 20 "a program that has died" heard dies worker.error
within 20 "a pane that is gone" heard closes worker.error
says "$told" '"worker_name":"dies",.*"error_context":"Error: its program is over: exit status 3"'
says "$told" '"worker_name":"closes",.*"error_context":"Error: its pane is gone"'
says "$told" '"worker_name":"dies",.*"suggestions":\["investigate","retry","abandon"\]'

closing=$(pane again worker "$agents/worker.sh" fails 0.4)
within 20 "an error in a new pane" heard again worker.error
count "$told" '"worker_name":"again"' 1
tell_tmux kill-pane -t "$closing"
sleep 5
pane again worker "$agents/worker.sh" fails 0.4 >/dev/null
within 20 "a pane that was opened again" grep -qF '"worker_id":"again#2"' "$told"

highest=0
while [ $((SECONDS - begin)) -lt $((cycles + 2)) ]; do
    now=$(history_of "$own")
    [ "$now" -le "$highest" ] || highest=$now
    sleep 1
done
[ "$highest" -le 12 ] || fail "the monitor's own pane has grown to $highest rows above its screen"
for who in stalls fails asks finishes dies closes; do count "$told" "\"worker_name\":\"$who" 1; done
count "$told" '"worker_name":"again"' 2
count "$told" '"worker_name":"(works|stranger|__watchdog)' 0
count "$told" '^\{"msg_type":"worker\.(stuck|error|complete|needs_input)","payload":\{.*\},"summary":.*\}$' 8
count "$told" '"done":"nothing"' 0
[ ! -e x ] || fail "the name of a pane was executed"
shows "$stranger" "Are you" && fail "a stranger was nudged"
kill -TERM "$(cat "$work/pid")"
within 20 "the end" shows "$own" "ended with 0"
cleared=$(tell_tmux capture-pane -p -t "$own" | sed -n 's/^cleared \([0-9]*\) times, in vain 0 times$/\1/p')
[ "${cleared:-0}" -ge $((cycles * 8 / 10)) ] || fail "cleared ${cleared:-not at all} in $cycles cycles" \
    <(tell_tmux capture-pane -p -t "$own")
echo "   cleared $cleared times; at most $highest rows above the screen of the monitor's own pane"
tell_tmux kill-pane -t "$own"

echo "== a restart on the same store tells nothing again"
own=$(watch watchdog --store "sqlite:$work/store.db" --for 6)
within 30 "the end" shows "$own" "ended with 0"
count "$told" '"worker_name"' 8
tell_tmux kill-pane -t "$own"

echo "== not cleared, it grows"
echo '{"auto_clear": false}' >"$work/config.json"
own=$(watch watchdog --for 9)
within 40 "the end" shows "$own" "ended with 0"
[ "$(history_of "$own")" -ge 1 ] || fail "its pane does not grow" <(tell_tmux capture-pane -p -t "$own")
tell_tmux kill-pane -t "$own"

echo "== a shell is neither cleared nor nudged"
echo '{}' >"$work/config.json"
shell=$(pane lost worker sh -c 'PS1="$ "; export PS1; cd "$1"; exec sh -i' sh "$work")
printf '#!/bin/sh\ntouch "%s/executed"\n' "$work" >"$work/clear"
chmod +x "$work/clear"
echo "echo '{\"nudge\":\"lost\",\"text\":\"$work/clear\"}'; cat" >"$work/nudges.sh"
for how in "" "--own $shell --agent sh" "--own $shell --agent claude"; do
    TMUX_PANE=$shell timeout 60 "$monitor" --socket "$socket" $how --clear "$work/clear" --every 1 --for 3 \
        -- sh "$work/nudges.sh" >"$work/out" 2>&1
    [ $? = 0 ] || fail "a shell, with '$how'" "$work/out"
    says "$work/out" "cleared 0 times"
    [ -z "$how" ] || says "$work/out" "which is a shell"
done
TMUX_PANE= timeout 60 "$monitor" --socket "$socket" --every 1 --for 3 -- sh "$work/nudges.sh" >"$work/out" 2>&1
says "$work/out" "nudge lost: nothing is typed into the pane $shell: it runs sh, which is a shell"
[ ! -e "$work/executed" ] || fail "what was typed was executed"
shows "$shell" "clear" && fail "something was typed into a shell"
tell_tmux kill-pane -t "$shell"

echo "== an orchestrator that is gone ends the monitor, with what it owes kept; or it is started again"
echo '{"stuck_treshold": 3}' >"$work/config.json"
timeout 60 "$monitor" --socket "$socket" --own none --every 1 --for 20 --store "sqlite:$work/owed.db" --config "$work/config.json" \
    -- sh -c 'sleep 3; exit 3' >"$work/out" 2>"$work/err"
[ $? = 1 ] || fail "an orchestrator that is gone" "$work/out"
says "$work/err" "the orchestrator has ended: exit status 3"
says "$work/err" "'stuck_treshold' is no setting; did you mean 'stuck_threshold'"
printf '#!/bin/sh\nread -r line && echo "$line" >>"%s/first"\n' "$work" >"$work/once.sh"
timeout 60 "$monitor" --socket "$socket" --own none --every 1 --for 12 --restart -- sh "$work/once.sh" >"$work/out" 2>"$work/err"
[ $? = 0 ] || fail "an orchestrator that is started again" "$work/err"
says "$work/err" "the orchestrator has ended: exit status 0; it is started again"
[ "$(wc -l <"$work/first")" -ge 2 ] || fail "an orchestrator that was started again is told nothing" "$work/first"

echo "== nudges without end stop neither the cycles nor the end"
"$monitor" --socket "$socket" --own none --every 1 -- sh -c 'while echo "{\"nudge\":\"nobody\",\"text\":\"x\"}"; do :; done' \
    >"$work/out" 2>&1 &
endless=$!
within 15 "cycles beside endless nudges" grep -q "^checked" "$work/out"
kill -TERM $endless
within 5 "the end beside endless nudges" sh -c '! kill -0 "$1"' sh $endless
wait $endless

echo "== an orchestrator in a pane"
chief=$(pane chief orchestrator sh -c 'stty -echo; while IFS= read -r line; do echo "$line" >>"$0"; done' "$work/chief")
timeout 60 "$monitor" --socket "$socket" --own none --every 1 --for 6 >"$work/out" 2>&1
[ $? = 0 ] || fail "an orchestrator in a pane" "$work/out"
says "$work/chief" '"msg_type":"worker.error".*"worker_name":"fails"'
tell_tmux kill-pane -t "$chief"

echo "== a channel has what the orchestrator has; settings of the session; check and clear are told"
printf '#!/bin/sh\ncat >>"%s/channel"\n' "$work" >"$work/channel.sh"
chmod +x "$work/channel.sh"
own=$(pane __own watchdog "$agents/monitor.sh" sh -c 'read -r nothing; exec sleep 60')
tell_tmux set-option -t "$own" @heeler_stuck_treshold 3
TMUX_PANE=$own timeout 60 "$monitor" --socket "$socket" --own self --agent monitor.sh --every 2 --for 8 --check "look now" \
    --tell-clears --notify "command:$work/channel.sh" -- sh -c 'cat >>"$0"' "$work/heard" >"$work/out" 2>&1
[ $? = 0 ] || fail "a channel" "$work/out"
says "$work/out" "'@heeler_stuck_treshold' is no setting; did you mean 'stuck_threshold'"
says "$work/channel" '"kind":"worker.error"'
says "$work/heard" '"msg_type":"monitor.clear","payload":\{"size":[0-9]+\}'
tell_tmux kill-pane -t "$own"

echo "== programs that draw the whole screen: a pager, an editor, one that asks above its hints"
cat >"$work/asks.py" <<'PROGRAM'
import curses, itertools, time
def draw(screen):
    for spin in itertools.cycle("|/-"):
        screen.erase()
        for row, text in enumerate(["Bash(make) " + spin, "Do you want to proceed?", " 1. Yes", " 2. Yes, and never ask again",
                                    " 3. No", "", " Esc to cancel, Tab to amend"]):
            screen.addstr(row, 0, text)
        screen.refresh()
        time.sleep(0.3)
curses.wrapper(draw)
PROGRAM
seq 1 30 | tee "$work/log" >"$work/text"
pane pager worker sh -c 'while sleep 0.3; do date +%N >>"$0"; done & exec less +F "$0"' "$work/log" >/dev/null
pane editor worker vi -u NONE "$work/text" >/dev/null
pane dialog worker python3 "$work/asks.py" >/dev/null
timeout 60 "$monitor" --socket "$socket" --own none --every 1 --for 12 -- sh -c 'cat >>"$0"' "$work/screens" >"$work/out" 2>&1
count "$work/screens" '"worker_name":"pager"' 0
if command -v vi >/dev/null; then says "$work/screens" '"msg_type":"worker.stuck".*"worker_name":"editor"'; fi
if python3 -c 'import curses' 2>/dev/null; then
    count "$work/screens" '"worker_name":"dialog"' 1
    says "$work/screens" '"msg_type":"worker.needs_input".*"worker_name":"dialog",.*"prompt_preview":"Do you want to proceed\?"'
fi

echo "== a server that is gone"
"$monitor" --socket "$socket" --own none --every 1 --for 6 -- cat >"$work/out" 2>&1 &
sleep 2
tell_tmux kill-server
wait $!
[ $? = 0 ] || fail "a server that is gone" "$work/out"
says "$work/out" "error in list : there is no tmux server"

[ $failures = 0 ] || { echo "$failures checks failed"; exit 1; }
echo "ok"
