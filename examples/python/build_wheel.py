#!/usr/bin/env python3
"""build_wheel.py [DIRECTORY]: builds a wheel that brings heeler-serve, in DIRECTORY (build/wheel), and prints its path.

Only what every Linux has is left to the machine that it is installed on: the C and C++ libraries, as new as those here.
SQLite is linked into the program, libcurl is loaded from the machine if there is one, PostgreSQL is left out.
HEELER_JOBS sets how many compilers run at once.
"""
import base64
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

#: What a wheel for manylinux may ask for (PEP 600), of what a C++ program does.
OF_THE_MACHINE = re.compile(r"(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)|ld-linux[-\w]*)\.so\.\d+$")
#: Where a distribution has it as a shared library alone, it is brought along.
BROUGHT = re.compile(r"libsimdjson\.so\.\d+$")


def run(*command: object) -> str:
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True).stdout


def build_program(build: pathlib.Path) -> pathlib.Path:
    """heeler-serve with as little as can be left to the machine."""
    build.mkdir(parents=True, exist_ok=True)
    shim = build / "libcurl_if_there.a"
    compiler = os.environ.get("CC", "cc")
    run(compiler, "-O2", "-Wall", "-Werror", "-c", HERE / "wheel/libcurl_if_there.c", "-o", build / "shim.o")
    run("ar", "rcs", shim, build / "shim.o")
    sqlite = run(compiler, "-print-file-name=libsqlite3.a").strip()
    if not os.path.isabs(sqlite):
        sys.exit("build_wheel.py: there is no libsqlite3.a; install libsqlite3-dev or its like")
    log = build / "build.log"
    with log.open("w") as out:
        for command in (
                ["cmake", "--preset", "demo", "-B", build / "cmake", "-DHEELER_WITH_POSTGRES=OFF", "-DHEELER_TOOLS=serve",
                 "-DHEELER_FMT_HEADER_ONLY=ON", f"-DSQLite3_LIBRARY={sqlite}", f"-DCURL_LIBRARY={shim}",
                 "-DCURL_NO_CURL_CMAKE=ON", "-DCMAKE_SKIP_RPATH=ON", "-DCMAKE_EXE_LINKER_FLAGS=-s -Wl,-rpath,'$ORIGIN'"],
                ["cmake", "--build", build / "cmake", "--target", "heeler-serve", "-j",
                 os.environ.get("HEELER_JOBS", str(os.cpu_count()))]):
            done = subprocess.run([str(part) for part in command], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                sys.exit(log.read_text() + "build_wheel.py: heeler-serve was not built")
    return build / "cmake/examples/heeler-serve"


def brought_libraries(program: pathlib.Path) -> "list[pathlib.Path]":
    """The shared libraries to put beside the program. Ends with what cannot be left to the machine."""
    where = dict(re.findall(r"(\S+) => (/\S+)", run("ldd", program)))
    brought = []
    for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", program)):
        if BROUGHT.match(needed):
            brought.append(pathlib.Path(where[needed]))
        elif not OF_THE_MACHINE.match(needed):
            sys.exit(f"build_wheel.py: heeler-serve needs {needed}, which is not on every machine; link it statically")
    return brought


def platform_tag() -> str:
    name, version = platform.libc_ver()
    if name != "glibc" or sys.platform != "linux":
        sys.exit("build_wheel.py: wheels are built on Linux with glibc")
    return f"manylinux_{version.replace('.', '_')}_{platform.machine()}"


def write_wheel(directory: pathlib.Path, files: "dict[str, bytes]", programs: "set[str]") -> pathlib.Path:
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    stem = f"{project['name']}-{project['version']}"
    info, tag = f"{stem}.dist-info", f"py3-none-{platform_tag()}"
    files = dict(files)
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        f"Summary: {project['description']}\nLicense: {project['license']['text']}\n"
        f"Requires-Python: {project['requires-python']}\nDescription-Content-Type: text/markdown\n\n"
        + (HERE / "README.md").read_text()).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: heeler\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = directory / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)  # its date is the same each time
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name in programs else 0o100644) << 16
            wheel.writestr(entry, content)
    return path


def main() -> None:
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1] if sys.argv[1:] else ROOT / "build/wheel").resolve()
    program = build_program(directory)
    files = {f"heeler/{each.name}": each.read_bytes() for each in sorted((HERE / "heeler").iterdir()) if each.is_file()}
    carried = [program, *brought_libraries(program)]
    files.update({f"heeler/bin/{each.name}": each.read_bytes() for each in carried})
    print(write_wheel(directory, files, {f"heeler/bin/{each.name}" for each in carried}))


if __name__ == "__main__":
    main()
