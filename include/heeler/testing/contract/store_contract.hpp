// What every store must do. Call `store_contract::check<Backend>()` inside a TEST_CASE of Catch2. A `Backend` is
// default constructible, begins empty, and its `open()` gives a store on its content: the second call stands for a
// restart.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/spend.hpp>
#include <heeler/testing/contract/catch.hpp>
#include <heeler/testing/contract/stored_rows.hpp>

namespace heeler::inline HEELER_ABI::store_contract {

template <class Backend>
void keeps_every_byte() {
    Backend backend;
    RunBatch run = full_run(nasty);
    {
        auto store = backend.open();
        CHECK(commit(store, {new_run("before"), run}).empty());
    }
    run.row.version = 1;
    auto store = backend.open();
    const auto runs = load(store);
    REQUIRE(runs.size() == 2);
    CHECK(show(runs[1].row) == show(run.row));
    CHECK(show(runs[1].interventions) == show(run.interventions));
    CHECK(show(runs[1].actions) == show(List{run.actions[0]}));
    CHECK(show(runs[1].pending) == show(List{run.alerts[0]}));
    CHECK(runs[1].checkpoints == 2);

    const History found = history(store, nasty);
    REQUIRE(found.row);
    CHECK(show(*found.row) == show(run.row));
    CHECK(show(found.checkpoints) == show(run.checkpoints));
    CHECK(show(found.interventions) == show(run.interventions));
    CHECK(show(found.actions) == show(run.actions));
    CHECK(show(found.alerts) == show(run.alerts));
    CHECK(show(found.audit) == show(run.audit));
}

template <class Backend>
void knows_every_enumerator() {
    Backend backend;
    auto store = backend.open();
    RunBatch run = new_run("a");
    const std::string before = "{}";
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(InterventionOutcome::skipped); ++i) {
        auto row = intervention(i + 1u, static_cast<InterventionOutcome>(i));
        row.condition = library_conditions[static_cast<std::size_t>(i) % library_conditions.size()];
        run.interventions.push_back(row);
    }
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(ActionKind::file_issue); ++i) {
        auto row = intervention(static_cast<std::uint32_t>(run.interventions.size() + 1), InterventionOutcome::pending);
        row.action = static_cast<ActionKind>(i);
        run.interventions.push_back(row);
        run.actions.push_back(action("kind" + std::to_string(i), ActionOutcome::done));
        run.actions.back().kind = static_cast<ActionKind>(i);
    }
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(ActionOutcome::ended); ++i)
        run.actions.push_back(action("key" + std::to_string(i), static_cast<ActionOutcome>(i)));
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(OutcomeFrom::snooze); ++i) {
        run.actions.push_back(action("from" + std::to_string(i), ActionOutcome::skipped));
        run.actions.back().outcome_from = static_cast<OutcomeFrom>(i);
    }
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(AlertRow::State::skipped); ++i)
        run.alerts.push_back(alert("key" + std::to_string(i), static_cast<AlertRow::State>(i)));
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(AlertRow::How::silenced); ++i) {
        run.alerts.push_back(alert("how" + std::to_string(i), AlertRow::State::dead));
        run.alerts.back().how = static_cast<AlertRow::How>(i);
    }
    for (std::uint8_t i = 0; i < checkpoint_reason_names.size(); ++i) {
        run.checkpoints.push_back(checkpoint(i + 1u, ""));
        run.checkpoints.back().reason = static_cast<CheckpointReason>(i);
    }
    Batch batch;
    for (std::uint8_t i = 0; i < verb_names.size(); ++i)
        batch.decisions.push_back({i + 1u, "", static_cast<Verb>(i), {}, "", {}});
    for (const Condition& condition : library_conditions) {
        batch.mutes.push_back({"", condition, 1, "", {}});
        batch.tallies.push_back({"", condition, 1, 0});
    }
    batch.runs = {run};
    for (std::uint8_t i = 0; i < run_state_names.size(); ++i) {
        batch.runs.push_back(new_run("state" + std::to_string(i)));
        batch.runs.back().row.state = static_cast<RunState>(i);
        batch.runs.back().row.status = static_cast<Status>(i % (static_cast<std::uint8_t>(Status::recovered) + 1));
    }
    CHECK(commit(store, batch).empty());
    const History found = history(store, "a");
    CHECK(show(found.interventions) == show(run.interventions));
    CHECK(show(found.actions) == show(run.actions));
    CHECK(show(found.alerts) == show(run.alerts));
    CHECK(show(found.checkpoints) == show(run.checkpoints));
    CHECK(show(list(store)) == show(batch.decisions));
    CHECK(show(snapshot_of(store).mutes) == show(batch.mutes));
    CHECK(show(snapshot_of(store).tallies) == show(batch.tallies));
    for (const RunBatch& written : batch.runs) {
        const auto row = history(store, written.row.id).row;
        REQUIRE(row);
        CHECK(row->state == written.row.state);
        CHECK(row->status == written.row.status);
    }
}

