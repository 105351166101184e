"""The scenarios, told to a watchdog through the C interface: LIBRARY [NAME...].
"""
import ctypes
import json
import os
import sys
from ctypes import byref, c_char_p, c_int64, c_uint64, c_void_p

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/../support")

import heeler_c as c  # noqa: E402
import scenario_story as story  # noqa: E402

library = c.load(sys.argv[1])
CODES = {"ok": c.OK, "fail": c.FAILED, "reject": c.REJECTED, "unsupported": c.UNSUPPORTED, "timeout_but_done": c.TIMED_OUT,
         "ended": c.ENDED}
#: What throws counts as a delivery that failed, and ctypes cannot throw.
DELIVERIES = {"ok": (c.OK, ""), "fail": (c.DELIVERY_FAILED, "the recording notifier was told to fail"),
              "throw": (c.DELIVERY_FAILED, "the notifier threw: the recording notifier was told to throw"),
              "permanent": (c.PERMANENT, "the recording notifier was told to refuse for good"),
              "no_recipient": (c.NO_RECIPIENT, "nobody listens on route '%s'")}
FOUND = {"unknown": 0, "found": 1, "absent": 2}
PROOF = {"unknown": 0, "stopped": 1, "running": 2}
VERB_OF = {1 << at: verb for at, verb in enumerate(story.VERBS)}


def text(value):
    """As the others that read lines take it: what is no text, as JSON."""
    if value is None:
        return None
    written = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return written.encode()


def micros(seconds):
    if isinstance(seconds, str):
        seconds = story.date(seconds)
    return 0 if seconds is None else round(seconds * c.SECOND)


def texts(values):
    return (c_char_p * len(values))(*[text(each) for each in values])


