// Watches of task trees that several threads use at once.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tree/watch/trees.hpp"

using namespace trees;

TEST_CASE("twelve who arm a node at once make one watch [A-92][M-141]") {
    Forest f;
    std::atomic<int> armed{0};
    std::vector<std::thread> threads;
    std::atomic<int> ready{0};
    for (int i = 0; i < 12; ++i)
        threads.emplace_back([&] {
            for (++ready; ready < 12;) std::this_thread::yield();
            armed += f.watch->arm(config("A"), ada).has_value() ? 1 : 0;
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(armed == 12);
    CHECK(f.status().active);
    CHECK(f.status().revision == 1);
    CHECK(f.audited("issue.watchdog_created") == 1);
    CHECK(f.audited("issue.watchdog_updated") == 0);
    CHECK(f.memory.load()->runs.size() == 1);
    f.restart();
    CHECK(f.minute().acted == 1);
    CHECK(f.effects(TreeVerb::wake) == 1);
}

TEST_CASE("the guard answers while others tick, arm and change the tree [M-168]") {
    Forest f;
    f.begin_review();
    const BatchRequest batch{"ag-w", "r-1", "q", {mutation("arm", "B")}};
    std::atomic<bool> over{false};
    std::atomic<int> wrong{0}, allowed{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            for (int n = 0; n < 150; ++n) {
                if (f.watch->check(mutation("comment", "elsewhere")).allowed) ++wrong;
                if (f.watch->check(mutation("comment", "B")).allowed) ++allowed;
                if (i == 0 && f.watch->batch(batch).allowed) ++wrong;
                if (i == 1) (void)f.watch->arm(config("C"), ada);
                if (i == 2) (void)f.watch->disarm(ref("C"), ada);
                if (i == 3) (void)f.watch->status(ref("A"));
            }
        });
    std::thread ticker{[&] {
        for (int n = 0; !over; ++n) {
            f.clock.advance(61s);
            (void)f.dog->cycle(n % 2 == 0 ? TickCause::period : TickCause::on_demand);
            f.tree.edit(ref("B"), [&](TreeNode& b) { b.title = std::to_string(n); });
            (void)f.watch->take_scanned();
        }
    }};
    for (std::thread& thread : threads) thread.join();
    over = true;
    ticker.join();
    CHECK(wrong == 0);
    CHECK(allowed == 600);
    CHECK(f.status().triggers == 1);
}
