#!/usr/bin/env bash
# The wheel of the Python client, which $HEELER_WHEEL names (tests/run.sh --full builds it): in a fresh virtual environment it
# brings all that the quickstart needs. auditwheel comes with what $HEELER_ADAPTERS has.
set -uo pipefail

[ -n "${HEELER_WHEEL:-}" ] || { echo "no wheel (tests/run.sh --full builds it): skipped"; exit 77; }
# shellcheck source=../support/tool_checks.sh
. "$(dirname "$0")/../support/tool_checks.sh"
begin serve

says_installed() { env -i PATH=/usr/bin:/bin HOME="$work" HEELER_INTERVAL_S=1 "$@" >"$work/out" 2>&1; }

python3 -m venv "$work/venv" >"$work/out" 2>&1 || { echo "python3 makes no virtual environments: skipped"; exit 77; }
"$work/venv/bin/pip" install -q --no-index "$HEELER_WHEEL" >"$work/out" 2>&1 || fail "pip install"
brought=$(cd "$work" && venv/bin/python -c 'import heeler.wire; print(heeler.wire.program())')
case $brought in
    "$work"/venv/*/heeler/bin/heeler-serve) ;;
    *) fail "the program is not what the wheel brought: $brought" ;;
esac
cp "$here/../../examples/python/quickstart.py" "$work"
says_installed "$work/venv/bin/python" "$work/quickstart.py" || fail "the quickstart"
says "to the agent: [watchdog]"

ldd "$brought" >"$work/out"
! grep -F libsimdjson "$work/out" | grep -vqF "$work/venv" || fail "a library of this machine, not of the wheel"
! grep -E 'not found|libpq|libcurl|libsqlite3|libfmt' "$work/out" || fail "it needs what not every machine has"
if [ -n "${HEELER_ADAPTERS:-}" ]; then
    "$HEELER_ADAPTERS" -m auditwheel show "$HEELER_WHEEL" >"$work/out" 2>&1 || fail "auditwheel"
    tr '\n' ' ' <"$work/out" >"$work/line" && mv "$work/line" "$work/out"
    says 'following platform tag: "manylinux_2_'
fi

# Without a libcurl it says so, and with the one of this machine it sends. The port 9 is nobody's.
mkdir "$work/none"
touch "$work/none/libcurl.so.4" "$work/none/libcurl-gnutls.so.4"
sleep 2 | says_installed LD_LIBRARY_PATH="$work/none" "$brought" --store memory --ping http://127.0.0.1:9/
says "libcurl cannot be used here"
sleep 2 | says_installed "$brought" --store memory --ping http://127.0.0.1:9/
says "127.0.0.1"
! grep -qF "cannot be used here" "$work/out" || fail "libcurl is there"
finish
