#!/usr/bin/env bash
# pkg_config.sh COMPILER FOLDER WORK: a program is built with what pkg-config says of an installed heeler, and of each adapter that
# was installed.
set -euo pipefail
compiler=$1 work=$3
export PKG_CONFIG_PATH=$2
here=$(dirname "${BASH_SOURCE[0]}")
# build PACKAGE SOURCE...: with the flags of the package, which may hold quoted spaces.
build() {
    local package=$1 flags
    shift
    eval "flags=($(pkg-config --cflags --libs "$package"))"
    "$compiler" -std=c++20 "$@" "${flags[@]}" -pthread -o "$work/$package"
    "$work/$package"
    echo "$package $(pkg-config --modversion "$package"): ok"
}
build heeler "$here/main.cpp" "$here/rules.cpp"
if pkg-config --exists heeler-sqlite; then
    build heeler-sqlite "$here/stored.cpp"
fi
if pkg-config --exists heeler-c; then
    eval "flags=($(pkg-config --cflags --libs heeler-c))"
    "$compiler" -x c -std=c99 "$here/c/main.c" -x none "${flags[@]}" -o "$work/heeler-c"
    libraries=$(pkg-config --variable=libdir heeler-c)
    LD_LIBRARY_PATH=${libraries//\\ / } "$work/heeler-c"
fi
