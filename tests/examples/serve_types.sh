#!/usr/bin/env bash
# What the Python client says of its types, and its adapters of those of the real packages. $HEELER_ADAPTERS is the Python of a
# virtual environment that has what serve_adapters.txt names; tests/run.sh --full makes it.
set -uo pipefail

[ -n "${HEELER_ADAPTERS:-}" ] || { echo "no mypy (tests/run.sh --full installs it): skipped"; exit 77; }
cd "$(dirname "$0")/../../examples/python" || exit 1
exec timeout -k 1 280 "$HEELER_ADAPTERS" -m mypy --strict --cache-dir /dev/null -p heeler
