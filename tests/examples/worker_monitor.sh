#!/usr/bin/env bash
# heeler-worker-monitor on workers in real panes of tmux: who the orchestrator is told about, once each; who is nudged; that
# the monitor's own pane stays small over many cycles and grows where it is not cleared; that a pane which is closed
# and opened again is watched again.
set -uo pipefail
. "$(dirname "$0")/../support/worker_panes.sh"
cycles=${HEELER_MONITOR_CYCLES:-15} # more of them in tests/run.sh --full

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
dies=$(pane dies worker sh -c 'echo working; until [ -e "$0" ]; do sleep 0.1; done; exit 3' "$work/polled")
tell_tmux set-option -p -t "$dies" remain-on-exit on
pane closes worker sh -c 'echo working; until [ -e "$0" ]; do sleep 0.1; done' "$work/polled" >/dev/null
closing=$(pane again worker "$agents/worker.sh" fails 0.4)
begin=$SECONDS
own=$(watch watchdog --store "sqlite:$work/store.db" --metrics "$work/heeler.prom")
# polled: several cycles after this call
polled() {
    for _ in 1 2 3; do
        touch "$work/since"
        within "a cycle" test "$work/heeler.prom" -nt "$work/since"
    done
}

within "an error" heard fails worker.error
touch "$work/polled" # who ends then was seen alive
within "an error in a pane" heard again worker.error
count "$told" '"worker_name":"again"' 1
tell_tmux kill-pane -t "$closing"
polled # it was missing from a list
within "complete" heard finishes worker.complete
within "a question" heard asks worker.needs_input
within "a program that has died" heard dies worker.error
within "a pane that is gone" heard closes worker.error
pane again worker "$agents/worker.sh" fails 0.4 >/dev/null
within "a stall" grep -q '"msg_type":"worker.stuck"' "$told"
within "a nudge" shows "$stalls" "told: Are you stuck? Please go on."
within "it goes on" shows "$stalls" "step 8"
tell_tmux send-keys -t "$asks" -l y
tell_tmux send-keys -t "$asks" Enter
within "the answer" shows "$asks" "going on"
within "a pane that was opened again" grep -qF '"worker_id":"again#2"' "$told"
says "$told" '"intervals_stuck":3,"last_output_preview":"step 1\\n.*step 5"'
says "$told" '"worker_name":"fails",.*"error_source":"output","error_context":"Error: cannot open parser.y"'
says "$told" '"worker_name":"asks",.*"prompt_type":"confirmation","prompt_preview":"Do you want to proceed\? \(y/n\)"'
says "$told" '"worker_name":"finishes",.*"outcome":"complete","completion_message":"all 12 tests pass"'
says "$told" '"worker_name":"dies",.*"error_context":"Error: its program is over: exit status 3"'
says "$told" '"worker_name":"closes",.*"error_context":"Error: its pane is gone"'
says "$told" '"worker_name":"dies",.*"suggestions":\["investigate","retry","abandon"\]'

highest=0
enough=$((cycles * 8 / 10))
clears() { sed -n 's/^heeler_context_clears_total{outcome="done"} //p' "$work/heeler.prom"; }
while [ $((SECONDS - begin)) -lt $((cycles + 2)) ] || { [ "$(clears)" -lt $enough ] && [ $((SECONDS - begin)) -lt $((cycles + 120)) ]; }; do
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
within "the end" shows "$own" "ended with 0"
cleared=$(tell_tmux capture-pane -p -t "$own" | sed -n 's/^cleared \([0-9]*\) times, in vain 0 times$/\1/p')
[ "${cleared:-0}" -ge $enough ] || fail "cleared ${cleared:-not at all} in $cycles cycles" \
    <(tell_tmux capture-pane -p -t "$own")
echo "   cleared $cleared times; at most $highest rows above the screen of the monitor's own pane"
tell_tmux kill-pane -t "$own"

echo "== a restart on the same store tells nothing again, one on an empty store not at its first poll"
own=$(watch watchdog --store "sqlite:$work/store.db" --for 4)
within "the end" shows "$own" "ended with 0"
count "$told" '"worker_name"' 8
tell_tmux kill-pane -t "$own"
# A machine that is busy for a second may end it before.
polled_once() {
    own=$(watch watchdog --for 1)
    within "the end" shows "$own" "ended with 0"
    shows "$own" "checked" || { tell_tmux kill-pane -t "$own"; return 1; }
}
within "a poll" polled_once
count "$told" '"worker_name"' 8
tell_tmux kill-pane -t "$own"

echo "== not cleared, it grows"
echo '{"auto_clear": false}' >"$work/config.json"
own=$(watch watchdog)
grown() { [ "$(history_of "$own")" -ge 1 ]; }
within "its pane grows" grown

finish