template <class Backend>
void checks_versions() {
    Backend backend;
    auto store = backend.open();
    RunBatch a = new_run("a");
    RunBatch b = new_run("b");
    CHECK(commit(store, {a, b}).empty());
    a.row.version = 1;
    a.row.name = "second";
    CHECK(commit(store, {a}).empty());
    CHECK(history(store, "a").row->version == 2);

    // `a` has moved to version 2: everything of it is left out, the rest of the batch is written.
    Batch late;
    late.runs = {full_run("a"), new_run("b"), new_run("unknown"), new_run("c")};
    late.runs[0].row.version = 1;
    late.runs[1].row.version = 1;
    late.runs[1].row.name = "on time";
    late.runs[2].row.version = 4;
    late.audit = {{at(1), "kind", "", "{}"}};
    late.decisions = {{0, "a", Verb::ack, {}, "me", at(1)}};
    CHECK(commit(store, late) == Conflicts{"a", "unknown"});
    const History left = history(store, "a");
    CHECK(left.row->name == "second");
    CHECK(left.row->version == 2);
    CHECK(left.row->spec == "spec of a");
    CHECK((left.checkpoints.empty() && left.interventions.empty() && left.actions.empty() && left.alerts.empty() &&
           left.audit.empty()));
    CHECK(history(store, "b").row->name == "on time");
    CHECK_FALSE(history(store, "unknown").row);
    CHECK(ids(store) == "a b c ");
    CHECK(history(store, "").audit.size() == 1);
    CHECK(list(store).size() == 1);

    // A run is registered once.
    CHECK(commit(store, {new_run("a")}) == Conflicts{"a"});
    CHECK(history(store, "a").row->version == 2);
}

template <class Backend>
void keeps_parts_that_did_not_change() {
    Backend backend;
    auto store = backend.open();
    RunBatch run = new_run("a");
    run.row.memory.reset();
    CHECK(commit(store, {run}).empty());
    CHECK(history(store, "a").row->spec == "spec of a");
    CHECK_FALSE(history(store, "a").row->memory);

    run.row.version = 1;
    run.row.spec.reset();
    run.row.memory = "";
    CHECK(commit(store, {run}).empty());
    CHECK(history(store, "a").row->spec == "spec of a");
    CHECK(history(store, "a").row->memory == "");

    run.row.version = 2;
    run.row.spec = std::string(1 << 20, '\0');
    run.row.memory.reset();
    CHECK(commit(store, {run}).empty());
    auto again = backend.open();
    CHECK(load(again)[0].row.spec == run.row.spec);
    CHECK(load(again)[0].row.memory == "");
}

