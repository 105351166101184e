"""Lines to and from a heeler-serve: one that is started here, or one that listens on a socket."""
from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import socket
import struct
from typing import Any, Mapping, Optional, Sequence

LONGEST_LINE = 64 << 20  # of an answer; a report of a long run is one line
BEHIND = 64 << 10  # bytes that wait: the other end does not keep up
END_S = 10.0  # for each of: taking the last lines, ending by itself, and by SIGTERM


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
        self._draining = asyncio.Lock()

    @classmethod
    async def to_socket(cls, path: str) -> Wire:
        wire = cls(*await asyncio.open_unix_connection(path, limit=LONGEST_LINE), None)
        owner = _owner(wire._writer.get_extra_info("socket"), path)
        if owner not in (0, os.geteuid()):
            await wire.close()
            raise PermissionError(f"{path} is the socket of another user ({owner}), who would hear what agents do")
        return wire

    @classmethod
    async def to_process(cls, options: Sequence[str], environment: Optional[Mapping[str, str]]) -> Wire:
        # Ctrl-C is for whoever watches, and not for the watchdog, which ends with its standard input.
        process = await asyncio.create_subprocess_exec(
            program(), *options, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LONGEST_LINE,
            env={**os.environ, **(environment or {})}, start_new_session=True)
        assert process.stdin and process.stdout
        return cls(process.stdout, process.stdin, process)

    def put(self, line: bytes) -> None:
        self._writer.write(line)

    def waiting(self) -> int:
        """Bytes that were put, and that the other end has not taken."""
        return self._writer.transport.get_write_buffer_size()

    async def drain(self, within_s: float) -> None:
        """Until the other end has taken most of it. Raises asyncio.TimeoutError."""
        async def one_at_a_time() -> None:  # before Python 3.10.9 no two may wait
            async with self._draining:
                await self._writer.drain()

        await asyncio.wait_for(one_at_a_time(), within_s)

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
        closed = asyncio.ensure_future(self._writer.wait_closed())
        if not (await asyncio.wait({closed}, timeout=END_S))[0]:
            self._writer.transport.abort()
        with contextlib.suppress(OSError):  # the other end was faster
            await closed
        if self._process:
            await _ended(self._process)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """A server that does not end, or whose children hold its output, is made to."""
    ended = asyncio.ensure_future(process.wait())
    for last in (signal.SIGTERM, signal.SIGKILL):
        if (await asyncio.wait({ended}, timeout=END_S))[0]:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, last)
    await asyncio.wait({ended}, timeout=END_S)


def _owner(connected: socket.socket, path: str) -> int:
    """Who listens there; where the system does not say, whose the path is."""
    if not hasattr(socket, "SO_PEERCRED"):
        return os.stat(path).st_uid
    pid_user_group = struct.Struct("3i")
    user: int = pid_user_group.unpack(connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, pid_user_group.size))[1]
    return user
