# Sourced by tests of tools: runs `tool` and checks what it says. `work` is a directory of the test.
#   begin NAME...                     sets bin, tool (heeler-NAME, the first), here and work; each must be built. Who runs as
#                                     $behind, and the directory, end with the test
#   expect STATUS WHAT ARGUMENTS...   runs the tool; its output is in $work/out
#   says TEXT                         whether that output holds the text
#   fail WHAT                         counts a failure and shows the output
#   finish                            ends the script with what was counted
# shellcheck shell=bash
failures=0
behind=
begin() {
    local name
    bin=${HEELER_BIN:?the directory of the built examples}
    tool=$bin/heeler-$1
    for name in "$@"; do
        [ -x "$bin/heeler-$name" ] || { echo "not built: $bin/heeler-$name"; exit 1; }
    done
    here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
    work=$(mktemp -d)
    trap 'end_test' EXIT
}
end_test() {
    [ -z "$behind" ] || kill "$behind" 2>/dev/null
    wait
    rm -rf "$work"
}
fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}
expect() {
    local status=$1 what=$2
    shift 2
    # shellcheck disable=SC2154 # set by the script that sources this
    timeout "${time_limit:-60}" "$tool" "$@" >"$work/out" 2>&1 </dev/null
    local got=$?
    [ "$got" = "$status" ] || fail "$what: status $got, not $status"
}
says() { grep -qF -- "$1" "$work/out" || fail "nothing says \"$1\""; }
finish() {
    [ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
    echo "all passed"
}
