"""The scenarios, told to a watchdog by a client whose agents are scripted: it does what heeler-replay does, line by line.

A client has
  ask(op, **keys)       does what a line of a scenario says; {"ok": ...}, or {"error": {"code", "message"}}
  clock(t, cycle=None)  moves the clock and has that cycle run; when the next one is due, or None
  answers               what its agents answer from now on, by verb
  heard                 lines that it was told
  end()
and may have
  restart(keep_store)   goes on as another process would
  deliveries            how its next deliveries end, the last one repeated
Its class has a `name`, `beyond(scenario)`: why it cannot tell that one, or None; `least`, how many it can tell; and it may
have `every`: it plays only each so-many-th.
"""
import concurrent.futures
import datetime
import glob
import itertools
import json
import os
import subprocess
import sys
import tempfile

SCENARIOS = os.path.dirname(os.path.abspath(__file__)) + "/../scenarios/"
BIN = os.environ["HEELER_BIN"]
#: What both print.
COMPARED = ("status", "outcome", "action", "alert", "audit", "error")
VERBS = ("inject", "pause", "resume", "isolate", "snapshot", "terminate", "spawn")
OBSERVATIONS = ("heartbeat", "progress", "output", "tool_call", "tool_result", "message", "usage", "state", "compaction",
                "resource", "output_access", "liveness")
TOLD = (*OBSERVATIONS, "checkpoint", "expect", "decide", "run", "host", "tick", "end")
#: What no client tells: what the doubles of heeler-replay do, and what no watchdog is about.
BEYOND = {"source": "a source that is polled", "store": "a store that fails", "crash": "a process that dies at a point",
          "context": "the monitor's own context", "timer": "timers of the host", "mail": "mailboxes"}
BEYOND.update(dict.fromkeys(("snapshot", "arm", "disarm", "review", "mutate", "batch"), "task trees"))
OWN = {"language-truth": "lines that are none", "language-unknown-preset": "options that are refused"}


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
        self.move(self.t + 1e-6)

    def clock(self, t, **keys):
        self.t = t
        before = len(self.client.heard)
        self.next = self.client.clock(t + self.epoch, **keys)
        if self.next is not None:
            self.next -= self.epoch
        for line in self.client.heard[before:]:
            line["t"] = round(line["t"] - self.epoch, 6)
        if keys:
            self.last_cycle = t

    def run_pending(self):
        if self.pending:
            self.clock(self.t, cycle=self.pending)
            self.pending = None

    def move(self, t):
        if t <= self.t:
            return
        self.run_pending()
        if not self.ticks:
            self.clock(self.t)  # what was told may have changed when the next one is due
            while (due := self.due()) is not None and due < t:
                self.clock(due, cycle="period")
        self.clock(t)

    def due(self):
        """The next cycle by the watchdog's own schedule."""
        due = None if self.next is None else max(self.next, self.t)
        if due is not None and self.last_cycle is not None and due <= self.last_cycle:
            return self.last_cycle + 1
        return due

    def obey(self, line):
        kind = line["type"]
        if kind == "host":
            self.client.answers.update(line.get("verbs", {}))
        elif kind == "notifier":
            self.client.deliveries = list(line["results"])
        elif kind == "tick":
            self.run_pending()
            self.pending = "startup" if line.get("cause") == "startup" else "on_demand"
        elif kind == "restart":
            self.run_pending()
            self.client.restart(line.get("keep_store", True))
        elif kind == "end":
            self.ended = True
        elif kind == "run":
            self.last_run = line.get("run", line.get("id", line.get("name")))
            self.client.ask("start", **{**line, "run": self.last_run})
        else:
            self.tell(kind, line)

    def tell(self, kind, line):
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
        """What heeler-replay prints of an agent that was replaced, or is given no more time, a client is answered."""
        code = answer.get("error", {}).get("code")
        if code == "fenced" or (code == "invalid_argument" and kind == "expect"):
            where = kind if kind in ("checkpoint", "expect", "finish", "decide") else "observe"
            self.client.heard.append({"error": code, "t": self.t, "run": run, "where": where,
                                      "message": answer["error"]["message"]})


def lines_of(path):
    lines = []
    with open(path) as file:
        for line in file:
            if line.strip():
                lines.append(json.loads(line))
    return lines


