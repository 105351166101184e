// What every store that several watchdogs share must do. Call `lease_contract::check<Backend>()` inside a TEST_CASE of
// Catch2. A `Backend` is as in store_contract.hpp; with `pass(Duration)` it moves its clock on instead of waiting.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/list.hpp>
#include <heeler/testing/contract/catch.hpp>
#include <heeler/testing/contract/stored_rows.hpp>

namespace heeler::inline HEELER_ABI::lease_contract {

using namespace std::chrono_literals;
using detail::contains_text;
using store_contract::commit;
using store_contract::history;
using store_contract::new_run;
using store_contract::show;

template <class T>
concept MovesItsClock = requires(T& backend) {
    backend.pass(Duration{});
};

template <class Store>
[[nodiscard]] Lease claim(Store& store, std::string_view holder, std::string_view owner, Duration length = 1min) {
    const auto lease = store.claim({holder, owner}, length);
    if (!lease) FAIL("claim: " << lease.error().message);
    return *lease;
}

/// The same, and the lease has run out when this returns.
template <class Backend, class Store>
Lease let_run_out(Backend& backend, Store& store, std::string_view holder, std::string_view owner) {
    Lease lease = claim(store, holder, owner, 10ms);
    if constexpr (MovesItsClock<Backend>)
        backend.pass(20ms);
    else
        std::this_thread::sleep_for(20ms);
    return lease;
}

[[nodiscard]] inline Claim claim_of(const Lease& lease, std::vector<std::string> classes = {""}) {
    Claim asked;
    asked.lease = lease;
    asked.classes = std::move(classes);
    return asked;
}

template <class Store>
[[nodiscard]] Claimed take(Store& store, const Claim& asked) {
    auto given = store.claim_runs(asked);
    if (!given) FAIL("claim_runs: " << given.error().message);
    return *given;
}

/// What a claim gave: ids with the version and the former holder of each, then `+` if there are more, then who was
/// lost.
[[nodiscard]] inline std::string text_of(const Claimed& given) {
    std::string text;
    for (const StoredRun& run : given.runs)
        text += run.row.id + "." + std::to_string(run.row.version) + " from '" + run.taken_from + "' ";
    if (given.more) text += "+ ";
    for (const LostHolder& lost : given.lost) text += "lost " + lost.name + " with " + std::to_string(lost.runs) + " ";
    return text;
}

template <class Store>
[[nodiscard]] std::string taken(Store& store, const Claim& asked) {
    return text_of(take(store, asked));
}

[[nodiscard]] inline RunBatch run_of(const Lease& lease, std::string id, std::string class_name = "") {
    RunBatch run = new_run(std::move(id));
    run.row.holder = lease.holder;
    run.row.epoch = lease.epoch;
    run.row.class_name = std::move(class_name);
    return run;
}

[[nodiscard]] inline Batch batch_of(const Lease& lease, List<RunBatch> runs) {
    Batch batch;
    batch.lease = lease;
    batch.runs = std::move(runs);
    batch.durable = true;
    return batch;
}

template <class Result>
[[nodiscard]] std::string code(const Result& result) {
    return result ? "ok" : std::string{name_of(result.error().code)};
}

template <class Store>
[[nodiscard]] std::string holders_of(Store& store) {
    const auto rows = store.holders();
    if (!rows) FAIL("holders: " << rows.error().message);
    std::string text;
    for (const HolderRow& row : *rows) {
        CHECK(row.live == (row.left > 0us));
        CHECK(row.left <= 1min);
        text += row.name + "." + std::to_string(row.epoch) + (row.live ? " live " : " lost ");
        text += std::to_string(row.runs) + " ";
    }
    return text;
}

// --- the contract --------------------------------------------------------------------------------------------------

template <class Backend>
void one_owner_at_a_time() {
    Backend backend;
    auto store = backend.open();
    auto other = backend.open();
    const Lease first = claim(store, "dog", "one");
    CHECK((first.holder == "dog" && first.epoch == 1));
    CHECK(claim(store, "dog", "one").epoch == 1);
    CHECK(claim(other, "cat \xc3\xa9", "two").epoch == 1);

    const auto refused = other.claim({"dog", "two"}, 1min);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::busy);
    CHECK_THAT(refused.error().message, contains_text("\"dog\"") && contains_text("\"one\"") && contains_text(" ms") &&
                                            contains_text("give each watchdog its own name"));
    CHECK(commit(store, batch_of(first, {run_of(first, "a")})).empty());

