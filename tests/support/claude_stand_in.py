"""Stands in for Claude Code: claude_stand_in.py CONFIG SESSION CALLS. Makes the same failing call again and again, writes it into
its session file, starts the hooks of its settings for each result, and once a hook tells it to does something else, until there
is a file CONFIG/enough. Prints how many calls it had made when it was told, what it was told, and the longest that it waited for
a hook."""
import datetime
import json
import pathlib
import subprocess
import sys
import time

config, session, most = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
log = config / "projects" / "-home-me-parser" / (session + ".jsonl")
log.parent.mkdir(parents=True, exist_ok=True)
slowest = 0.0


def write(kind, message):
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    line = {"type": kind, "sessionId": session, "isSidechain": False, "cwd": "/home/me/parser", "timestamp": now, "message": message}
    with open(log, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def hooks(event, **more):
    """What the hooks of an event say, joined."""
    global slowest
    settings = json.loads((config / "settings.json").read_text())
    told = {"session_id": session, "transcript_path": str(log), "cwd": "/", "hook_event_name": event, **more}
    said = []
    for group in settings.get("hooks", {}).get(event, []):
        for hook in group["hooks"]:
            began = time.monotonic()
            done = subprocess.run(hook["command"], shell=True, input=json.dumps(told), capture_output=True, text=True,
                                  timeout=hook["timeout"], check=True)
            slowest = max(slowest, time.monotonic() - began)
            if done.stdout.strip():
                answer = json.loads(done.stdout)
                assert answer["decision"] == "block", answer
                said.append(answer["reason"])
            assert not done.stderr, done.stderr
    return "\n".join(said)


def use(number, command, output, failed):
    name = f"toolu_{number}"
    use_input = {"command": command}
    write("assistant", {"id": f"msg_{number}", "content": [{"type": "tool_use", "id": name, "name": "Bash", "input": use_input}],
                        "usage": {"input_tokens": 10, "output_tokens": 2}})
    write("user", {"content": [{"type": "tool_result", "tool_use_id": name, "is_error": failed, "content": output}]})
    return hooks("PostToolUse", tool_name="Bash", tool_input=use_input, tool_response=output)


write("user", {"content": "Fix the build"})
told, calls = "", 0
while not told and calls < most:
    calls += 1
    told = use(calls, "make test", "error: parser.c:12: unknown type name", True)
    time.sleep(0.5)
for number in range(240 if told else 0):
    if (config / "enough").exists():
        break
    again = use(1000 + number, f"cat part{number}.c", f"int part{number}(void);", False)
    assert not again, "told again: " + again
    time.sleep(0.5)
write("assistant", {"id": "msg_end", "stop_reason": "end_turn", "content": [{"type": "text", "text": "Done."}]})
hooks("Stop")
hooks("SessionEnd")
print(json.dumps({"calls": calls, "told": told, "slowest": round(slowest, 3)}))
