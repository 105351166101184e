#include <heeler/effects/store_health.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::House;

namespace {

/// A store that is asked each second, and a watch over it.
struct AilingStore : House {
    detail::StoreHealth health;
    RunHandle of = stored(rooms::bare_class());

    std::string after(Duration length) {
        clock.advance(length);
        (void)ledger.commit_one(of, at(of), now());
        CycleReport report;
        health.look(ledger, courier, settings, now());
        courier.tell(now(), report);
        std::string told;
        for (const auto& event : bench::all_of<AlertEvent>(report)) told += event.row.alert.kind + " ";
        return told;
    }
};

}  // namespace

TEST_CASE("people hear of a store that is down after a minute, again after hours, and when it works", "[effects]") {
    AilingStore store;
    store.store.fail(StoreOperation::commit, ErrorCode::full);
    CHECK(store.after(1s).empty());
    CHECK(store.after(59s).empty());
    CHECK(store.after(1s) == "watchdog.store_down ");
    CHECK(store.after(1h).empty());
    CHECK(store.after(3h) == "watchdog.store_down ");
    store.store.heal();
    CHECK(store.after(1s) == "watchdog.store_up ");
    CHECK(store.after(1h).empty());
    const auto sent = store.notifier.delivered();
    REQUIRE(sent.size() == 3);
    CHECK(sent[0].key != sent[1].key);
    CHECK_THAT(sent[0].summary, ContainsSubstring("nothing is done to any run"));
}

TEST_CASE("a message about the store that nobody heard is said again, and what was never heard is not ended",
          "[effects]") {
    AilingStore store;
    store.store.fail(StoreOperation::commit, ErrorCode::full);
    (void)store.after(1s);
    SECTION("it is tried again soon") {
        store.notifier.answer_with({Delivery::no_recipient, Delivery::ok});
        CHECK(store.after(60s).empty());
        CHECK(store.after(1s) == "watchdog.store_down ");
        store.notifier.answer_with({Delivery::fail, Delivery::ok});
        store.store.heal();
        CHECK(store.after(1s).empty());
        CHECK(store.after(1s) == "watchdog.store_up ");
    }
    SECTION("nobody heard it") {
        store.notifier.answer_with({Delivery::fail});
        CHECK(store.after(60s).empty());
        CHECK(store.after(1s).empty());
        store.store.heal();
        CHECK(store.after(1h).empty());
        CHECK(store.notifier.delivered().empty());
        // The next outage is a new one.
        store.store.fail(StoreOperation::commit, ErrorCode::full);
        store.notifier.answer_with({});
        (void)store.after(1s);
        CHECK(store.after(60s) == "watchdog.store_down ");
    }
    SECTION("somebody heard the first one, but not the next") {
        CHECK(store.after(60s) == "watchdog.store_down ");
        store.notifier.answer_with({Delivery::fail});
        CHECK(store.after(4h).empty());
        store.store.heal();
        store.notifier.answer_with({});
        CHECK(store.after(1s) == "watchdog.store_up ");
        CHECK(store.after(1h).empty());
    }
}

TEST_CASE("two watchdogs that lose their store at one moment say so under a key each", "[effects]") {
    std::string keys[2];
    for (std::string& key : keys) {
        AilingStore store;
        store.settings.holder = &key == keys ? "dog-a" : "dog-b";
        store.store.fail(StoreOperation::commit, ErrorCode::full);
        (void)store.after(1s);
        (void)store.after(60s);
        REQUIRE(store.notifier.delivered().size() == 1);
        key = store.notifier.delivered().front().key;
    }
    CHECK(keys[0] != keys[1]);
}
