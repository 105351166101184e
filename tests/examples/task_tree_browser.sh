#!/usr/bin/env bash
# heeler-task-tree's page in a browser that nobody sees: a watch is set, the tree stops, is reviewed and restored.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
program=$bin/heeler-task-tree
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$program" ] || { echo "not built: $program"; exit 1; }
# shellcheck source=../support/browser.sh
. "$here/../support/browser.sh"
# shellcheck source=SCRIPTDIR/../support/served_address.sh
. "$here/../support/served_address.sh"

work=$(mktemp -d)
serving=
finish() {
    [ -z "$serving" ] || kill "$serving" 2>/dev/null
    wait
    rm -rf "$work"
}
trap finish EXIT

"$program" "$work" --port 0 --sample --grace 1ms --every 1s >"$work/out" 2>"$work/err" &
serving=$!
address=$(served_address "$work/out")
python3 "$here/task_tree_browser.py" "$driver" "$browser" "$address" "$program" \
    "$(sed -n 's|^token of acme/reviewer: ||p' "$work/out")" ${1:+"$1"} || {
    echo "FAILED"
    sed 's/^/    /' "$work/err"
    exit 1
}
[ ! -s "$work/err" ] || {
    echo "FAILED: it complains:"
    sed 's/^/    /' "$work/err"
    exit 1
}
echo "ok"
