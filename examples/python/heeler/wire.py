"""Lines of JSON to and from a heeler-serve: one that is started here, or one that listens on a socket."""
from __future__ import annotations

import asyncio
import json
import os
import shutil
from typing import Any, Mapping, Optional, Sequence

LONGEST_LINE = 64 << 20  # of an answer; a report of a long run is one line


def program() -> str:
    """The heeler-serve to start: what HEELER_SERVE names, else the one that came with the wheel, else the one in PATH."""
    brought = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "heeler-serve")
    found = os.environ.get("HEELER_SERVE") or shutil.which(brought) or shutil.which("heeler-serve")
    if not found:
        raise FileNotFoundError("heeler-serve came with no wheel, and is not in PATH; install it, or name it in HEELER_SERVE")
    return found


class Wire:
    """One connection. Closing it ends a process that was started for it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
                 process: Optional[asyncio.subprocess.Process]) -> None:
        self._reader, self._writer, self._process = reader, writer, process

    @classmethod
    async def to_socket(cls, path: str) -> Wire:
        return cls(*await asyncio.open_unix_connection(path, limit=LONGEST_LINE), None)

    @classmethod
    async def to_process(cls, options: Sequence[str], environment: Optional[Mapping[str, str]]) -> Wire:
        # Ctrl-C is for whoever watches, and not for the watchdog, which ends with its standard input.
        process = await asyncio.create_subprocess_exec(
            program(), *options, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LONGEST_LINE,
            env={**os.environ, **(environment or {})}, start_new_session=True)
        assert process.stdin and process.stdout
        return cls(process.stdout, process.stdin, process)

    async def put(self, message: Mapping[str, Any]) -> None:
        self._writer.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        await self._writer.drain()

    async def get(self) -> Optional[dict[str, Any]]:
        """The next line; None: there are no more. Raises ValueError for what is no line of a heeler-serve."""
        line = await self._reader.readline()
        if not line.endswith(b"\n"):
            return None
        message = json.loads(line)
        if not isinstance(message, dict):
            raise ValueError("not an object")
        return message

    async def close(self) -> None:
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:
            pass  # the other end was faster
        if self._process:
            await self._process.wait()
