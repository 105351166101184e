"""A Python program that has its runs watched through the C interface, with ctypes alone: LIBRARY FOLDER."""

import ctypes
import json
import sqlite3
import sys
import threading
from ctypes import byref, c_char_p, c_uint64, c_void_p

from heeler_c import (BUSY, DUPLICATE, ENDED, INJECT, INVALID_ARGUMENT, OK, SECOND, TIMED_OUT, UNKNOWN_RUN, Act, Action, Note,
                      Notify, Now, Options, RunSpec, Started, Tell, ToolCall, ToolResult, load)

library = load(sys.argv[1])


def error() -> str:
    return library.heeler_error_text().decode()


def ok(code: int) -> None:
    assert code == OK, f"{code}: {error()}"


class Host:
    """A watchdog whose clock is moved by hand, and what it told and asked."""

    def __init__(self, store: str, answer: int = OK, tell=lambda line: None):
        self.now, self.answer = 0, answer
        self.alerts: list[dict] = []
        self.actions: list[tuple[int, str, str]] = []
        self.during_action = lambda: None
        self._callbacks = (Notify(self._notify), Act(self._act), Now(self._tell_time),
                           Tell(lambda _context, line: tell(line)))  # alive as long as the watchdog
        notify, act, now, listen = self._callbacks
        self.dog = c_void_p()
        options = Options(store=store.encode(), notify=notify, act=act, verbs=INJECT, now=now, tell=listen)
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
    assert [(verb, message) for verb, message, _ in host.actions] == [(INJECT, "nudge")], host.actions
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


def an_older_program_goes_on() -> None:
    """Its options end where those of the first version did; what lies behind them is its own."""
    told: list[bytes] = []
    tell = Tell(lambda _context, line: told.append(line))
    older = Options(store=b"memory", tell=tell)
    older.size = Options.tell.offset
    dog = c_void_p()
    ok(library.heeler_open(byref(older), byref(dog)))
    ok(library.heeler_start(dog, byref(RunSpec(id=b"r")), None))
    ok(library.heeler_cycle_all(dog, None))
    ok(library.heeler_close(dog))
    assert not told


def a_listener_that_calls_back() -> None:
    answers = []
    host = Host("memory", tell=lambda line: answers.append((json.loads(line), host.call("cycle_all", None))))
    ok(host.call("start", byref(RunSpec(id=b"r")), None))
    ok(host.call("cycle_all", None))
    ((line, answer),) = answers
    assert (line["status"], line["run"], line["t"], answer) == ("HEALTHY", "r", 1_750_000_000, BUSY), answers
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
an_older_program_goes_on()
a_listener_that_calls_back()
a_callback_may_fail_or_call_back()
what_cannot_be_stored_at_the_end_is_said(f"{sys.argv[2]}/locked.db")
print("all passed")
