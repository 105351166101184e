"""Stands in for coding agents with hooks: hooked_stand_in.py AGENT CONFIG SESSION CALLS [deaf]. AGENT is claude or codex. Makes
the same failing call again and again, writes it into its session file, starts the hooks of its settings for each result, and once
a hook tells it to does something else, until there is a file CONFIG/enough; a deaf one only once a hook does not let it make its
call, and for a moment. Prints how many calls it had made by then, what it was told, and the longest that it waited for a hook."""
import datetime
import json
import pathlib
import subprocess
import sys
import time

agent, config, session, most = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
deaf = "deaf" in sys.argv[5:]
log = {
    "claude": config / "projects" / "-home-me-parser" / f"{session}.jsonl",
    "codex": config / "sessions" / "2026" / "03" / "01" / f"rollout-2026-03-01T10-00-00-{session}.jsonl",
}[agent]
log.parent.mkdir(parents=True, exist_ok=True)
slowest = 0.0


def put(**line):
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    with open(log, "a", encoding="utf-8") as file:
        file.write(json.dumps({"timestamp": now, **line}) + "\n")


def write(kind, message):
    """A line of Claude Code's."""
    put(type=kind, sessionId=session, isSidechain=False, cwd="/home/me/parser", message=message)


def item(**payload):
    """A line of Codex's."""
    put(type="response_item", payload=payload)


def hooks(event, **more):
    """What the hooks of an event say, joined."""
    global slowest
    settings = json.loads((config / ("settings.json" if agent == "claude" else "hooks.json")).read_text())
    told = {"session_id": session, "transcript_path": str(log), "cwd": "/", "hook_event_name": event, **more}
    said = []
    for group in settings.get("hooks", {}).get(event, []):
        for hook in group["hooks"]:
            began = time.monotonic()
            done = subprocess.run(hook["command"], shell=True, input=json.dumps(told), capture_output=True, text=True,
                                  timeout=60, check=True)  # its own limit is for a machine that is not busy
            slowest = max(slowest, time.monotonic() - began)
            if done.stdout.strip():
                answer = json.loads(done.stdout)
                said.append(words_of(answer, event))
            assert not done.stderr, done.stderr
    return "\n".join(said)


def words_of(answer, event):
    """Codex would take a reason for what the tool has answered."""
    if event == "PreToolUse":
        assert answer["hookSpecificOutput"]["permissionDecision"] == "deny", answer
        return answer["hookSpecificOutput"]["permissionDecisionReason"]
    if agent == "claude":
        assert answer["decision"] == "block", answer
        return answer["reason"]
    assert list(answer) == ["hookSpecificOutput"] and answer["hookSpecificOutput"]["hookEventName"] == event, answer
    return answer["hookSpecificOutput"]["additionalContext"]


def begin():
    if agent == "claude":
        return write("user", {"content": "Fix the build"})
    put(type="session_meta", payload={"id": session, "cwd": "/home/me/parser"})
    item(type="message", role="user", content=[{"type": "input_text", "text": "Fix the build"}])


def use(number, command, output, failed):
    name = f"call_{number}"
    tool_input = {"command": command}
    if refused := hooks("PreToolUse", tool_name="Bash", tool_input=tool_input):
        return refused
    if agent == "claude":
        content = [{"type": "tool_use", "id": name, "name": "Bash", "input": tool_input}]
        write("assistant", {"id": f"msg_{number}", "content": content, "usage": {"input_tokens": 10, "output_tokens": 2}})
        write("user", {"content": [{"type": "tool_result", "tool_use_id": name, "is_error": failed, "content": output}]})
    else:
        item(type="function_call", name="shell", arguments=json.dumps(tool_input), call_id=name)
        answer = json.dumps({"output": output, "metadata": {"exit_code": int(failed)}})
        item(type="function_call_output", call_id=name, output=answer)
    return hooks("PostToolUse", tool_name="Bash", tool_input=tool_input, tool_response=output)


def end():
    if agent == "claude":
        write("assistant", {"id": "msg_end", "stop_reason": "end_turn", "content": [{"type": "text", "text": "Done."}]})
    else:
        item(type="message", role="assistant", content=[{"type": "output_text", "text": "Done."}])
        put(type="event_msg", payload={"type": "task_complete"})
    hooks("Stop")


begin()
told, calls = "", 0
while not told and calls < most:
    calls += 1
    told = use(calls, "make test", "error: parser.c:12: unknown type name", True)
    if deaf and "blocked" not in told:
        told = ""
    time.sleep(0.5)
for number in range((5 if deaf else 240) if told else 0):
    if (config / "enough").exists():
        break
    again = use(1000 + number, f"cat part{number}.c", f"int part{number}(void);", False)
    assert deaf or not again, "told again: " + again
    assert "blocked" not in again, again
    time.sleep(0.5)
end()
hooks("SessionEnd")
print(json.dumps({"calls": calls, "told": told, "slowest": round(slowest, 3)}))
