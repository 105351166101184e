#!/usr/bin/env bash
# The scenarios, told to heeler-serve by clients: it does what heeler-replay does.
set -uo pipefail

: "${HEELER_BIN:?the directory of the built examples}"
command -v python3 >/dev/null || { echo "python3 is not installed: skipped"; exit 77; }
[ -x "$HEELER_BIN/heeler-serve" ] || { echo "not built: $HEELER_BIN/heeler-serve"; exit 1; }
[ -x "$HEELER_BIN/heeler-replay" ] || { echo "heeler-replay is not built: skipped"; exit 77; }
exec timeout -k 1 600 python3 "$(dirname "$0")/serve_scenarios.py"
