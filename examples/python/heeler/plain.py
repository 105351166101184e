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
import functools
import inspect
import threading
from typing import Any, Callable, Coroutine, Iterator, Optional, TypeVar

from .adapter import Adapter, Nudges
from .client import watch as watch_async

Tool = TypeVar("Tool", bound=Callable[..., Any])


class PlainRun(Adapter):
    """A run of which any thread tells, but not a handler."""

    def tell(self, what: str, *args: Any, **keys: Any) -> Any:
        """`run.tell("usage", tokens_in=900)`: the method of `heeler.Run` of this name."""
        return self._wait(getattr(self.run, what)(*args, **keys))

    def _wait(self, what: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result()

    def tool(self, function: Tool) -> Tool:
        """The function, whose calls are told, with what they return or raise."""
        parameters = inspect.signature(function)

        @functools.wraps(function)
        def called(*args: Any, **keys: Any) -> Any:
            given = {name: str(value) for name, value in parameters.bind(*args, **keys).arguments.items()}
            self._wait(self._told(self.run.tool_call(function.__name__, given)))
            try:
                result = function(*args, **keys)
            except Exception as error:
                self._wait(self._told(self.run.tool_result(repr(error), ok=False)))
                raise
            self._wait(self._told(self.run.tool_result(str(result), ok=True)))
            return result

        return called  # type: ignore[return-value]


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
            plain._wait(_left(watched, error if isinstance(error, Exception) else asyncio.CancelledError()))
            raise
        plain._wait(watched.__aexit__(None, None, None))


@contextlib.contextmanager
def _loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="heeler", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _left(watched: Any, error: BaseException) -> None:
    with contextlib.suppress(type(error)):
        await watched.__aexit__(type(error), error, None)