    // It ran out, but nobody took it.
    let_run_out(backend, store, "dog", "one");
    CHECK(commit(store, batch_of(first, {run_of(first, "b")})).empty());
    CHECK(claim(store, "dog", "one").epoch == 1);

    // Another process may have it now, and the first one is late.
    let_run_out(backend, store, "dog", "one");
    const Lease second = claim(other, "dog", "two");
    CHECK(second.epoch == 2);
    CHECK(code(store.claim({"dog", "one"}, 1min)) == "busy");
    CHECK(code(store.commit(batch_of(first, {run_of(first, "c")}))) == "fenced");
    CHECK(code(store.claim_runs(claim_of(first))) == "fenced");
    CHECK(store.release(first));
    CHECK(code(store.claim({"dog", "one"}, 1min)) == "busy");
    CHECK(taken(other, claim_of(second)) == "a.2 from 'dog' b.2 from 'dog' ");
}

template <class Backend>
void takes_over() {
    Backend backend;
    auto one = backend.open();
    auto two = backend.open();
    const Lease cat = claim(two, "cat", "c");
    Lease dog = claim(one, "dog", "d");
    Batch batch = batch_of(dog, {run_of(dog, "a"), run_of(dog, "b"), run_of(dog, "over")});
    batch.runs[2].row.state = RunState::completed;
    batch.mutes = {{"", Condition::loop_detected, 7, "ana", store_contract::at(1)}};
    CHECK(commit(one, batch).empty());
    CHECK(text_of(take(two, claim_of(cat))).empty());
    CHECK(text_of(take(one, claim_of(dog))).empty());
    CHECK(show(take(two, claim_of(cat)).mutes) == show(batch.mutes));
    CHECK(holders_of(one) == "cat.1 live 0 dog.1 live 2 ");

    let_run_out(backend, one, "dog", "d");
    CHECK(holders_of(one) == "cat.1 live 0 dog.1 lost 2 ");
    const auto loaded = store_contract::load(one);
    const Claimed given = take(two, claim_of(cat));
    CHECK(text_of(given) == "a.2 from 'dog' b.2 from 'dog' lost dog with 2 ");
    REQUIRE(given.runs.size() == 2);
    RunRow row = loaded[1].row;
    row.holder = "cat";
    row.version = 2;
    CHECK(show(given.runs[1].row) == show(row));
    CHECK(show(*history(one, "b").row) == show(row));
    CHECK(show(given.mutes) == show(batch.mutes));
    CHECK(text_of(take(two, claim_of(cat))).empty());

    // The late one is told, and nothing of what it does is stored.
    Batch late = batch_of(dog, {run_of(dog, "a"), run_of(dog, "c")});
    late.runs[0].row.version = 2;
    late.decisions = {{0, "a", Verb::ack, {}, "me", store_contract::at(1)}};
    late.audit = {{store_contract::at(1), "kind", "", "{}"}};
    late.mutes = {{"", Condition::loop_detected, 8, "ana", store_contract::at(1)}};
    late.tallies = {{"", Condition::loop_detected, 1, 0}};
    const auto refused = one.commit(late);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::fenced);
    CHECK_THAT(refused.error().message, contains_text("\"dog\" (epoch 1) was taken away"));
    CHECK(code(one.claim_runs(claim_of(dog))) == "fenced");
    CHECK(store_contract::ids(one) == "a b ");
    CHECK(history(one, "a").row->version == 2);
    CHECK(history(one, "").audit.empty());
    CHECK(store_contract::list(one).empty());
    CHECK(store_contract::snapshot_of(one).tallies.empty());
    CHECK(show(store_contract::snapshot_of(one).mutes) == show(batch.mutes));

    // It may come back, but what was taken is not its own any more.
    const Lease again = claim(one, "dog", "d");
    CHECK(again.epoch > dog.epoch);
    CHECK(text_of(take(one, claim_of(again))).empty());
    CHECK(code(one.commit(late)) == "fenced");
    late.lease = again;
    CHECK(commit(one, late).empty());
    late.lease = Lease{};  // nor is a batch without a lease refused
    CHECK(commit(one, late) == Conflicts{"a", "c"});
}

