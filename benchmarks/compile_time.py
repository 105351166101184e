#!/usr/bin/env python3
"""What it costs to compile a program that uses heeler, next to other header-only libraries.

Compiles the README's first program (header-only; as the source that holds the implementation, and as one that declares;
against the compiled library, with the library's own sources apart), spdlog's hello and nlohmann's, in turn, and keeps the minimum of each: processor time and peak memory of
the compiler. The ratio is to nlohmann's. Budgets are compared, not enforced: the status is 0 unless something does not
compile.

    benchmarks/compile_time.py [--rounds N] [--cxx g++] [--only TEXT]
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

SPDLOG = """#include <spdlog/spdlog.h>
int main() { spdlog::info("Hello, {}!", "world"); }
"""
NLOHMANN = """#include <iostream>
#include <nlohmann/json.hpp>
int main() { std::cout << nlohmann::json::parse(R"({"name": "nightly", "steps": [1, 2, 3]})").dump(2) << "\\n"; }
"""
BASELINE = "nlohmann"
HEADER_ONLY = "heeler, header-only"
IMPLEMENTED = "heeler, implementation"
DECLARED = "heeler, declarations"
COMPILED = "heeler, compiled"
OWN_SOURCES = "heeler, compiled: sources"
LEVELS = ("-O0", "-O2")

# At most so many times the baseline, and at most so many MB; None: for information.
RATIOS = {
    (HEADER_ONLY, "-O0"): 3.5,
    (HEADER_ONLY, "-O2"): 6.0,
    (COMPILED, "-O0"): 0.8,
    (COMPILED, "-O2"): 0.8,
}
MEGABYTES = {COMPILED: 300}


class DoesNotCompile(Exception):
    pass


def first_program():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(r"```cpp\n(.*?)```", text, re.S).group(1)


def compile_once(command):
    """Seconds of processor time and megabytes at the peak, of the compiler and all that it starts."""
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            output.seek(0)
            raise DoesNotCompile(" ".join(command) + "\n" + output.read().decode(errors="replace")[:4000])
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


class Row:
    """Sources that are compiled one after the other."""

    def __init__(self, name, sources, flags=()):
        self.name = name
        self.sources = sources
        self.flags = list(flags)
        self.least = {}

    def measure(self, cxx, level, to):
        for source in self.sources:
            command = [cxx, "-std=c++20", level, *self.flags, "-c", str(source), "-o", to]
            seconds, peak = compile_once(command)
            before = self.least.get((level, source), (seconds, peak))
            self.least[level, source] = (min(before[0], seconds), min(before[1], peak))

    def seconds(self, level):
        return sum(self.least[level, source][0] for source in self.sources)

    def megabytes(self, level):
        return max(self.least[level, source][1] for source in self.sources)


def rows_in(folder, cxx):
    def program(name, text):
        source = folder / (name + ".cpp")
        source.write_text(text, encoding="utf-8")
        return source

    def is_there(header):
        found = subprocess.run([cxx, "-E", "-x", "c++", "-"], input=f"#if !__has_include(<{header}>)\n#error\n#endif\n",
                               text=True, capture_output=True)
        return found.returncode == 0

    include = f"-I{ROOT / 'include'}"
    quickstart = program("quickstart", first_program())
    compiled = sorted((ROOT / "include/heeler/compiled").glob("*.cpp"))
    rows = [Row(HEADER_ONLY, [quickstart], [include]),
            Row(IMPLEMENTED, [quickstart], [include, "-DHEELER_IMPLEMENTATION"]),
            Row(DECLARED, [quickstart], [include, "-DHEELER_DECLARATIONS"]),
            Row(COMPILED, [quickstart], [include, "-DHEELER_COMPILED"]),
            Row(OWN_SOURCES, compiled, [include, "-DHEELER_COMPILED"])]
    for name, header, package, text in (("spdlog", "spdlog/spdlog.h", "libspdlog-dev", SPDLOG),
                                        (BASELINE, "nlohmann/json.hpp", "nlohmann-json3-dev", NLOHMANN)):
        if is_there(header):
            rows.append(Row(name, [program(name, text)]))
        else:
            print(f"left out: {name}, for <{header}> is not installed ({package})")
    return rows


def show(rows):
    def line(*cells):
        print("{:<26} | {:>5} | {:>8} | {:>6} | {:>6} | {:>5} | {:>7} | {:>6} | {}".format(*cells).rstrip())

    baseline = next((row for row in rows if row.name == BASELINE), None)
    line("compiled", "level", "CPU s", "ratio", "budget", "holds", "peak MB", "budget", "holds")
    for level in LEVELS:
        for row in rows:
            ratio = row.seconds(level) / baseline.seconds(level) if baseline else None
            most = RATIOS.get((row.name, level))
            room = MEGABYTES.get(row.name)
            line(row.name, level, f"{row.seconds(level):.2f}", f"{ratio:.2f}" if ratio else "-", most or "-",
                 "-" if not most or not ratio else "yes" if ratio <= most else "NO", f"{row.megabytes(level):.0f}",
                 room or "-", "-" if not room else "yes" if row.megabytes(level) <= room else "NO")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=5, help="how often each is compiled (5)")
    options.add_argument("--cxx", default="g++", help="the compiler (g++)")
    options.add_argument("--only", default="", help="only what has this in its name; and the baseline")
    asked = options.parse_args()
    os.environ["CCACHE_DISABLE"] = "1"
    with tempfile.TemporaryDirectory(prefix="heeler-compile-time-") as folder:
        rows = [row for row in rows_in(pathlib.Path(folder), asked.cxx) if asked.only in row.name or row.name == BASELINE]
        broken = set()
        for _ in range(max(asked.rounds, 1)):
            for level in LEVELS:
                for row in rows:
                    try:
                        if row not in broken:
                            row.measure(asked.cxx, level, os.path.join(folder, "object.o"))
                    except DoesNotCompile as problem:
                        print(f"left out: {row.name}, for this does not compile: {problem}", flush=True)
                        broken.add(row)
    show([row for row in rows if row not in broken])
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
