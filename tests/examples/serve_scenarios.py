"""The scenarios, said to heeler-serve by a client whose agents are scripted: it does what heeler-replay does, line by line.

serve_scenarios.py [NAME...]: all that can be said, or these.
"""
import concurrent.futures
import contextlib
import datetime
import glob
import itertools
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCENARIOS = HERE + "/../scenarios/"
BIN = os.environ["HEELER_BIN"]
#: What both print.
COMPARED = ("status", "outcome", "action", "alert", "audit", "error")
OUTCOMES = {"ok": "done", "fail": "failed", "reject": "rejected", "unsupported": "unsupported",
            "timeout_but_done": "unknown", "ended": "ended"}
VERBS = ("inject", "pause", "resume", "isolate", "snapshot", "terminate", "spawn")
#: What a client does not tell a heeler-serve: what its doubles do, and what it is not about.
BEYOND = {"store": "a store that fails", "crash": "a process that dies at a point", "restart": "a store that is kept",
          "notifier": "deliveries that fail", "context": "the monitor's own context", "timer": "timers of the host",
          "mail": "mailboxes"}
OWN = {"language-truth": "lines that are none", "language-unknown-preset": "options that are refused"}
TREES = ("snapshot", "arm", "disarm", "review", "mutate", "batch")


def known_keys():
    printed = json.loads(subprocess.run([BIN + "/heeler-serve", "--protocol"], stdout=subprocess.PIPE, check=True).stdout)
    return {each["properties"]["op"]["const"]: set(each["properties"]) for each in printed["oneOf"]}


KEYS = known_keys()


