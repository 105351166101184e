#!/usr/bin/env python3
"""What heeler-serve takes of two processors: 50,000 observations a second, of 10,000 runs, through one socket.

Half of them are tool calls and half their results, 300 bytes together as in calls.cpp, each run in turn. First they come
at that rate: how long a question takes that is asked behind each second's worth, and what the server's processor did.
Then as fast as it takes them. Prints figures; the status is 1 only if the server refuses something or ends.

    benchmarks/serve_lines.py [--program heeler-serve] [--seconds 10] [--rate 50000] [--runs 10000]
"""
import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

SLICES = 20  # of a second


def lines(operation, runs):
    return b"".join(json.dumps({"op": operation, **keys}, separators=(",", ":")).encode() + b"\n" for keys in runs)


def observations(count, runs, begin):
    """So many calls and results, each run in turn; what they say differs."""
    told = []
    for i in range(begin, begin + count // 2):
        run = f"run-{i % runs}"
        args = {"path": f"src/module_{i % 97}/handler.cpp", "offset": i * 40, "pattern": "on_request" + 34 * "x"}
        output = (f"{i}: no member of that name in the class; did you mean to call " + "the other one " * 12)[:200]
        told.append(lines("tool_call", [{"run": run, "name": "grep", "args": args}]))
        told.append(lines("tool_result", [{"run": run, "ok": True, "output": output}]))
    return b"".join(told)


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.heard = self.socket.makefile("rb")
        self.heard.readline()
        self.ask("hello", protocol="heeler", version=1)

    def ask(self, operation, **keys):
        """The answer, behind everything that was said before; ends the program if something was refused."""
        self.socket.sendall(lines(operation, [{"id": 1, **keys}]))
        for line in self.heard:
            message = json.loads(line)
            if "error" in message and "id" in message:
                sys.exit(f"refused: {message}")
            if message.get("id") == 1:
                return message["ok"]
        sys.exit("heeler-serve has ended")


def processor_s(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


def paced(client, seconds, runs, rate):
    """What it took to be answered behind each second's observations."""
    waits = []
    for second in range(seconds):
        slices = [observations(rate // SLICES, runs, (second * SLICES + i) * rate // SLICES // 2) for i in range(SLICES)]
        begin = time.monotonic()
        for i, part in enumerate(slices):
            client.socket.sendall(part)
            time.sleep(max(0.0, begin + (i + 1) / SLICES - time.monotonic()))
        late = time.monotonic() - begin - 1
        asked = time.monotonic()
        client.ask("status", run="run-0")
        waits.append(max(0.0, late) + time.monotonic() - asked)
    return waits


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", default="build/release/examples/heeler-serve")
    options.add_argument("--seconds", type=int, default=10)
    options.add_argument("--rate", type=int, default=50_000)
    options.add_argument("--runs", type=int, default=10_000)
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as work:
        path = work + "/socket"
        server = subprocess.Popen([options.program, "--socket", path, "--store", f"sqlite:{work}/store"],
                                  stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(path) and server.poll() is None:
                time.sleep(0.02)
            client = Client(path)
            begin = time.monotonic()
            client.socket.sendall(lines("start", [{"run": f"run-{i}", "task": "t"} for i in range(options.runs)]))
            client.ask("status", run="run-0")
            print(f"{options.runs} runs started and stored in {time.monotonic() - begin:.1f} s")
            before = processor_s(server)
            waits = sorted(paced(client, options.seconds, options.runs, options.rate))
            each = (processor_s(server) - before) / (options.seconds * options.rate)
            print(f"{options.rate} a second, for {options.seconds} s: answered behind them after "
                  f"{waits[len(waits) // 2] * 1e3:.0f} ms (median), {waits[-1] * 1e3:.0f} ms (worst); "
                  f"{each * 1e6:.1f} us of the server's processor each, {memory_mb(server)} MB")
            many = 5 * options.rate
            text = observations(many, options.runs, options.seconds * options.rate // 2)
            begin = time.monotonic()
            client.socket.sendall(text)
            client.ask("status", run="run-0")
            print(f"as fast as it takes them: {many / (time.monotonic() - begin):.0f} a second")
            print("load of the machine: " + pathlib.Path("/proc/loadavg").read_text().split()[0])
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
