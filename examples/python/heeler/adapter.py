"""What adapters to agent frameworks have in common."""
from __future__ import annotations

import asyncio
import collections
from typing import Any, Coroutine, Deque, List

from .client import Ask, ConnectionLost, Run, log


class Nudges:
    """A handler of `inject`: what the watchdog wants to be said waits here for the agent's next turn. Thread-safe."""

    def __init__(self) -> None:
        self._waiting: Deque[str] = collections.deque()

    def __call__(self, ask: Ask) -> str:
        self._waiting.append(ask.text)
        return "queued for the next turn"

    def take(self) -> List[str]:
        """Each is handed out once."""
        taken = []
        while self._waiting:
            taken.append(self._waiting.popleft())
        return taken


class Adapter:
    """Tells what a framework reports of one run, and hands the watchdog's nudges to it."""

    def __init__(self, run: Run, nudges: Nudges) -> None:
        self.run, self.nudges = run, nudges
        self._loop = asyncio.get_running_loop()
        self._lost = False
        self._turn = 0

    async def _tell(self, what: Coroutine[Any, Any, None]) -> None:
        """An agent whose watchdog has gone works on; the log says so, once."""
        if asyncio.get_running_loop() is self._loop:
            await self._told(what)
        else:  # a framework called from a synchronous program: its thread may hold up the one of the loop
            asyncio.run_coroutine_threadsafe(self._told(what), self._loop)

    async def _told(self, what: Coroutine[Any, Any, None]) -> None:
        try:
            await what
        except ConnectionLost as lost:
            if not self._lost:
                log.error("heeler: %s is watched no more: %s", self.run.id, lost)
            self._lost = True
