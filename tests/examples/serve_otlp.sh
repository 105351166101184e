#!/usr/bin/env bash
# heeler-serve --otlp and --otlp-log: spans and logs of OpenTelemetry come in, verdicts go out as logs.
set -uo pipefail

: "${HEELER_BIN:?the directory of the built examples}"
command -v python3 >/dev/null || { echo "python3 is not installed: skipped"; exit 77; }
[ -x "$HEELER_BIN/heeler-serve" ] || { echo "not built: $HEELER_BIN/heeler-serve"; exit 1; }
exec timeout -k 1 280 python3 -W error::ResourceWarning "$(dirname "$0")/serve_otlp.py"
