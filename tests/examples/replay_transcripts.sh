#!/usr/bin/env bash
# heeler-replay with the session file of a coding agent: known by its content, read as it is, and judged like a scenario.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/replay_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/replay_checks.sh"

common='"sessionId":"s1","isSidechain":false'
# A session that runs one command for ever, each time with the same answer, after a week in which nobody spoke to it.
{
    echo '{"type":"summary","summary":"Earlier","leafUuid":"u0"}'
    echo "{\"type\":\"user\",$common,\"timestamp\":\"2026-03-01T10:00:00Z\",\"message\":{\"content\":\"Say hello\"}}"
    echo "{\"type\":\"assistant\",$common,\"timestamp\":\"2026-03-01T10:00:05Z\",\"message\":{\"id\":\"m0\",\"content\":[{\"type\":\"text\",\"text\":\"Hello\"}]}}"
    echo "{\"type\":\"user\",$common,\"timestamp\":\"2026-03-08T10:00:00Z\",\"message\":{\"content\":\"Fix the test\"}}"
    for i in $(seq 10 29); do
        echo "{\"type\":\"assistant\",$common,\"timestamp\":\"2026-03-08T10:00:${i}.100Z\",\"message\":{\"id\":\"m$i\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t$i\",\"name\":\"Bash\",\"input\":{\"command\":\"make test\"}}],\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}"
        echo "{\"type\":\"user\",$common,\"timestamp\":\"2026-03-08T10:00:${i}.900Z\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t$i\",\"is_error\":true,\"content\":\"1 failed\"}]}}"
    done
} >"$work/session.jsonl"

replay 0 "a session" "$work/session.jsonl"
holds "a session" '"run":"s1"'
holds "a session that repeats itself" '"status":"LOOP_DETECTED"'
holds "whose turn it is" '"NEEDS_INPUT"'
lacks "a week in which a person was waited for" '"STALLED"'
holds "every line is read" '"skipped":0,"runs":1'
[ ! -s "$work/err" ] || fail "a session: something was said about it"

gzip -k "$work/session.jsonl"
replay 0 "a packed session" "$work/session.jsonl.gz"
holds "a packed session" '"status":"LOOP_DETECTED"'

{ cat "$work/session.jsonl"; echo '{"type":"assist'; echo "{\"type\":\"hologram\",$common}"; } >"$work/torn.jsonl"
replay 0 "a torn session" "$work/torn.jsonl"
grep -qF "torn.jsonl:45: not JSON" "$work/err" || fail "a torn line: not said which"
grep -qF "'hologram' is not known in the format claude-code; 1 line of it passed over" "$work/err" || fail "an unknown type: not said"
holds "a torn session" '"skipped":1,'

# A document is one value, however many lines it has.
cat >"$work/steps.traj" <<'DOCUMENT'
{
  "environment": "main",
  "history": [{"role": "user", "content": "Solve it"}],
  "trajectory": [
    {"thought": "Look", "action": "ls", "observation": "a"}
  ],
  "info": {"exit_status": "submitted"}
}
DOCUMENT
replay 0 "a document" "$work/steps.traj"
holds "a document" '"final_status":"completed"'

replay 3 "a format that must be a scenario's" --format heeler "$work/session.jsonl"
grep -qF "qwen, claude-code, claude-stream, codex, codex-exec, gemini, gemini-stream, openhands, swe-agent, pi, otel, copilot, cursor" "$work/err" || fail "no format: not said which are known"

[ "$failures" -eq 0 ] && echo "all good"
exit "$((failures > 0))"
