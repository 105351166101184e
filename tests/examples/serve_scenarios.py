"""The scenarios, told to heeler-serve by lines of its protocol, and by the Python client: [NAME...]. All of them are told if they
are named, or with HEELER_SCENARIOS_ALL in the environment; otherwise each fourth by lines, and each eighth by the client.
"""
import asyncio
import contextlib
import json
import logging
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE + "/../support", HERE + "/../../examples/python"]
os.environ.update(HEELER_SERVE=os.environ["HEELER_BIN"] + "/heeler-serve", HEELER_PING_URL="")

import heeler  # noqa: E402
import scenario_story as story  # noqa: E402
import serve_schema  # noqa: E402

ALL = len(sys.argv) > 1 or "HEELER_SCENARIOS_ALL" in os.environ
OUTCOMES = {"ok": "done", "fail": "failed", "reject": "rejected", "unsupported": "unsupported",
            "timeout_but_done": "unknown", "ended": "ended"}
SERVE = [story.BIN + "/heeler-serve", "--store", "memory", "--clock", "manual"]


def known_keys():
    printed = json.loads(subprocess.run([*SERVE, "--protocol"], stdout=subprocess.PIPE, check=True).stdout)
    said = printed["$defs"]["said_by_client"]["anyOf"]
    return {each["properties"]["op"]["const"]: set(each["properties"]) for each in said}


KEYS = known_keys()
#: Of lines that are no answers; those that scenarios have none of are told in serve.py and serve_http.py.
KINDS = [kind for kind in serve_schema.KINDS if not kind.startswith("answer_to_") and kind not in ("client", "error")]


def known(op, keys):
    return {name: value for name, value in keys.items() if name in KEYS[op] and name not in ("op", "id")}


def beyond(scenario):
    if any("idempotent" in line for line in scenario if line["type"] == "host"):
        return "a control that says it is idempotent"
    return None