def beyond(scenario, client):
    """Why it cannot be told; None: it can."""
    for line in scenario:
        kind = line.get("type") if isinstance(line, dict) else None
        if kind in BEYOND:
            return BEYOND[kind]
        if kind == "restart" and not hasattr(client, "restart"):
            return "a store that is kept"
        if kind == "notifier" and not hasattr(client, "deliveries"):
            return "deliveries that fail"
        if kind not in TOLD and kind not in ("restart", "notifier"):
            return "lines that are none"
        found = [line.get("verbs", {}).get(verb) for verb in ("find", "prove_stopped")]
        if kind == "host" and ("fail" in found or "unsupported" in found):
            return "find that fails"
    return client.beyond(scenario)


def asked_for(scenario):
    """What a client can be asked for in this one."""
    asked = {verb for line in scenario if line["type"] == "host" for verb in line.get("verbs", {})}
    return [*VERBS, *sorted(asked & {"find", "prove_stopped"})]


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
        for command in ("ack", "stop"):  # they name the store
            line.get("payload", {}).pop(command, None)
        if kind in COMPARED and not own and line["t"] < finished.get(line.get("run"), float("inf")):
            kept.append(json.dumps({**line, "t": float(line["t"])}, sort_keys=True))
    return kept


def replayed(about, path, work):
    """What heeler-replay prints, and the options and settings that it has."""
    options = list(about.get("args", []))
    config = ""
    if "config" in about:
        config = work + "/config.json"
        with open(config, "w") as file:
            json.dump(about["config"], file)
        options += ["--config", config]
    printed = subprocess.run([BIN + "/heeler-replay", *options, path], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout
    return options, [json.loads(line) for line in printed.splitlines()]


def told(client_type, path, options, work):
    """What the client heard, and when it finished which run."""
    scenario = lines_of(path)
    epoch = timed(scenario)
    client = client_type(options, scenario, epoch, work)
    try:
        return client.heard, Story(client, scenario, epoch).finished
    finally:
        client.end()


def why_not(at, name, scenario, client_type):
    if at % getattr(client_type, "every", 1):
        return "tests/run.sh --full plays them"
    return OWN.get(name) or beyond(scenario, client_type)


def play(at, expected, client_types):
    """Of each client (name, what is wrong, why it was not played)."""
    name = os.path.basename(expected)[:-len(".expect.jsonl")]
    about = json.loads(open(expected).readline())
    path = SCENARIOS + name + ".jsonl"
    try:
        scenario = lines_of(path)
        whys = [why_not(at, name, scenario, each) for each in client_types]
    except ValueError:
        whys = ["lines that are none" for _ in client_types]
    results = [(name, None, why) for why in whys]
    with tempfile.TemporaryDirectory() as work:
        options, wanted = replayed(about, path, work) if None in whys else ([], [])
        for place, client_type in enumerate(client_types):
            if whys[place] is None and any(line.get("action") == "file_issue" for line in wanted):
                results[place] = name, None, "issues that are filed"
            elif whys[place] is None:
                results[place] = name, *difference(client_type, path, options, wanted, work)
    return results


class Refused(Exception):
    """By what a client is made of: why it cannot tell this scenario, which shows only when it tries."""


def difference(client_type, path, options, wanted, work):
    try:
        heard, finished = told(client_type, path, options, work)
    except Refused as why:
        return None, str(why)
    except Exception as error:
        return repr(error), None
    wanted, got = compared(wanted, finished), compared(heard, finished)
    if wanted == got:
        return None, None
    replay, client = next(pair for pair in itertools.zip_longest(wanted, got) if pair[0] != pair[1])
    return f"\n  heeler-replay: {replay}\n  the client:    {client}", None


def report(client_type, results):
    """Whether all that can be told is the same, and as many as there were."""
    beyond_it = {}
    for name, _, why in results:
        if why:
            beyond_it.setdefault(why, []).append(name)
    wrong = [(name, what) for name, what, _ in results if what]
    for name, what in wrong:
        print(f"FAILED: {client_type.name}: {name}: {what}")
    for why, there in sorted(beyond_it.items()):
        print(f"{client_type.name}: {len(there)} are not played: {why}")
    same = len(results) - len(wrong) - sum(map(len, beyond_it.values()))
    print(f"{client_type.name}: {same} the same, {len(wrong)} different")
    return not wrong and same >= client_type.least


def play_all(client_types, names):
    """Those of these names, or all; ends the program."""
    expectations = sorted(glob.glob(SCENARIOS + "*.expect.jsonl"))
    if names:
        expectations = [each for each in expectations if os.path.basename(each)[:-len(".expect.jsonl")] in names]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda each: play(*each, client_types), enumerate(expectations)))
    good = [report(each, [result[at] for result in results]) for at, each in enumerate(client_types)]
    wrong = any(what for result in results for _, what, _ in result)
    sys.exit(1 if wrong or (not names and not all(good)) else 0)
