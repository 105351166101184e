#!/usr/bin/env bash
# benchmarks/serve_lines.py works; its figures are not looked at.
set -uo pipefail

# shellcheck source=../support/tool_checks.sh
. "$(dirname "$0")/../support/tool_checks.sh"
command -v python3 >/dev/null || { echo "python3 is not installed: skipped"; exit 77; }
begin serve
"$here/../../benchmarks/serve_lines.py" --program "$tool" --seconds 1 --rate 1000 --runs 20 >"$work/out" 2>&1 || fail "serve_lines.py"
says "20 runs started"
says "1000 a second, for 1 s: answered"
says "as fast as it takes them"
finish
