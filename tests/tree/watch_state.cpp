#include <heeler/tree/watch_state.hpp>

#include <string>

#include <heeler/tree/encoding.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("what would change nothing is known before it is stored [M-141][M-144]") {
    WatchState state;
    WatchChange change{{"co-1", "A", "ag-w", {}}, true, false, {}};
    CHECK(changes_anything(state, change));
    change.arms = false;
    CHECK_FALSE(changes_anything(state, change));
    state.active = true;
    CHECK(changes_anything(state, change));
    change.arms = true;
    state.config = change.config;
    CHECK_FALSE(changes_anything(state, change));
    change.config.instructions = "look twice";
    CHECK(changes_anything(state, change));
    change.config = state.config;
    state.escalated = true;
    CHECK_FALSE(changes_anything(state, change));
    change.by_person = true;
    CHECK(changes_anything(state, change));
}

TEST_CASE("wakes are counted by the first bits of a fingerprint") {
    CHECK(detail::short_of("task_watchdog_stop:0123456789abcdef00") == 0x0123456789abcdefu);
    CHECK(detail::short_of("task_watchdog_stop:ffffffffffffffff") == 0xffffffffffffffffu);
    CHECK(detail::short_of("task_watchdog_stop:") == 0);
    CHECK(detail::short_of("") == 0);
    WatchState state;
    CHECK(state.times_woken(7) == 0);
    state.woken = {{7, 3}, {8, 1}};
    CHECK(state.times_woken(7) == 3);
}

TEST_CASE("a look with a verdict that does not exist is none") {
    TreeLook look;
    look.verdict = TreeVerdict::review_live;
    look.due = TreeDue::wake;
    CHECK(decoded<TreeLook>(encoded(look)));
    look.verdict = static_cast<TreeVerdict>(200);
    CHECK_FALSE(decoded<TreeLook>(encoded(look)));
    look.verdict = TreeVerdict::review_live;
    look.due = static_cast<TreeDue>(9);
    CHECK_FALSE(decoded<TreeLook>(encoded(look)));
}
