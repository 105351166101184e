#!/usr/bin/env bash
# Checks no_skips.sh on the end of a log of ctest.
set -uo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failures=0

# expect STATUS TEXT NAME [MORE]: what comes of a run in which this test was skipped
expect() {
    local wanted=$1 text=$2 name=$3 said status=0
    printf '100%% tests passed, 0 tests failed out of 690\n\nThe following tests did not run:\n\t 273 - %s (Skipped)\n' "$name" >"$log"
    said=$(bash "$here/no_skips.sh" "$log" "${@:4}" 2>&1) || status=$?
    [ "$status" = "$wanted" ] && grep -qF "$text" <<<"$said" && return
    printf 'FAILED: %s: status %s, and this was said:\n%s\n' "$name" "$status" "$said"
    failures=1
}

for name in example.worker_monitor example.worker_monitor_screens example.task_tree_browser 'asan.agent.tmux_pane (M-015)' \
    'agent.a clear is one when the pane shows it [M-134]' example.serve_postgres; do
    expect 1 "FAILED: skipped, but it can run here: $name" "$name"
done
expect 0 "SKIPPED: asan.source.line_follower" asan.source.line_follower
expect 0 "SKIPPED: source.a file without" "source.a file without permission is an error"
expect 0 "SKIPPED: tsan.engine.quiet_headers" "tsan.engine.quiet_headers (A-115)"
expect 0 "SKIPPED: example.task_tree_browser" example.task_tree_browser '_browser$'
expect 1 "it can run here: example.worker_monitor" example.worker_monitor '_browser$'
expect 0 "SKIPPED: example.worker_monitor" example.worker_monitor .

printf '100%% tests passed, 0 tests failed out of 690\n' >"$log"
said=$(bash "$here/no_skips.sh" "$log") || failures=1
[ -z "$said" ] || failures=1
bash "$here/no_skips.sh" "$log.none" 2>/dev/null && failures=1
exit $failures