class Client:
    def __init__(self, options):
        self.process = subprocess.Popen([BIN + "/heeler-serve", "--store", "memory", "--clock", "manual", *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.heard, self.number = [], 0
        self.answers = dict.fromkeys(VERBS, "ok")

    def greet(self, scenario):
        self.process.stdout.readline()
        asked = {verb for line in scenario if line["type"] == "host" for verb in line.get("verbs", {})}
        self.ask("hello", protocol="heeler", version=1, verbs=[*VERBS, *(asked & {"find", "prove_stopped"})])

    def say(self, **keys):
        self.process.stdin.write(json.dumps(keys).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, op, **keys):
        """The answer; meanwhile what is asked is answered, as the script says."""
        self.number += 1
        self.say(op=op, id=self.number, **{name: value for name, value in keys.items() if name in KEYS[op]})
        for line in self.process.stdout:
            message = json.loads(line)
            if "ask" in message:
                self.answer(message)
            elif message.get("id") == self.number:
                return message
            else:
                self.heard.append(message)
        raise AssertionError("heeler-serve has ended")

    def answer(self, message):
        verb = message["verb"]
        scripted = self.answers.get(verb, "unknown")
        note = "" if scripted == "ok" else f"{verb}: {scripted}, as scripted"
        outcome = OUTCOMES[scripted] if verb in VERBS else scripted
        self.say(op="answer", ask=message["ask"], outcome=outcome, note=note)

    def end(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        self.process.wait()


class Story:
    """The order of heeler-replay: a cycle comes after all lines of its moment."""

    def __init__(self, client, scenario, epoch):
        self.epoch, self.finished = epoch, {}
        self.client, self.t, self.next, self.last_cycle = client, 0, None, None
        self.ticks = any(line["type"] == "tick" for line in scenario)
        self.pending, self.last_run, self.ended = None, "", False
        self.clock(0)
        for line in scenario:
            self.move(line.get("t", self.t))
            self.obey(line)
            if self.ended:
                break
        self.move(self.t + 1e-9)

    def clock(self, t, **keys):
        self.t = t
        before = len(self.client.heard)
        self.next = self.client.ask("clock", t=t + self.epoch, **keys)["ok"]["next"]
        if self.next is not None:
            self.next -= self.epoch
        for line in self.client.heard[before:]:
            line["t"] = round(line["t"] - self.epoch, 6)
        if keys:
            self.last_cycle = t

    def move(self, t):
        if t <= self.t:
            return
        if self.pending:
            self.clock(self.t, cycle=self.pending)
            self.pending = None
        while not self.ticks:
            self.clock(self.t)
            due = None if self.next is None else max(self.next, self.t)
            if due is not None and self.last_cycle is not None and due <= self.last_cycle:
                due = self.last_cycle + 1
            if due is None or due >= t:
                break
            self.clock(due)
            self.clock(due, cycle="period")
        self.clock(t)

    def obey(self, line):
        kind = line["type"]
        if kind == "host":
            self.client.answers.update(line.get("verbs", {}))
        elif kind == "tick":
            cause = line.get("cause", "period")
            self.pending = "startup" if cause == "startup" else "on_demand"
        elif kind == "end":
            self.ended = True
        elif kind == "run":
            self.last_run = line.get("run", line.get("name"))
            self.client.ask("start", **{**line, "run": self.last_run})
        else:
            run = line.get("run", None if kind == "decide" else self.last_run)
            if kind == "decide" and run is None and line["verb"] not in ("freeze", "unfreeze", "silence"):
                run = self.last_run
            keys = {**line, "run": run} if run is not None else line
            if kind == "state" and line.get("state") in ("completed", "failed", "cancelled") and "incarnation" not in line:
                self.hear(run, "finish", self.client.ask("finish", run=run, how=line["state"]))
                self.finished.setdefault(run, self.t)
            else:
                self.hear(run, kind, self.client.ask(kind, **keys))

    def hear(self, run, kind, answer):
        """What heeler-replay prints of an agent that was replaced, a client is answered."""
        if answer.get("error", {}).get("code") == "fenced":
            where = kind if kind in ("checkpoint", "finish", "decide") else "observe"
            self.client.heard.append({"error": "fenced", "t": self.t, "run": run, "where": where,
                                      "message": answer["error"]["message"]})


def lines_of(path):
    lines = []
    with open(path) as file:
        for line in file:
            if line.strip():
                lines.append(json.loads(line))
    return lines


def beyond(scenario):
    """Why it cannot be said; None: it can."""
    for line in scenario:
        kind = line.get("type") if isinstance(line, dict) else None
        if kind in BEYOND:
            return BEYOND[kind]
        if kind in TREES:
            return "task trees"
        if kind is None or (kind not in KEYS and kind not in ("run", "host", "tick", "end")):
            return "lines that are none"
        if kind == "host" and "idempotent" in line:
            return "a control that says it is idempotent"
        found = [line.get("verbs", {}).get(verb) for verb in ("find", "prove_stopped")]
        if kind == "host" and ("fail" in found or "unsupported" in found):
            return "find that fails"
    return None


def timed(scenario):
    """With times in the place of dates, and what t = 0 is."""
    epoch = next((date(line["at"]) - line.get("t", 0) for line in scenario if "at" in line), 0)
    for line in scenario:
        if "at" in line:
            line.setdefault("t", date(line["at"]) - epoch)
        for key in ("until", "created_at", "started_at"):
            if isinstance(line.get(key), (int, float)):
                line[key] += epoch
    return epoch


def date(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def compared(lines, finished):
    """What both say: not of the monitor's own context, nor of settings before there was a client, nor of a run that its
    client has finished."""
    kept, seen = [], {}
    for line in lines:
        kind = next(iter(line))
        own = line.get("action") == "clear" or line.get("audit") in ("context", "contradiction")
        if kind == "status":  # of one and the same only its first is printed by heeler-replay
            news = [line["status"], line["level"], line["findings"]]
            own = seen.get(line["run"]) == news
            seen[line["run"]] = news
        if kind in COMPARED and not own and line["t"] < finished.get(line.get("run"), float("inf")):
            kept.append(json.dumps({**line, "t": float(line["t"])}, sort_keys=True))
    return kept


def play(expected):
    """(name, what is wrong, why it was not played)"""
    name = os.path.basename(expected)[:-len(".expect.jsonl")]
    about = json.loads(open(expected).readline())
    path = SCENARIOS + name + ".jsonl"
    if name in OWN:
        return name, None, OWN[name]
    try:
        scenario = lines_of(path)
    except ValueError:
        return name, None, "lines that are none"
    why = beyond(scenario)
    if why:
        return name, None, why
    with tempfile.TemporaryDirectory() as work:
        options = list(about.get("args", []))
        if "config" in about:
            with open(work + "/config.json", "w") as file:
                json.dump(about["config"], file)
            options += ["--config", work + "/config.json"]
        printed = subprocess.run([BIN + "/heeler-replay", *options, path], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL).stdout
        client = Client(options)
        try:
            client.greet(scenario)
            story = Story(client, scenario, timed(scenario))
        except Exception as error:
            return name, repr(error), None
        finally:
            client.end()
    replayed = [json.loads(line) for line in printed.splitlines()]
    if any(line.get("action") == "file_issue" for line in replayed):
        return name, None, "issues that are filed"
    wanted, got = compared(replayed, story.finished), compared(client.heard, story.finished)
    if wanted == got:
        return name, None, None
    pairs = itertools.zip_longest(wanted, got)
    replay, serve = next(pair for pair in pairs if pair[0] != pair[1])
    return name, f"\n  heeler-replay: {replay}\n  heeler-serve:  {serve}", None


def main():
    names = sys.argv[1:]
    expectations = sorted(glob.glob(SCENARIOS + "*.expect.jsonl"))
    if names:
        expectations = [each for each in expectations if os.path.basename(each)[:-len(".expect.jsonl")] in names]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(play, expectations))
    beyond_it = {}
    for name, _, why in results:
        if why:
            beyond_it.setdefault(why, []).append(name)
    wrong = [(name, what) for name, what, _ in results if what]
    for name, what in wrong:
        print(f"FAILED: {name}: {what}")
    for why, there in sorted(beyond_it.items()):
        print(f"{len(there)} are not played: {why}")
    same = len(results) - len(wrong) - sum(map(len, beyond_it.values()))
    print(f"{same} the same, {len(wrong)} different")
    sys.exit(1 if wrong or (not names and same < 243) else 0)


if __name__ == "__main__":
    main()