class Interface:
    """A host in one process with its watchdog, which it closes and opens again for a restart."""
    name, least = "C", 335
    deliveries = ["ok"]

    @staticmethod
    def beyond(scenario):
        if any("started_at" in line and line["started_at"] is None for line in scenario):
            return "a start that nobody knows"
        return None

    def __init__(self, options, scenario, epoch, work):
        self.elapsed = self.wall = round(epoch * c.SECOND)
        self.heard, self.answers = [], dict.fromkeys(story.VERBS, "ok")
        given = dict(zip(options[::2], options[1::2]))
        self.settings = open(given["--config"]).read() if "--config" in given else ""
        self.preset = given.get("--preset", "recommended")
        self.presets = sorted({line["preset"] for line in scenario if line.get("preset")} - {self.preset})
        kept = any(line["type"] == "restart" for line in scenario)
        self.work, self.stores = work, 0 if kept else None
        self.runs = {}
        asked = story.asked_for(scenario)
        self.callbacks = {  # alive as long as the watchdog
            "notify": c.Notify(self.notify), "act": c.Act(self.act), "now": c.Now(self.tell_time), "tell": c.Tell(self.tell),
            "find": c.Ask(self.find) if "find" in asked else c.Ask(),
            "prove_stopped": c.Ask(self.prove_stopped) if "prove_stopped" in asked else c.Ask()}
        self.idempotent = any(line.get("idempotent") for line in scenario if line["type"] == "host")
        self.dog = c_void_p()
        self.open()

    def open(self):
        store = b"memory" if self.stores is None else f"sqlite:{self.work}/store-{self.stores}".encode()
        options = c.Options(store=store, preset=text(self.preset), settings=text(self.settings), verbs=127,
                            idempotent=self.idempotent, **self.callbacks)
        self.check(library.heeler_open(byref(options), byref(self.dog)))
        for preset in self.presets:
            self.check(self.call("define", text(preset), text(self.settings)))

    def check(self, code):
        if code != c.OK and "settings" in c.error_of(library):
            raise story.Refused("settings that are refused")
        assert code == c.OK, f"{code}: {c.error_of(library)}"

    def end(self):
        library.heeler_close(self.dog)

    def call(self, name, *arguments):
        return getattr(library, "heeler_" + name)(self.dog, *arguments)

    # --- what it is told and asked ---

    def tell(self, _context, line):
        self.heard.append(json.loads(line))

    def tell_time(self, _context, elapsed, wall):
        elapsed[0], wall[0] = self.elapsed, self.wall

    def notify(self, _context, alert, note, size):
        code, words = DELIVERIES[self.deliveries[0]]
        self.deliveries = self.deliveries[1:] or self.deliveries
        self.put(note, size, words.replace("%s", alert.contents.to.decode()))
        return code

    def act(self, _context, action, note, size):
        verb = VERB_OF[action.contents.verb]
        scripted = self.answers[verb]
        if scripted != "ok":
            self.put(note, size, f"{verb}: {scripted}, as scripted")
        return CODES[scripted]

    @staticmethod
    def put(note, size, words):
        if words:
            ctypes.memmove(note, words.encode() + b"\0", min(size, len(words.encode()) + 1))

    def find(self, _context, _key):
        return FOUND[self.answers.get("find", "unknown")]

    def prove_stopped(self, _context, _run):
        return PROOF[self.answers.get("prove_stopped", "unknown")]

    # --- what it says ---

    def clock(self, t, cycle=None):
        self.elapsed += round(t * c.SECOND) - self.wall
        self.wall = round(t * c.SECOND)
        if cycle:
            self.call("cycle" if cycle == "period" else "cycle_all", None)
        wait = c_int64()
        self.check(self.call("next_deadline", byref(wait)))
        return None if wait.value < 0 else (self.wall + wait.value) / c.SECOND

    def restart(self, keep_store):
        self.end()
        self.stores += 0 if keep_store else 1
        self.elapsed += 7 * 3600 * c.SECOND  # another process, whose clock begins elsewhere
        self.open()
        for spec in self.runs.values():
            self.call("attach", byref(spec), None)

    def ask(self, op, **keys):
        try:
            code = self.refusal(op, keys) or getattr(self, "say_" + op)(text(keys.get("run")), keys)
        except KeyError as missing:  # there is no way to leave it out
            return {"error": {"code": "invalid_argument", "message": str(missing)}}
        if code == c.OK:
            return {"ok": {}}
        names = {c.FENCED: "fenced", c.INVALID_ARGUMENT: "invalid_argument"}
        return {"error": {"code": names.get(code, code), "message": c.error_of(library)}}

    def refusal(self, op, keys):
        """Of an agent that says which one it is."""
        if "incarnation" not in keys or op == "checkpoint":
            return c.OK
        return self.call("observe_incarnation", text(keys["run"]), keys["incarnation"])

    def say_start(self, run, keys):
        spec = self.runs[run] = spec_of(keys)
        return self.call("start", byref(spec), None)

    def say_finish(self, run, keys):
        self.runs.pop(run, None)
        return self.call("finish", run, text(keys["how"]))

    def say_checkpoint(self, run, keys):
        note = c.Note(text=text(keys.get("text")), reason=text(keys.get("reason")), step=keys.get("step") or 0,
                      has_step=keys.get("step") is not None, incarnation=keys.get("incarnation", 0))
        return self.call("checkpoint", run, byref(note))

    def say_expect(self, run, keys):
        if keys.get("over"):
            return self.call("expect_over", run, text(keys.get("what")))
        return self.call("expect", run, c_int64(micros(keys["takes_s"])), text(keys.get("what")))

    def say_decide(self, run, keys):
        decision = c.Decision(verb=text(keys["verb"]), run=run, by=text(keys.get("by")), until_us=micros(keys.get("until")),
                              because=text(keys.get("because")), preset=text(keys.get("class")), tag=text(keys.get("tag")),
                              kind=text(keys.get("kind")), timeout_us=micros(keys.get("timeout_s")),
                              tokens=keys.get("tokens", 0), micro_usd=micros(keys.get("usd")))
        return self.call("decide", byref(decision))

    def say_heartbeat(self, run, keys):
        return self.call("observe_heartbeat", run, c_uint64(keys.get("seq", 0)))

    def say_progress(self, run, keys):
        return self.call("observe_progress", run, c_int64(keys["value"]))

    def say_output(self, run, keys):
        output = keys["text"].encode()
        return self.call("observe_output", run, output, ctypes.c_size_t(len(output)), int(keys.get("partial", False)))

    def say_tool_call(self, run, keys):
        call = c.ToolCall(name=text(keys.get("name", "unknown")), args=text(keys.get("args")),
                          call_id=text(keys.get("call_id")), timeout_us=micros(keys.get("timeout_s")),
                          turn=keys.get("turn", 0))
        return self.call("observe_tool_call", run, byref(call))

    def say_tool_result(self, run, keys):
        output = text(keys.get("output")) or b""
        result = c.ToolResult(success={None: 0, True: 1, False: 2}[keys.get("ok")], output=output, output_size=len(output),
                              call_id=text(keys.get("call_id")), output_hash=text(keys.get("output_sha")))
        return self.call("observe_tool_result", run, byref(result))

    def say_message(self, run, keys):
        role = keys.get("role", "assistant")
        number = 1 if role == "assistant_thinking" else 0 if role.startswith("assistant") else 2
        message = c.Message(role=number, text=text(keys.get("text")),
                            automatic=keys.get("automatic", number == 2 and role != "user"))
        return self.call("observe_message", run, byref(message))

    def say_usage(self, run, keys):
        numbers = ("tokens_in", "tokens_out", "api_calls", "bytes_written", "cost_usd")
        return self.call("observe_usage", run, byref(c.Usage(**{name: keys[name] for name in numbers if name in keys})))

    def say_state(self, run, keys):
        state = c.State(state=text(keys["state"]), reported=text(keys.get("reported")), until_us=micros(keys.get("until")),
                        prompt=text(keys.get("prompt")), outcome=text(keys.get("outcome")))
        return self.call("observe_state", run, byref(state))

    def say_compaction(self, run, keys):
        return self.call("observe_compaction", run, c_int64(keys.get("tokens_before", 0)),
                         c_int64(keys.get("tokens_after", 0)))

    def say_resource(self, run, keys):
        return self.call("observe_resource", run, text(keys["name"]), c_int64(keys["used"]), c_int64(keys["limit"]))

    def say_output_access(self, run, keys):
        return self.call("observe_output_access", run, int(keys.get("ok", True)))

    def say_liveness(self, run, keys):
        if "progress" in keys:
            return self.call("observe_child_progress", run, text(keys.get("source")), c_uint64(keys["progress"]))
        return self.call("observe_liveness", run, text(keys.get("source")))


def spec_of(keys):
    shared = keys.get("shared_run") or []
    shared = ["others"] if shared is True else [shared] if isinstance(shared, str) else shared
    plan, tags = keys.get("plan", []), keys.get("tags", [])
    words = {name: text(keys.get(name)) for name in
             ("name", "task", "work_item", "preset", "parent", "project", "origin", "owner", "continues")}
    metric = 0 if "metric" not in keys else 2 if keys["metric"] is None else 1
    return c.RunSpec(id=text(keys["run"]), expected_us=micros(keys.get("expected_s")), timeout_us=micros(keys.get("timeout_s")),
                     metric=metric, metric_name=text(keys.get("metric")), plan=(c_int64 * len(plan))(*plan),
                     plan_count=len(plan), tags=texts(tags), tag_count=len(tags), shared_run=texts(shared),
                     shared_run_count=len(shared), interactive=keys.get("interactive", False),
                     single_prompt=keys.get("single_prompt", False), started_at_us=micros(keys.get("started_at")), **words)


if __name__ == "__main__":
    story.play_all([Interface], sys.argv[2:])
