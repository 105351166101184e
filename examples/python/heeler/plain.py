"""An agent's loop of your own, without asyncio.

    with heeler.plain.watch("nightly", task=task) as run:
        bash = run.tool(bash)
        while not done:
            messages += [{"role": "user", "content": text} for text in run.nudges.take()]
            reply = model(messages)
            ...
"""
from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from typing import Any, ContextManager, Coroutine, Iterator, Optional

from .adapter import Adapter, Nudges
from .client import ConnectionLost
from .client import watch as watch_async
from .tools import Tool


class PlainRun(Adapter):
    """A run of which any thread tells, but not a handler."""

    def tell(self, what: str, *args: Any, **keys: Any) -> Any:
        """`run.tell("usage", tokens_in=900)`: the method of `heeler.Run` of this name."""
        return self._wait(getattr(self.run, what)(*args, **keys))

    def _wait(self, what: Coroutine[Any, Any, Any]) -> Any:
        try:
            self.run.client.check_process()
            if asyncio._get_running_loop() is self._loop:
                raise RuntimeError("a handler cannot tell by itself; let the agent's thread do it")
        except Exception:
            what.close()
            raise
        return asyncio.run_coroutine_threadsafe(what, self._loop).result()

    def _leave(self, what: Coroutine[Any, Any, Any]) -> None:
        with contextlib.suppress(ConnectionLost):
            self._wait(what)

    def tool(self, function: Tool) -> Tool:
        """`heeler.Run.tool`."""
        return self.run.tool(function)

    def expect(self, takes_s: float, what: str) -> ContextManager[None]:
        """`heeler.Run.expect`."""
        return self.run.expect(takes_s, what)


@contextlib.contextmanager
def watch(run: str, *, nudges: Optional[Nudges] = None, **keys: Any) -> Iterator[PlainRun]:
    """`heeler.watch`, with its keywords. Handlers are called in another thread."""
    nudges = nudges or Nudges()
    watched = watch_async(run, **{"inject": nudges, **keys})

    async def entered() -> PlainRun:
        return PlainRun(await watched.__aenter__(), nudges)

    with _loop() as loop:
        plain = asyncio.run_coroutine_threadsafe(entered(), loop).result()
        try:
            yield plain
        except BaseException as error:
            # Ctrl-C and the end of the program are no failure of the agent.
            plain._leave(_left(watched, error if isinstance(error, Exception) else asyncio.CancelledError()))
            raise
        plain._leave(watched.__aexit__(None, None, None))


@contextlib.contextmanager
def _loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop, process = asyncio.new_event_loop(), os.getpid()
    thread = threading.Thread(target=loop.run_forever, name="heeler", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        if os.getpid() == process:  # a forked child would end what belongs to its parent
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


async def _left(watched: Any, error: BaseException) -> None:
    with contextlib.suppress(type(error)):
        await watched.__aexit__(type(error), error, None)
