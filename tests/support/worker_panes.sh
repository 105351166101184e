# Sourced by the tests of heeler-worker-monitor: a tmux server of their own in $work, and workers in its panes.
#   pane NAME TAGS COMMAND...            opens a pane and prints its id
#   watch TAGS ARGUMENTS...              the monitor in a pane of its own, which is printed; it tells $told
#   run_until TEXT FILE ARGUMENTS...     the monitor, ended when FILE says TEXT; it is to end with 0
#   refused TEXT ARGUMENTS...            the monitor ends with 2 and says TEXT
#   within WHAT COMMAND...               until the command succeeds, for a minute
#   says FILE TEXT, count FILE TEXT N    TEXT is an extended regular expression
# shellcheck shell=bash
bin=${HEELER_BIN:?the directory of the built examples}
monitor=$bin/heeler-worker-monitor
agents=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../examples/worker_monitor/agents" && pwd)
[ -x "$monitor" ] || { echo "not built: $monitor"; exit 1; }
command -v tmux >/dev/null || { echo "heeler: skipped: no tmux here"; exit 77; }
work=$(mktemp -d)
socket=$work/tmux
told=$work/told
failures=0

end_test() {
    tmux -S "$socket" kill-server 2>/dev/null
    rm -rf "$work"
}
trap end_test EXIT

fail() {
    echo "FAILED: $1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2" | cut -c 1-300
    failures=$((failures + 1))
}
finish() {
    [ $failures = 0 ] || { echo "$failures checks failed"; exit 1; }
    echo "ok"
}
says() { grep -qE -- "$2" "$1" || fail "nothing says \"$2\"" "$1"; }
count() { [ "$(grep -cE -- "$2" "$1")" = "$3" ] || fail "not $3 times: \"$2\"" "$1"; }
within() {
    local end=$((SECONDS + 60)) what=$1
    shift
    until "$@" 2>/dev/null; do
        [ $SECONDS -lt $end ] || { fail "$what: not in time"; return; }
        sleep 0.1
    done
}
tell_tmux() { tmux -S "$socket" -f /dev/null "$@"; }
pane() {
    local name=$1 tags=$2 id
    shift 2
    id=$(tell_tmux new-session -d -P -F '#{pane_id}' -x 100 -y "${rows:-12}" "$@")
    tell_tmux set-option -p -t "$id" @tags "$tags"
    tell_tmux set-option -p -t "$id" @name "$name"
    echo "$id"
}
history_of() { tell_tmux display-message -p -t "$1" '#{history_size}'; }
shows() { tell_tmux capture-pane -p -S - -t "$1" | grep -qF -- "$2"; }
heard() { grep -qE "\"msg_type\":\"$2\".*\"worker_name\":\"$1\"" "$told"; }
watch() {
    local tags=$1
    shift
    pane __watchdog "$tags" "$agents/monitor.sh" sh -c '"$@" 2>&1 & echo $! >"$0"; wait $!; echo "ended with $?"' "$work/pid" \
        "$monitor" --socket "$socket" --own self --agent monitor.sh --every 1 --config "$work/config.json" "$@" -- "$agents/orchestrator.sh" "$told"
}
run_until() {
    local text=$1 file=$2 begun
    shift 2
    : >"$work/out" # before it begins, not by it
    "$monitor" --socket "$socket" --every 1 "$@" >"$work/out" 2>&1 </dev/null &
    begun=$!
    within "$text" grep -qE -- "$text" "$file"
    kill -TERM $begun 2>/dev/null
    wait $begun || fail "not ended with 0: $*" "$work/out"
}
refused() {
    local text=$1
    shift
    timeout 100 "$monitor" "$@" >"$work/refused" 2>&1 </dev/null
    [ $? = 2 ] || fail "taken: $*" "$work/refused"
    says "$work/refused" "$text"
}
