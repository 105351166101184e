#!/usr/bin/env bash
# heeler-serve: what it answers, what it asks its clients, bad input, clients that are lost.
set -uo pipefail

: "${HEELER_BIN:?the directory of the built examples}"
command -v python3 >/dev/null || { echo "python3 is not installed: skipped"; exit 77; }
[ -x "$HEELER_BIN/heeler-serve" ] || { echo "not built: $HEELER_BIN/heeler-serve"; exit 1; }
exec timeout -k 1 280 python3 -W error::ResourceWarning "$(dirname "$0")/serve.py"
