#!/usr/bin/env bash
# Installs what the tests need, builds, and runs all tests.
#   tests/run.sh           with GCC: scenarios (on SQLite; on PostgreSQL those that are about what is stored; some to
#                          heeler-serve), killed watchdogs, 10,000 simulated worlds, programs and tools, what must not
#                          compile, the installed package; unit tests under the address and undefined-behaviour sanitizers,
#                          but for those of engine, trees and stores that start threads, which run under the thread
#                          sanitizer; fuzz targets for 1 s each; layout of the sources; the model of the protocol
#                          (tests/model), if Spin is there
#   tests/run.sh --full    also unit tests and scenarios in memory with GCC, all scenarios on PostgreSQL and to heeler-serve,
#                          each twice; scenarios, programs, tools and what starts threads under the address sanitizer, all
#                          tests of engine, trees and stores under the thread sanitizer; all with Clang, each source by
#                          itself, and in Release; each benchmark once; packages in every way, with channels and contract
#                          suites, the wheel with agent frameworks, what must not compile with Clang, other compilers, each
#                          header by itself, Doxygen, fuzzing for 60 s each, 10,000 runs under several watchdogs, watchdogs
#                          killed twice, at every pair of points, a million cycles of a monitor, the larger model, and a
#                          million simulated worlds (HEELER_WORLDS: so many)
# HEELER_JOBS sets how many compilers run at once (default: one per processor).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

full=no
case "${1-}" in
    "") ;;
    --full) full=yes ;;
    -h | --help)
        sed -n '2,17s/^# \{0,1\}//p' "tests/run.sh"
        exit 0
        ;;
    *)
        echo "tests/run.sh: unknown argument '$1' (known: --full)" >&2
        exit 2
        ;;
esac

jobs=${HEELER_JOBS:-$(nproc)}
# A compiler cache that knows nothing yet would read every source twice: once to find out what it includes. The compiler says so.
export CCACHE_DEPEND=${CCACHE_DEPEND:-1}
stage="set-up"
fail() {
    echo "tests/run.sh: FAILED: $stage"
    exit 1
}

heading() {
    stage=$1
    printf '\n== %s (%d min %02d s)\n' "$stage" $((SECONDS / 60)) $((SECONDS % 60))
}

# build PRESET [CMAKE ARGUMENTS...]: configures and builds into build/PRESET.
build() {
    local preset=$1
    shift
    cmake --preset "$preset" "$@" >"build/$preset.configure.log" 2>&1 || {
        cat "build/$preset.configure.log"
        return 1
    }
    "${runner[@]}" "${behind[@]}" cmake --build --preset "$preset" -j "$jobs"
}

heading "set-up"
# shellcheck source=cmake/setup.sh
. cmake/setup.sh
heeler_setup "$([ "$full" = yes ] && echo full || echo test)" || fail
mkdir -p build
# What is skipped is always said. Where packages are installed it is a failure, but for a browser that a distribution lacks.
may_be_skipped=
if [ -z "$(heeler_offered_version chromium-driver)" ]; then
    echo "WARNING: this distribution has no package chromium-driver: tests that look at pages with a browser may be skipped"
    may_be_skipped='example\.(replay_page|task_tree_browser)$'
fi
command -v apt-get >/dev/null || may_be_skipped=.

# Clang's thread sanitizer before version 18 cannot run where the kernel randomises addresses by more than 28 bits.
runner=()
if [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -gt 28 ] && setarch "$(uname -m)" -R true 2>/dev/null; then
    runner=(setarch "$(uname -m)" -R)
fi