template <class Backend>
void replaces_rows_by_their_identity() {
    Backend backend;
    auto store = backend.open();
    RunBatch a = new_run("a");
    a.interventions = {intervention(1, InterventionOutcome::pending), intervention(2, InterventionOutcome::pending)};
    a.actions = {action("z", ActionOutcome::intended), action("y", ActionOutcome::intended)};
    a.alerts = {alert("z", AlertRow::State::pending), alert("y", AlertRow::State::pending)};
    a.checkpoints = {checkpoint(2, "two"), checkpoint(1, "one")};
    RunBatch b = a;
    b.row.id = "b";
    CHECK(commit(store, {a, b}).empty());

    RunBatch next = new_run("a");
    next.row.version = 1;
    next.interventions = {intervention(1, InterventionOutcome::recovered)};
    next.actions = {action("x", ActionOutcome::intended), action("z", ActionOutcome::done),
                    action("w", ActionOutcome::failed)};
    next.actions[0].intervention = next.actions[2].intervention = 2;
    next.alerts = {alert("x", AlertRow::State::pending), alert("z", AlertRow::State::delivered)};
    next.checkpoints = {checkpoint(3, "three"), checkpoint(1, "one again")};
    CHECK(commit(store, {next}).empty());

    const History found = history(store, "a");
    CHECK(show(found.interventions) == show(List{next.interventions[0], a.interventions[1]}));
    CHECK(show(found.actions) == show(List{next.actions[1], a.actions[1], next.actions[0], next.actions[2]}));
    CHECK(show(found.alerts) == show(List{next.alerts[1], a.alerts[1], next.alerts[0]}));
    CHECK(show(found.checkpoints) == show(List{next.checkpoints[1], a.checkpoints[0], next.checkpoints[0]}));
    CHECK(show(history(store, "b").actions) == show(b.actions));
    auto again = backend.open();
    const auto runs = load(again);
    CHECK(show(runs[0].actions) == show(List{a.actions[1], next.actions[0], next.actions[2]}));
    CHECK(show(runs[0].pending) == show(List{a.alerts[1], next.alerts[0]}));
    CHECK(runs[0].checkpoints == 3);
}

template <class Backend>
void loads_what_is_not_over() {
    Backend backend;
    auto store = backend.open();
    List<RunBatch> runs;
    for (const auto* id : {"over", "waits", "acts", "tells", "settled", "last"}) {
        runs.push_back(new_run(id));
        runs.back().row.state = RunState::completed;
        runs.back().row.ended_at = at(5);
    }
    runs[1].row.state = RunState::waiting_human;
    runs[1].row.ended_at.reset();
    runs[2].actions = {action("k", ActionOutcome::intended)};
    runs[3].alerts = {alert("k", AlertRow::State::pending)};
    runs[4].actions = {action("k", ActionOutcome::unknown)};
    runs[4].alerts = {alert("k", AlertRow::State::dead)};
    runs[5].row.state = RunState::running;
    CHECK(commit(store, runs).empty());
    CHECK(ids(store) == "waits acts tells last ");

    // Order is that of registration, whatever is written later; what was settled is not loaded any more.
    RunBatch later = new_run("waits");
    later.row.version = 1;
    RunBatch done = runs[2];
    done.row.version = 1;
    done.actions = {action("k", ActionOutcome::done)};
    CHECK(commit(store, {done, new_run("newer"), later}).empty());
    auto again = backend.open();
    CHECK(ids(again) == "waits tells last newer ");
    CHECK(history(again, "over").row);
}

template <class Backend>
void loads_no_run_in_a_terminal_state() {
    Backend backend;
    auto store = backend.open();
    List<RunBatch> runs;
    std::string expected;
    for (std::uint8_t i = 0; i < run_state_names.size(); ++i) {
        runs.push_back(new_run(std::string{run_state_names[i]}));
        runs.back().row.state = static_cast<RunState>(i);
        if (!is_terminal(runs.back().row.state)) expected += runs.back().row.id + " ";
    }
    CHECK(commit(store, runs).empty());
    CHECK(ids(store) == expected);
}

