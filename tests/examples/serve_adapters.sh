#!/usr/bin/env bash
# The Python client's adapters against the real packages. $HEELER_ADAPTERS is the Python of a virtual environment that has what
# serve_adapters.txt names; tests/run.sh --full makes it.
set -uo pipefail

: "${HEELER_BIN:?the directory of the built examples}"
[ -n "${HEELER_ADAPTERS:-}" ] || { echo "no openai-agents and langgraph (tests/run.sh --full installs them): skipped"; exit 77; }
[ -x "$HEELER_BIN/heeler-serve" ] || { echo "not built: $HEELER_BIN/heeler-serve"; exit 1; }
exec timeout -k 1 280 "$HEELER_ADAPTERS" "$(dirname "$0")/serve_adapters.py"