template <class Backend>
void gives_up_in_order() {
    Backend backend;
    auto one = backend.open();
    auto two = backend.open();
    const Lease dog = claim(one, "dog", "d");
    const Lease cat = claim(two, "cat", "c");
    CHECK(commit(one, batch_of(dog, {run_of(dog, "a")})).empty());
    CHECK(one.release(dog));
    CHECK(code(one.commit(batch_of(dog, {run_of(dog, "b")}))) == "fenced");
    CHECK(code(one.claim_runs(claim_of(dog))) == "fenced");
    CHECK(holders_of(one) == "cat.1 live 0 dog.1 lost 1 ");
    CHECK(taken(two, claim_of(cat)) == "a.2 from 'dog' ");  // nobody is missed
    CHECK(claim(one, "dog", "other").epoch == 2);
    CHECK(one.release({"nobody", 3}));
    CHECK(taken(two, claim_of(cat)).empty());
}

template <class Backend>
void gives_what_is_asked_for() {
    Backend backend;
    auto store = backend.open();
    const Lease gone = claim(store, "gone", "g");
    const Lease early = claim(store, "dog", "d");
    CHECK(commit(store, batch_of(gone, {run_of(gone, "g1", "c1"), run_of(gone, "g2", "c2"), run_of(gone, "g3", "c3")}))
              .empty());
    CHECK(commit(store, batch_of(early, {run_of(early, "d1", "c1"), run_of(early, "d2", "c2")})).empty());
    CHECK(commit(store, {run_of({}, "n1", "c1"), run_of({}, "n2", "c2"), run_of({}, "n3", "c3")}).empty());
    CHECK(store.release(gone));
    CHECK(store.release(early));
    const Lease dog = claim(store, "dog", "d");
    const Lease cat = claim(store, "cat", "c");

    CHECK(taken(store, claim_of(dog, {})).empty());
    Claim by_own = claim_of(dog, {});
    by_own.own_classes = {"c2", "c9"};
    CHECK(taken(store, by_own) == "d2.2 from 'dog' n2.2 from '' ");
    Claim both = claim_of(dog, {"c1"});
    both.own_classes = {"c3"};
    both.most = 2;
    CHECK(taken(store, both) == "g1.2 from 'gone' d1.2 from 'dog' + ");
    CHECK(taken(store, both) == "n1.2 from '' n3.2 from '' ");
    CHECK(taken(store, both).empty());

    // One run by its id: whatever its class, but not from a live holder.
    Claim one = claim_of(cat, {});
    one.run = "g2";
    CHECK(taken(store, one) == "g2.2 from 'gone' ");
    CHECK(taken(store, one).empty());
    one.run = "n1";
    CHECK(taken(store, one).empty());
    one.run = "unknown";
    CHECK(taken(store, one).empty());
    Claim rest = claim_of(cat, {"c3"});
    rest.most = 0;
    CHECK(taken(store, rest) == "+ ");
    rest.most = std::numeric_limits<std::uint64_t>::max();
    CHECK(taken(store, rest) == "g3.2 from 'gone' ");
}

template <class Backend>
void gives_all_that_load_does() {
    Backend backend;
    auto store = backend.open();
    List<RunBatch> runs{store_contract::full_run("full"), new_run("told"), new_run("acting"), new_run("over")};
    for (RunBatch& run : runs) run.row.class_name = "c";
    for (std::size_t i = 1; i < runs.size(); ++i) runs[i].row.state = RunState::failed;
    runs[1].alerts = {store_contract::alert("z", AlertRow::State::pending)};
    runs[2].actions = {store_contract::action("y", ActionOutcome::intended)};
    runs[3].actions = {store_contract::action("x", ActionOutcome::done)};
    runs[3].alerts = {store_contract::alert("w", AlertRow::State::delivered)};
    CHECK(commit(store, runs).empty());
    const auto loaded = store_contract::load(store);
    const Lease cat = claim(store, "cat", "c");
    Claim over = claim_of(cat, {});
    over.run = "over";
    CHECK(taken(store, over).empty());
    const Claimed given = take(store, claim_of(cat, {"c"}));
    REQUIRE(given.runs.size() == 3);
    REQUIRE(loaded.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        RunRow row = loaded[i].row;
        CHECK(given.runs[i].taken_from == row.holder);
        row.holder = "cat";
        row.epoch = 1;
        ++row.version;
        CHECK(show(given.runs[i].row) == show(row));
        CHECK(show(given.runs[i].interventions) == show(loaded[i].interventions));
        CHECK(show(given.runs[i].actions) == show(loaded[i].actions));
        CHECK(show(given.runs[i].pending) == show(loaded[i].pending));
        CHECK(given.runs[i].checkpoints == loaded[i].checkpoints);
    }
    CHECK(taken(store, claim_of(cat, {"c"})).empty());

    // The version that the claim gave is the one to write on.
    RunBatch next = runs[1];
    next.row = given.runs[1].row;
    next.row.name = "next";
    CHECK(commit(store, batch_of(cat, {next})).empty());
    CHECK(history(store, "told").row->version == 3);
}

