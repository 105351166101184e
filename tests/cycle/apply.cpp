#include <heeler/cycle/apply.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::Applier;
using detail::Deciding;
using detail::Life;
using detail::WorkItem;
using rooms::House;

namespace {

/// Counts what came of actions.
struct Outcomes {
    static constexpr std::string_view kind = "outcomes";
    static constexpr EventMask listens = events<Acted>;
    struct Settings {};
    struct Memory {
        int count = 0;
    };
    void learn(Memory& memory, const Settings&, const Observation&) const { ++memory.count; }
    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings&, const Run&, Instant) const {
        Finding finding{Condition::stalled, Level::watch, kind, {.rule = "count"}};
        finding.evidence.add("calls", memory.count);
        return finding;
    }
};

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
        watched.rare.edit().rung.edit() = {action};
        watched.verdict.edit().rung_open = 1;
    }
    void settle(WorkItem& item) {
        const Deciding deciding{watched, item.decided};
        Applier{watched, now(), item}.settle();
    }
    void finish(WorkItem& item) {
        const Deciding deciding{watched, item.decided};
        Applier{watched, now(), item}.finish(RunState::cancelled);
        Applier{watched, now(), item}.end();
    }
    /// As if it were stored.
    void install(WorkItem& item) { item.decided.install(watched, now()); }
    [[nodiscard]] std::string facts() { return rooms::facts_of(watched, now()); }
};

}  // namespace

TEST_CASE("a pause that is not stored was never decided, and is settled again with the next cycle", "[cycle]") {
    Settling s;
    s.carried_out(ActionKind::pause);
    const std::string before = s.facts();
    const Life life = s.watched.life();
    WorkItem item{s.of, s.watched};
    s.settle(item);
    CHECK(s.watched.life() == life);
    CHECK(s.facts() == before);
    CHECK(s.watched.rare->rung->size() == 1);
    WorkItem again{s.of, s.watched};
    s.settle(again);
    s.install(again);
    CHECK((s.watched.run.state == RunState::paused && s.watched.run.paused_by_watchdog));
    CHECK(s.watched.run.waiting_since == s.now().elapsed);
    CHECK(s.watched.rare->rung->empty());
}

TEST_CASE("an end that is not stored leaves a wait as it is, its limit and its length", "[cycle]") {
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
    s.finish(item);
    CHECK(s.watched.life() == life);
    CHECK(s.facts() == before);
    CHECK(item.decided.verdict().ended_at);
    s.install(item);
    CHECK((s.watched.run.waited == 12s && !s.watched.rare->waits_until && s.watched.verdict->ended_at));
}

TEST_CASE("a resume that is not stored leaves the run paused by the watchdog", "[cycle]") {
    Settling s;
    s.carried_out(ActionKind::pause);
    WorkItem paused{s.of, s.watched};
    s.settle(paused);
    s.install(paused);
    s.clock.advance(30s);
    const Life life = s.watched.life();
    s.carried_out(ActionKind::resume);
    WorkItem item{s.of, s.watched};
    s.settle(item);
    CHECK(s.watched.life() == life);
    CHECK((s.watched.run.paused_by_watchdog && s.watched.run.waiting_since == s.now().elapsed - 30s));
    CHECK(s.watched.verdict->incident.phase == Phase::holding);
    s.install(item);
    CHECK((s.watched.run.state == RunState::running && s.watched.verdict->incident.phase == Phase::none));
}

TEST_CASE("what a host reports while the commit is under way is newer than what was decided", "[cycle]") {
    Settling s;
    s.carried_out(ActionKind::pause);
    WorkItem item{s.of, s.watched};
    s.settle(item);
    s.clock.advance(2s);
    s.tell(s.of, StateChange{RunState::waiting_human, {}, {}, {}});
    s.tell(s.of, ToolCall{"ls", "{}", {}});
    s.install(item);
    CHECK((s.watched.run.state == RunState::waiting_human && !s.watched.run.paused_by_watchdog));
    CHECK(s.watched.run.calls == 1);
    CHECK(s.watched.rare->rung->empty());
}

TEST_CASE("what was ended is over, whatever its host reports while that is stored", "[cycle]") {
    Settling s;
    WorkItem item{s.of, s.watched};
    s.finish(item);
    s.clock.advance(2s);
    const RunState told = GENERATE(RunState::waiting_human, RunState::completed);
    s.tell(s.of, StateChange{told, {}, {}, {}});
    s.install(item);
    CHECK(s.watched.run.state == (told == RunState::completed ? told : RunState::cancelled));
}

