#!/usr/bin/env python3
"""What a million runs that are over cost a watchdog that begins on their SQLite file, and each of its cycles.

Makes one run with heeler-replay, copies its rows so often, and compares the file with that of the one run: how long a
replay of a fresh run takes, with one cycle and with many. Prints figures; nothing is judged.

    benchmarks/ended_runs.py [--program heeler-replay] [--runs 1000000] [--cycles 200]
"""
import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import time

COPIED = {"runs": "id", "run_parts": "run", "checkpoints": "run", "audit": "run"}


def scenario(path, run, cycles, ends):
    lines = [{"t": 0, "type": "run", "run": run, "task": "Port the parser", "expected_s": 600, "metric": "files"}]
    for t in range(60, 60 * cycles + 1, 60):
        lines.append({"t": t, "type": "progress", "value": t})
        lines.append({"t": t, "type": "tick"})
    if ends:
        lines.append({"t": 60 * cycles, "type": "checkpoint", "step": 1, "text": "the lexer is done"})
        lines.append({"t": 60 * cycles, "type": "state", "state": "completed"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def replay(program, store, path):
    began = time.monotonic()
    subprocess.run([program, "--preset", "recommended", "--store", f"sqlite:{store}", path], check=True,
                   stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def multiply(store, count):
    """The rows of the one run in it, so often."""
    database = sqlite3.connect(store)
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    database.execute("CREATE TEMP TABLE copies AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                     "WHERE i < ?) SELECT i FROM n", (count,))
    for table, owner in COPIED.items():
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})") if row[1] != "ordinal"]
        values = ", ".join("'ended-' || i" if column == owner else column for column in columns)
        database.execute(f"INSERT INTO {table}({', '.join(columns)}) SELECT {values} FROM temp.copies, "
                         f"(SELECT * FROM {table})")
    database.commit()
    database.close()
    with open(store, "rb") as written:
        os.fsync(written.fileno())  # or the first commit afterwards would wait for all of it


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    built = pathlib.Path(__file__).parent.parent / "build/release/examples/heeler-replay"
    parser.add_argument("--program", default=built)
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--cycles", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        one, many = work / "one.db", work / "many.db"
        scenario(work / "ended.jsonl", "first", 10, True)
        replay(options.program, one, work / "ended.jsonl")
        shutil.copy(one, many)
        multiply(many, options.runs)
        print(f"{options.runs + 1} runs that are over: {os.path.getsize(many) >> 20} MB")
        for cycles in (1, options.cycles):
            spent = {}
            for store in (one, many):
                name = f"{store.stem}-{cycles}"
                scenario(work / "fresh.jsonl", name, cycles, False)
                spent[store] = replay(options.program, store, work / "fresh.jsonl")
            print(f"start, {cycles} cycles, end: {spent[many] * 1000:.0f} ms; with one run that is over "
                  f"{spent[one] * 1000:.0f} ms")


if __name__ == "__main__":
    main()
