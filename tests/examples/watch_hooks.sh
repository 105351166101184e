#!/usr/bin/env bash
# heeler-watch and the hooks of an agent: they are shown, written once and taken out again; a session that goes round in circles is
# told so by its next result, and goes on; and no agent is held up or harmed, whatever becomes of the watchdog.
set -uo pipefail

# shellcheck source=SCRIPTDIR/../support/tool_checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/tool_checks.sh"
begin watch
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
unset CLAUDE_CONFIG_DIR CODEX_HOME PI_CODING_AGENT_DIR OPENHANDS_PERSISTENCE_DIR HEELER_PING_URL
home=$work/home
settings=$home/.claude/settings.json
export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
mkdir -p "$home/.claude" "$XDG_RUNTIME_DIR"

hooks() { expect "$1" "$2" --home "$home" hooks "${@:3}"; }
# is_same WHAT FILE: whether the settings are, as JSON, those of the file.
is_same() {
    python3 -c 'import json, sys; sys.exit(json.load(open(sys.argv[1])) != json.load(open(sys.argv[2])))' "$settings" "$2" ||
        fail "$1"
}

cat >"$settings" <<'JSON'
{"model": "opus", "env": {"KEY": "1"}, "hooks": {
  "PostToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "true", "timeout": 5}]}]}}
JSON
chmod 640 "$settings"
cp "$settings" "$work/before.json"

hooks 1 "nobody said yes" install claude
says '"command": "'"'$tool' hook claude"
says 'Nothing was written'
cmp -s "$settings" "$work/before.json" || fail "written without a yes"
hooks 0 "installed" install claude --yes
cmp -s "$settings.before-heeler" "$work/before.json" || fail "what was there is not kept"
[ "$(stat -c %a "$settings")" = 640 ] || fail "others may read it now, or not any more"
python3 - "$settings" "$tool" <<'PY' || fail "the settings are not what they should be"
import json, sys
settings = json.load(open(sys.argv[1]))
ours = {"type": "command", "command": f"'{sys.argv[2]}' hook claude", "timeout": 5}
assert list(settings) == ["model", "env", "hooks"] and settings["env"] == {"KEY": "1"}
assert settings["hooks"]["PostToolUse"][0]["matcher"] == "Write"
assert settings["hooks"]["PostToolUse"][1] == {"matcher": "*", "hooks": [ours]}
assert settings["hooks"]["Stop"] == [{"hooks": [ours]}]
assert set(settings["hooks"]) == {"PostToolUse", "Stop", "PostToolUseFailure", "Notification", "SessionEnd"}
PY
cp "$settings" "$work/with.json"
hooks 0 "installed again" install claude --yes
says 'nothing to change'
hooks 0 "which have them" status
says 'claude: has the hooks'
says 'gemini: has not all of the hooks'

# Of another place: those of before are replaced.
sed -i "s|'$tool' hook|'/gone/heeler-watch' hook|" "$settings"
hooks 0 "a program that is gone" status claude
says 'has not all'
hooks 0 "installed from here" install claude --yes
is_same "the old ones are still there" "$work/with.json"

hooks 0 "removed" remove claude --yes
is_same "something else was removed" "$work/before.json"
hooks 0 "removed again" remove claude --yes
says 'nothing to change'
hooks 0 "an agent without settings" install gemini --yes
hooks 0 "which have them" status gemini
says 'gemini: has the hooks'
hooks 0 "removed" remove gemini --yes
[ "$(cat "$home/.gemini/settings.json")" = "{}" ] || fail "something of it is left"

hooks 0 "an agent whose hooks must be trusted" install codex --yes
says 'open /hooks there'
python3 - "$home/.codex/hooks.json" "$tool" <<'PY' || fail "the hooks of codex are not what they should be"
import json, sys
settings = json.load(open(sys.argv[1]))
ours = {"type": "command", "command": f"'{sys.argv[2]}' hook codex", "timeout": 5}
assert list(settings) == ["hooks"] and set(settings["hooks"]) == {"PostToolUse", "PermissionRequest", "Stop"}
assert settings["hooks"]["PostToolUse"] == [{"matcher": "*", "hooks": [ours]}]
PY

for wrong in '{"hooks": ' '[]' '{"hooks": []}' '{"hooks": {"Stop": {"a": 1}}}'; do
    printf '%s' "$wrong" >"$settings"
    hooks 1 "settings that are none: $wrong" install claude --yes
    says 'stays as it is'
    [ "$(cat "$settings")" = "$wrong" ] || fail "it was written: $wrong"
done
hooks 2 "an agent that has none" install pigeon
hooks 2 "no agent" install

cp "$work/with.json" "$settings"
# Nobody listens: the agent goes on.
python3 "$here/../support/hooked_stand_in.py" claude "$home/.claude" alone 2 >"$work/out" 2>&1 || fail "an agent is harmed when nobody listens"
says '"calls": 2, "told": ""'
rm -r "$home/.claude/projects"

HEELER_VERIFY_AFTER_S=5 "$tool" --home "$home" >"$work/live" 2>&1 &
behind=$!
for _ in $(seq 1200); do
    [ -S "$XDG_RUNTIME_DIR/heeler-watch.sock" ] && break
    sleep 0.05
done
[ "$(stat -c %a "$XDG_RUNTIME_DIR/heeler-watch.sock")" = 600 ] || fail "others can reach the socket"
# circles AGENT CONFIG SESSION: one that goes round in circles is told so by its next result, and goes on.
circles() {
    python3 "$here/../support/hooked_stand_in.py" "$@" 60 >"$work/agent" 2>&1 &
    local agent=$! run="$1/$3"
    for _ in $(seq 600); do
        grep -q "run.recovered \[$run\]" "$work/live" && break
        sleep 0.1
    done
    touch "$2/enough"
    wait "$agent" || fail "the agent is harmed"
    cp "$work/agent" "$work/out"
    grep -q '"told": ""' "$work/out" && fail "it is not told"
    says 'You are repeating the same steps'
    local calls
    calls=$(sed -n 's/.*"calls": \([0-9]*\),.*/\1/p' "$work/out")
    [ "${calls:-60}" -lt 60 ] || fail "told after $calls calls"
    grep -q "run.recovered \[$run\].*inject:break_pattern: recovered" "$work/live" || {
        cat "$work/live" >>"$work/out"
        fail "nobody is told that it recovered"
    }
}
circles claude "$home/.claude" loops
circles codex "$home/.codex" 0195aaaa-0000-7000-8000-000000000001

# One that does not listen, and whose calls are guarded: the call that it repeats is blocked, and no other.
hooks 0 "a guard" install claude --yes --guard
hooks 0 "a guard" install codex --yes --guard
hooks 0 "a guard is no hook that is missing" status
says 'claude: has the hooks'
grep -q '"PreToolUse"' "$settings" || fail "nobody is asked before a call"
blocked() {
    python3 "$here/../support/hooked_stand_in.py" "$@" 60 deaf >"$work/out" 2>&1 || fail "another call is blocked"
    says 'This call is blocked'
    local calls
    calls=$(sed -n 's/.*"calls": \([0-9]*\),.*/\1/p' "$work/out")
    [ "${calls:-60}" -lt 60 ] || fail "blocked after $calls calls"
}
blocked claude "$home/.claude" deaf
blocked codex "$home/.codex" 0195aaaa-0000-7000-8000-000000000002
hooks 0 "no guard" install claude --yes
is_same "the guard is left" "$work/with.json"

# What is no hook's word does no harm.
python3 - "$XDG_RUNTIME_DIR/heeler-watch.sock" <<'PY' || fail "the socket is gone"
import os, socket, sys
for words in (b"", b"\n", b"{}\n", b"[1]\n", b'{"agent": 1}\n', b"\xff\xfe\n", b"x" * 200000, os.urandom(5000) + b"\n",
              b'{"agent": "claude", "session_id": "nobody", "hook_event_name": "PostToolUse"}\n'):
    with socket.socket(socket.AF_UNIX) as hook:
        hook.connect(sys.argv[1])
        try:
            hook.sendall(words)
            hook.shutdown(socket.SHUT_WR)
            hook.recv(100)
        except OSError:
            pass
PY
jobs -pr | grep -qx "$behind" || fail "it ends when nonsense is said"
echo '{"session_id": "loops"' | "$tool" hook claude >"$work/out" 2>&1 || fail "a hook fails"
[ ! -s "$work/out" ] || fail "a hook says something"

# It stands still: the agent does not.
kill -STOP "$behind"
echo '{"session_id": "loops", "hook_event_name": "PostToolUse"}' | timeout 60 "$tool" hook claude >"$work/out" 2>&1 ||
    fail "a hook fails, or waits"
[ ! -s "$work/out" ] || fail "a hook says something"
kill -CONT "$behind"
kill -TERM "$behind"
wait "$behind" || fail "it ends with $?"
behind=
[ ! -e "$XDG_RUNTIME_DIR/heeler-watch.sock" ] || fail "its socket is left"
finish