class Protocol:
    every = 1 if ALL else 4
    name, least = "protocol", 309 if ALL else 60
    beyond = staticmethod(beyond)

    def __init__(self, options, scenario, _epoch, _work):
        self.process = subprocess.Popen([*SERVE, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.heard, self.number = [], 0
        self.answers = dict.fromkeys(story.VERBS, "ok")
        serve_schema.told(self.process.stdout.readline())
        self.ask("hello", protocol="heeler", version=1, verbs=story.asked_for(scenario))

    def say(self, **keys):
        self.process.stdin.write(json.dumps(keys).encode() + b"\n")

    def ask(self, op, **keys):
        """The answer; meanwhile what is asked is answered, as the script says."""
        if op in story.OBSERVATIONS and "incarnation" not in keys:
            self.say(op=op, **known(op, keys))  # it waits for no answer
            return {"ok": {}}
        self.number += 1
        self.say(op=op, id=self.number, **known(op, keys))
        self.process.stdin.flush()
        for line in self.process.stdout:
            message = serve_schema.told(line)
            if "ask" in message:
                self.answer(message)
            elif message.get("id") == self.number:
                return serve_schema.answered(op, message)
            elif "id" not in message:
                self.heard.append(message)
        raise AssertionError("heeler-serve has ended")

    def clock(self, t, cycle=None):
        return self.ask("clock", **({"t": t, "cycle": cycle} if cycle else {"t": t}))["ok"]["next"]

    def answer(self, message):
        verb = message["verb"]
        scripted = self.answers.get(verb, "unknown")
        note = "" if scripted == "ok" else f"{verb}: {scripted}, as scripted"
        outcome = OUTCOMES[scripted] if verb in story.VERBS else scripted
        self.say(op="answer", ask=message["ask"], outcome=outcome, note=note)
        self.process.stdin.flush()

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        self.process.wait()


class Scripted(Exception):
    """Of a handler that fails: who knows how far it came."""

    def __repr__(self):
        return str(self)


class Python:
    every = 1 if ALL else 8
    name, least = "Python", 285 if ALL else 25
    #: What a method of a run takes; the rest is told by `client.ask`.
    METHODS = {"heartbeat": {"seq"}, "progress": {"value"}, "output": {"text", "partial"},
               "tool_call": {"name", "args", "call_id", "turn", "timeout_s"},
               "tool_result": {"output", "ok", "call_id", "output_sha"}, "message": {"text", "role", "automatic"},
               "usage": {"tokens_in", "tokens_out", "cost_usd", "api_calls", "bytes_written"},
               "state": KEYS["state"] - {"incarnation"}, "resource": {"name", "used", "limit"},
               "compaction": {"tokens_before", "tokens_after"}, "liveness": {"source", "progress"}, "output_access": {"ok"},
               "checkpoint": {"step", "text", "reason", "incarnation"}, "finish": {"how"}}

    @staticmethod
    def beyond(scenario):
        words = {word for line in scenario if line["type"] == "host" for word in line.get("verbs", {}).values()}
        if words & {"fail", "unsupported", "ended"}:
            return "outcomes that no handler has"
        return beyond(scenario)

    def __init__(self, options, scenario, _epoch, _work):
        self.loop = asyncio.new_event_loop()
        self.heard, self.runs = [], {}
        self.answers = dict.fromkeys(story.VERBS, "ok")
        handlers = {verb: self.handle for verb in story.asked_for(scenario)}
        self.client = self.wait(heeler.connect(options=[*SERVE[1:], *options], on_event=self.hear, **handlers))

    def wait(self, what):
        return self.loop.run_until_complete(what)

    def hear(self, line):
        self.heard.append(dict(line))

    def handle(self, ask):
        scripted = self.answers.get(ask.verb, "unknown")
        if scripted == "reject":
            raise heeler.Rejected(f"{ask.verb}: reject, as scripted")
        if scripted == "timeout_but_done":
            raise Scripted(f"{ask.verb}: timeout_but_done, as scripted")
        return "" if ask.verb in story.VERBS and scripted == "ok" else scripted

    def ask(self, op, **keys):
        keys = known(op, keys)
        try:
            self.wait(self.told(op, keys.pop("run", None), keys))
        except heeler.Error as error:
            return {"error": {"code": error.code, "message": str(error)}}
        return {"ok": {}}

    def is_method(self, op, run, keys):
        if run not in self.runs or not set(keys) <= self.METHODS.get(op, set()):
            return False
        return len(keys) >= {"resource": 3, "output_access": 1}.get(op, 0)

    async def told(self, op, run, keys):
        if op == "start":
            self.runs[run] = await self.client.start(run, **keys)
        elif op == "decide":
            await self.client.decide(**keys, **({"run": run} if run is not None else {}))
        elif op == "expect" and run in self.runs and set(keys) in ({"takes_s", "what"}, {"over", "what"}):
            await (self.runs[run].expect_over if "over" in keys else self.runs[run].expect_begin)(
                **{name: value for name, value in keys.items() if name != "over"})
        elif self.is_method(op, run, keys):
            agent = self.runs[run]
            if "incarnation" in keys:
                agent = agent.of_incarnation(keys.pop("incarnation"))
            await getattr(agent, op)(**keys)
        else:
            await self.client.ask(op, run=run, **keys)

    def clock(self, t, cycle=None):
        return self.wait(self.client.ask("clock", t=t, cycle=cycle))["next"]

    def end(self):
        self.wait(self.client.close())
        self.loop.close()


if __name__ == "__main__":
    logging.getLogger("heeler").setLevel(logging.CRITICAL + 1)
    try:
        story.play_all([Protocol, Python], sys.argv[1:])
    except SystemExit as end:
        unheard = serve_schema.unheard(*KINDS) if ALL and not sys.argv[1:] else []
        for each in unheard:
            print(f"FAILED: declared, and said in no scenario: {each}")
        sys.exit(end.code or bool(unheard))
