"""What an agent's host says to the watchdog, and is asked by it."""
from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
import logging
import time
from dataclasses import dataclass
from typing import Any, AsyncIterator, Awaitable, Callable, Mapping, Optional, Sequence, Union

from .wire import Wire

PROTOCOL, VERSION = "heeler", 1
VERBS = ("inject", "pause", "resume", "isolate", "snapshot", "terminate", "spawn", "find", "prove_stopped")

log = logging.getLogger("heeler")


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
        self._lost: Optional[ConnectionLost] = None
        self._asked: set[asyncio.Task[None]] = set()
        self._hearing: Optional[asyncio.Task[None]] = None

    async def tell(self, op: str, **keys: Any) -> None:
        """Says something that is answered only if it is wrong, which is logged."""
        if self._lost:
            raise self._lost
        try:
            await self._wire.put({"op": op, **keys})
        except OSError as error:
            raise ConnectionLost(str(error)) from error

    async def ask(self, op: str, **keys: Any) -> dict[str, Any]:
        """The answer, or the refusal as `Error`."""
        number = next(self._numbers)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[number] = answer
        try:
            await self.tell(op, id=number, **keys)
            return await answer
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

    async def close(self) -> None:
        for task in self._asked:
            task.cancel()
        await self._wire.close()
        if self._hearing:
            await self._hearing

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
        except (OSError, ValueError) as error:
            why = f"what heeler-serve says cannot be read: {error}"
        self._lost = ConnectionLost(why)
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(self._lost)

    def _take(self, message: dict[str, Any]) -> None:
        if "ask" in message:
            task = asyncio.create_task(self._obey(message))
            self._asked.add(task)
            task.add_done_callback(self._asked.discard)
        elif "id" not in message:
            if self._on_event:
                self._on_event(message)
        elif (answer := self._answers.get(message["id"])) is None:
            log.warning("heeler: %s", message.get("error", message))
        elif not answer.done():
            if "error" in message:
                answer.set_exception(Error(message["error"]["code"], message["error"]["message"]))
            else:
                answer.set_result(message["ok"])

    async def _obey(self, message: dict[str, Any]) -> None:
        verb = message["verb"]
        asked = {name: message[name] for name in Ask.__dataclass_fields__ if name in message}
        asked.setdefault("key", message["ask"])
        outcome, note = "done", ""
        try:
            said = self._handlers[verb](Ask(**{"run": "", **asked}))
            note = str((await said if inspect.isawaitable(said) else said) or "")
        except Rejected as refusal:
            outcome, note = "rejected", str(refusal)
        except Exception as error:  # who knows how far it came
            log.exception("heeler: %s of %s", verb, message.get("run"))
            outcome, note = "unknown", repr(error)
        if verb in ("find", "prove_stopped"):
            outcome, note = (note or "unknown") if outcome == "done" else "unknown", ""
        with contextlib.suppress(ConnectionLost):
            await self.tell("answer", ask=message["ask"], outcome=outcome, note=note)


class Run:
    """A run that this client has."""

    def __init__(self, client: Client, began: Mapping[str, Any]) -> None:
        self.client = client
        self.id = str(began["run"])
        #: It was known before: its agent may be at work.
        self.found = bool(began["found"])
        #: Why it is watched in memory alone; None: it is stored.
        self.not_stored: Optional[str] = began.get("not_stored")
        if self.not_stored:
            log.warning("heeler: %s is not stored: %s", self.id, self.not_stored)

    async def _tell(self, op: str, **keys: Any) -> None:
        await self.client.tell(op, run=self.id, **_given(**keys))

    async def heartbeat(self, seq: Optional[int] = None) -> None:
        await self._tell("heartbeat", seq=seq)

    async def progress(self, value: int) -> None:
        await self._tell("progress", value=value)

    async def output(self, text: str, partial: Optional[bool] = None) -> None:
        await self._tell("output", text=text, partial=partial)

    async def tool_call(self, name: str, args: Any = None, *, call_id: Optional[str] = None,
                        turn: Optional[int] = None, timeout_s: Optional[float] = None) -> None:
        await self._tell("tool_call", name=name, args=args, call_id=call_id, turn=turn, timeout_s=timeout_s)

    async def tool_result(self, output: Any = None, *, ok: Optional[bool] = None,
                          call_id: Optional[str] = None) -> None:
        await self._tell("tool_result", output=output, ok=ok, call_id=call_id)

    async def message(self, text: str, role: str = "assistant", automatic: Optional[bool] = None) -> None:
        await self._tell("message", text=text, role=role, automatic=automatic)

    async def usage(self, *, tokens_in: Optional[int] = None, tokens_out: Optional[int] = None,
                    cost_usd: Optional[float] = None, api_calls: Optional[int] = None) -> None:
        await self._tell("usage", tokens_in=tokens_in, tokens_out=tokens_out, cost_usd=cost_usd, api_calls=api_calls)

    async def state(self, state: str, **keys: Any) -> None:
        await self._tell("state", state=state, **keys)

    async def resource(self, name: str, used: int, limit: int) -> None:
        await self._tell("resource", name=name, used=used, limit=limit)

    async def checkpoint(self, step: Optional[int] = None, text: str = "", reason: Optional[str] = None) -> None:
        """Durable when it returns."""
        await self.client.ask("checkpoint", run=self.id, **_given(step=step, text=text, reason=reason))

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
                  **handlers: Handler) -> Client:
    """To the heeler-serve that listens on a socket, or to one that is started with these options and variables.

    The watchdog asks for nothing but what there is a handler for: `inject pause resume isolate snapshot terminate spawn
    find prove_stopped`.
    """
    unknown = sorted(set(handlers) - set(VERBS))
    if unknown:
        raise TypeError(f"there is no verb {unknown[0]!r}; known are {', '.join(VERBS)}")
    wire = await (Wire.to_socket(socket) if socket else Wire.to_process(options, environment))
    client = Client(wire, handlers, on_event)
    try:
        await client._greet()
    except BaseException:
        await client.close()
        raise
    return client


@contextlib.asynccontextmanager
async def watch(run: str, *, task: str = "", preset: Optional[str] = None, socket: Optional[str] = None,
                options: Optional[Sequence[str]] = None, environment: Optional[Mapping[str, str]] = None,
                on_event: Optional[Listener] = None, spec: Optional[Mapping[str, Any]] = None,
                **handlers: Handler) -> AsyncIterator[Run]:
    """One run from here to the end of the block, which ends it: `failed` by an exception, `cancelled` by one of asyncio.

    Without a socket a heeler-serve of its own is started, with a store of the run's name. A run of this id that goes on
    is taken up; after one that has ended, the id of the next has the time behind it.
    """
    own = ("--name", "".join(c if c.isascii() and c.isalnum() else "_" for c in run)[:64] or "run")
    client = await connect(socket=socket, options=own if options is None else options, environment=environment,
                           on_event=on_event, **handlers)
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
        if error.code not in ("ended", "unknown_run", "lost"):
            raise
        log.warning("heeler: the end of %s was not taken: %s", run.id, error)


def _given(**keys: Any) -> dict[str, Any]:
    return {name: value for name, value in keys.items() if value is not None}
