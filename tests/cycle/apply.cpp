#include <heeler/cycle/apply.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::Applier;
using detail::Life;
using detail::WorkItem;
using rooms::House;

namespace {

/// A run whose last rung has been carried out.
struct Settling : House {
    RunHandle of = run(rooms::bare_class());
    detail::WatchedRun& watched = at(of);

    Settling() {
        watched.verdict.edit().incident.number = 1;
        watched.verdict.edit().incident.interventions = 1;
        watched.verdict.edit().incident.phase = Phase::holding;
        watched.verdict.edit().incident.condition = Condition::runaway;
    }
    void carried_out(ActionKind kind) {
        Action action;
        action.kind = kind;
        action.intervention = 1;
        action.incident = 1;
        action.outcome = ActionOutcome::done;
        action.key = "k";
        watched.rung.edit() = {action};
        watched.verdict.edit().rung_open = 1;
    }
    void settle(WorkItem& item) { Applier{watched, now(), item}.settle(); }
    void undo(WorkItem& item) { Applier{watched, now(), item}.undo(); }
    [[nodiscard]] std::string facts() { return rooms::facts_of(watched, now()); }
};

}  // namespace

TEST_CASE("a pause whose commit failed is undone as a whole, and settled again with the next", "[cycle]") {
    Settling s;
    s.carried_out(ActionKind::pause);
    const std::string before = s.facts();
    const Life life = s.watched.life();
    WorkItem item{s.of, s.watched};
    s.settle(item);
    CHECK((s.watched.run.state == RunState::paused && s.watched.run.paused_by_watchdog));
    CHECK(s.watched.run.waiting_since == s.now().elapsed);
    CHECK(s.watched.rung->empty());
    s.undo(item);
    CHECK(s.watched.life() == life);
    CHECK(s.facts() == before);
    CHECK(s.watched.rung->size() == 1);
    WorkItem again{s.of, s.watched};
    s.settle(again);
    CHECK(s.watched.run.paused_by_watchdog);
}

TEST_CASE("an end whose commit failed gives the wait back as it was, its limit and its length", "[cycle]") {
    Settling s;
    s.tell(s.of, StateChange{RunState::waiting_human, {}, {}, {}});
    s.clock.advance(5s);
    s.tell(s.of, StateChange{RunState::running, {}, {}, {}});
    s.tell(s.of, StateChange{RunState::rate_limited, {}, s.now().wall + 100s, {}});
    s.clock.advance(7s);
    const Life life = s.watched.life();
    CHECK((life.waiting_since == s.now().elapsed - 7s && life.waited == 5s));
    CHECK(life.waits_until == s.now().elapsed + 93s);
    const std::string before = s.facts();
    WorkItem item{s.of, s.watched};
    Applier{s.watched, s.now(), item}.finish(RunState::cancelled);
    Applier{s.watched, s.now(), item}.end();
    CHECK((s.watched.run.waited == 12s && !s.watched.waits_until && s.watched.verdict->ended_at));
    s.undo(item);
    CHECK(s.watched.life() == life);
    CHECK_FALSE(s.watched.verdict->ended_at);
    CHECK(s.facts() == before);
}

TEST_CASE("a resume whose commit failed leaves the run paused by the watchdog", "[cycle]") {
    Settling s;
    s.carried_out(ActionKind::pause);
    WorkItem paused{s.of, s.watched};
    s.settle(paused);
    s.clock.advance(30s);
    const Life life = s.watched.life();
    s.carried_out(ActionKind::resume);
    WorkItem item{s.of, s.watched};
    s.settle(item);
    CHECK((s.watched.run.state == RunState::running && s.watched.verdict->incident.phase == Phase::closed));
    s.undo(item);
    CHECK(s.watched.life() == life);
    CHECK((s.watched.run.paused_by_watchdog && s.watched.run.waiting_since == s.now().elapsed - 30s));
    CHECK(s.watched.verdict->incident.phase == Phase::holding);
}

TEST_CASE("what a host reported while the commit was under way outlives the undoing", "[cycle]") {
    Settling s;
    s.carried_out(ActionKind::pause);
    WorkItem item{s.of, s.watched};
    s.settle(item);
    s.clock.advance(2s);
    s.tell(s.of, StateChange{RunState::waiting_human, {}, {}, {}});
    s.tell(s.of, ToolCall{"ls", "{}", {}});
    s.undo(item);
    CHECK(s.watched.run.state == RunState::waiting_human);
    CHECK(s.watched.run.calls == 1);
    s.tell(s.of, StateChange{RunState::completed, {}, {}, {}});
    WorkItem ended{s.of, s.watched};
    Applier{s.watched, s.now(), ended}.end();
    s.undo(ended);
    CHECK(s.watched.run.state == RunState::completed);  // the host said so, no cycle did
}

TEST_CASE("a decision whose commit failed was never made, and evidence counts again", "[cycle]") {
    House house;
    RunClass rules = bench::minute_class();
    rules.detectors.turn_on<LoopDetector<Call>>({{1, 32, 3, 5, 200}, {}});
    const RunHandle run = house.run(rules);
    detail::WatchedRun& watched = house.at(run);
    for (int i = 0; i < 6; ++i) house.tell(run, ToolCall{"grep", "{}", {}});
    const std::string facts = rooms::facts_of(watched, house.now());
    const auto loops = [&] {
        std::size_t count = 0;
        for (const Finding& finding : rooms::found(watched, house.now()))
            count += finding.condition == Condition::loop_detected ? 1 : 0;
        return count;
    };
    REQUIRE(loops() == 1);
    WorkItem item{run, watched};
    detail::Judged judged = detail::Judge{watched, house.now(), true}();
    REQUIRE(judged.decision.acts());
    Applier{watched, house.now(), item}.change(judged, std::nullopt);
    CHECK(watched.rung_busy);
    CHECK(watched.verdict->incident.number == 1);
    CHECK(loops() == 0);  // a watermark was set with the intent
    Applier{watched, house.now(), item}.undo();
    CHECK_FALSE(watched.rung_busy);
    CHECK((watched.verdict->incident.number == 0 && watched.verdict->interventions.empty()));
    CHECK(watched.alerts_pending == 0);
    CHECK(loops() == 1);
    CHECK(rooms::facts_of(watched, house.now()) == facts);
}

TEST_CASE("an alert that was given up while the commit was under way stays given up", "[cycle]") {
    Settling s;
    WorkItem item{s.of, s.watched};
    s.watched.give_up_alert();
    s.undo(item);
    CHECK(s.watched.verdict->alert_dead);
}

TEST_CASE("an alert that was not told while the commit was under way stays untold", "[cycle]") {
    Settling s;
    s.watched.verdict.edit().sent.begin = detail::Beginning::on_its_way;
    WorkItem item{s.of, s.watched};
    s.watched.leave_unsaid();
    s.undo(item);
    CHECK(s.watched.verdict->sent.begin == detail::Beginning::unsaid);
}

TEST_CASE("a run that is given up by the guard says why, once", "[cycle]") {
    Settling s;
    WorkItem item{s.of, s.watched};
    Applier apply{s.watched, s.now(), item};
    const auto event = apply.fail_by_guard("somebody else");
    REQUIRE(event);
    CHECK(event->action.kind == ActionKind::mark_failed);
    CHECK((s.watched.run.state == RunState::failed && s.watched.verdict->incident.phase == Phase::closed));
    CHECK_THAT(s.watched.unsaved->audit[0].body, ContainsSubstring("StoreConflict: somebody else"));
    CHECK_FALSE(apply.fail_by_guard("again"));
}
