"""A Python program that has its runs watched through the C interface, with ctypes alone: LIBRARY FOLDER."""

import ctypes
import json
import sqlite3
import sys
import threading
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

OK, INVALID_ARGUMENT, UNKNOWN_RUN, ENDED, DUPLICATE, TIMED_OUT, BUSY = 0, 1, 2, 3, 5, 9, 10
INJECT = 1
SECOND = 1_000_000


class Sized(Structure):
    """A struct that says its size first."""

    def __init__(self, **values):
        super().__init__(size=ctypes.sizeof(type(self)), **values)


class Action(Structure):
    _fields_ = [("size", c_size_t), ("verb", c_int), ("attempt", c_uint32), ("run", c_char_p), ("key", c_char_p),
                ("text", c_char_p), ("message", c_char_p), ("boundary", c_char_p), ("asker", c_char_p),
                ("fence", c_uint64), ("silent_us", c_int64), ("repeated", c_int)]


class Alert(Structure):
    _fields_ = [("size", c_size_t), ("key", c_char_p), ("kind", c_char_p), ("to", c_char_p), ("run", c_char_p),
                ("summary", c_char_p), ("json", c_char_p), ("severity", c_int), ("attempt", c_uint32)]


Notify = CFUNCTYPE(c_int, c_void_p, POINTER(Alert), c_void_p, c_size_t)
Act = CFUNCTYPE(c_int, c_void_p, POINTER(Action), c_void_p, c_size_t)
Now = CFUNCTYPE(None, c_void_p, POINTER(c_int64), POINTER(c_int64))


class Options(Sized):
    _fields_ = [("size", c_size_t), ("store", c_char_p), ("preset", c_char_p), ("settings", c_char_p),
                ("holder", c_char_p), ("context", c_void_p), ("notify", Notify), ("act", Act), ("verbs", ctypes.c_uint),
                ("idempotent", c_int), ("find", c_void_p), ("prove_stopped", c_void_p), ("now", Now), ("wake", c_void_p)]


class RunSpec(Sized):
    _fields_ = [("size", c_size_t), ("id", c_char_p), ("name", c_char_p), ("task", c_char_p), ("work_item", c_char_p),
                ("preset", c_char_p), ("expected_us", c_int64), ("timeout_us", c_int64), ("metric", c_int),
                ("metric_name", c_char_p), ("plan", POINTER(c_int64)), ("plan_count", c_size_t),
                ("tags", POINTER(c_char_p)), ("tag_count", c_size_t), ("shared_run", POINTER(c_char_p)),
                ("shared_run_count", c_size_t), ("parent", c_char_p), ("project", c_char_p), ("origin", c_char_p),
                ("owner", c_char_p), ("interactive", c_int), ("single_prompt", c_int), ("started_at_us", c_int64)]


class Started(Sized):
    _fields_ = [("size", c_size_t), ("found", c_int), ("stored", c_int)]


class ToolCall(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("args", c_char_p), ("call_id", c_char_p),
                ("timeout_us", c_int64), ("turn", c_uint32)]


class ToolResult(Sized):
    _fields_ = [("size", c_size_t), ("success", c_int), ("output", c_char_p), ("output_size", c_size_t),
                ("call_id", c_char_p), ("output_hash", c_char_p)]


class Note(Sized):
    _fields_ = [("size", c_size_t), ("text", c_char_p), ("reason", c_char_p), ("step", c_int64), ("has_step", c_int),
                ("incarnation", c_uint32)]


library = ctypes.CDLL(sys.argv[1])
library.heeler_error_text.restype = c_char_p
library.heeler_version.restype = c_char_p
library.heeler_string_free.argtypes = [c_void_p]


def error() -> str:
    return library.heeler_error_text().decode()


def ok(code: int) -> None:
    assert code == OK, f"{code}: {error()}"


class Host:
    """A watchdog whose clock is moved by hand, and what it told and asked."""

    def __init__(self, store: str, answer: int = OK):
        self.now, self.answer = 0, answer
        self.alerts: list[dict] = []
        self.actions: list[tuple[int, str, str]] = []
        self.during_action = lambda: None
        self._callbacks = (Notify(self._notify), Act(self._act), Now(self._tell_time))  # alive as long as the watchdog
        notify, act, now = self._callbacks
        self.dog = c_void_p()
        options = Options(store=store.encode(), notify=notify, act=act, verbs=INJECT, now=now)
        ok(library.heeler_open(byref(options), byref(self.dog)))

    def _notify(self, _context, alert, _note, _size):
        self.alerts.append(json.loads(alert.contents.json))
        return OK

    def _act(self, _context, action, note, size):
        asked = action.contents
        assert asked.size == ctypes.sizeof(Action)
        self.actions.append((asked.verb, asked.message.decode(), asked.text.decode()))
        self.during_action()
        ctypes.memmove(note, b"queued\0", min(size, 7))
        return self.answer

    def _tell_time(self, _context, elapsed, wall):
        elapsed[0], wall[0] = self.now, 1_750_000_000 * SECOND + self.now

    def call(self, name: str, *arguments) -> int:
        return getattr(library, f"heeler_{name}")(self.dog, *arguments)

    def text(self, name: str, *arguments) -> str:
        found = c_void_p()
        ok(self.call(name, *arguments, byref(found)))
        text = ctypes.cast(found, c_char_p).value.decode()
        library.heeler_string_free(found)
        return text

    def status(self, run: bytes) -> str:
        found = c_char_p()
        ok(self.call("status", run, byref(found)))
        return found.value.decode()

    def work(self, run: bytes, args: bytes, output: bytes) -> None:
        ok(self.call("observe_tool_call", run, byref(ToolCall(name=b"bash", args=args))))
        result = ToolResult(success=1, output=output, output_size=len(output))
        ok(self.call("observe_tool_result", run, byref(result)))
        self.now += SECOND
        ok(self.call("cycle", None))

    def go_round_in_circles(self, run: bytes) -> None:
        for _ in range(6):
            self.work(run, b'{"command":"make test"}', b"2 tests failed")