TEST_CASE("a decision that is not stored was never made, and evidence counts again", "[cycle]") {
    House house;
    RunClass rules = bench::minute_class();
    rules.detectors.turn_on<LoopDetector<Call>>({{1, 32, 3, 5, 200}, {}});
    const RunHandle run = house.run(rules);
    detail::WatchedRun& watched = house.at(run);
    for (int i = 0; i < 6; ++i) house.tell(run, ToolCall{"grep", "{}", {}});
    const std::string facts = rooms::facts_of(watched, house.now());
    const auto loops = [&] {
        std::size_t count = 0;
        for (const Finding& finding : detail::Judge{watched, house.now()}().findings)
            count += finding.condition == Condition::loop_detected ? 1 : 0;
        return count;
    };
    REQUIRE(loops() == 1);
    WorkItem item{run, watched};
    const detail::Judged judged = detail::Judge{watched, house.now()}();
    REQUIRE(judged.decision.acts());
    {
        const Deciding deciding{watched, item.decided};
        Applier{watched, house.now(), item}.change(judged, std::nullopt);
        CHECK(watched.rung_busy);
        CHECK(watched.alerts_pending > 0);
        CHECK(loops() == 0);  // a watermark goes with the intent
    }
    CHECK_FALSE(watched.rung_busy);
    CHECK((watched.verdict->incident.number == 0 && watched.verdict->interventions.empty()));
    CHECK(watched.alerts_pending == 0);
    CHECK(loops() == 1);
    CHECK(rooms::facts_of(watched, house.now()) == facts);
    SECTION("stored, it is so") {
        item.decided.install(watched, house.now());
        CHECK((watched.rung_busy && watched.verdict->incident.number == 1));
        CHECK(loops() == 0);
        const std::string memory = watched.saved_memory(house.now());
        REQUIRE(watched.load_memory(memory, house.now()));
        CHECK_FALSE(watched.begins_anew());
    }
    SECTION("what detectors saw before a kill is no evidence after it") {
        const std::string memory = watched.saved_memory(house.now());
        item.decided.install(watched, house.now());
        REQUIRE(watched.load_memory(memory, house.now()));
        CHECK(watched.begins_anew());
        detail::Folder{watched, house.now()}.begin_anew();
        CHECK(loops() == 0);
        CHECK_FALSE(watched.begins_anew());
    }
}

TEST_CASE("what became of an alert while a decision is under way is taken in by the next", "[cycle]") {
    Settling s;
    detail::Told& told = s.watched.verdict.edit().told;
    told.begin = detail::Beginning::on_its_way;
    told.ask({s.now().wall, 1, {}, "run.unhealthy"});
    told.ask({s.now().wall + 1s, 1, {}, "run.unhealthy"});
    s.watched.note({detail::Fate::What::dead, "first", "run.unhealthy", s.now().wall, 0});
    WorkItem item{s.of, s.watched};
    CHECK(item.decided.verdict().told.dead);
    CHECK_FALSE(s.watched.verdict->told.dead);  // nothing is decided yet
    s.watched.note({detail::Fate::What::unsaid, "second", "run.unhealthy", s.now().wall + 1s, 0});
    const auto is_unsaid = [](const detail::RunMemory& run) {
        return run.verdict->told.begin == detail::Beginning::unsaid;
    };
    CHECK(s.watched.as_told(is_unsaid));
    CHECK_FALSE(is_unsaid(s.watched));
    const bool stored = GENERATE(true, false);
    if (stored) s.install(item);
    CHECK(s.watched.verdict->told.dead == stored);
    REQUIRE(rooms::fates_of(s.watched).size() == (stored ? 1 : 2));
    WorkItem next{s.of, s.watched};
    CHECK(next.decided.verdict().told.dead);
    s.install(next);
    CHECK((is_unsaid(s.watched) && s.watched.rare->fates->empty()));
}

TEST_CASE("what a rung came to is learned once, also by what was saved of it", "[cycle]") {
    House house;
    RunClass rules = rooms::bare_class();
    rules.detectors.turn_on<Outcomes>({});
    const RunHandle run = house.run(rules);
    detail::WatchedRun& watched = house.at(run);
    Action action;
    action.key = "k1";
    action.outcome = ActionOutcome::done;
    const auto learned = [&] { return rooms::counts_of(rooms::found(watched, house.now())); };
    const auto carried_out = [&] { detail::Folder{watched, house.now()}.carried_out({action}); };
    carried_out();
    carried_out();
    CHECK(learned() == "outcomes 1");
    const std::string memory = watched.saved_memory(house.now());
    REQUIRE(watched.load_memory(memory, house.now()));
    carried_out();
    CHECK(learned() == "outcomes 1");
    ++watched.verdict.edit().settled;  // it is asked for again, under the same key
    carried_out();
    CHECK(learned() == "outcomes 2");
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
