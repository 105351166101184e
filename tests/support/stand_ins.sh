# Sourced by tests of programs that reach others, for whom a script beside this one stands in on this machine. $work is a
# directory of the test, and $http the stand-in's address.
#   built NAME               prints the path of heeler-NAME; an error where it is not built
#   stand_in SCRIPT FILE...  starts it and waits until it has made these files in $work; it ends with the test
#   until_true COMMAND...    whether the command succeeds: in a minute, however slow the machine is
#   noted FILE PATTERN       waits until the stand-in has noted it: what was sent to it is not yet written down
#   fail WHAT                counts a failure and shows what programs and stand-ins left in $work
#   finish WHAT              ends the test with what was counted, or these words
# shellcheck shell=bash
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
failures=0

cleanup() {
    [ -z "${server-}" ] || kill "$server" 2>/dev/null
    rm -rf "$work"
}
trap cleanup EXIT

built() {
    local path=${HEELER_BIN:?the directory of the built examples}/heeler-$1
    [ -x "$path" ] || { echo "not built: $path" >&2; return 1; }
    echo "$path"
}

fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$work"/{out,err,got,pings,notified} 2>/dev/null | cut -c 1-400 | tail -n 30
    failures=$((failures + 1))
}

. "$(dirname "${BASH_SOURCE[0]}")/until_true.sh"

noted() { until_true grep -qs -- "$2" "$work/$1" || fail "$1: nothing says \"$2\""; }

is_made() { [ -S "$1" ] || [ -s "$1" ]; }

stand_in() {
    local script=$1 file
    shift
    python3 "$(dirname "${BASH_SOURCE[0]}")/$script" "$work" &
    server=$!
    for file in "$@"; do
        until_true is_made "$work/$file" || fail "$script does not begin"
    done
    # shellcheck disable=SC2034 # used by the scripts that source this
    http=http://127.0.0.1:$(cat "$work/http")
}

finish() {
    [ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
    echo "$1"
}
