// What becomes of a watchdog whose store somebody else breaks and mends while it runs; for every database.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/real_process.hpp"

namespace store_trouble {

using namespace heeler;
using namespace std::chrono_literals;

/// Starts continuations, and tells somebody else when.
struct Starter {
    std::vector<std::string> keys;
    std::vector<std::string> runs;
    std::function<void()> on_spawn;

    [[nodiscard]] Result<ActionDone> spawn(const ActionRequest& asked) {
        keys.emplace_back(asked.key);
        runs.emplace_back(asked.run);
        if (on_spawn) std::exchange(on_spawn, {})();
        return ActionDone{};
    }
    [[nodiscard]] std::size_t spawned() const { return keys.size(); }
    [[nodiscard]] bool repeated() const { return std::set<std::string>(keys.begin(), keys.end()).size() < keys.size(); }
};

/// A watchdog over a real store with one run, stalled at its next cycle, and one that works.
template <class Store>
struct Watched {
    using Dog = Watchdog<ManualClock, Store, RecordingNotifier>;

    ManualClock clock{bench::start};
    RecordingNotifier notifier;
    Starter control;
    std::unique_ptr<Dog> dog;
    int steps = 0;

    explicit Watched(Store store) {
        boot(std::move(store));
        RunSpec spec = bench::spec_of("stalling");
        spec.work_item = std::string(12'000, 'w');
        spec.plan = {1, 2, 3};
        REQUIRE(dog->start(spec, "checkpoint_continuation"));
        spec.id = "working";
        REQUIRE(dog->start(spec, "checkpoint_continuation"));
    }

    /// As after a restart of the process.
    void boot(Store store) {
        dog = std::make_unique<Dog>(clock, std::move(store), notifier);
        dog->attach(control);
        REQUIRE(dog->define(presets::checkpoint_continuation()));
    }
    [[nodiscard]] Result<void> work() {
        const auto run = dog->find("working");
        if (!run) return tl::unexpected<Error>(run.error());
        return dog->checkpoint(*run, {++steps, "step"});
    }
    CycleReport after(Duration length) {
        clock.advance(length);
        return dog->cycle(TickCause::on_demand);
    }
    /// Cycles without the clock, until one is without error.
    [[nodiscard]] bool works_again() {
        std::string errors;
        const bool well = heeler_test::wait_for([&] {
            const CycleReport report = dog->cycle(TickCause::on_demand);
            errors = bench::errors_of(report);
            return report.errors == 0;
        });
        INFO(errors);
        CHECK(well);
        return well;
    }
    [[nodiscard]] History known(std::string_view run = "stalling") {
        const auto found = dog->store().history(run);
        INFO((found ? "" : found.error().message));
        REQUIRE(found);
        return *found;
    }
};

/// Something that somebody else does to a store, and how it is mended.
struct Trouble {
    std::function<void()> begin;
    std::function<void()> end;
    std::vector<std::string> says{};  ///< the errors of each cycle hold these: what is wrong, where, what to do
    bool writable = false;            ///< checkpoints can still be stored
};

inline void says_all_of(const std::string& errors, const std::vector<std::string>& parts) {
    INFO(errors);
    UNSCOPED_INFO(errors);
    for (const std::string& part : parts) CHECK(errors.find(part) != std::string::npos);
}

/// Nothing is decided, said or done, a durable call says that it is not, and nobody loses patience.
template <class Store>
void stays_calm(Watched<Store>& watched, const Trouble& trouble, std::size_t spawned) {
    for (int i = 0; i < 3; ++i) {
        const CycleReport report = watched.after(2s);
        CHECK(report.errors > 0);
        CHECK(bench::acts_of(report).empty());
        CHECK(bench::all_of<StatusEvent>(report).empty());
        says_all_of(bench::errors_of(report), trouble.says);
        CHECK(watched.control.spawned() == spawned);
    }
    CHECK(watched.work().has_value() == trouble.writable);
    CHECK(watched.notifier.sent().empty());
}

/// The rest of the stalled run's life is as if nothing had happened.
template <class Store>
void lives_on(Watched<Store>& watched) {
    CHECK(watched.control.spawned() == 1);
    CHECK(watched.known().row->attempt == 2);
    CHECK(watched.known("working").checkpoints.size() == static_cast<std::size_t>(watched.steps));
    for (const std::size_t spawned : {std::size_t{2}, std::size_t{2}}) {
        watched.clock.advance(1000s);
        CHECK(watched.work());
        const CycleReport report = watched.after(201s);
        CHECK(bench::errors_of(report).empty());
        CHECK(watched.control.spawned() == spawned);
    }
    CHECK_FALSE(watched.control.repeated());
    const History known = watched.known();
    CHECK(known.row->state == RunState::failed);
    CHECK(known.row->attempt == 3);
    for (const Action& action : known.actions) CHECK(action.outcome == ActionOutcome::done);
    CHECK(known.actions.size() == 4);  // two continuations, an escalation, and the run is marked failed
    REQUIRE(watched.notifier.sent().size() == 1);
    CHECK(watched.notifier.sent()[0].alert.kind == "escalation");
}

/// The store is in trouble when the watchdog is about to decide.
template <class Store>
void before_the_verdict(Store store, const Trouble& trouble) {
    Watched<Store> watched{std::move(store)};
    watched.clock.advance(1000s);
    REQUIRE(watched.work());
    watched.clock.advance(201s);
    trouble.begin();
    stays_calm(watched, trouble, 0);
    trouble.end();
    REQUIRE(watched.works_again());
    lives_on(watched);
}

/// It gets into trouble while the agent control carries out an action: its outcome cannot be written down.
template <class Store>
void amid_an_action(Store store, const Trouble& trouble) {
    Watched<Store> watched{std::move(store)};
    watched.clock.advance(1000s);
    REQUIRE(watched.work());
    watched.control.on_spawn = trouble.begin;
    const CycleReport report = watched.after(201s);
    CHECK(bench::acts_of(report) == "spawn done");
    CHECK(report.errors > 0);
    says_all_of(bench::errors_of(report), trouble.says);
    stays_calm(watched, trouble, 1);
    trouble.end();
    REQUIRE(watched.works_again());
    lives_on(watched);
}

/// What somebody writes into a store by hand, and what takes it back.
struct ByHand {
    std::string sql;
    std::string mend;
    std::vector<std::string> says{};  ///< what a watchdog that starts then says of it, once
    std::string run = "stalling";     ///< that is left alone; empty: none
};

/// Values that no watchdog wrote: one that starts says where they are, and leaves alone what they belong to.
inline const std::vector<ByHand> nonsense{
    {"UPDATE runs SET status = 'JOLLY' WHERE id = 'stalling'",
     "UPDATE runs SET status = 'HEALTHY'",
     {"load stalling", "'runs'", "'status'", "JOLLY", "in the row of 'stalling'"}},
    {"UPDATE runs SET state = 'dancing' WHERE id = 'working'",
     "UPDATE runs SET state = 'running'",
     {"load working", "'state'", "dancing", "in the row of 'working'"},
     "working"},
    {"UPDATE runs SET attempt = -1 WHERE id = 'stalling'", "UPDATE runs SET attempt = 1", {"'attempt'", "-1"}},
    {"UPDATE runs SET incarnation = 99999999999 WHERE id = 'stalling'",
     "UPDATE runs SET incarnation = 1",
     {"'incarnation'", "99999999999"}},
    {"UPDATE runs SET version = 9223372036854775807 WHERE id = 'stalling'",
     "UPDATE runs SET version = 5 WHERE id = 'stalling'",
     {"'version'", "9223372036854775807"}},
    {"INSERT INTO decisions(run, verb, until_at, decided_by, at) VALUES ('stalling', 'dance', NULL, 'me', 0)",
     "DELETE FROM decisions",
     {"load stalling", "'decisions'", "'verb'", "dance"},
     ""},
    {"INSERT INTO mutes(class, condition, identity, muted_by, at) VALUES ('c', 'no word', 1, 'me', 0)",
     "DELETE FROM mutes",
     {"'mutes'", "'condition'", "no word"},
     ""},
    {"INSERT INTO tallies(class, condition, incidents, wrong) VALUES ('checkpoint_continuation', 'RUNAWAY', -5, -7)",
     "DELETE FROM tallies",
     {"'tallies'", "'incidents'", "-5"},
     ""},
    {"INSERT INTO interventions(run, number, incident, attempt, condition, action, outcome, at) "
     "VALUES ('stalling', 1, -1, 1, 'STALLED', 'spawn', 'pending', 0)",
     "DELETE FROM interventions",
     {"load stalling", "'interventions'", "'incident'", "-1"}},
    {"INSERT INTO actions(run, key, kind, needs, outcome, outcome_from, incident, intervention, attempt, text, note) "
     "VALUES ('stalling', 'k', 'explode', NULL, 'intended', 'answer', 1, 1, 1, '', '')",
     "DELETE FROM actions",
     {"load stalling", "'actions'", "'kind'", "explode"}},
    {"INSERT INTO actions(run, key, kind, needs, outcome, outcome_from, incident, intervention, attempt, text, note) "
     "VALUES ('stalling', 'k', 'spawn', NULL, 'perhaps', 'answer', 1, 1, 1, '', '')",
     "DELETE FROM actions",
     {"load stalling", "'actions'", "'outcome'", "perhaps"}},
};

inline const std::vector<std::string> damaged_facts{"load stalling", "'runs', column 'facts'", "left alone"};
inline const std::vector<std::string> damaged_part{"load stalling", "'run_parts', column 'bytes'", "left alone"};

/// Values that are wrong, but that nothing depends on, or that are put right with the next commit.
inline const std::vector<std::string> harmless{
    "UPDATE runs SET attempt = 0, incarnation = 0",
    "UPDATE runs SET version = 77",
    "UPDATE runs SET created_at = 9223372036854775807, updated_at = 9223372036854775807",
    "UPDATE runs SET created_at = -9223372036854775807",
    "INSERT INTO decisions(run, verb, until_at, decided_by, at) VALUES ('nobody', 'ack', NULL, '', 0)",
    "INSERT INTO decisions(run, verb, until_at, decided_by, at) "
    "VALUES ('stalling', 'snooze', -9223372036854775807, '', 9223372036854775807)",
    "INSERT INTO checkpoints(run, number, incarnation, at, step, text, reason) "
    "VALUES ('stalling', 9, 0, -9223372036854775807, -9223372036854775807, '', 'scheduled')",
};

/// With and without a restart.
template <class Backend>
void does_not_mind(const std::string& sql, bool restart) {
    INFO(sql << (restart ? ", then a restart" : ""));
    Backend backend;
    Watched watched{backend.open()};
    watched.clock.advance(1000s);
    REQUIRE(watched.work());
    watched.clock.advance(201s);
    backend.run(sql);
    if (restart) watched.boot(backend.open());
    (void)watched.after(1s);
    REQUIRE(watched.works_again());
    lives_on(watched);
}

/// What is damaged is named once and left alone, all else is watched; what was mended is watched again.
template <class Backend>
void leaves_alone(const ByHand& written) {
    INFO(written.sql);
    Backend backend;
    Watched watched{backend.open()};
    watched.clock.advance(1000s);
    REQUIRE(watched.work());
    watched.clock.advance(201s);
    backend.run(written.sql);
    watched.boot(backend.open());
    const CycleReport report = watched.after(1s);
    CHECK(report.errors == 1);
    says_all_of(bench::errors_of(report), written.says);
    CHECK(watched.after(1201s).errors == 0);
    for (const std::string run : {"stalling", "working"}) {
        const auto& runs = watched.control.runs;
        const bool helped = std::find(runs.begin(), runs.end(), run) != runs.end();
        CHECK(helped == (run != written.run));
    }
    if (written.mend.empty()) return;
    backend.run(written.mend);
    CHECK(watched.after(300s).errors == 0);
    CHECK(watched.dog->find("stalling"));
    CHECK(watched.dog->find("working"));
}

/// What the detectors of one run saw is damaged by `sql`: that is said once, and the run is watched as before.
template <class Backend>
void forgets(const std::string& sql) {
    INFO(sql);
    Backend backend;
    Watched watched{backend.open()};
    watched.clock.advance(1000s);
    REQUIRE(watched.work());
    watched.clock.advance(201s);
    backend.run(sql + " WHERE part = 'memory' AND run = 'stalling'");
    watched.boot(backend.open());
    const CycleReport report = watched.after(1s);
    CHECK(report.errors == 1);
    says_all_of(bench::errors_of(report),
                {"load stalling", "'run_parts', column 'bytes' of the part 'memory'", "begin anew"});
    CHECK(watched.after(1201s).errors == 0);
    const auto& runs = watched.control.runs;
    CHECK(std::find(runs.begin(), runs.end(), "stalling") != runs.end());
}

/// What may be left to be done for a run that has ended cannot be read: that is said once.
template <class Backend>
void names_what_an_ended_run_left(const std::string& table, const std::string& column) {
    INFO(table);
    Backend backend;
    Watched watched{backend.open()};
    CHECK(watched.after(1201s).errors == 0);
    REQUIRE(watched.dog->finish(*watched.dog->find("stalling"), RunEnd::completed));
    CHECK(watched.after(1s).errors == 0);
    backend.run("UPDATE " + table + " SET " + column + " = 'odd' WHERE ordinal = (SELECT min(ordinal) FROM " + table +
                " WHERE run = 'stalling')");
    watched.boot(backend.open());
    const CycleReport report = watched.after(1s);
    CHECK(report.errors == 1);
    says_all_of(bench::errors_of(report), {"load stalling", "table '" + table + "', column '" + column + "'"});
    CHECK(watched.after(301s).errors == 0);
    CHECK(watched.dog->find("working"));
}

/// The store refuses rows of one run, or loses them `silently`: that one is named and nothing is done to it, the other
/// one goes on.
template <class Backend>
void divides_what_is_refused(const std::string& table, const std::string& column, bool silently = false) {
    INFO(table);
    Backend backend;
    Watched watched{backend.open()};
    backend.refuse(table, column + " = 'stalling'", silently);
    const CycleReport report = watched.after(1201s);
    CHECK(report.errors == 1);
    const std::string said = silently ? "table '" + table + "': a row of the run \"stalling\" was not" : "hands off";
    says_all_of(bench::errors_of(report), {"commit stalling", said, "nothing is done to it"});
    REQUIRE(watched.control.spawned() == 1);
    CHECK(watched.control.runs[0] == "working");
    CHECK(watched.known("working").actions.size() == 1);
    watched.clock.advance(30s);
    CHECK(watched.dog->cycle().errors == 0);  // not asked again yet
    CHECK(watched.work());
    backend.run(backend.let_go);
    watched.clock.advance(31s);
    CHECK(watched.dog->cycle().errors == 0);
    REQUIRE(watched.control.spawned() == 2);
    CHECK(watched.control.runs[1] == "stalling");
}

/// That nothing of a run can be stored is told after a minute, once, and so is that it can be again.
template <class Backend>
void tells_of_what_is_refused() {
    Backend backend;
    Watched watched{backend.open()};
    const auto told = [&](std::string_view kind) {
        int count = 0;
        for (const auto& sent : watched.notifier.sent())
            if (sent.alert.kind == kind) {
                CHECK(sent.alert.run.id == "stalling");
                ++count;
            }
        return count;
    };
    backend.refuse("runs", "id = 'stalling'", false);
    (void)watched.after(1201s);
    CHECK(told("watchdog.run_unstored") == 0);
    for (int i = 0; i < 5; ++i) (void)watched.after(61s);
    REQUIRE(told("watchdog.run_unstored") == 1);
    CHECK(watched.notifier.sent().back().alert.summary.find("hands off") != std::string::npos);
    CHECK(told("watchdog.run_stored") == 0);
    backend.run(backend.let_go);
    for (int i = 0; i < 5; ++i) (void)watched.after(61s);
    CHECK(told("watchdog.run_unstored") == 1);
    CHECK(told("watchdog.run_stored") == 1);
}

/// A session that the store refuses is marked failed, people are told at once, and the others go on; also where it is
/// the only one.
template <class Backend>
void gives_up_a_session_that_is_refused(bool alone) {
    INFO(alone);
    Backend backend;
    ManualClock clock{bench::start};
    RecordingNotifier notifier;
    Watchdog dog{clock, backend.open(), notifier};
    REQUIRE(dog.define(presets::session_monitor()));
    std::vector<std::string> ids{"stalling"};
    if (!alone) ids.emplace_back("working");
    for (const std::string& id : ids) REQUIRE(dog.start(bench::spec_of(id), "session_monitor"));
    backend.refuse("runs", "id = 'stalling'", false);
    std::string acts;
    for (int i = 0; i < 6; ++i) {
        clock.advance(301s);
        if (!alone) (void)dog.observe(*dog.find("working"), Output{"a line\n"});
        const CycleReport report = dog.cycle();
        acts += bench::acts_of(report);
        for (const auto& event : bench::all_of<ActionEvent>(report))
            CHECK(event.action.text.find("Watchdog: Unstorable: ") == 0);
    }
    CHECK(acts == "mark_failed done");
    int given_up = 0;
    for (const auto& sent : notifier.sent()) given_up += sent.alert.kind == "watchdog.run_unstored" ? 1 : 0;
    CHECK(given_up == 1);
    backend.run(backend.let_go);
    clock.advance(301s);
    (void)dog.cycle();
    const auto known = dog.store().history("stalling");
    REQUIRE(known);
    CHECK(known->row->state == RunState::failed);
    if (!alone) CHECK(dog.find("working"));
}

/// A run that was written ages ago was unwatched for as long: it has the whole limit to show itself.
template <class Backend>
void gives_time_after_ages() {
    Backend backend;
    Watched watched{backend.open()};
    watched.clock.advance(1201s);
    backend.run("UPDATE runs SET updated_at = -9223372036854775807");
    watched.boot(backend.open());
    (void)watched.after(1s);
    CHECK(watched.control.spawned() == 0);
    (void)watched.after(901s);
    CHECK(watched.control.spawned() == 0);
    (void)watched.after(900s);
    CHECK(watched.control.spawned() == 2);  // one for each run
}

/// An action that somebody else put on record is nothing that the watchdog decided.
template <class Backend>
void does_what_it_decided_alone() {
    Backend backend;
    Watched watched{backend.open()};
    backend.run(
        "INSERT INTO actions(run, key, kind, needs, outcome, outcome_from, incident, intervention, attempt, text, "
        "note) "
        "VALUES ('stalling', 'k', 'spawn', NULL, 'intended', 'answer', 1, 1, 1, '', '')");
    watched.boot(backend.open());
    (void)watched.after(1s);
    CHECK(watched.control.spawned() == 0);
    (void)watched.after(1201s);
    CHECK(watched.control.spawned() == 2);  // one for each run
    CHECK(std::find(watched.control.keys.begin(), watched.control.keys.end(), "k") == watched.control.keys.end());
}

}  // namespace store_trouble