template <class Backend>
void numbers_decisions() {
    Backend backend;
    auto store = backend.open();
    Batch asked;
    asked.decisions = {{0, "a", Verb::snooze, at(77), nasty, at(1)}, {99, "", Verb::freeze, {}, "", at(2)}};
    CHECK(commit(store, asked).empty());
    asked.decisions = {{0, "b", Verb::mark_stopped, {}, "x", at(3)}};
    CHECK(commit(store, asked).empty());
    // A silence keeps all that it is about, exactly; each severity, and none.
    const AlertMatch everything{nasty, nasty + "c", nasty + "t", nasty + "k", Severity::warning};
    asked.decisions = {
        {0, "", Verb::silence, at(90), nasty, at(4), {}, nasty + "why", everything},
        {0, "", Verb::silence, at(91), "x", at(5), {}, "why", {"r", {}, {}, {}, {}}},
        {0, "", Verb::silence, at(91), "x", at(5), {}, "why", {{}, {}, {}, {}, Severity::none}},
        {0, "c", Verb::limit, {}, "x", at(6), {}, nasty, {}, Duration{5'400'000'001}, RunSpend::most_tokens, 7},
        {0, "c", Verb::pause, {}, "x", at(6), {}, nasty}};
    const List<DecisionRow> others = asked.decisions;
    CHECK(commit(store, asked).empty());
    List<DecisionRow> all{{1, "a", Verb::snooze, at(77), nasty, at(1)},
                          {2, "", Verb::freeze, {}, "", at(2)},
                          {3, "b", Verb::mark_stopped, {}, "x", at(3)}};
    for (DecisionRow row : others) {
        row.number = all.size() + 1;
        all.push_back(std::move(row));
    }
    asked.decisions = {{0, "b", Verb::mark_stopped, {}, "x", at(3)}};
    auto again = backend.open();
    CHECK(show(list(again)) == show(all));

    Batch done;
    done.applied = {2, 3, 3, 4, 5, 6, 7, 8, 1000};
    CHECK(commit(again, done).empty());
    CHECK(show(list(again)) == show(List{all[0]}));

    // Numbers are never used again.
    CHECK(commit(again, asked).empty());
    CHECK(list(again).back().number == 9);

    // What a decision asks for is stored with its run: if that run is left out, the decision stays open.
    CHECK(commit(again, {new_run("a")}).empty());
    done.applied = {1, 9};
    done.runs = {new_run("a")};
    CHECK(commit(again, done) == Conflicts{"a"});
    CHECK(show(list(again)) == show(List{all[0]}));
}

template <class Backend>
void files_audit_by_run() {
    Backend backend;
    auto store = backend.open();
    Batch batch;
    batch.audit = {{at(1), "one", "", "{}"}, {at(2), "two", "a", "{}"}, {at(3), "three", "", "{}"}};
    batch.runs = {new_run("a")};
    batch.runs[0].audit = {{at(0), "of the run", "ignored", "{}"}};
    CHECK(commit(store, batch).empty());
    CHECK(show(history(store, "").audit) == show(List{batch.audit[0], batch.audit[2]}));
    CHECK_FALSE(history(store, "").row);
    CHECK(show(history(store, "a").audit) == show(List{AuditRow{at(0), "of the run", "a", "{}"}, batch.audit[1]}));
    CHECK(history(store, "ignored").audit.empty());
}

template <class Backend>
void keeps_mutes_and_adds_tallies() {
    constexpr auto most64 = std::numeric_limits<std::uint64_t>::max();
    Backend backend;
    Batch batch;
    batch.mutes = {{nasty, Condition::loop_detected, most64, nasty, at(-7)},
                   {"coder", Condition::loop_detected, 0x8000000000000000, "me", at(2)},
                   {"coder", Condition::stalled, 0x8000000000000000, "", at(3)},
                   {"coder", Condition::no_output_access, 0x8000000000000000, "", at(4)},
                   {"other", Condition::loop_detected, 1, "", at(5)}};
    batch.tallies = {{nasty, Condition::loop_detected, 12, 1},
                     {"coder", Condition::stalled, 1, 0},
                     {"coder", Condition::no_output_access, 0, 2},
                     {"coder", Condition::stalled, 1, 1}};  // named twice: added twice
    batch.durable = true;
    {
        auto store = backend.open();
        CHECK(commit(store, batch).empty());
    }
    auto store = backend.open();
    const List<TallyRow> sums{{nasty, Condition::loop_detected, 12, 1},
                              {"coder", Condition::stalled, 2, 1},
                              {"coder", Condition::no_output_access, 0, 2}};
    CHECK(show(snapshot_of(store).mutes) == show(batch.mutes));
    CHECK(show(snapshot_of(store).tallies) == show(sums));

    // A mute stays as it was first written; a tally grows, whichever process writes.
    Batch again;
    again.mutes = {{nasty, Condition::loop_detected, most64, "late", at(99)}};
    again.tallies = {{"coder", Condition::stalled, 3, 0}, {"new", Condition::timeout, 1, 0}};
    auto other = backend.open();
    CHECK(commit(other, again).empty());
    CHECK(show(snapshot_of(store).mutes) == show(batch.mutes));
    CHECK(show(snapshot_of(store).tallies) ==
          show(List{sums[0], TallyRow{"coder", Condition::stalled, 5, 1}, sums[2], again.tallies[1]}));

    // They belong to no run: a run that is left out takes none of them with it.
    CHECK(commit(store, {new_run("a")}).empty());
    Batch late;
    late.runs = {new_run("a")};
    late.mutes = {{"late", Condition::timeout, 1, "", at(1)}};
    late.tallies = {{"new", Condition::timeout, 1, 0}};
    CHECK(commit(store, late) == Conflicts{"a"});
    CHECK(show(snapshot_of(store).mutes.back()) == show(late.mutes[0]));
    CHECK(snapshot_of(store).tallies.back().incidents == 2);
}

/// Of stores that tools for operators work on.
template <class Backend>
void lists_for_tools() {
    Backend backend;
    auto store = backend.open();
    RunBatch over = full_run("over");
    over.row.state = RunState::abandoned;
    over.alerts.push_back(alert("told", AlertRow::State::delivered));
    over.alerts.push_back(alert("not told", AlertRow::State::skipped));
    RunBatch late = new_run("late");
    late.alerts = {alert("late", AlertRow::State::pending)};
    CHECK(commit(store, {over, late}).empty());

    const auto rows = store.runs();
    REQUIRE(rows);
    for (RunBatch* run : {&over, &late}) {
        run->row.version = 1;
        run->row.spec.reset();
        run->row.memory.reset();
    }
    CHECK(show(rows->rows) == show(List{over.row, late.row}));
    const auto undelivered = store.undelivered();
    REQUIRE(undelivered);
    CHECK(show(undelivered->rows) == show(List{over.alerts[0], over.alerts[1], late.alerts[0]}));
}

template <class Backend>
void holds_many() {
    Backend backend;
    Batch batch;
    for (int i = 0; i < 300; ++i) {
        batch.runs.push_back(new_run("run " + std::to_string(i)));
        for (std::uint64_t n = 1; n <= 10; ++n)
            batch.runs.back().checkpoints.push_back(checkpoint(n, std::to_string(n)));
    }
    {
        auto store = backend.open();
        for (batch.durable = false; batch.runs[0].row.version < 4; batch.durable = !batch.durable) {
            CHECK(commit(store, batch).empty());
            for (RunBatch& run : batch.runs) ++run.row.version;
        }
    }
    auto store = backend.open();
    const auto runs = load(store);
    REQUIRE(runs.size() == 300);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        REQUIRE(runs[i].row.id == batch.runs[i].row.id);
        REQUIRE(runs[i].row.version == 4);
        REQUIRE(runs[i].checkpoints == 10);
    }
}

/// Only of a store that gives single alerts.
template <class Backend>
void finds_one_alert() {
    Backend backend;
    auto store = backend.open();
    if constexpr (CanFindAlert<decltype(store)>) {
        RunBatch one = new_run("one"), other = new_run("other");
        AlertRow row = full_run("one").alerts[0];
        row.alert.key = "k";
        AlertRow second = row;
        second.alert.key = "k'; --";
        second.state = AlertRow::State::skipped;
        one.alerts = {row, second};
        row.state = AlertRow::State::delivered;
        other.alerts = {row};
        CHECK(commit(store, {one, other}).empty());
        const auto shown = [&](std::string_view run, std::string_view key) {
            const auto found = store.alert({run, key});
            if (!found) FAIL("alert: " << found.error().message);
            return *found ? show(**found) : std::string{"none"};
        };
        CHECK(shown("one", "k") == show(one.alerts[0]));
        CHECK(shown("one", "k'; --") == show(second));
        CHECK(shown("other", "k") == show(row));
        CHECK(shown("one", "K") == "none");
        CHECK(shown("one", "") == "none");
        CHECK(shown("nobody", "k") == "none");
    }
}

/// The rows of one lineage that `spent` answers, added up, besides that day and on it.
template <class Store>
[[nodiscard]] List<SpendRow> spend_of(Store& store, std::string_view lineage, std::int64_t day,
                                      const std::vector<std::string>& lineages) {
    const auto rows = store.spent(day, lineages);
    if (!rows) FAIL("spent: " << rows.error().message);
    SpendRow besides, on_day;
    for (const SpendRow& row : *rows) {
        if (row.lineage != lineage) continue;
        SpendRow& sum = row.day == day && day >= 0 ? on_day : besides;
        sum.owner = row.owner;
        sum.told += row.told;
        sum.tokens += row.tokens;
        sum.micro_usd += row.micro_usd;
    }
    return {besides, on_day};
}

/// Only of a store that counts what runs spend.
template <class Backend>
void adds_spend_up() {
    Backend backend;
    auto store = backend.open();
    if constexpr (CountsSpend<decltype(store)>) {
        RunBatch a = new_run("a"), b = new_run("b"), other = new_run("other");
        a.spend = {"a", "ada", "", 20'000, 100, 7};
        b.spend = {"a", "ada", "told 'it'\n", 20'001, 10, 500'000};
        other.spend = {nasty, nasty, "", 20'001, std::int64_t{1} << 60, 0};
        CHECK(commit(store, {a, b, other, new_run("nothing")}).empty());
        b.row.version = 1;
        b.spend = {"a", "ada", "again\n", 20'001, 1, 1};
        CHECK(commit(store, {b}).empty());
        CHECK(commit(store, {b}) == Conflicts{"b"});  // it moved: nothing of it is counted

        auto again = backend.open();
        const List<SpendRow> both{{"", "ada", "", -1, 100, 7}, {"", "ada", "told 'it'\nagain\n", -1, 11, 500'001}};
        CHECK(show(spend_of(again, "a", 20'001, {"a", "nobody"})) == show(both));
        CHECK(show(spend_of(again, "a", 20'000, {})) == show(List<SpendRow>{{}, both[0]}));
        const auto whole = spend_of(again, "a", -1, {"a"});
        CHECK(whole[0].tokens == 111);
        CHECK(whole[0].micro_usd == 500'008);
        CHECK(spend_of(again, nasty, 20'001, {})[1].tokens == std::int64_t{1} << 60);
        CHECK(spend_of(again, nasty, 20'001, {})[1].owner == nasty);
        CHECK(spend_of(again, nasty, -1, {nasty})[0].tokens == std::int64_t{1} << 60);
        CHECK(again.spent(-1, {})->empty());
        CHECK(again.spent(19'999, {"nobody"})->empty());

        // Two watchdogs add, and none overwrites the other.
        for (std::uint64_t version = 1; version < 4; ++version) {
            a.row.version = version;
            a.spend.day = 20'001;
            CHECK(commit(version % 2 == 0 ? store : again, {a}).empty());
        }
        CHECK(spend_of(store, "a", 20'001, {"a"})[1].tokens == 311);
    }
}

template <class Backend>
void begins_empty() {
    Backend backend;
    auto store = backend.open();
    static_assert(check_store<decltype(store)>());
    CHECK(load(store).empty());
    CHECK((snapshot_of(store).mutes.empty() && snapshot_of(store).tallies.empty()));
    CHECK(list(store).empty());
    CHECK_FALSE(history(store, "nobody").row);
    CHECK(commit(store, Batch{}).empty());
}

template <class Backend>
void check() {
    SECTION("a new store is empty") { begins_empty<Backend>(); }
    SECTION("what is written is read back byte for byte after a restart") { keeps_every_byte<Backend>(); }
    SECTION("every value of every enumeration is kept") { knows_every_enumerator<Backend>(); }
    SECTION("the rows of a run whose version moved are left out and named") { checks_versions<Backend>(); }
    SECTION("spec and memory stay as they are where they are absent") { keeps_parts_that_did_not_change<Backend>(); }
    SECTION("rows are replaced by number or key and keep their place") { replaces_rows_by_their_identity<Backend>(); }
    SECTION("load gives what is not over, in order of registration") { loads_what_is_not_over<Backend>(); }
    SECTION("load leaves out every terminal state") { loads_no_run_in_a_terminal_state<Backend>(); }
    SECTION("decisions are numbered and listed until they are applied") { numbers_decisions<Backend>(); }
    SECTION("audit rows are kept by run, in order") { files_audit_by_run<Backend>(); }
    SECTION("mutes are kept once, tallies add up") { keeps_mutes_and_adds_tallies<Backend>(); }
    SECTION("one alert is found by its run and its key") { finds_one_alert<Backend>(); }
    SECTION("what runs spend is added up by lineage, owner and day") { adds_spend_up<Backend>(); }
    SECTION("hundreds of runs fit in one batch, again and again") { holds_many<Backend>(); }
}

}  // namespace heeler::inline HEELER_ABI::store_contract
