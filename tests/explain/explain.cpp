#include <heeler/explain/explain.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// A run with one of each record.
History full_history() {
    History known;
    known.row = RunRow{};
    known.row->id = "r\x1b[31m";
    known.row->class_name = "minute";
    known.row->status = Status::stalled;
    known.checkpoints = {{1, 1, bench::start.wall, 3, "lexer\ndone", CheckpointReason::risky_step}};
    known.interventions = {
        {1, 1, 1, Condition::no_output_access, ActionKind::escalate, InterventionOutcome::pending, bench::start.wall}};
    known.actions.resize(4);
    known.actions[0].kind = ActionKind::escalate;
    known.actions[0].outcome = ActionOutcome::done;
    known.actions[1].outcome = ActionOutcome::blocked;
    known.actions[2].outcome = ActionOutcome::intended;
    known.actions[3].outcome = ActionOutcome::failed;
    known.actions[3].note = "no such process";
    AlertRow alert;
    alert.alert.key = "k";
    alert.alert.kind = "escalation";
    alert.alert.summary = "needs a person";
    alert.alert.details = {{"recommendation", "start again"}, {"summary", "half is done"}};
    alert.state = AlertRow::State::dead;
    alert.attempts = 7;
    alert.last_error = "nobody listens";
    known.alerts = {alert};
    known.audit = {{bench::start.wall, "verdict", "r", R"({"status":"STALLED"})"}};
    return known;
}

}  // namespace

TEST_CASE("a run's final status is its end, or what became of its incident", "[explain]") {
    using detail::final_status_of;
    Incident incident;
    CHECK(final_status_of(RunState::running, incident, false) == "running");
    incident.phase = Phase::holding;
    CHECK(final_status_of(RunState::running, incident, false) == "running");
    CHECK(final_status_of(RunState::running, incident, true) == "escalated");
    incident.phase = Phase::closed;
    CHECK(final_status_of(RunState::waiting_human, incident, true) == "recovered");
    for (const RunState state :
         {RunState::completed, RunState::failed, RunState::cancelled, RunState::terminated, RunState::abandoned})
        CHECK(final_status_of(state, incident, true) == name_of(state));
}

TEST_CASE("a report counts what was done, names dead letters and repeats what people were told", "[explain]") {
    rooms::House house;
    detail::WatchedRun& watched = house.at(house.run(rooms::bare_class()));
    watched.verdict.edit().note(Condition::stalled);
    watched.verdict.edit().note(Condition::no_output_access);  // a stall to people
    house.clock.advance(90s);
    const Report report = detail::report_of(watched, full_history(), house.now());
    CHECK(report.total == 90s);
    CHECK(report.actions.size() == 2);
    CHECK(report.interventions.size() == 1);
    CHECK(report.conditions == std::vector<std::string>{"STALLED"});
    CHECK(report.alerts == std::vector<std::string>{"k"});
    CHECK((report.escalated && report.recommendation == "start again" && report.summary == "half is done"));
    CHECK_FALSE(report.completed_by);
}

TEST_CASE("a report counts from the start of the run, and says by what and how often it was sampled [M-180]",
          "[explain]") {
    rooms::House house;
    detail::WatchedRun& watched = house.at(house.run(rooms::bare_class()));
    watched.run.started = -1800s;
    house.clock.advance(90s);
    const Report report = detail::report_of(watched, full_history(), house.now());
    CHECK((report.total == 1890s && report.interval == watched.run.interval));
    CHECK(report.metric == watched.spec.decoded().metric_words());
    watched.run.started = 3600s;
    CHECK(detail::report_of(watched, full_history(), house.now()).total == 0s);
    watched.run.started.reset();
    CHECK(detail::report_of(watched, full_history(), house.now()).total == 90s);
}

TEST_CASE("a run that only the store knows has the same report", "[explain]") {
    rooms::House house;
    const RunHandle run = house.run(rooms::bare_class());
    detail::WatchedRun& watched = house.at(run);
    watched.run.attempt = 2;
    house.clock.advance(50s);
    house.tell(run, StateChange{RunState::completed, {}, {}, {}});
    watched.verdict.edit().ended_at = house.now().wall;
    REQUIRE_FALSE(house.ledger.commit_one(run, watched, house.now()));
    house.clock.advance(3600s);
    const Report report = detail::stored_report(house.history(), house.now());
    CHECK((report.total == 50s && report.final_status == "completed"));
    CHECK(report.completed_by == CompletedBy::continuation);
    CHECK((report.name == "r" && report.run == "r"));
}

TEST_CASE("an explanation holds every record and no control character of anybody", "[explain]") {
    const std::string text = detail::explanation(full_history(), bench::start);
    CHECK_THAT(text, ContainsSubstring("checkpoint step 3 (risky_step): lexer") &&
                         ContainsSubstring("intervention 1: STALLED -> escalate, pending") &&
                         ContainsSubstring("verdict {\"status\":\"STALLED\"}") &&
                         ContainsSubstring("inject:nudge of intervention 0: failed, no such process") &&
                         ContainsSubstring("alert escalation: needs a person, attempts 7, nobody listens"));
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("lexer\n") == std::string::npos);
}

TEST_CASE("a description names detectors in order, ladder, proof and times of a class", "[explain]") {
    RunClass rules = rooms::bare_class("mine");
    rules.detectors.turn_on<rooms::Counts<'b'>>().turn_on<rooms::Counts<'a'>>();
    rules.mode = Mode::shadow;
    CHECK_THAT(detail::description(rules), ContainsSubstring("class mine (shadow: nothing is touched)\n") &&
                                               ContainsSubstring("detectors: b a\n") && ContainsSubstring("ladder") &&
                                               ContainsSubstring("stop_proof = fenced; verified after 1m 0s"));
}
