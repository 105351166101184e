#!/usr/bin/env bash
# heeler-github-tree against a stand-in of GitHub: what it sees of a tree of issues, what it does, what it says where GitHub
# does not answer as it should.
set -uo pipefail

bin=${HEELER_BIN:?the directory of the built examples}
program=$bin/heeler-github-tree
[ -x "$program" ] || { echo "not built: $program"; exit 1; }
command -v python3 >/dev/null || { echo "python3 is not installed: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$(cd "$(dirname "$0")" && pwd)/github_tree.py" "$program" "$work"
