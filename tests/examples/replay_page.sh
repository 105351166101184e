#!/usr/bin/env bash
# Pages about runs: what heeler-replay, heeler-ctl and heeler-supervise write, and how a browser shows it.
#   replay_page.sh [SCREENSHOTS]
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$bin/heeler-replay" ] || { echo "not built: $bin/heeler-replay"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/out"
# shellcheck source=SCRIPTDIR/../support/tool_checks.sh
. "$here/../support/tool_checks.sh"
holds() { grep -qF -- "$3" "$2" || fail "$1: no $3"; }

# --- heeler-replay: a run that loops, and says hostile things ---
{
    echo '{"t": 0, "type": "run", "run": "r", "name": "Port <b>it</b>", "task": "Port the parser", "expected_s": 14400}'
    echo '{"t": 1, "type": "message", "role": "assistant", "text": "<img src=x onerror=\"document.title=1\">"}'
    for i in 1 2 3 4 5 6 7 8; do
        printf '{"t": %d, "type": "tool_call", "name": "bash", "args": {"command": "make test"}}\n' $((10 * i))
        printf '{"t": %d, "type": "tool_result", "ok": false, "output": "2 tests failed"}\n' $((10 * i + 5))
        printf '{"t": %d, "type": "usage", "tokens_in": 100, "tokens_out": 20}\n' $((10 * i + 6))
    done
    echo '{"t": 900, "type": "state", "state": "waiting_human", "prompt": "</pre><script>document.title=2</script>"}'
    echo '{"t": 1000, "type": "state", "state": "running"}'
    echo '{"t": 1200, "type": "state", "state": "completed"}'
} >"$work/loop.jsonl"
"$bin/heeler-replay" --html "$work/run.html" "$work/loop.jsonl" >"$work/lines" 2>"$work/err" || fail "replay: exit status $?"
"$bin/heeler-replay" "$work/loop.jsonl" >"$work/plain" 2>>"$work/err"
clean() { sed 's/"events_per_second":[^,}]*//' "$1"; }
cmp -s <(clean "$work/lines") <(clean "$work/plain") || fail "with a page it prints something else"
holds "replay" "$work/run.html" "LOOP_DETECTED"
holds "replay: the explanation" "$work/run.html" "| Rule "

# Of two runs there are two pages.
{ cat "$work/loop.jsonl"; sed 's/"run": "r"/"run": "s"/; s/"t": \([0-9]*\)/"t": 2\1/' "$work/loop.jsonl" | head -n 1; } >"$work/two.jsonl"
(cd "$work" && "$bin/heeler-replay" --html two.html two.jsonl >/dev/null 2>&1)
[ -s "$work/two.html" ] && [ -s "$work/two-2.html" ] || fail "two runs: no two pages"
"$bin/heeler-replay" --html "$work/no/such/folder.html" "$work/loop.jsonl" 2>/dev/null | grep -q '"error"' ||
    fail "a page that cannot be written is not said"
"$bin/heeler-replay" --html x --loops "$work/loop.jsonl" >/dev/null 2>&1
[ $? -eq 2 ] || fail "--html and --loops"

# --- heeler-supervise: a real command; heeler-ctl: the same run from its store ---
pages=run
if [ -x "$bin/heeler-supervise" ] && [ -x "$bin/heeler-ctl" ]; then
    pages="run command stored"
    "$bin/heeler-supervise" --name page --state-dir "$work/state" --html "$work/command.html" --report json -- \
        sh -c 'echo "<i>one</i>"; sleep 1; echo two' >"$work/report" 2>>"$work/err" </dev/null || fail "supervise: exit status $?"
    holds "supervise" "$work/command.html" "completed"
    run=$(sed -n 's/.*"run":"\([^"]*\)".*/\1/p' "$work/report" | head -n 1)
    store=$(find "$work/state" -name store.sqlite)
    "$bin/heeler-ctl" --store "sqlite:$store" report "$run" --html >"$work/stored.html" || fail "ctl: exit status $?"
    holds "ctl" "$work/stored.html" "<!doctype html>"
    holds "ctl" "$work/stored.html" "$run"
fi
for page in $pages; do
    ! grep -qiE '<script|https?:|onerror="' "$work/$page.html" || fail "$page.html has a script, or refers to something outside"
done

# --- a long one ---
awk 'BEGIN {
    print "{\"t\": 0, \"type\": \"run\", \"run\": \"long\", \"expected_s\": 90000}"
    for (i = 1; i <= 5000; ++i) {
        printf "{\"t\": %d, \"type\": \"tool_call\", \"name\": \"read\", \"args\": {\"path\": \"src/%d.c\"}}\n", 10 * i, i % 977
        printf "{\"t\": %d, \"type\": \"tool_result\", \"ok\": true, \"output\": \"%d lines\"}\n", 10 * i + 4, i * 7
    }
}' >"$work/long.jsonl"
"$bin/heeler-replay" --html "$work/long.html" "$work/long.jsonl" >/dev/null 2>>"$work/err" || fail "long: exit status $?"
[ $failures -eq 0 ] || { sed 's/^/    /' "$work/err"; exit 1; }

# shellcheck source=../support/browser.sh
. "$here/../support/browser.sh"
python3 "$here/replay_page.py" "$driver" "$browser" "$work/run.html" "$work/long.html" ${1:+"$1"} || fail "in the browser"
finish
