#!/usr/bin/env bash
# heeler-replay --limits: which limits would fit, by what recordings hold.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/replay_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/replay_checks.sh"

# Progress every 10 s, once after 48 s, and by a call of 4 s in between.
healthy() {
    echo "{\"t\":0,\"type\":\"run\",\"run\":\"$1\",\"task\":\"x\",\"metric\":\"reported\"}"
    local t=0 i
    for i in $(seq 1 60); do
        t=$((t + 10))
        [ "$i" -eq 31 ] && t=$((t + 38))
        echo "{\"t\":$t,\"type\":\"progress\",\"value\":$i}"
        [ $((i % 2)) -eq 0 ] && continue
        echo "{\"t\":$t,\"type\":\"tool_call\",\"name\":\"Bash\",\"call_id\":\"$i\",\"args\":{\"n\":$i}}"
        echo "{\"t\":$((t + 4)),\"type\":\"tool_result\",\"call_id\":\"$i\",\"output\":\"found $i\",\"ok\":true}"
    done
    echo "{\"t\":$((t + 5)),\"type\":\"state\",\"state\":\"completed\"}"
}
healthy a >"$work/a.jsonl"
healthy b >"$work/b.jsonl"
echo '{"progress_age.acted_on_s": 60, "progress_age.shown_s": 50}' >"$work/tight.json"

replay 0 "two files" --limits --config "$work/tight.json" "$work/a.jsonl" "$work/b.jsonl"
holds "the class" 'class recommended: 2 runs'
holds "one that cries wolf" 'progress: longest of 118 healthy gaps 48s (median 6s, p99 48s); limit 1m 0s (progress_age.acted_on_s) is 1.25 times the longest: raise it to 1m 30s or it will cry wolf'
holds "calls by tool" 'calls of Bash: longest of 60 healthy calls 4s (median 4s, p99 4s); limit 45m 0s (tool_calls.allowed_s) is 675 times the longest: it fits'
holds "too few" 'whole run: longest of 2 healthy runs 10m 43s (median 10m 43s, p99 10m 43s); no limit is set (duration_limit_s): 30 are needed to say more'
lacks "what is done" '{"'

# A hang teaches nothing: what ended in an incident, and what the recording calls a stall.
{
    healthy a | grep -v completed
    echo '{"t":4000,"type":"progress","value":99}'
    echo '{"t":4010,"type":"progress","value":100}'
} >"$work/hang.jsonl"
replay 0 "a hang" --limits "$work/hang.jsonl"
holds "a hang" 'progress: longest of 59 healthy gaps 48s'
holds "a hang is told" '; not counted: 2 in an incident, up to 56m 2s'
{
    echo '{"t":0,"type":"run","run":"c","task":"x","metric":"reported","truth":{"stalled_at":100}}'
    for t in 10 20 30 40 130 140; do echo "{\"t\":$t,\"type\":\"progress\",\"value\":$t}"; done
} >"$work/truth.jsonl"
replay 0 "a stall that is known" --limits "$work/truth.jsonl"
holds "a stall that is known" 'progress: longest of 3 healthy gaps 10s (median 10s, p99 10s)'
holds "a stall that is known is told" 'not counted: 2 in an incident, up to 1m 30s'

# Waiting for a person is no silence, and what was said to take long is none either.
{
    echo '{"t":0,"type":"run","run":"d","task":"x","metric":"reported"}'
    echo '{"t":10,"type":"progress","value":1}'
    echo '{"t":11,"type":"state","state":"waiting_human"}'
    echo '{"t":500,"type":"state","state":"running"}'
    echo '{"t":505,"type":"progress","value":2}'
    echo '{"t":506,"type":"expect","takes_s":300,"what":"cargo build"}'
    echo '{"t":700,"type":"expect","what":"cargo build","over":true}'
    echo '{"t":701,"type":"progress","value":3}'
} >"$work/waits.jsonl"
replay 0 "waits" --limits "$work/waits.jsonl"
holds "waits" 'progress: longest of 1 healthy gap 6s'

replay 3 "nothing that can be read" --limits "$work/missing"
says "a missing file" "cannot read '$work/missing'"
replay 2 "both" --limits --loops "$work/a.jsonl"
says "both" "--limits excludes --loops and --explain"
replay 2 "a page" --limits --html "$work/page.html" "$work/a.jsonl"
says "a page" "--html is what happened: it excludes --loops, --limits and --explain"

[ "$failures" -eq 0 ] && echo "all good"
exit "$((failures > 0))"