template <class Backend>
void several_are_lost() {
    Backend backend;
    auto store = backend.open();
    const Lease cat = claim(store, "cat", "c");
    for (const std::string name : {"b", "a"}) {
        const Lease lease = claim(store, name, "x", 10ms);
        CHECK(commit(store, batch_of(lease, {run_of(lease, name + "1"), run_of(lease, name + "2")})).empty());
    }
    let_run_out(backend, store, "c", "x");
    // The asker is not its own loss, though its lease ran out.
    let_run_out(backend, store, "cat", "c");
    Claim asked = claim_of(cat);
    asked.most = 3;
    CHECK(taken(store, asked) ==
          "b1.2 from 'b' b2.2 from 'b' a1.2 from 'a' + lost a with 2 lost b with 2 lost c with 0 ");
    CHECK(taken(store, asked) == "a2.2 from 'a' ");
    CHECK(claim(store, "cat", "c").epoch == 1);
    CHECK(holders_of(store) == "a.2 lost 0 b.2 lost 0 c.2 lost 0 cat.1 live 4 ");
}

/// Whoever is to tell people of a lost watchdog may be lost before it has: then another one is to, and no two at once.
template <class Backend>
void names_the_lost_until_told() {
    Backend backend;
    auto store = backend.open();
    auto other = backend.open();
    const Lease cat = claim(store, "cat", "c");
    const Lease bee = let_run_out(backend, store, "bee", "b");
    CHECK(commit(store, batch_of(bee, {run_of(bee, "a")})).empty());
    let_run_out(backend, store, "ant", "a");
    CHECK(taken(store, claim_of(cat, {})) == "lost ant with 0 lost bee with 1 ");
    const Lease dog = claim(other, "dog", "d");
    CHECK(taken(other, claim_of(dog, {})).empty());
    CHECK(taken(store, claim_of(cat, {})).empty());

    // It told of one of them, and somebody of another loss of the same name.
    Batch told;
    told.lease = cat;
    told.durable = true;
    told.told = {{"ant", 0, 1}, {"bee", 1, bee.epoch + 1}};
    CHECK(commit(store, told).empty());
    let_run_out(backend, store, "cat", "c");
    const Claimed given = take(other, claim_of(dog, {}));
    CHECK(text_of(given) == "lost bee with 1 lost cat with 0 ");
    CHECK((given.lost[0].epoch == bee.epoch && given.lost[1].epoch == cat.epoch));
    CHECK(code(store.commit(told)) == "fenced");

    // It may be lost in order, or start again.
    CHECK(store.release(dog));
    const Lease next = claim(store, "next", "n");
    const Lease again = claim(other, "dog", "again");
    CHECK(taken(other, claim_of(again, {})) == "lost bee with 1 lost cat with 0 ");
    CHECK(taken(store, claim_of(next, {})).empty());
    told.lease = again;
    told.told = given.lost;
    CHECK(commit(other, told).empty());
    CHECK(other.release(again));
    CHECK(taken(store, claim_of(next, {})).empty());
}

template <class Backend>
void is_shared() {
    Backend backend;
    constexpr int count = 1000;
    auto store = backend.open();
    Batch batch;
    for (int i = 0; i < count; ++i) batch.runs.push_back(new_run(std::to_string(i)));
    CHECK(commit(store, batch).empty());
    const std::vector<std::string> names{"cat", "dog"};
    std::vector<std::map<std::string, std::uint64_t>> got(names.size());
    std::vector<std::string> problems(names.size());
    const auto take_all = [&](std::size_t i) {
        auto own = backend.open();
        auto lease = own.claim({names[i], "x"}, 1min);
        while (!lease && lease.error().code == ErrorCode::busy) lease = own.claim({names[i], "x"}, 1min);
        for (bool more = lease.has_value(); more;) {
            Claim asked = claim_of(*lease);
            asked.most = 37;
            const auto given = own.claim_runs(asked);
            if (!given && given.error().code == ErrorCode::busy) continue;
            if (!given) problems[i] = given.error().message;
            more = given && !given->runs.empty();
            if (more)
                for (const StoredRun& run : given->runs) got[i][run.row.id] = run.row.version;
        }
    };
    {
        std::thread other{[&] { take_all(1); }};
        take_all(0);
        other.join();
    }
    CHECK(problems == std::vector<std::string>(names.size()));
    CHECK(got[0].size() + got[1].size() == count);
    for (const auto& [id, version] : got[0]) {
        CHECK(version == 2);
        CHECK(got[1].count(id) == 0);
    }
    for (const StoredRun& run : store_contract::load(store))
        CHECK(got[run.row.holder == "cat" ? 0 : 1].count(run.row.id) == 1);
}

