# Sourced by tests of what heeler-replay says about recordings. Sets `bin`, and `work`, a directory that ends with the test.
#   replay STATUS WHAT ARGUMENT...     runs it; the output is in $work/out and $work/err
#   holds, lacks, says WHAT TEXT       whether the output has the text, or not, and whether the errors have it
#   fail WHAT                          counts a failure in `failures` and shows both
# shellcheck shell=bash
bin=${HEELER_BIN:?the directory of the built examples}/heeler-replay
[ -x "$bin" ] || { echo "not built: $bin"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$work/out" "$work/err"
    failures=$((failures + 1))
}
replay() {
    local status=$1 what=$2
    shift 2
    timeout 60 "$bin" "$@" >"$work/out" 2>"$work/err" </dev/null
    [ $? -eq "$status" ] || fail "$what: another exit status than $status"
}
holds() { grep -qF -- "$2" "$work/out" || fail "$1: no $2"; }
lacks() { ! grep -qF -- "$2" "$work/out" || fail "$1: $2"; }
says() { grep -qF -- "$2" "$work/err" || fail "$1: not said: $2"; }
