#!/usr/bin/env bash
# pkg_config.sh COMPILER FOLDER WORK [PACKAGE...]: programs are built with what pkg-config says of these packages; without any, of
# an installed heeler and of what was installed with it.
set -euo pipefail
compiler=$1 work=$3
export PKG_CONFIG_PATH=$2
shift 3
here=$(dirname "${BASH_SOURCE[0]}")
# build PACKAGE SOURCE...: with the flags of the package, which may hold quoted spaces.
build() {
    local package=$1 flags libraries
    shift
    eval "flags=($(pkg-config --cflags --libs "$package"))"
    "$compiler" "$@" "${flags[@]}" -pthread -o "$work/$package"
    libraries=$(pkg-config --variable=libdir "$package")
    LD_LIBRARY_PATH=${libraries//\\ / } "$work/$package"
    echo "$package $(pkg-config --modversion "$package"): ok"
}
if [ $# = 0 ]; then
    set -- heeler
    for package in heeler-sqlite heeler-c; do
        if pkg-config --exists "$package"; then
            set -- "$@" "$package"
        fi
    done
fi
for package; do
    case $package in
        heeler) build heeler -std=c++20 "$here/main.cpp" "$here/rules.cpp" ;;
        heeler-sqlite) build heeler-sqlite -std=c++20 "$here/stored.cpp" ;;
        heeler-c) build heeler-c -x c -std=c99 "$here/c/main.c" -x none ;;
    esac
done
