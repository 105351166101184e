// What every store on disk must do when it is told to forget what is over. Call `prune_contract::check<Backend>()`
// inside a TEST_CASE of Catch2; `Backend` as in store_contract.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <heeler/store/retention.hpp>
#include <heeler/testing/contract/store_contract.hpp>

namespace prune_contract {

using namespace heeler;
using store_contract::alert;
using store_contract::at;
using store_contract::commit;
using store_contract::history;
using store_contract::show;

inline constexpr std::int64_t long_ago = 1'000;
inline constexpr std::int64_t lately = 9'000;

/// A run with a row of everything, which ended then; nothing of it waits.
[[nodiscard]] inline RunBatch ended_run(std::string id, std::int64_t when, RunState state = RunState::completed) {
    RunBatch run = store_contract::full_run(std::move(id));
    run.row.state = state;
    run.row.ended_at = at(when);
    run.actions[0].outcome = ActionOutcome::done;
    run.alerts[0].state = AlertRow::State::delivered;
    for (AlertRow& row : run.alerts) row.created_at = at(when);
    for (AuditRow& row : run.audit) row.at = at(when);
    return run;
}

[[nodiscard]] inline Retention before(std::int64_t runs, std::int64_t alerts, std::int64_t audit) {
    return {at(runs), at(alerts), at(audit)};
}

template <class Store>
[[nodiscard]] Pruned prune(Store& store, const Retention& retention) {
    const auto pruned = store.prune(retention);
    if (!pruned) FAIL("prune: " << pruned.error().message);
    return *pruned;
}

[[nodiscard]] inline std::vector<std::uint64_t> counts(const Pruned& pruned) {
    return {pruned.runs, pruned.alerts, pruned.audit};
}

template <class Store>
[[nodiscard]] std::vector<std::string> known_runs(Store& store) {
    std::vector<std::string> ids;
    const auto rows = store.runs();
    REQUIRE(rows);
    for (const RunRow& row : rows->rows) ids.push_back(row.id);
    return ids;
}

using Ids = std::vector<std::string>;
using Counts = std::vector<std::uint64_t>;

/// Only what ended before; its alerts and its audit once they are old enough themselves.
template <class Backend>
void forgets_what_is_over() {
    Backend backend;
    auto store = backend.open();
    const RunBatch kept = ended_run("lately", lately);
    CHECK(commit(store, {ended_run("long ago", long_ago), kept, ended_run("given up", long_ago, RunState::abandoned)})
              .empty());

    CHECK(counts(prune(store, before(long_ago, 0, 0))) == Counts{0, 0, 0});
    CHECK(counts(prune(store, before(long_ago + 1, long_ago, 0))) == Counts{2, 0, 0});
    CHECK(known_runs(store) == Ids{"lately"});
    const History gone = history(store, "long ago");
    CHECK_FALSE(gone.row);
    CHECK(gone.checkpoints.empty());
    CHECK(gone.interventions.empty());
    CHECK(gone.actions.empty());
    CHECK(gone.alerts.size() == 2);

    CHECK(counts(prune(store, before(long_ago, long_ago + 1, 0))) == Counts{0, 4, 0});
    CHECK(history(store, "long ago").audit.size() == 2);
    CHECK(counts(prune(store, before(long_ago, long_ago, long_ago + 1))) == Counts{0, 0, 4});
    CHECK(history(store, "long ago").audit.empty());

    // What is younger is as it was, down to the last byte.
    const History found = history(store, "lately");
    CHECK(show(found.checkpoints) == show(kept.checkpoints));
    CHECK(show(found.interventions) == show(kept.interventions));
    CHECK(show(found.actions) == show(kept.actions));
    CHECK(show(found.alerts) == show(kept.alerts));
    CHECK(show(found.audit) == show(kept.audit));
    REQUIRE(found.row);
    CHECK(found.row->memory == kept.row.memory);
}

/// A run that is not over, or of which somebody has to do something yet, keeps everything, however old it is.
template <class Backend>
void keeps_what_is_not_over() {
    Backend backend;
    auto store = backend.open();
    RunBatch works = ended_run("works", long_ago, RunState::running);
    RunBatch paused = ended_run("paused", long_ago, RunState::paused);
    RunBatch acts = ended_run("an action has no outcome", long_ago);
    acts.actions[0].outcome = ActionOutcome::intended;
    RunBatch waits = ended_run("an alert waits", long_ago);
    waits.alerts[0].state = AlertRow::State::pending;
    Batch batch;
    batch.durable = true;
    batch.runs = {works, paused, acts, waits, ended_run("a decision is open", long_ago), ended_run("over", long_ago)};
    batch.decisions = {{0, "a decision is open", Verb::ack, {}, "ana", at(long_ago)}};
    CHECK(commit(store, batch).empty());

    CHECK(counts(prune(store, before(lately, lately, lately))) == Counts{1, 2, 2});
    CHECK(known_runs(store) ==
          Ids{"works", "paused", "an action has no outcome", "an alert waits", "a decision is open"});
    CHECK(history(store, "an alert waits").alerts.size() == 2);
    CHECK(history(store, "works").audit.size() == 2);
}

/// What a lineage has spent counts as long as one of its runs is there.
template <class Backend>
void keeps_what_counts() {
    Backend backend;
    auto store = backend.open();
    RunBatch first = ended_run("first", long_ago), second = ended_run("second", long_ago, RunState::running);
    RunBatch other = ended_run("other", long_ago);
    first.spend = {"first", "ada", "", 0, 10, 1};
    second.spend = {"first", "ada", "", 5, 20, 2};
    other.spend = {"other", "", "", 0, 30, 3};
    CHECK(commit(store, {first, second, other}).empty());
    Retention retention = before(lately, 0, 0);
    CHECK(prune(store, retention).spend == 0);
    CHECK(known_runs(store) == Ids{"second"});
    retention.audit = WallTime{} + std::chrono::hours{24};
    CHECK(prune(store, retention).spend == 0);  // the day is not over for so long
    retention.audit = WallTime{} + std::chrono::hours{240};
    CHECK(prune(store, retention).spend == 1);
    CHECK(store_contract::spend_of(store, "first", -1, {"first"})[0].tokens == 30);
    CHECK(store_contract::spend_of(store, "other", -1, {"other"})[0].tokens == 0);
    second.row.version = 1;
    second.row.state = RunState::completed;
    second.row.ended_at = at(long_ago);
    second.spend = {};
    CHECK(commit(store, {second}).empty());
    CHECK(prune(store, retention).spend == 2);
}

/// So that a watchdog at work on the store waits for one slice at most.
template <class Backend>
void goes_slice_by_slice() {
    Backend backend;
    auto store = backend.open();
    Batch batch;
    for (int i = 0; i < 5; ++i) batch.runs.push_back(ended_run("run " + std::to_string(i), long_ago));
    batch.audit = {{at(long_ago), "started", "", "about no run"}, {at(lately), "started", "", "about no run"}};
    CHECK(commit(store, batch).empty());

    Retention retention = before(lately, lately, lately);
    retention.most = 2;
    CHECK(counts(prune(store, retention)) == Counts{2, 2, 2});
    CHECK(known_runs(store) == Ids{"run 2", "run 3", "run 4"});
    retention.most = 100;
    CHECK(counts(prune(store, retention)) == Counts{3, 8, 9});
    CHECK(history(store, "").audit.size() == 1);
}

template <class Backend>
void refuses_slices_of_nothing() {
    Backend backend;
    auto store = backend.open();
    Retention retention = before(lately, lately, lately);
    for (const std::uint64_t most : {std::uint64_t{0}, std::uint64_t{10'001}}) {
        retention.most = most;
        const auto pruned = store.prune(retention);
        REQUIRE_FALSE(pruned);
        CHECK(pruned.error().message == "Retention::most is " + std::to_string(most) + ", but must be 1 to 10000");
    }
}

/// Who has a run in hand that is gone meanwhile is told so by a conflict; a new run of its name begins anew.
template <class Backend>
void lets_a_name_begin_anew() {
    Backend backend;
    auto store = backend.open();
    RunBatch run = ended_run("a", long_ago);
    CHECK(commit(store, {run}).empty());
    CHECK(prune(store, before(lately, 0, 0)).runs == 1);
    run.row.version = 1;
    CHECK(commit(store, {run}) == Conflicts{"a"});
    CHECK(commit(store, {store_contract::new_run("a")}).empty());
    CHECK(known_runs(store) == Ids{"a"});
}

template <class Backend>
void check() {
    forgets_what_is_over<Backend>();
    keeps_what_is_not_over<Backend>();
    keeps_what_counts<Backend>();
    goes_slice_by_slice<Backend>();
    refuses_slices_of_nothing<Backend>();
    lets_a_name_begin_anew<Backend>();
}

}  // namespace prune_contract
