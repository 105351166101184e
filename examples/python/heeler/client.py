"""What an agent's host says to the watchdog, and is asked by it."""
from __future__ import annotations

import asyncio
import contextlib
import copy
import functools
import hashlib
import inspect
import itertools
import logging
import os
import re
import time
from dataclasses import dataclass
from typing import Any, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Optional, Sequence, TypeVar, Union

from . import lines, tools
from .tools import Tool
from .wire import BEHIND, Wire

PROTOCOL, VERSION = "heeler", 1
ANSWER_S = 60.0  # until an answer; a store that hangs is given up sooner
TAKEN_S = 5.0  # an observation holds its agent up so long where heeler-serve does not listen; then none does
MOST_WAITING = 4 << 20  # bytes that wait for it, where nobody can be held up
VERBS = ("inject", "pause", "resume", "isolate", "snapshot", "terminate", "spawn", "find", "prove_stopped")

log = logging.getLogger("heeler")
T = TypeVar("T")


class Error(Exception):
    """The watchdog's refusal: `code` is for programs, the text for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ConnectionLost(Error):
    """Nothing more comes from the heeler-serve. What it had answered is stored; `watch` takes the run up again."""

    def __init__(self, why: str) -> None:
        super().__init__("lost", why)


class Rejected(Exception):
    """Raised by a handler: certainly nothing was done, for the reason that it gives."""


@dataclass(frozen=True)
class Ask:
    """What the watchdog wants to be done to an agent."""

    key: str  #: the same whenever the same is asked again
    verb: str
    run: str
    text: str = ""  #: what to tell the agent, or why
    message: str = "reason"
    boundary: str = "now"
    attempt: int = 0
    repeated: bool = False
    silent_s: float = 0.0


#: Answers a note, or nothing, when it was done; of `find` "found", "absent" or "unknown"; of `prove_stopped` "stopped",
#: "running" or "unknown". `Rejected`: nothing was done. Any other exception: it may have happened.
Handler = Callable[[Ask], Union[Optional[str], Awaitable[Optional[str]]]]
Listener = Callable[[Mapping[str, Any]], None]


class Client:
    """One connection to a heeler-serve, with any number of runs. `connect` makes it."""

    def __init__(self, wire: Wire, handlers: Mapping[str, Handler], on_event: Optional[Listener]) -> None:
        self._wire, self._handlers, self._on_event = wire, dict(handlers), on_event
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._lost: Optional[str] = None
        self._deaf = self._said_lost = False
        self._loop, self._process = asyncio.get_running_loop(), os.getpid()
        self._asked: set[asyncio.Task[None]] = set()
        self._hearing: Optional[asyncio.Task[None]] = None

    async def tell(self, op: str, **keys: Any) -> None:
        """Says something that is answered only if it is wrong, which is logged. Lost if heeler-serve does not listen."""
        self._say(lines.short_line_of({"op": op, **keys}))
        if self._deaf or self._wire.waiting() <= BEHIND:
            return
        try:
            await self._wire.drain(TAKEN_S)
        except asyncio.TimeoutError:
            self._is_deaf()
        except OSError as error:
            raise ConnectionLost(str(error)) from error

    def note(self, op: str, **keys: Any) -> None:
        """Tells from any thread, without waiting; nothing is raised: who is watched no more works on. A forked child is not
        heard."""
        if self.is_forked():
            return
        line = lines.short_line_of({"op": op, **keys})
        with contextlib.suppress(RuntimeError):  # the loop has ended
            if asyncio._get_running_loop() is self._loop:
                self._noted(line)
            else:
                self._loop.call_soon_threadsafe(self._noted, line)

    async def ask(self, op: str, **keys: Any) -> dict[str, Any]:
        """The answer, or the refusal as `Error`."""
        number = next(self._numbers)
        line = lines.line_of({"op": op, "id": number, **keys})
        if len(line) > lines.LONGEST:
            raise Error("invalid_argument", f"{op!r} would be a line of {len(line)} bytes, but must be at most "
                                            f"{lines.LONGEST}; shorten its texts")
        answer: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._answers[number] = answer
        try:
            self._put(line)
            return await asyncio.wait_for(answer, ANSWER_S)
        except asyncio.TimeoutError:
            raise Error("timed_out", f"heeler-serve has not answered {op!r} within {ANSWER_S:g} s; it may have been "
                                     "done") from None
        finally:
            self._answers.pop(number, None)

    async def start(self, run: str, **spec: Any) -> Run:
        """A new run; `spec` has the keys of `start` in protocol.schema.json. `metric=None`: nothing can be measured."""
        return Run(self, await self.ask("start", run=run, **spec))

    async def attach(self, run: str, **spec: Any) -> Run:
        """The run of this id if it is known, else a new one."""
        return Run(self, await self.ask("attach", run=run, **spec))

    async def decide(self, verb: str, **keys: Any) -> None:
        await self.ask("decide", verb=verb, **_given(**keys))

    async def describe(self) -> str:
        return str((await self.ask("describe"))["text"])

    def is_forked(self) -> bool:
        """Whether this is a child of the process that has the connection; its loop does not run here."""
        return os.getpid() != self._process

    def check_process(self) -> None:
        """Raises `ConnectionLost` in a forked child."""
        if self.is_forked():
            raise ConnectionLost("a forked child has no watchdog; tell it in the process that watches")

    async def close(self) -> None:
        if self.is_forked():
            return
        self._lost = self._lost or "the client is closed"
        for task in self._asked:
            task.cancel()
        await self._wire.close()
        if self._hearing:
            with contextlib.suppress(asyncio.TimeoutError):  # children of the server may hold its output
                await asyncio.wait_for(self._hearing, 1)

    def _check(self) -> None:
        self.check_process()
        if self._lost is not None:
            raise ConnectionLost(self._lost)

    def _put(self, line: bytes) -> None:
        self._check()
        self._wire.put(line)

    def _say(self, line: bytes) -> None:
        """What may be lost."""
        self._deaf = self._deaf and self._wire.waiting() > BEHIND
        if self._wire.waiting() > MOST_WAITING:
            self._is_deaf()
        self._check()
        if not self._deaf:
            self._wire.put(line)

    def _is_deaf(self) -> None:
        if not self._deaf:
            log.warning("heeler: heeler-serve does not listen; until it does, what agents do is not told")
        self._deaf = True

    def _noted(self, line: bytes) -> None:
        try:
            self._say(line)
        except ConnectionLost as lost:
            if not self._said_lost:
                log.error("heeler: nothing is watched any more: %s", lost)
            self._said_lost = True

    async def _greet(self) -> None:
        try:
            first = await self._wire.get()
        except ValueError:
            first = None
        if not first or first.get("protocol") != PROTOCOL:
            raise ConnectionLost("that is no heeler-serve, or it has ended: see what it said on standard error")
        if first.get("version") != VERSION:
            raise ConnectionLost(f"this client speaks version {VERSION}, and {first.get('program')} "
                                 f"{first.get('version')}; update the older one")
        self._hearing = asyncio.create_task(self._hear())
        await self.ask("hello", protocol=PROTOCOL, version=VERSION, verbs=sorted(self._handlers))

    async def _hear(self) -> None:
        why = "heeler-serve has ended"
        try:
            while (message := await self._wire.get()) is not None:
                self._take(message)
        except Exception as error:
            why = f"what heeler-serve says cannot be read: {error!r}"
        finally:
            self._lost = why
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(ConnectionLost(why))

    def _take(self, message: dict[str, Any]) -> None:
        if "ask" in message:
            task = asyncio.create_task(self._obey(message))
            self._asked.add(task)
            task.add_done_callback(self._asked.discard)
        elif "id" not in message:
            self._report(message)
        elif (answer := self._answers.get(message["id"])) is None:
            log.warning("heeler: %s", message.get("error", message))
        elif not answer.done():
            if "error" in message:
                answer.set_exception(Error(message["error"]["code"], message["error"]["message"]))
            else:
                answer.set_result(message["ok"])

    def _report(self, event: dict[str, Any]) -> None:
        try:
            if self._on_event:
                self._on_event(event)
        except Exception:
            log.exception("heeler: on_event")

    async def _obey(self, message: dict[str, Any]) -> None:
        verb = message.get("verb", "")
        asked = {name: message[name] for name in Ask.__dataclass_fields__ if name in message}
        asked.setdefault("key", message["ask"])
        outcome, note = "done", ""
        try:
            said = self._handlers[verb](Ask(**{"run": "", **asked}))
            note = str((await said if inspect.isawaitable(said) else said) or "")
        except Rejected as refusal:
            outcome, note = "rejected", str(refusal)
        except (Exception, asyncio.CancelledError) as error:  # who knows how far it came
            if self._lost is None:
                log.exception("heeler: %s of %s", verb, message.get("run"))
            outcome, note = "unknown", repr(error)
        if verb in ("find", "prove_stopped"):
            outcome, note = (note or "unknown") if outcome == "done" else "unknown", ""
        with contextlib.suppress(ConnectionLost):
            self._put(lines.short_line_of({"op": "answer", "ask": message["ask"], "outcome": outcome, "note": note}))


@dataclass(frozen=True)
class Advice:
    """What an agent is to do. What is left is None where nothing limits it."""

    advice: str  #: continue, wind_down, pause (and ask again), stop
    because: Optional[str] = None  #: paused, timeout, lineage_timeout, token_budget, or the cap
    tokens_left: Optional[int] = None
    usd_left: Optional[float] = None
    time_left_s: Optional[float] = None


class Run:
    """A run that this client has."""

    def __init__(self, client: Client, began: Mapping[str, Any]) -> None:
        self.client = client
        self._from: dict[str, Any] = {"run": str(began["run"])}
        #: It was known before: its agent may be at work.
        self.found = bool(began["found"])
        #: Why it is watched in memory alone; None: it is stored.
        self.not_stored: Optional[str] = began.get("not_stored")
        if self.not_stored:
            log.warning("heeler: %s is not stored: %s", self.id, self.not_stored)

    @property
    def id(self) -> str:
        return str(self._from["run"])

    def of_incarnation(self, incarnation: int) -> Run:
        """The run as that agent of it tells, the first being 1: of one that was replaced nothing is taken (`fenced`)."""
        told = copy.copy(self)
        told._from = {**self._from, "incarnation": incarnation}
        return told

    def tool(self, function: Tool) -> Tool:
        """The function, async or not, whose calls are told, with what they return or raise: in any thread, and without
        waiting. A forked child calls it untold."""
        return tools.told(function, functools.partial(self.client.note, **self._from))

    async def _tell(self, op: str, **keys: Any) -> None:
        await self.client.tell(op, **self._from, **_given(**keys))

    async def heartbeat(self, seq: Optional[int] = None) -> None:
        await self._tell("heartbeat", seq=seq)

    async def advice(self) -> Advice:
        """A heartbeat that is answered. `Error` (`ended`, `fenced`): the agent is to stop."""
        answer = await self.client.ask("heartbeat", **self._from)
        return Advice(**{name: answer[name] for name in Advice.__dataclass_fields__ if name in answer})

    async def progress(self, value: int) -> None:
        await self._tell("progress", value=value)

    async def output(self, text: str, partial: Optional[bool] = None) -> None:
        await self._tell("output", text=text, partial=partial)

    async def tool_call(self, name: str, args: Any = None, *, call_id: Optional[str] = None,
                        turn: Optional[int] = None, timeout_s: Optional[float] = None) -> None:
        await self._tell("tool_call", name=name, args=args, call_id=call_id, turn=turn, timeout_s=timeout_s)

    async def tool_result(self, output: Any = None, *, ok: Optional[bool] = None, call_id: Optional[str] = None,
                          output_sha: Optional[str] = None) -> None:
        await self._tell("tool_result", output=output, ok=ok, call_id=call_id, output_sha=output_sha)

    async def message(self, text: str, role: str = "assistant", automatic: Optional[bool] = None) -> None:
        await self._tell("message", text=text, role=role, automatic=automatic)

    async def usage(self, *, tokens_in: Optional[int] = None, tokens_out: Optional[int] = None,
                    cost_usd: Optional[float] = None, api_calls: Optional[int] = None,
                    bytes_written: Optional[int] = None) -> None:
        await self._tell("usage", tokens_in=tokens_in, tokens_out=tokens_out, cost_usd=cost_usd, api_calls=api_calls,
                         bytes_written=bytes_written)

    async def compaction(self, tokens_before: Optional[int] = None, tokens_after: Optional[int] = None) -> None:
        await self._tell("compaction", tokens_before=tokens_before, tokens_after=tokens_after)

    async def liveness(self, source: Optional[str] = None, progress: Optional[int] = None) -> None:
        """Something else shows that it lives. `progress`: of children that are no runs here, counted over all of them."""
        await self._tell("liveness", source=source, progress=progress)

    async def output_access(self, ok: bool) -> None:
        """Whether the run's output can be read from now on."""
        await self._tell("output_access", ok=ok)

    async def state(self, state: str, *, reported: Optional[str] = None, until: Union[float, str, None] = None,
                    prompt: Optional[str] = None, outcome: Optional[str] = None) -> None:
        await self._tell("state", state=state, reported=reported, until=until, prompt=prompt, outcome=outcome)

    async def resource(self, name: str, used: int, limit: int) -> None:
        await self._tell("resource", name=name, used=used, limit=limit)

    async def checkpoint(self, step: Optional[int] = None, text: str = "", reason: Optional[str] = None) -> None:
        """Durable when it returns."""
        await self.client.ask("checkpoint", **self._from, **_given(step=step, text=text, reason=reason))

    @contextlib.contextmanager
    def expect(self, takes_s: float, what: str) -> Iterator[None]:
        """What is in the block takes long: so long at most its silence is no stall. From any thread, without waiting; that
        no time is given is logged."""
        told = {**self._from, "what": what}
        self.client.note("expect", takes_s=takes_s, **told)
        try:
            yield
        finally:
            self.client.note("expect", over=True, **told)

    async def expect_begin(self, takes_s: float, what: str) -> None:
        """The same where no block has it all. `Error` "invalid_argument": no time is given."""
        await self.client.ask("expect", **self._from, takes_s=takes_s, what=what)

    async def expect_over(self, what: str) -> None:
        """The newest of this text is over; of "" the newest of all."""
        await self.client.ask("expect", **self._from, what=what, over=True)

    async def finish(self, how: str = "completed") -> None:
        """Durable when it returns. `how`: completed, failed or cancelled."""
        await self.client.ask("finish", run=self.id, how=how)

    async def status(self) -> str:
        return str((await self.client.ask("status", run=self.id))["status"])

    async def explain(self) -> str:
        return str((await self.client.ask("explain", run=self.id))["text"])

    async def report(self) -> dict[str, Any]:
        return await self.client.ask("report", run=self.id)


