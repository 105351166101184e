#!/usr/bin/env bash
# A running watchdog's metrics are read over HTTP: good text, with what really happens; and the dashboard asks for nothing that
# is not there.
set -uo pipefail

endpoint=${HEELER_BIN:?the directory of the built examples}/heeler-metrics-endpoint
[ -x "$endpoint" ] || { echo "not built: $endpoint"; exit 1; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=SCRIPTDIR/../support/served_address.sh
. "$here/../support/served_address.sh"
dashboard=$here/../../examples/metrics_endpoint/grafana-dashboard.json
work=$(mktemp -d)
failures=0

cleanup() {
    [ -z "${program-}" ] || kill "$program" 2>/dev/null
    wait
    rm -rf "$work"
}
trap cleanup EXIT

fail() {
    echo "FAILED: $1"
    sed 's/^/    /' "$work/err" "$work/metrics" 2>/dev/null | tail -n 40
    failures=$((failures + 1))
}

fetch() { # by python3 where there is no curl
    if command -v curl >/dev/null; then
        curl -sf -m 60 -D "$work/head" "$url" >"$work/metrics"
    else
        python3 - "$url" "$work" <<'PY'
import sys, urllib.request
with urllib.request.urlopen(sys.argv[1], timeout=60) as answer:
    open(sys.argv[2] + "/head", "w").write(str(answer.headers).replace("content-type", "Content-Type"))
    open(sys.argv[2] + "/metrics", "wb").write(answer.read())
PY
    fi
}

# value SERIES: 0 if it is not there.
value() { awk -v series="$1" '$1 == series {found = $2} END {print found + 0}' "$work/metrics"; }

# comes_true SERIES: a number above 0, within a minute.
comes_true() {
    local try
    for try in $(seq 120); do
        fetch && awk -v series="$1" '$1 == series && $2 > 0 {found = 1} END {exit !found}' "$work/metrics" && return
        sleep 0.5
    done
    fail "$1 stays away"
}

"$endpoint" --port 0 --agents 3 --interval 1 --holder test >"$work/out" 2>"$work/err" &
program=$!
url=$(served_address "$work/out")
[ -n "$url" ] || { fail "it does not serve"; exit 1; }

comes_true 'heeler_interventions_total{step="inject:nudge",outcome="done"}'
comes_true 'heeler_interventions_total{step="inject:nudge",outcome="recovered"}'
comes_true heeler_last_healthy_tick_timestamp_seconds
grep -qi '^Content-Type: text/plain; version=0.0.4' "$work/head" || fail "another content type: $(cat "$work/head")"
[ "$(value 'heeler_runs{state="running"}')" = 3 ] || fail "not three runs"
[ "$(value heeler_lease_held)" = 1 ] || fail "no lease"
[ "$(value heeler_heartbeats_total)" != 0 ] || fail "no heartbeats"
[ "$(value heeler_spend_tokens_total)" != 0 ] || fail "no tokens"
[ "$(value heeler_tick_seconds_count)" != 0 ] || fail "no cycle was measured"
[ "$(value 'heeler_store_op_seconds_count{op="commit"}')" != 0 ] || fail "nothing was stored"
[ "$(value 'heeler_intervention_seconds_count{step="inject:nudge"}')" != 0 ] || fail "no action was verified"
age=$(($(date +%s) - $(awk '$1 == "heeler_last_healthy_tick_timestamp_seconds" {printf "%d", $2}' "$work/metrics")))
[ "$age" -lt 60 ] || fail "the last healthy tick is $age s old"
! grep -q 'agent-' "$work/metrics" || fail "a metric names a run"
if python3 -c 'import prometheus_client' 2>/dev/null; then
    python3 -c 'import sys
from prometheus_client.parser import text_string_to_metric_families as read
assert len(list(read(open(sys.argv[1], encoding="utf-8").read()))) > 20' "$work/metrics" || fail "Prometheus does not read it"
fi

# Every name that the dashboard asks for is one that the text has, with the suffixes of its type; and none is left out.
python3 - "$dashboard" "$work/metrics" <<'PY' || fail "the dashboard and the metrics differ"
import json, re, sys
shown = json.load(open(sys.argv[1], encoding="utf-8"))
asked = {name for panel in shown["panels"] for target in panel["targets"]
         for name in re.findall(r"[a-z_]*heeler_[a-z_]+|[a-z]+_(?:total|seconds)\b", target["expr"])}
kinds = dict(line.split()[2:4] for line in open(sys.argv[2], encoding="utf-8") if line.startswith("# TYPE"))
served = {name: family for family, kind in kinds.items() for name in
          {"histogram": [family + end for end in ("_bucket", "_sum", "_count")],
           "summary": [family + end for end in ("_sum", "_count")]}.get(kind, [family])}
unknown = asked - set(served)
unasked = set(kinds) - {served[name] for name in asked if name in served}
if unknown or unasked or not asked:
    sys.exit(f"asked for and not there: {sorted(unknown)}; there and not asked for: {sorted(unasked)}")
PY

timeout 100 "$endpoint" --port 0 --notify pigeon >"$work/second" 2>&1
[ $? = 2 ] && grep -q "'pigeon' must be telegram:CHAT" "$work/second" || fail "a channel that there is not"
port=${url%/metrics}
timeout 100 "$endpoint" --port "${port##*:}" >"$work/second" 2>&1
[ $? -ne 124 ] && grep -q "not free" "$work/second" || fail "two at one port"

kill "$program"
wait "$program" || fail "it does not end in order"
program=
[ $failures = 0 ] && echo "what the watchdog does is served, and shown"
exit $((failures > 0))
