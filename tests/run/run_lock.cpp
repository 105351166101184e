#include <heeler/run/run_lock.hpp>

#include <mutex>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using heeler::detail::RunLock;

TEST_CASE("one thread at a time holds the lock of a run, and whoever waits gets it", "[run]") {
    RunLock lock;
    int held = 0, together = 0, turns = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int turn = 0; turn < 2'000; ++turn) {
                const std::lock_guard guard{lock};
                if (++held != 1) ++together;
                if (turn % 50 == 0) std::this_thread::yield();  // the others come and wait
                ++turns;
                --held;
            }
        });
    threads.clear();
    CHECK(turns == 8'000);
    CHECK(together == 0);
}
