#!/usr/bin/env bash
# heeler-ctl diff-class: the settings in which two classes differ, by name, without a store.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
[ -x "$bin/heeler-ctl" ] || { echo "not built: $bin/heeler-ctl"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset HEELER_STORE

# diff STATUS ARGUMENT...: what it says is in $work/out.
diff_class() {
    local status=$1
    shift
    what="diff-class $*"
    XDG_STATE_HOME=$work/none HEELER_DEBOUNCE=9 timeout 100 "$bin/heeler-ctl" diff-class "$@" >"$work/out" 2>&1 </dev/null
    local got=$?
    [ "$got" = "$status" ] || fail "status $got, not $status"
}
fail() {
    echo "FAILED: $what: $1"
    sed 's/^/    /' "$work/out"
    failures=$((failures + 1))
}
row() { sed 's/ *| */|/g' "$work/out" | grep -qF "|$1|$2|$3|" || fail "no row $1, $2, $3"; }
lacks() { ! grep -qF -- "$1" "$work/out" || fail "$1"; }
says() { grep -qF -- "$1" "$work/out" || fail "no $1"; }

echo '{"debounce": 3, "loop": {"repeat_adjacent": 4}}' >"$work/prod.json"
echo '{"debounce": 0}' >"$work/bad.json"

diff_class 0 long_run recommended
row Setting long_run recommended
row interval_s none 60
row burn.factor 3 5
row "detector loop" off on
row "ladder.final_rung" "snapshot escalate terminate" "pause snapshot escalate"
lacks "loop.repeat_adjacent" # what is off in one
lacks "| debounce"           # the same in both; and the environment of whoever asks is not the watchdog's
diff_class 0 --all long_run recommended
row loop.repeat_adjacent off 3

diff_class 0 recommended "recommended:$work/prod.json"
row debounce 1 3
row loop.repeat_adjacent 3 4
[ "$(wc -l <"$work/out")" = 4 ] || fail "more than two settings"
diff_class 0 --json recommended "recommended:$work/prod.json"
says '{"type":"setting","name":"debounce","first":"1","second":"3"}'

diff_class 0 recommended recommended
[ "$(cat "$work/out")" = "they do not differ" ] || fail "they differ"

diff_class 2 recommended recomended
says "'recomended' is no preset; did you mean 'recommended'?"
diff_class 2 recommended "recommended:$work/bad.json"
says "'debounce' is 0, but must be a whole number from 1 to 1000"
diff_class 2 recommended "recommended:$work/none.json"
says "none.json"
diff_class 2 recommended

[ "$failures" -eq 0 ] && echo "all good"
exit "$((failures > 0))"
