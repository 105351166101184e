"""Functions whose calls are told."""
from __future__ import annotations

import asyncio
import functools
import inspect
import uuid
from typing import Any, Awaitable, Callable, Dict, TypeVar

from .lines import text_of

Tool = TypeVar("Tool", bound=Callable[..., Any])
Note = Callable[..., None]


class _Call:
    """One call of a tool: it began, and in the end it is told what came of it."""

    def __init__(self, note: Note, name: str, args: Dict[str, Any]) -> None:
        self._note, self._id = note, uuid.uuid4().hex
        note("tool_call", name=name, args=args, call_id=self._id)

    def returned(self, result: Any) -> None:
        self._note("tool_result", output=text_of(result), ok=True, call_id=self._id)

    def raised(self, error: BaseException) -> None:
        self._note("tool_result", output=text_of(error, repr), ok=False, call_id=self._id)

    async def awaited(self, result: Awaitable[Any]) -> Any:
        try:
            value = await result
        except (Exception, asyncio.CancelledError) as error:
            self.raised(error)
            raise
        self.returned(value)
        return value


def told(function: Tool, note: Note) -> Tool:
    """`function` as it is, plain or async; `note` is told of each call, and of what it returns or raises."""
    name = getattr(function, "__name__", type(function).__name__)
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{name} is a generator, of which nobody knows when it is done; give the function that runs it")

    @functools.wraps(function)
    def called(*args: Any, **keys: Any) -> Any:
        call = _Call(note, name, _by_name(function, args, keys))
        try:
            result = function(*args, **keys)
        except Exception as error:
            call.raised(error)
            raise
        if inspect.isawaitable(result):
            return call.awaited(result)
        call.returned(result)
        return result

    if not inspect.iscoroutinefunction(function):
        return called  # type: ignore[return-value]

    @functools.wraps(function)
    async def called_async(*args: Any, **keys: Any) -> Any:
        return await called(*args, **keys)

    return called_async  # type: ignore[return-value]


def _by_name(function: Callable[..., Any], args: Any, keys: Any) -> Dict[str, Any]:
    try:
        return dict(inspect.signature(function).bind(*args, **keys).arguments)
    except (TypeError, ValueError):  # built-in functions may have no signature; a wrong call fails by itself
        return {"args": args, **keys}