behind=()
packaging=OFF
headers_alone=OFF
odr=OFF
sanitized_examples=OFF
gcc_topics="contract;crash;sim;support;examples"
gcc_stores="sqlite;postgres"
sanitized_topics="core;text;detect;recover;tree;alert;settings;run;storage;explain;effects;cycle;engine;posix;clock;store;notify;agent;source;report;testing"
sanitized_c=OFF
threads_apart=ON
benchmarks=OFF
all_on_postgres=OFF
# Lines of what lies on the stack cost an eighth of a compiler's time; the functions are named without. What happens between
# threads may never happen again, and keeps them.
asan_lines=-g0
fuzz_seconds=1
fuzz_flags=-O0 # which take half of the time to compile; in a second it is the corpus that finds something
conan=
if [ "$full" = yes ]; then
    packaging=ON
    headers_alone=ON
    odr=ON
    sanitized_examples=ON
    gcc_topics=
    sanitized_topics=
    gcc_stores=
    sanitized_c=ON
    threads_apart=OFF
    benchmarks=ON
    all_on_postgres=ON
    asan_lines=-g1
    fuzz_seconds=60
    fuzz_flags=-O1
    conan=$(command -v conan || true)
    if [ -z "$conan" ] && python3 -m venv build/conan >/dev/null 2>&1 && build/conan/bin/pip install -q conan==2.34.0; then
        conan=$PWD/build/conan/bin/conan
    fi
    # Agent frameworks, for the adapters to them, and what looks at types and the wheel; without a network their tests are skipped.
    if python3 -m venv build/adapters >/dev/null 2>&1 && build/adapters/bin/pip install -q -r tests/examples/serve_adapters.txt; then
        export HEELER_ADAPTERS=$PWD/build/adapters/bin/python
    fi
fi
builds=(asan tsan)

heading "build with GCC"
build dev -DCMAKE_CXX_COMPILER=g++ -DCMAKE_CXX_FLAGS_DEBUG=-g0 -DHEELER_TEST_PACKAGING=$packaging \
    -DHEELER_TEST_HEADERS_ALONE=$headers_alone "-DHEELER_TEST_TOPICS=$gcc_topics" "-DHEELER_SCENARIO_STORES=$gcc_stores" \
    -DHEELER_SCENARIOS_ALL_ON_POSTGRES=$all_on_postgres -DHEELER_BUILD_BENCHMARKS=$benchmarks ${conan:+-DHEELER_CONAN="$conan"} || fail

# What this build tests waits for agents, disks and servers much of its time: it goes on beside the next builds, which stand
# behind it. Scripts and real agents come first, and before what computes: some of them live by the real clock.
played_longer='^crash\.|whichever statement|meet anything|hundred thousand children|^model\.(holds|lives)'
by_the_clock='^examples?\.'
beside() {
    local run=(ctest --output-on-failure --no-tests=error -j "$((3 * jobs))" --test-dir)
    if [ "$full" = no ]; then
        nice -n 10 "${run[@]}" build/dev -E "$by_the_clock|^compile_fail\..*\.clang$" >build/all/computing.log 2>&1 &
        local computing=$! status=0
        "${run[@]}" build/all/clock -R "$by_the_clock" || status=$?
        wait "$computing" || status=$?
        cat build/all/computing.log
        return "$status"
    fi
    export HEELER_SCENARIOS_ALL=1 HEELER_MONITOR_CYCLES=100 # but not under a sanitizer, where each restart takes ten times as long
    "${run[@]}" build/dev -R "$by_the_clock" || return
    HEELER_CRASH_ALL=1 HEELER_MODEL_ALL=1 "${run[@]}" build/dev -R "$played_longer" || return
    "${run[@]}" build/dev -E "$by_the_clock|$played_longer"
}
if [ "$full" = yes ]; then
    heading "build the wheel"
    HEELER_WHEEL=$(HEELER_JOBS=$jobs python3 examples/python/build_wheel.py build/wheel) || fail
    export HEELER_WHEEL
fi

mkdir -p build/all/clock # a directory of its own for the notes of a second ctest
echo "subdirs(\"$PWD/build/dev\")" >build/all/clock/CTestTestfile.cmake
beside >build/all/beside.log 2>&1 &
beside=$!
worlds=
trap 'kill $beside $worlds 2>/dev/null || true' EXIT
behind=(nice -n 19)