async def connect(*, socket: Optional[str] = None, options: Sequence[str] = (),
                  environment: Optional[Mapping[str, str]] = None, on_event: Optional[Listener] = None,
                  greeting_s: float = 20.0, **handlers: Handler) -> Client:
    """To the heeler-serve that listens on a socket, or to one that is started with these options and variables.

    The watchdog asks for nothing but what there is a handler for: `inject pause resume isolate snapshot terminate spawn
    find prove_stopped`. One that does not greet in time is given up: it may be waiting for its PostgreSQL (`--patience`).
    """
    unknown = sorted(set(handlers) - set(VERBS))
    if unknown:
        raise TypeError(f"there is no verb {unknown[0]!r}; known are {', '.join(VERBS)}")
    wire = await (_within(greeting_s, Wire.to_socket(socket)) if socket else Wire.to_process(options, environment))
    client = Client(wire, handlers, on_event)
    try:
        await _within(greeting_s, client._greet())
    except BaseException:
        await client.close()
        raise
    return client


async def _within(seconds: float, greeted: Awaitable[T]) -> T:
    try:
        return await asyncio.wait_for(greeted, seconds)
    except asyncio.TimeoutError:
        raise ConnectionLost(f"no heeler-serve has greeted within {seconds:g} s") from None


@contextlib.asynccontextmanager
async def watch(run: str, *, task: str = "", preset: Optional[str] = None, socket: Optional[str] = None,
                options: Optional[Sequence[str]] = None, environment: Optional[Mapping[str, str]] = None,
                on_event: Optional[Listener] = None, spec: Optional[Mapping[str, Any]] = None,
                greeting_s: float = 20.0, **handlers: Handler) -> AsyncIterator[Run]:
    """One run from here to the end of the block, which ends it: `failed` by an exception, `cancelled` by one of asyncio.

    Without a socket a heeler-serve of its own is started, with a store of the run's name. A run of this id that goes on
    is taken up; after one that has ended, the id of the next has the time behind it.
    """
    own = ("--name", _store_name(run))
    client = await connect(socket=socket, options=own if options is None else options, environment=environment,
                           on_event=on_event, greeting_s=greeting_s, **handlers)
    try:
        given = {"name": run, "task": task, **_given(preset=preset), **(spec or {})}
        try:
            watched = await client.attach(run, **given)
        except Error as error:
            if error.code != "ended":
                raise
            watched = await client.start(f"{run}@{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}", **given)
        how = "failed"
        try:
            yield watched
            how = "completed"
        except asyncio.CancelledError:
            how = "cancelled"
            raise
        finally:
            await _finished(watched, how)
    finally:
        await client.close()


async def _finished(run: Run, how: str) -> None:
    try:
        await run.finish(how)
    except Error as error:
        if error.code not in ("ended", "unknown_run", "lost", "timed_out"):
            raise
        log.warning("heeler: the end of %s was not taken: %s", run.id, error)


def _store_name(run: str) -> str:
    """What `--name` takes; no two runs have the same."""
    name = re.sub(r"^[.-]|[^A-Za-z0-9_.-]", "_", run)[:64]
    if name and name == run:
        return name
    return f"{name[:51]}-{hashlib.sha256(run.encode('utf-8', 'backslashreplace')).hexdigest()[:12]}"


def _given(**keys: Any) -> dict[str, Any]:
    return {name: value for name, value in keys.items() if value is not None}
