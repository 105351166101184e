#!/usr/bin/env bash
# Manual pages of the programs and completion of heeler-ctl: both know what --help knows.
set -uo pipefail

bin=$(cd "${HEELER_BIN:?the directory of the built examples}" && pwd)
[ -x "$bin/heeler-ctl" ] || { echo "not built: $bin/heeler-ctl"; exit 1; }
examples=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../examples" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset HEELER_STORE

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

echo "== manual pages"
bash "$examples/man_pages.sh" "$bin" "$work/man" || fail "man_pages.sh"
# A page as text. What roff reads as a command of its own is missing in it.
text_of() { sed -e '/^\.\(nf\|fi\)$/d' -e 's/^\.S[HS] //' -e 's/\\-/-/g' -e 's/\\&//g' -e 's/\\e/\\/g' "$1"; }
options_in() { grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | grep -oE -- '--[a-z-]+' | sort -u; }
pages=0
for path in "$bin"/heeler-*; do
    [ -f "$path" ] && [ -x "$path" ] || continue
    program=$(basename "$path")
    page=$work/man/$program.1
    [ -s "$page" ] || { fail "$program has no page"; continue; }
    pages=$((pages + 1))
    text_of "$page" >"$work/text"
    "$path" --help >"$work/help"
    commands=$(sed -n '/^Subcommands:/,$s/^  \([a-z-]*\) .*/\1/p' "$work/help")
    for command in $commands; do "$path" "$command" --help >>"$work/help"; done
    for option in $(options_in <"$work/help"); do
        grep -q -- "$option\b" "$work/text" || fail "$program: the page does not hold $option"
    done
    for command in $commands; do
        grep -qx -- "$command" "$work/text" || fail "$program: the page does not hold $command"
    done
    grep -q "^$program - ." "$work/text" || fail "$program: no line for apropos"
    ! grep -n "^[.'][^A-Za-z]" "$page" || fail "$program: text that roff obeys"
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww "$page" >"$work/shown" 2>"$work/warnings" || fail "$program: groff refuses the page"
        [ ! -s "$work/warnings" ] || fail "$program: groff warns: $(head -3 "$work/warnings")"
    fi
done
[ "$pages" -ge 1 ] || fail "no page at all"

echo "== completion"
PATH=$bin:$PATH
# shellcheck source=SCRIPTDIR/../../examples/ctl/completion.bash
. "$examples/ctl/completion.bash"
# answers WORDS... : what completes the last of them, in one line.
answers() {
    COMP_WORDS=(heeler-ctl "$@")
    COMP_CWORD=$#
    _heeler_ctl
    printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
}
# is EXPECTED WORDS...
is() {
    local expected=$1 got
    shift
    got=$(answers "$@")
    [ "$got" = "$expected " ] || fail "'heeler-ctl $*' is completed with '$got', not '$expected '"
}
is "silence silences" sil
is "snooze" sno
is "--schema --store" --s
is "--because" silence --bec
is "--run" silence --r
is "--all" status --a
is "critical" silence --at-most c
is "" ack --json
all=" $(answers '')"
for command in $(heeler-ctl --help | sed -n '/^Subcommands:/,$s/^  \([a-z-]*\) .*/\1/p'); do
    [[ $all = *" $command "* ]] || fail "the verb $command is not offered"
done
if [ -x "$bin/heeler-replay" ]; then
    printf '%s\n' '{"t": 0, "type": "run", "run": "port-parser"}' '{"t": 0, "type": "run", "run": "port-lexer"}' \
        '{"t": 1, "type": "tick"}' | "$bin/heeler-replay" --store "sqlite:$work/runs.db" - >/dev/null
    is "port-lexer port-parser" --store "sqlite:$work/runs.db" ack port
    is "port-parser" --store sqlite : "$work/runs.db" explain port-p
    is "port-lexer" --store "sqlite:$work/runs.db" silence --run port-l
    HEELER_STORE=sqlite:$work/runs.db
    export HEELER_STORE
    is "port-lexer" snooze port-l
fi

[ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
echo "all passed"