if [ "$full" = yes ]; then
    heading "build in Release, with the benchmarks"
    build release -DHEELER_BUILD_TESTS=ON -DHEELER_TEST_HEADERS_ALONE=OFF -DHEELER_TEST_BY_FILE=ON -DHEELER_TEST_PREFIX=release. || fail

    # They compute in whatever time all that follows leaves: tests that wait leave half of it.
    chrt --idle 0 build/release/tests/heeler_sim_worlds 1 "${HEELER_WORLDS:-1000000}" "$jobs" >build/all/worlds.log 2>&1 &
    worlds=$!
fi

heading "build with the address and undefined-behaviour sanitizers"
build asan "-DCMAKE_CXX_FLAGS_DEBUG=-O0 $asan_lines" -DHEELER_FUZZ_SECONDS=$fuzz_seconds -DHEELER_FUZZ_FLAGS=$fuzz_flags \
    -DHEELER_BUILD_EXAMPLES=$sanitized_examples \
    "-DHEELER_TEST_TOPICS=$sanitized_topics" -DHEELER_WITH_C=$sanitized_c \
    -DHEELER_TEST_ODR=$odr -DHEELER_TEST_NO_THREADS=$threads_apart -DHEELER_TEST_BY_FILE=ON || fail

heading "build what starts threads, of engine, trees and stores, with the thread sanitizer"
build tsan -DHEELER_WITH_C=$sanitized_c -DHEELER_TEST_ONLY_THREADS=$threads_apart -DHEELER_TEST_BY_FILE=ON || fail

if [ "$full" = yes ]; then
    # All tests of a build with Clang run with the sanitizers.
    heading "build with Clang, each source by itself"
    build clang -DCMAKE_CXX_FLAGS_DEBUG=-g0 -DHEELER_UNITY=OFF || fail
    builds+=(release)
fi

heading "tests of the build with GCC: beside these builds"
if ! wait "$beside"; then
    cat build/all/beside.log
    fail
fi
beside=
sed -n '/ tests passed/p' build/all/beside.log
bash tests/support/no_skips.sh build/all/beside.log "$may_be_skipped" || fail

heading "tests"
for name in "${builds[@]}"; do
    echo "subdirs(\"$PWD/build/$name\")"
done >build/all/CTestTestfile.cmake
# A stack whose frames outlive their functions costs a quarter of these tests' time.
export ASAN_OPTIONS=detect_odr_violation=2:detect_stack_use_after_return=$([ "$full" = yes ] && echo 1 || echo 0)
export LSAN_OPTIONS=suppressions=$PWD/tests/leaks.txt:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
# What is about sources is the same in each build.
# Most tests wait more than they compute: for a disk, a server, a clock.
"${runner[@]}" ctest --test-dir build/all -E '^release\.(compile_fail|package|sources)\.' -j "$((3 * jobs))" \
    --output-on-failure --no-tests=error | tee build/all/tests.log || fail
bash tests/support/no_skips.sh build/all/tests.log "$may_be_skipped" || fail

if [ "$full" = yes ]; then
    heading "10,000 runs, four watchdogs, one killed, one paused; again on a bad network"
    status=0
    HEELER_BIN=$PWD/build/release/examples bash tests/examples/fleet.sh full || status=$?
    [ $status = 0 ] || [ $status = 77 ] || fail

    heading "loops that are found, and two million healthy events that are none"
    build/release/benchmarks/heeler_detection --generated || fail

    heading "the same worlds, by whatever they were compiled"
    traces=$(for name in dev clang release; do
        "build/$name/tests/heeler_sim_worlds" 1 1000 "$jobs" | tail -1 | sed 's/.* s, //'
    done | sort -u) || true
    echo "$traces"
    [[ $traces = "a promise is broken in 0, traces "???????????????? ]] || fail

    heading "many simulated worlds: what is left of them"
    tail -n 1 -f --pid="$worlds" build/all/worlds.log &
    if ! wait "$worlds"; then # whose first broken one may be hours old
        cat build/all/worlds.log
        fail
    fi
    wait
fi
trap - EXIT
