# Sourced by tests of heeler-supervise, which is $bin. Their files are in $work, the states of runs in $state.
#   fail WHAT [FILE]                   counts a failure and shows the end of the file
#   says FILE PATTERN                  whether a line of the file has the pattern
#   until_true COMMAND...              whether the command succeeds: in a minute, however slow the machine is
#   alive PID, gone PID                whether the process runs
#   start_supervisor OUT ERR OPTIONS...  in the background; its process id is in $supervisor
#   ends STATUS WHAT                   waits for it, for a minute
#   finish                             ends the script with what was counted
# What is started, and what notes its process id in $work/NAME.pid, is killed at the end.
# shellcheck shell=bash
# shellcheck disable=SC2034 # used by the scripts that source this
bin=${HEELER_BIN:?the directory of the built examples}/heeler-supervise
[ -x "$bin" ] || { echo "not built: $bin"; exit 1; }
work=$(mktemp -d)
state=$work/state
failures=0
started=()

export HEELER_TEST=$work # by it, what this script started is told from whoever has the process id later
cleanup() {
    local pid
    exec 7>&- 8>&-
    for pid in "${started[@]}" $(cat "$work"/*.pid 2>/dev/null); do
        grep -aqs "HEELER_TEST=$work" "/proc/$pid/environ" && kill -KILL "$pid" 2>/dev/null
    done
    rm -rf "$work"
}
# What is started is this shell too, until it becomes its program: told to end by then, it runs this. Not `!= || cleanup`: the
# first command that it runs may fail whatever it is.
trap '[ "$BASHPID" = "$$" ] && cleanup' EXIT

fail() {
    echo "FAILED: $1"
    [ $# -lt 2 ] || tail -n 30 "$2" | cut -c 1-300 | sed 's/^/    /'
    failures=$((failures + 1))
}

says() { grep -aq -- "$2" "$1" || fail "nothing says \"$2\"" "$1"; }
# FILE WORDS PID: it is among those named behind the words, which are in the order of their numbers: a child may stand first.
names_pid() { grep -aq -- "$2pid \([0-9]* \)*$3\b" "$1" || fail "nothing says \"$2pid $3\"" "$1"; }

. "$(dirname "${BASH_SOURCE[0]}")/until_true.sh"

alive() { [ -n "${1:-}" ] && [ -d "/proc/$1" ] && ! grep -q '^State:.*[ZX]' "/proc/$1/status" 2>/dev/null; }
gone() { ! alive "$1"; }

start_supervisor() {
    local out=$1 err=$2
    shift 2
    # Opened and emptied here, not by what is started: nobody may find there what an earlier one said.
    {
        "$bin" --state-dir "$state" "$@" </dev/null 7>&- 8>&- &
    } >"$out" 2>"$err"
    supervisor=$!
    started+=("$supervisor")
}

ends() {
    if ! until_true gone "$supervisor"; then
        fail "$2: it stands still"
        kill -KILL "$supervisor"
        wait "$supervisor" 2>/dev/null
        return
    fi
    wait "$supervisor"
    local got=$?
    [ "$got" = "$1" ] || fail "$2: status $got, not $1" "$work/err"
}

finish() {
    [ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
    echo "all passed"
}
