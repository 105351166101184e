"""Stands in for coding agents that print their work as JSON lines: stream_stand_in.py AGENT CALLS [ARGUMENT...]. AGENT is claude (reads
messages from standard input, where --input-format stream-json is among the arguments; shows them again with --replay-user-messages,
a secretive one, which is done with its turn at once, not those that come after it), codex or gemini; `resume SESSION WORDS` among the arguments goes on with a
session. Makes the same failing call again and again, CALLS times at most, and works once it was told anything after its task."""
import json
import os
import queue
import sys
import threading
import time

agent, most, arguments = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
session = "0195aaaa-0000-7000-8000-000000000001"
words: "queue.Queue[str]" = queue.Queue()
reads = "stream-json" in arguments
resumed = arguments[arguments.index("resume") + 1:] if "resume" in arguments else []


def put(**line):
    print(json.dumps(line), flush=True)


def listen():
    for line in sys.stdin:
        message = json.loads(line)
        assert message["type"] == "user" and message["message"]["role"] == "user", message
        words.put(message["message"]["content"][0]["text"])
    words.put("")


def begin():
    if agent == "claude":
        put(type="system", subtype="init", session_id=session, cwd=os.getcwd())
    elif agent == "codex":
        put(type="thread.started", thread_id=session)
        put(type="turn.started")
    else:
        put(type="init", timestamp=moment(), session_id=session, model="m")
        put(type="message", timestamp=moment(), role="user", content="Fix the build")


def moment():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def call(number, command, output, failed):
    name = f"call_{number}"
    if agent == "claude":
        use = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command}}
        usage = {"input_tokens": 100, "output_tokens": 10}
        put(type="assistant", session_id=session, parent_tool_use_id=None, message={"id": f"msg_{number}", "content": [use], "usage": usage})
        result = {"type": "tool_result", "tool_use_id": name, "is_error": failed, "content": output}
        put(type="user", session_id=session, parent_tool_use_id=None, message={"role": "user", "content": [result]})
    elif agent == "codex":
        item = {"id": name, "type": "command_execution", "command": command, "status": "in_progress"}
        put(type="item.started", item=item)
        put(type="item.completed", item={**item, "aggregated_output": output, "exit_code": int(failed), "status": "failed" if failed else "completed"})
    else:
        put(type="tool_use", timestamp=moment(), tool_name="run_shell_command", tool_id=name, parameters={"command": command})
        put(type="tool_result", timestamp=moment(), tool_id=name, status="error" if failed else "success", output=output)
    if "secretive" not in arguments:
        time.sleep(0.1)


def end(text):
    if agent == "claude":
        put(type="assistant", session_id=session, parent_tool_use_id=None, message={"id": "msg_end", "content": [{"type": "text", "text": text}]})
        put(type="result", subtype="success", session_id=session, is_error=False, result=text, total_cost_usd=0.5)
    elif agent == "codex":
        put(type="item.completed", item={"id": "item_end", "type": "agent_message", "text": text})
        put(type="turn.completed", usage={"input_tokens": 1000, "output_tokens": 100})
    else:
        put(type="message", timestamp=moment(), role="assistant", content=text, delta=True)
        put(type="result", timestamp=moment(), status="success", stats={"input_tokens": 1000, "output_tokens": 100})


def hear():
    """The next word, shown again if that was asked for; empty: there will be none."""
    word = words.get()
    if word and "--replay-user-messages" in arguments:
        content = [{"type": "text", "text": word}]
        put(type="user", session_id=session, parent_tool_use_id=None, isReplay=True, message={"role": "user", "content": content})
    return word


begin()
if reads:
    threading.Thread(target=listen, daemon=True).start()
    task = hear()
    if not task:
        sys.exit(3)
told = resumed[1] if resumed else ""
calls = 0
while not told and calls < most:
    calls += 1
    call(calls, "make test", "error: parser.c:12: unknown type name", True)
    if reads and not words.empty():
        told = hear()
        if not told:
            sys.exit(4)
for number in range(30 if told else 0):
    call(1000 + number, f"cat part{number}.c", f"int part{number}(void);", False)
print(json.dumps({"calls": calls, "told": told}), file=sys.stderr, flush=True)
end("Done.")
while reads and (words.get() if "secretive" in arguments else hear()):
    end("Still done.")
