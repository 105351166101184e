#include <heeler/effects/courier.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::House;

namespace {

/// A watchdog among several; `dog` was lost and had three runs.
struct Post : House {
    Lease dog;

    Post() {
        settings.holder = "cat";
        const auto lease = memory.claim({"dog\x01", "d"}, 1s);
        CHECK_FALSE(lease);
        dog = *memory.claim({"dog", "d"}, 1s);
        for (const char* run : {"a", "b", "c"}) {
            Batch batch;
            batch.lease = dog;
            batch.runs.emplace_back().row.id = run;
            batch.runs[0].row.holder = "dog";
            batch.runs[0].row.epoch = dog.epoch;
            CHECK(memory.commit(batch)->empty());
        }
        renew();
        memory.let_pass(2s);
    }
    void renew() { REQUIRE(ledger.renew("cat", 1min, now())); }
    /// What the store says that this one is to tell.
    void claim() {
        const auto claimed = ledger.claim_runs({}, now());
        REQUIRE(claimed);
        for (const LostHolder& lost : claimed->lost) courier.found(lost, now());
    }
    std::string tell() {
        CycleReport report;
        courier.tell(now(), report);
        std::string told;
        for (const auto& event : bench::all_of<AlertEvent>(report)) told += event.row.alert.summary + "|";
        return told;
    }
    [[nodiscard]] std::size_t records() { return history("").audit.size(); }
};

}  // namespace

TEST_CASE("a lost holder is on record once, and told until somebody heard it", "[effects]") {
    Post post;
    CHECK_FALSE(post.courier.next());
    post.claim();
    CHECK(post.courier.next() == post.now().wall);

    post.notifier.answer_with({Delivery::fail, Delivery::ok});
    CHECK(post.tell().empty());
    CHECK(post.records() == 1);
    CHECK(post.history("").audit[0].kind == "orchestrator.lost");
    CHECK(post.courier.next() == post.now().wall + 1s);
    CHECK(post.tell().empty());
    CHECK(post.notifier.sent().size() == 1);
    post.clock.advance(1s);
    CHECK_THAT(post.tell(), ContainsSubstring("`dog`") && ContainsSubstring("it held 3 runs"));
    CHECK_FALSE(post.courier.next());
    CHECK(post.records() == 1);
    const auto sent = post.notifier.sent();
    REQUIRE(sent.size() == 2);
    CHECK((sent[0].alert.key == sent[1].alert.key && sent[1].alert.attempt == 2));
    CHECK(sent[0].alert.severity == Severity::critical);
    post.claim();
    CHECK(post.tell().empty());
}

TEST_CASE("that a clock was set a day ahead makes nobody give up on telling of a lost holder", "[effects]") {
    Post post;
    post.claim();
    post.notifier.answer_with({Delivery::fail, Delivery::fail, Delivery::ok});
    CHECK(post.tell().empty());
    post.clock.step_wall(25h);
    CHECK(post.tell().empty());
    post.clock.advance(10s);
    CHECK_THAT(post.tell(), ContainsSubstring("`dog`"));
}

TEST_CASE("what the store does not know to be told is told under the same key by the next one", "[effects]") {
    Post post;
    post.claim();
    post.store.fail(StoreOperation::commit, ErrorCode::io);
    CHECK_THAT(post.tell(), ContainsSubstring("`dog`"));
    CHECK(post.tell().empty());
    const Lease next = *post.memory.claim({"next", "n"}, 1min);
    post.memory.let_pass(90s);
    Claim claim;
    claim.lease = next;
    const auto claimed = post.memory.claim_runs(claim);
    REQUIRE(claimed);
    REQUIRE(claimed->lost.size() == 2);
    CHECK((claimed->lost[0].name == "dog" && claimed->lost[0].runs == 3 && claimed->lost[0].epoch == post.dog.epoch));
    CHECK(claimed->lost[1].name == "cat");
    CHECK_THAT(post.notifier.sent()[0].alert.key, ContainsSubstring("dog." + std::to_string(post.dog.epoch)));
}

TEST_CASE("under another lease a lost holder is told of only if the store says so anew", "[effects]") {
    Post post;
    post.claim();
    const bool again = GENERATE(false, true);
    REQUIRE(post.memory.release(post.held_lease.lease()));
    if (!again) {
        Claim claim;
        claim.lease = *post.memory.claim({"next", "n"}, 1h);
        REQUIRE(post.memory.claim_runs(claim));
    }
    post.held_lease.start_over();
    CHECK(post.tell().empty());
    CHECK(post.courier.next());
    post.renew();
    post.claim();
    CHECK(post.tell().empty() == !again);
    CHECK_FALSE(post.courier.next());
    CHECK(post.notifier.sent().size() == (again ? 1 : 0));
}

TEST_CASE("several lost holders are told each", "[effects]") {
    Post post;
    REQUIRE(post.memory.claim({"emu", "e"}, 10ms));
    post.memory.let_pass(1s);
    post.claim();
    CHECK_THAT(post.tell(), ContainsSubstring("`dog`") && ContainsSubstring("`emu`"));
    CHECK(post.notifier.sent().size() == 2);
}

TEST_CASE("what is withdrawn is not said, unless it is being sent", "[effects]") {
    House house;
    const AlertRow row = alert_row(AlertKind::store_down, "k", Severity::critical, "", house.now().wall);
    bool heard = false;
    house.courier.say(row, &heard);
    CHECK(house.courier.withdraw(AlertKind::store_up));
    CHECK(house.courier.next());
    CycleReport report;
    SECTION("before it was tried") {}
    SECTION("after it failed") {
        house.notifier.answer_with({Delivery::fail});
        house.courier.tell(house.now(), report);
        CHECK(house.notifier.sent().size() == 1);
    }
    CHECK(house.courier.withdraw(AlertKind::store_down));
    house.clock.advance(1h);
    house.courier.tell(house.now(), report);
    CHECK_FALSE(house.courier.next());
    CHECK(house.notifier.delivered().empty());
    CHECK_FALSE(heard);
}
