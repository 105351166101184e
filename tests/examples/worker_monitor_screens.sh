#!/usr/bin/env bash
# heeler-worker-monitor on agents as they draw themselves: screens of the usual ones, that work, wait for a new task, ask and
# fail; programs that take the whole terminal. And what else is told or taken: a channel, settings of the session,
# metrics, clears, a tool by which an agent clears itself, workers by name.
set -uo pipefail
. "$(dirname "$0")/../support/worker_panes.sh"
here=$(cd "$(dirname "$0")" && pwd)

echo "== screens of agents"
for tool in less vi python3; do command -v $tool >/dev/null || fail "$tool is not installed: this test needs a pager, an editor and curses"; done
: >"$work/screens"
for screen in "$here"/agent_screens/*.txt; do
    rows=24 pane "$(basename "$screen" .txt)" worker sh "$here/../support/agent_screen.sh" "$screen" >/dev/null
done
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
whole_screens=(pager.busy pager.idle editor.idle dialog.asks)
pane pager.busy worker sh -c 'while sleep 0.3; do date +%N >>"$0"; done & exec less +F "$0"' "$work/log" >/dev/null
pane pager.idle worker less "$work/text" >/dev/null
pane editor.idle worker vi -u NONE "$work/text" >/dev/null
pane dialog.asks worker python3 "$work/asks.py" >/dev/null
take_the_screen() { # all of them
    local name
    for name in "${whole_screens[@]}"; do
        tell_tmux list-panes -a -F '#{@name} #{alternate_on}' | grep -qxF "$name 1" || return
    done
}
within "a pager, an editor and a dialog that take the whole terminal" take_the_screen
wanted=$(tell_tmux list-panes -a -F '#{@name}' | grep -cE '\.(asks|idle|fails)$')
told_all() { [ "$(grep -c '"worker_name"' "$work/screens")" -ge "$wanted" ]; }
"$monitor" --socket "$socket" --own none --every 1 -- sh -c 'cat >>"$0"' "$work/screens" >"$work/out" 2>&1 &
begun=$!
within "all that is to be told" told_all
sleep 2 # who is told of now is told of wrongly
kill -TERM $begun
wait $begun || fail "ended with $?" "$work/out"
says_of() { count "$work/screens" "\"msg_type\":\"worker.$2\".*\"worker_name\":\"$1\"" 1; }
for name in $(tell_tmux list-panes -a -F '#{@name}'); do
    case $name in
        *.asks) says_of "$name" needs_input ;;
        *.idle) says_of "$name" stuck ;;
        *.fails) says_of "$name" error ;;
    esac
done
take_the_screen || fail "one of ${whole_screens[*]} has ended" <(tell_tmux list-panes -a -F '#{@name} #{alternate_on}')
for name in pager.idle editor.idle; do says_of $name stuck; done
says_of dialog.asks needs_input
count "$work/screens" '"worker_name":"pager.busy"' 0
count "$work/screens" '"worker_name"' "$wanted" # nothing of the busy ones, nothing twice
says "$work/screens" '"worker_name":"dialog.asks",.*"prompt_preview":"Do you want to proceed\?"'
says "$work/screens" '"worker_name":"codex.asks",.*"prompt_preview":"Would you like to run the following command\?"'
says "$work/screens" '"worker_name":"gemini_cli.asks",.*"prompt_type":"permission"'
says "$work/screens" '"worker_name":"codex_0.171.0_recorded.asks",.*"prompt_preview":"Choose how you want to use Codex."'
says "$work/screens" '"worker_name":"gemini_cli_0.61.0_recorded.asks",.*"prompt_preview":"Do you trust the files in this folder\?"'
tell_tmux kill-server
socket=$work/tmux2

echo "== workers by name"
pane code-7-worker visitor "$agents/worker.sh" fails 0.4 >/dev/null
pane code-x-worker visitor "$agents/worker.sh" fails 0.4 >/dev/null
# by_name ARGUMENTS...: with these the one is watched, and told of, and not the other
by_name() {
    : >"$work/named"
    run_until '"worker_name":"code-7-worker"' "$work/named" --own none "$@" -- sh -c 'cat >>"$0"' "$work/named"
    count "$work/named" '"worker_name"' 1
}
regex='^code-[0-9]+-worker$'
by_name --name-regex "$regex"
echo "{\"name_regex\": \"$regex\"}" >"$work/names.json"
by_name --config "$work/names.json"
HEELER_NAME_REGEX=$regex by_name
here=$(pane here visitor sleep 100)
tell_tmux set-option -t "$here" @heeler_name_regex "$regex"
TMUX_PANE=$here by_name
HEELER_NAME_REGEX='code-(7' TMUX_PANE=$here by_name
says "$work/out" "'HEELER_NAME_REGEX' is 'code-\(7', but must be an extended regular expression: .*; the default is kept"

echo "== a channel has what the orchestrator has; settings of the session; check, clear and metrics"
printf '#!/bin/sh\ncat >>"%s/channel"\n' "$work" >"$work/channel.sh"
chmod +x "$work/channel.sh"
pane fails worker "$agents/worker.sh" fails 0.4 >/dev/null
own=$(pane __own watchdog "$agents/monitor.sh" sh -c 'read -r nothing; exec sleep 60')
tell_tmux set-option -t "$own" @heeler_stuck_treshold 3
tell_tmux set-option -t "$own" @heeler_alerts_to boss
TMUX_PANE=$own run_until '^heeler_context_clears_total\{outcome="done"\} [3-9]' "$work/heeler.prom" --own self --agent monitor.sh \
    --check "look now" --tell-clears --after-clear "Read monitor-notes." --metrics "$work/heeler.prom" \
    --notify "command:$work/channel.sh" -- sh -c 'cat >>"$0"' "$work/heard"
says "$work/out" "'@heeler_stuck_treshold' is no setting; did you mean 'stuck_threshold'"
says "$work/channel" '"kind":"worker.error"'
says "$work/heard" '"msg_type":"monitor.clear","payload":\{"size":[0-9]+\}'
says "$work/heeler.prom" '^heeler_context_cleared_size [0-9]+$'
says "$work/heeler.prom" '^heeler_alerts_total\{outcome="delivered"\} [1-9]'
shows "$own" "You said: Read monitor-notes." || fail "nothing is typed after a clear"

echo "== an agent clears itself by a tool"
shows "$own" "You said" || fail "there is nothing to clear"
cat >"$work/requests" <<'REQUESTS'
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":"a","method":"tools/list"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"watchdog_clear","arguments":{}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"rm"}}
no json
REQUESTS
TMUX_PANE=$own timeout 100 "$monitor" --socket "$socket" --clear-tool --own self --agent monitor.sh <"$work/requests" >"$work/answers" 2>"$work/err"
[ $? = 0 ] || fail "the clear tool" "$work/err"
says "$work/answers" '^\{"jsonrpc":"2.0","id":0,"result":\{"protocolVersion":"2025-06-18",.*"tools":\{\}'
says "$work/answers" '^\{"jsonrpc":"2.0","id":"a","result":\{"tools":\[\{"name":"watchdog_clear",'
says "$work/answers" '^\{"jsonrpc":"2.0","id":1,"result":.*"isError":false\}\}$'
says "$work/answers" '^\{"jsonrpc":"2.0","id":2,"error":\{"code":-32601,'
says "$work/answers" '"code":-32700'
[ "$(wc -l <"$work/answers")" = 5 ] || fail "a notification was answered" "$work/answers"
empty() { ! shows "$own" "You said"; }
within "the agent's pane is cleared" empty
tell_tmux kill-pane -t "$own"
shell=$(pane lost visitor sh -c 'PS1="$ "; export PS1; exec sh -i')
TMUX_PANE=$shell timeout 100 "$monitor" --socket "$socket" --clear-tool --own self --agent claude <"$work/requests" >"$work/answers" 2>&1
says "$work/answers" 'which is a shell.*"isError":true'
shows "$shell" "clear" && fail "something was typed into a shell"

finish