template <class Backend>
void refuses_bad_input() {
    Backend backend;
    auto store = backend.open();
    const auto refused = [&](std::string_view holder, std::string_view owner, Duration length) {
        const auto lease = store.claim({holder, owner}, length);
        if (lease) return std::string{"taken"};
        CHECK(lease.error().code == ErrorCode::invalid_argument);
        return lease.error().message;
    };
    CHECK_THAT(refused("", "x", 1min), contains_text("watchdog") && contains_text("1 to 128 bytes"));
    CHECK_THAT(refused("dog", "", 1min), contains_text("owner") && contains_text("0 bytes"));
    CHECK_THAT(refused(std::string(129, 'x'), "x", 1min), contains_text("129 bytes"));
    for (const char* const bad : {"a\nb", "a\x1b[1mb", "a\xff", "a\x7f", "a\xc2\x85"})
        CHECK_THAT(refused(bad, "x", 1min), contains_text("without control characters"));
    CHECK_THAT(refused("dog", "a\tb", 1min), contains_text("without control characters"));
    CHECK_THAT(refused("dog", "x", 9ms), contains_text("9000 us") && contains_text("10 ms to 1 h"));
    CHECK_THAT(refused("dog", "x", 1h + 1us), contains_text("10 ms to 1 h"));
    CHECK(holders_of(store).empty());
    CHECK(refused(std::string(128, 'x'), std::string(128, 'y'), 1min) == "taken");
    CHECK(code(store.commit(batch_of({"never", 1}, {new_run("a")}))) == "fenced");
    CHECK(code(store.commit(batch_of({std::string("n\0\xff", 3), 1}, {new_run("a")}))) == "fenced");
    CHECK(code(store.claim_runs(claim_of({"never", 1}))) == "fenced");
    CHECK(code(store.claim_runs(claim_of({}))) == "fenced");
    CHECK(store_contract::ids(store).empty());
}

/// The lease of the one watchdog without a name guards against a second one; nobody misses it.
template <class Backend>
void misses_no_unnamed() {
    Backend backend;
    auto store = backend.open();
    const std::string unnamed{unnamed_holder};
    const Lease first = let_run_out(backend, store, unnamed, "x");
    CHECK(taken(store, claim_of(claim(store, "cat", "c"))).empty());
    CHECK(holders_of(store) == unnamed + ".1 lost 0 cat.1 live 0 ");
    CHECK(claim(store, unnamed, "y").epoch == 2);
    CHECK(code(store.claim({unnamed, "x"}, 1min)) == "busy");
    const auto rows = store.holders();
    REQUIRE(rows);
    CHECK(((*rows)[0].owner == "y" && (*rows)[1].owner == "c"));
    CHECK(store.release(first));
    CHECK(code(store.claim({unnamed, "x"}, 1min)) == "busy");
    CHECK(store.release({unnamed, 2}));
    CHECK(store.holders()->front().owner.empty());
    CHECK(claim(store, unnamed, "x").epoch == 3);
}

template <class Backend>
void check() {
    static_assert(LeasingStoreLike<decltype(std::declval<Backend&>().open())>);
    SECTION("a name belongs to one owner at a time") { one_owner_at_a_time<Backend>(); }
    SECTION("who does not renew in time loses its runs, and its late writes") { takes_over<Backend>(); }
    SECTION("nobody is missed who gave its lease up") { gives_up_in_order<Backend>(); }
    SECTION("a claim gives what it asks for") { gives_what_is_asked_for<Backend>(); }
    SECTION("a claim gives all that load does") { gives_all_that_load_does<Backend>(); }
    SECTION("several are lost at once, each said once") { several_are_lost<Backend>(); }
    SECTION("who is lost is named until people know") { names_the_lost_until_told<Backend>(); }
    SECTION("a watchdog without a name is not missed") { misses_no_unnamed<Backend>(); }
    SECTION("claimers share the runs") { is_shared<Backend>(); }
    SECTION("names and lengths outside the limits are refused") { refuses_bad_input<Backend>(); }
}

}  // namespace heeler::inline HEELER_ABI::lease_contract
