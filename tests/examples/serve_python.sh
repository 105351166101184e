#!/usr/bin/env bash
# The Python client of heeler-serve, which is found there by HEELER_SERVE.
set -uo pipefail

: "${HEELER_BIN:?the directory of the built examples}"
command -v python3 >/dev/null || { echo "python3 is not installed: skipped"; exit 77; }
[ -x "$HEELER_BIN/heeler-serve" ] || { echo "not built: $HEELER_BIN/heeler-serve"; exit 1; }
exec timeout -k 1 280 python3 -W error::ResourceWarning "$(dirname "$0")/serve_python.py"
