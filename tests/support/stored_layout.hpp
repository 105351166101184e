// What a watchdog stores of a run in trouble, and that another one which opens the store later goes on with it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/rooms.hpp"

namespace stored_layout {

using namespace std::chrono_literals;

/// A log that was read to line 3.
struct Log {
    std::vector<std::string> asked;

    heeler::Result<heeler::Polled> poll(std::string_view cursor) {
        asked.emplace_back(cursor);
        heeler::Polled found;
        found.cursor = "line 3";
        return found;
    }
};

[[nodiscard]] inline heeler::RunClass kept_class() {
    heeler::RunClass rules = bench::minute_class("kept");
    rules.detectors.turn_on<rooms::Counts<'a'>>().turn_on<rooms::Counts<'b'>>();
    return rules;
}

/// A watchdog over such a store.
template <class Store>
struct Keeper {
    heeler::ManualClock clock;
    heeler::RecordingNotifier notifier;
    heeler::ScriptedControl control;
    Log log;
    heeler::Watchdog<heeler::ManualClock, Store, heeler::RecordingNotifier> dog;

    Keeper(Store of, heeler::Duration later)
        : clock{{bench::start.elapsed + later, bench::start.wall + later}}, dog{clock, std::move(of), notifier} {
        dog.attach(control);
        REQUIRE(dog.define(kept_class()));
    }
    heeler::CycleReport after(heeler::Duration length) {
        clock.advance(length);
        return dog.cycle();
    }
};

/// Two minutes of a run that stalls: three calls, a checkpoint, a cursor, an incident with one nudge; and a loop that
/// an operator called wrong.
template <class Store>
void write(Store store) {
    Keeper<Store> k{std::move(store), 0s};
    heeler::RunSpec spec = bench::spec_of("r");
    spec.work_item = "Implement issue 123";
    spec.plan = {1, 2, 3};
    const auto run = k.dog.start(spec, "kept");
    REQUIRE(run);
    REQUIRE(k.dog.attach(*run, k.log));
    (void)k.dog.observe(*run, heeler::Progress{5});
    for (const char* tool : {"ls", "rm", "cp"}) (void)k.dog.observe(*run, heeler::ToolCall{tool, "{}", {}});
    REQUIRE(k.dog.checkpoint(*run, {2, "lexer done"}));
    heeler::Batch taught;
    taught.mutes = {{"kept", heeler::Condition::loop_detected, 77, "ana", k.clock.now().wall}};
    REQUIRE(k.dog.store().commit(taught));
    (void)k.after(60s);
    (void)k.after(60s);
    CHECK(k.control.requests().size() == 1);
    REQUIRE(k.dog.flush());
}

/// Ten minutes later: nothing is forgotten, and what was begun goes on.
template <class Store>
void goes_on(Store store) {
    Keeper<Store> k{std::move(store), 600s};
    CHECK(bench::errors_of(k.dog.cycle()).empty());
    const auto run = k.dog.find("r");
    REQUIRE(run);
    REQUIRE(k.dog.attach(*run, k.log));
    CHECK(k.dog.status(*run) == heeler::Status::stalled);

    (void)k.dog.observe(*run, heeler::ToolCall{"mv", "{}", {}});
    heeler::CycleReport report = k.after(60s);
    CHECK(bench::errors_of(report).empty());
    REQUIRE_FALSE(k.log.asked.empty());
    CHECK(k.log.asked.front() == "line 3");
    CHECK(k.control.requests().empty());  // it has both intervals to show itself
    CHECK(bench::errors_of(k.after(60s)).empty());
    REQUIRE(k.control.requests().size() == 1);  // the second attempt of the incident that was open
    CHECK_THAT(k.control.requests()[0].text, ContainsSubstring("lexer done") && ContainsSubstring("Port the parser"));
    heeler::History known = *k.dog.store().history("r");
    REQUIRE(known.interventions.size() == 2);
    CHECK(known.interventions[0].outcome == heeler::InterventionOutcome::persisted);
    CHECK((known.interventions[1].incident == 1 && known.interventions[1].attempt == 2));
    CHECK(k.dog.store().load()->mutes.size() == 1);

    (void)k.dog.observe(*run, heeler::Progress{6});
    std::string counted;
    for (int i = 0; i < 2; ++i) {
        report = k.after(60s);
        for (const auto& event : bench::all_of<heeler::StatusEvent>(report)) counted = rooms::counts_of(event.findings);
    }
    CHECK(counted == "a 4, b 4");  // three of them were counted when it was written
    CHECK(k.dog.checkpoint(*run, {3, "parser done"}));
    CHECK(k.dog.finish(*run));
    known = *k.dog.store().history("r");
    CHECK(known.interventions[1].outcome == heeler::InterventionOutcome::recovered);
    REQUIRE(known.checkpoints.size() == 2);
    CHECK((known.checkpoints[0].text == "lexer done" && known.checkpoints[1].number == 2));
    CHECK((known.row->state == heeler::RunState::completed && known.row->name == "r"));
    const auto end = k.dog.report("r");
    REQUIRE(end);
    CHECK(end->work_item == "Implement issue 123");
}

}  // namespace stored_layout
