#!/usr/bin/env bash
# Each heeler program that was built: --version and --help have one form, and a misspelt word is answered with the nearest.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
[ -x "$bin/heeler-ctl" ] || { echo "not built: $bin/heeler-ctl"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset HEELER_STORE

fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$work/out" "$work/err"
    failures=$((failures + 1))
}

# run STATUS PROGRAM ARGUMENT...: the output is in $work/out and $work/err.
run() {
    local status=$1 program=$2
    shift 2
    what="$program $*"
    timeout 100 "$bin/$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    local got=$?
    [ "$got" = "$status" ] || fail "$what: status $got, not $status"
}
says() { grep -qF -- "$2" "$work/$1" || fail "$what: nothing says \"$2\" on std$1"; }

version=$(sed -n 's/^#define HEELER_VERSION_[A-Z]* //p' "$(dirname "${BASH_SOURCE[0]}")/../../include/heeler/config.hpp" | paste -sd.)
for path in "$bin"/heeler-*; do
    [ -f "$path" ] && [ -x "$path" ] || continue
    program=$(basename "$path")
    usage=2
    [ "$program" != heeler-supervise ] || usage=64
    run 0 "$program" --version
    [ "$(cat "$work/out")" = "$program $version" ] || fail "$what: not \"$program $version\""
    run 0 "$program" --help
    says out "Usage: $program [OPTIONS]"
    [ "$(grep -A1 '^Options:' "$work/out" | tail -1 | awk '{print $1}')" = "-h,--help" ] || fail "$what: --help does not stand first"
    says out "-h,--help"
    says out "--version"
    [ ! -s "$work/err" ] || fail "$what: something on stderr"
    run $usage "$program" --verzion
    says err "$program: there is no option '--verzion'; did you mean '--version'?"
    [ ! -s "$work/out" ] || fail "$what: an error on stdout"
    run $usage "$program" --xylophone-quartet
    says err "$program: there is no option '--xylophone-quartet'; --help lists them"
done

run 2 heeler-ctl statsu
says err "heeler-ctl: there is no command 'statsu'; did you mean 'status'?"
run 2 heeler-ctl --store "sqlite:$work/none" snoze nightly --for 2h
says err "there is no command 'snoze'; did you mean 'snooze'?"
run 2 heeler-ctl frobnicate
says err "known are status, watch, serve, explain"
run 2 heeler-ctl silence --clas long_run --because maintenance --for 2h
says err "there is no option '--clas'; did you mean '--class'?"
run 2 heeler-ctl ack one two
says err "'two' was not expected"
run 2 heeler-ctl test-alert --notify telegramm:1
says err "or command:PROGRAM; did you mean 'telegram'?"

# If it is built, whatever else is.
built() { [ -x "$bin/$1" ]; }
if built heeler-supervise; then
    run 64 heeler-supervise sleep 1
    says err "put -- before the command: heeler-supervise [OPTIONS] -- sleep ..."
    run 64 heeler-supervise --timout 5 -- sleep 1
    says err "did you mean '--timeout'?"
fi
if built heeler-worker-monitor; then
    run 2 heeler-worker-monitor --every 5 cat
    says err "put -- before the command: heeler-worker-monitor [OPTIONS] -- cat"
fi
if built heeler-replay; then
    echo '{"t": 0, "type": "tick"}' >"$work/good.jsonl"
    printf '{"type": "whatever"}\n{"no type": 1}\nnot JSON\n' >"$work/bad.jsonl"
    printf '{"type": "whatever"}\n' >"$work/unknown.jsonl"
    run 2 heeler-replay --preset longrun "$work/good.jsonl"
    says err "; did you mean 'long_run'?"
    run 0 heeler-replay "$work/good.jsonl"
    run 3 heeler-replay "$work/bad.jsonl"
    run 3 heeler-replay "$work/unknown.jsonl"
    says err "holds no line of a scenario"
    cat "$work/unknown.jsonl" "$work/good.jsonl" >"$work/mixed.jsonl"
    run 0 heeler-replay "$work/mixed.jsonl"
fi

[ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
echo "all passed"
