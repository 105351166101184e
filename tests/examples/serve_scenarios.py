"""The scenarios, told to heeler-serve by lines of its protocol: [NAME...].
"""
import contextlib
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../support")

import scenario_story as story  # noqa: E402

OUTCOMES = {"ok": "done", "fail": "failed", "reject": "rejected", "unsupported": "unsupported",
            "timeout_but_done": "unknown", "ended": "ended"}
SERVE = [story.BIN + "/heeler-serve", "--store", "memory", "--clock", "manual"]


def known_keys():
    printed = json.loads(subprocess.run([*SERVE, "--protocol"], stdout=subprocess.PIPE, check=True).stdout)
    return {each["properties"]["op"]["const"]: set(each["properties"]) for each in printed["oneOf"]}


KEYS = known_keys()


def known(op, keys):
    return {name: value for name, value in keys.items() if name in KEYS[op] and name not in ("op", "id")}


def beyond(scenario):
    if any("idempotent" in line for line in scenario if line["type"] == "host"):
        return "a control that says it is idempotent"
    return None


class Protocol:
    name, least = "protocol", 228
    beyond = staticmethod(beyond)

    def __init__(self, options, scenario, _epoch, _work):
        self.process = subprocess.Popen([*SERVE, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.heard, self.number = [], 0
        self.answers = dict.fromkeys(story.VERBS, "ok")
        self.process.stdout.readline()
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
            message = json.loads(line)
            if "ask" in message:
                self.answer(message)
            elif message.get("id") == self.number:
                return message
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


if __name__ == "__main__":
    story.play_all([Protocol], sys.argv[1:])