def loops_and_recovers(store: str) -> None:
    host = Host(store)
    ok(host.call("start", byref(RunSpec(id=b"nightly", task=b"Make the tests pass")), None))
    host.go_round_in_circles(b"nightly")
    assert host.status(b"nightly") == "LOOP_DETECTED"
    assert [(verb, message) for verb, message, _ in host.actions] == [(INJECT, "break_pattern")], host.actions
    assert "Make the tests pass" in host.actions[0][2], host.actions
    assert [alert["kind"] for alert in host.alerts] == ["run.unhealthy"], host.alerts
    ok(host.call("checkpoint", b"nightly", byref(Note(text=b"parser ported", step=1, has_step=1))))
    for i in range(200):
        host.work(b"nightly", b'{"command":"edit file_%d.py"}' % i, b"wrote function %d of %d" % (i, i * i))
    assert host.status(b"nightly") == "HEALTHY"
    assert [alert["kind"] for alert in host.alerts] == ["run.unhealthy", "run.recovered"], host.alerts
    assert "LOOP_DETECTED" in host.text("explain", b"nightly")
    report = json.loads(host.text("report", b"nightly"))
    assert report["run"] == "nightly" and report["conditions"] == ["LOOP_DETECTED"], report
    ok(host.call("close"))


def is_found_again(store: str) -> None:
    host = Host(store)
    started = Started()
    assert host.call("start", byref(RunSpec(id=b"nightly")), None) == DUPLICATE
    ok(host.call("attach", byref(RunSpec(id=b"nightly")), byref(started)))
    assert started.found == 1 and started.stored == 1
    ok(host.call("finish", b"nightly", b"completed"))
    assert host.call("finish", b"nightly", b"completed") == ENDED
    ok(host.call("close"))


def bad_arguments_are_named() -> None:
    dog = c_void_p()
    assert library.heeler_open(byref(Options(store=b"mysql:x")), byref(dog)) == INVALID_ARGUMENT
    assert "'mysql:x'" in error() and not dog
    assert library.heeler_open(byref(Options(store=b"memory", settings=b'{"mode":"off"}')), byref(dog)) == INVALID_ARGUMENT
    assert "mode" in error()
    short = Options(store=b"memory")
    short.size = 4
    assert library.heeler_open(byref(short), byref(dog)) == INVALID_ARGUMENT
    assert "sizeof(heeler_options)" in error()
    host = Host("memory")
    assert host.call("observe_heartbeat", b"r\xff\n", c_uint64(0)) == UNKNOWN_RUN
    assert "is not watched here" in error()
    assert host.call("start", byref(RunSpec(id=b"x" * 200)), None) == INVALID_ARGUMENT
    assert "128" in error()
    ok(host.call("close"))


def a_callback_may_fail_or_call_back() -> None:
    host = Host("memory", answer=TIMED_OUT)
    ok(host.call("start", byref(RunSpec(id=b"r")), None))
    answers = []

    def call_back():
        answers.append(host.call("observe_heartbeat", b"r", c_uint64(0)))
        answers.append(host.call("cycle", None))
        other = threading.Thread(target=lambda: answers.append(host.call("close")))
        other.start()
        other.join()

    host.during_action = call_back
    for _ in range(6):
        ok(host.call("observe_tool_call", b"r", byref(ToolCall(name=b"bash", args=b"{}"))))
        ok(host.call("observe_tool_result", b"r", byref(ToolResult(success=1))))
        host.now += SECOND
        host.call("cycle", None)
    assert answers[:3] == [OK, BUSY, BUSY], answers
    assert "unknown" in host.text("explain", b"r")
    ok(host.call("close"))


def what_cannot_be_stored_at_the_end_is_said(path: str) -> None:
    host = Host(f"sqlite:{path}")
    ok(host.call("start", byref(RunSpec(id=b"r")), None))
    host.work(b"r", b"{}", b"one")
    ok(host.call("observe_tool_call", b"r", byref(ToolCall(name=b"bash", args=b"[]"))))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert host.call("close") == TIMED_OUT, error()  # and not BUSY, which says that it is still open
    assert path in error()
    other.close()


assert library.heeler_version().decode().count(".") == 2
place = f"sqlite:{sys.argv[2]}/store.db"
loops_and_recovers(place)
is_found_again(place)
bad_arguments_are_named()
a_callback_may_fail_or_call_back()
what_cannot_be_stored_at_the_end_is_said(f"{sys.argv[2]}/locked.db")
print("all passed")
