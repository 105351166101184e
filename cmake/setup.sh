# shellcheck shell=bash
# Installs the packages that are missing, and nothing else. Source it, then call
#   heeler_setup run     to build and use the programs
#   heeler_setup test    to run tests/run.sh as well
#   heeler_setup full    to run tests/run.sh --full
# Knows Debian 12 and later and Ubuntu 24.04 and later. Needs root (or sudo) only if something is missing.

heeler_run_packages=(g++ cmake ninja-build pkg-config git libfmt-dev libexpected-dev libsqlite3-dev libxxhash-dev
                     libsimdjson-dev libpq-dev libcli11-dev zlib1g-dev libcpp-httplib-dev libre2-dev
                     libcurl4-openssl-dev nlohmann-json3-dev)
heeler_test_packages=(catch2 ccache clang curl less libbenchmark-dev lld postgresql python3 spin sqlite3 tmux vim-tiny)
# For the tests that look at pages. Where a distribution has no such package, they are skipped.
heeler_browser_packages=(chromium chromium-driver)
# For tests/run.sh --full: whatever compiler of these a distribution has must take the headers.
heeler_full_packages=(doxygen g++-12 g++-13 g++-14 clang-14 clang-15 clang-16 clang-17 clang-18 clang-19)
# Defines the layout of the sources. Distributions that no longer have it skip that one test.
heeler_formatter=clang-format-14

heeler_is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The version that apt would install; empty if it knows none. A name with "+" that it does not know it takes for a pattern.
heeler_offered_version() {
    apt-cache policy "$1" 2>/dev/null |
        awk -v name="$1:" '/^[^ ]/ {here = $0 == name} here && /Candidate:/ && $2 != "(none)" {print $2}'
}

# The major version of the `clang` package: of the installed one, else of the one that apt would install.
heeler_clang_major() {
    local version
    version=$(dpkg-query -W -f='${Version}' clang 2>/dev/null || true)
    [ -n "$version" ] || version=$(heeler_offered_version clang)
    version=${version#*:}
    printf '%s' "${version%%.*}"
}

# Prints the packages of the set that are not installed.
heeler_missing_packages() {
    local package wanted=("${heeler_run_packages[@]}")
    if [ "$1" != run ]; then
        wanted+=("${heeler_test_packages[@]}")
        local major
        major=$(heeler_clang_major)
        [ -z "$major" ] || wanted+=("libclang-rt-$major-dev")
        [ -z "$(heeler_offered_version "$heeler_formatter")" ] || wanted+=("$heeler_formatter")
        local optional=("${heeler_browser_packages[@]}")
        [ "$1" != full ] || optional+=("${heeler_full_packages[@]}")
        for package in "${optional[@]}"; do
            [ -z "$(heeler_offered_version "$package")" ] || wanted+=("$package")
        done
    fi
    for package in "${wanted[@]}"; do
        heeler_is_installed "$package" || printf '%s\n' "$package"
    done
}

# For systems without apt: says what to install, goes on if the tools are there, and lets CMake find the libraries.
heeler_setup_without_apt() {
    local tool missing=()
    for tool in c++ cmake ninja git; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        echo "heeler: not found: ${missing[*]}. This script installs packages with apt only; install what corresponds to" >&2
        echo "  ${heeler_run_packages[*]}" >&2
        [ "$1" = run ] || echo "  ${heeler_test_packages[*]}" >&2
        return 1
    fi
    echo "heeler: no apt here; going on with what is installed"
}

heeler_setup() {
    local set=$1 missing root=() answer
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        heeler_setup_without_apt "$set"
        return
    fi
    mapfile -t missing < <(heeler_missing_packages "$set")
    [ ${#missing[@]} -gt 0 ] || return 0

    echo "heeler: missing packages: ${missing[*]}"
    if [ "$(id -u)" != 0 ]; then
        if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
            echo "heeler: cannot install them: not root, and sudo is not available. Ask an administrator to run" >&2
            echo "  apt-get install ${missing[*]}" >&2
            return 1
        fi
        root=(sudo)
    fi
    if ! "${root[@]}" apt-get update -q; then
        echo "heeler: 'apt-get update' failed (no network?); trying to install all the same" >&2
    fi
    # Some names are known only now: they depend on the version of clang that apt offers.
    mapfile -t missing < <(heeler_missing_packages "$set")
    echo "heeler: installing ${missing[*]}"
    answer=0
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" ||
        answer=$?
    if [ "$answer" != 0 ]; then
        echo "heeler: apt-get could not install: ${missing[*]}" >&2
        return 1
    fi
}
