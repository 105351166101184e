#include <heeler/cycle/judge.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::HeldBack;
using detail::Judge;
using detail::Judged;
using rooms::House;

namespace {

/// Each run has a nudge coming, as `Counts` finds something at once.
RunClass nudging_class() {
    RunClass rules = rooms::bare_class();
    rules.detectors.turn_on<rooms::Counts<'a'>>({Level::nudge});
    return rules;
}

/// Sees one loop for ever.
struct SeesLoop {
    static constexpr std::string_view kind = "loop";
    struct Settings {};
    struct Memory {};
    void learn(Memory&, const Settings&, const Observation&) const {}
    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run&, Instant) const {
        return Finding{Condition::loop_detected, Level::nudge, kind, {.rule = "loop"}, {}, 77};
    }
};

/// Is silent.
struct SeesSilence {
    static constexpr std::string_view kind = "silence";
    struct Settings {};
    struct Memory {};
    void learn(Memory&, const Settings&, const Observation&) const {}
    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run& run, Instant) const {
        if (run.calls > 0) return std::nullopt;
        return Finding{Condition::silent, Level::nudge, kind, {.rule = "critical_silence"}};
    }
};

RunClass silent_class() {
    RunClass rules = rooms::bare_class();
    rules.detectors.turn_on<SeesSilence>();
    return rules;
}

/// Everything that a judgement says.
std::string all_of(const Judged& judged) {
    std::string text = std::string{name_of(judged.shows.status)} + " " + std::string{name_of(judged.shows.level)} +
                       " " + std::to_string(judged.shows.findings) + " " + std::string{name_of(judged.severity)};
    for (const Finding& finding : judged.findings)
        text += " " + std::string{finding.kind} + "=" + std::to_string(finding.evidence.fact("calls"));
    text += " notes " + std::to_string(judged.notes.size()) + " held " + std::to_string(static_cast<int>(judged.held)) +
            " found " + std::to_string(judged.news.found) + " debounced " + std::to_string(judged.debounced) +
            " speaks " + std::to_string(judged.speaks);
    const Incident& incident = judged.decision.incident;
    text += " incident " + std::to_string(incident.number) + "." + std::to_string(static_cast<int>(incident.phase)) +
            "." + std::to_string(incident.attempts) + "." + std::to_string(incident.verify_at.count());
    for (const Step& step : judged.decision.plan) text += " " + std::string{name_of(step.action)};
    return text;
}

Judged judged_of(const detail::RunMemory& watched, Instant now, bool budget_left = true) {
    return Judge{watched, now, {.budget_left = budget_left}}();
}

detail::Telling telling(const detail::RunMemory& watched, Instant now) {
    return detail::telling_of(watched, judged_of(watched, now), now);
}

/// What people are told now.
std::string said(const detail::RunMemory& watched, Instant now) {
    const detail::Telling result = telling(watched, now);
    std::string text = result.held_back ? "held back " : "";
    const auto about = [](const Condition& condition) {
        return condition == Condition::silent ? "SILENT" : "STALLED";  // the name of both
    };
    if (result.unhealthy) text += "unhealthy ";
    if (result.ends != 0)
        text += about(bit_of(Condition::silent) == result.ends ? Condition::silent : Condition::stalled) +
                std::string{" is over "};
    if (result.begins != nullptr) text += std::string{"begins "} + about(result.begins->condition) + " ";
    return text;
}

}  // namespace

TEST_CASE("judging is pure: it changes nothing, and twice it says the same", "[cycle]") {
    House house;
    const RunHandle run = house.run(nudging_class());
    for (int i = 0; i < 3; ++i) house.tell(run, ToolCall{"ls", "{}", {}});
    house.clock.advance(60s);
    detail::WatchedRun& watched = house.at(run);
    const std::string facts = rooms::facts_of(watched, house.now());
    const std::string memory = watched.saved_memory(house.now());
    const bool dirty = watched.dirty;

    const Judge judge{std::as_const(watched), house.now()};
    const Judged first = judge();
    const Judged second = judge();
    CHECK(all_of(first) == all_of(second));
    CHECK_THAT(all_of(first),
               ContainsSubstring("STALLED") && ContainsSubstring("a=3") && ContainsSubstring("inject:nudge"));
    CHECK(rooms::facts_of(watched, house.now()) == facts);
    CHECK(watched.saved_memory(house.now()) == memory);
    CHECK((watched.dirty == dirty && watched.unsaved->empty() && watched.verdict->interventions.empty()));
}

TEST_CASE("a run that waits, or whose watchdog slept, is not judged", "[cycle]") {
    House house;
    const RunHandle run = house.run(nudging_class());
    detail::WatchedRun& watched = house.at(run);
    watched.rare.edit().held_until = house.now().elapsed + 10s;
    Judged judged = judged_of(watched, house.now());
    CHECK((judged.waiting && judged.held == HeldBack::gap && judged.findings.size() == 0));
    CHECK_FALSE(judged.decision.acts());
    house.clock.advance(10s);
    CHECK(judged_of(watched, house.now()).decision.acts());
    house.tell(run, StateChange{RunState::waiting_human, {}, {}, {}});
    judged = judged_of(watched, house.now());
    CHECK((judged.waiting && judged.held == HeldBack::no && !judged.decision.acts()));
}

TEST_CASE("debounce, budget and an operator hold a rung back, each by its name", "[cycle]") {
    House house;
    RunClass rules = nudging_class();
    rules.limits.debounce = 2;
    rules.limits.rungs_per_run_per_day = 1;
    detail::WatchedRun& watched = house.at(house.run(rules));
    Judged judged = judged_of(watched, house.now());
    CHECK((judged.held == HeldBack::debounce && judged.debounced == 1 && !judged.decision.acts()));
    CHECK(judged.shows.status == Status::stalled);  // held back, not hidden
    watched.rare.edit().debounced = 1;
    CHECK(judged_of(watched, house.now()).decision.acts());
    CHECK(judged_of(watched, house.now(), false).held == HeldBack::budget);
    watched.verdict.edit().rung_day =
        std::chrono::floor<std::chrono::days>(house.now().wall).time_since_epoch().count();
    watched.verdict.edit().rungs_today = 1;
    CHECK(judged_of(watched, house.now()).held == HeldBack::budget);
    watched.verdict.edit().rung_day -= 1;
    CHECK(judged_of(watched, house.now()).held == HeldBack::no);
    watched.verdict.edit().marks.snoozed_until = house.now().wall + 1s;
    judged = judged_of(watched, house.now());
    CHECK((judged.held == HeldBack::snooze && judged.decision.incident.number == 0));
}

TEST_CASE("what an operator called wrong is no finding, and muted loops are none for the class", "[cycle]") {
    House house;
    RunClass rules = nudging_class();
    rules.detectors.turn_on<SeesLoop>();
    detail::WatchedRun& watched = house.at(house.run(rules));
    Judged judged = judged_of(watched, house.now());
    CHECK((judged.findings.size() == 2 && judged.loop_identity == 77 && judged.severity == Severity::critical));
    CHECK(judged.shows.status == Status::loop_detected);
    house.registry.mute("bare", 77);
    judged = judged_of(watched, house.now());
    CHECK((judged.findings.size() == 1 && judged.loop_identity == 0 && judged.severity == Severity::warning));
    watched.verdict.edit().marks.wrong = bit_of(Condition::stalled);
    judged = judged_of(watched, house.now());
    CHECK((judged.findings.size() == 0 && judged.shows.status == Status::healthy));
}

TEST_CASE("people are told when an incident begins, and within the cooldown nothing more", "[cycle]") {
    House house;
    RunClass rules = nudging_class();
    rules.alerts.cooldown = 100s;
    rules.alerts.renotify_every = 10s;
    detail::WatchedRun& watched = house.at(house.run(rules));
    CHECK(said(watched, house.now()) == "unhealthy ");
    const detail::Told told = telling(watched, house.now()).told;
    watched.verdict.edit().incident = judged_of(watched, house.now()).decision.incident;
    watched.verdict.edit().told = told;
    CHECK(said(watched, house.now()).empty());
    house.clock.advance(50s);
    CHECK(said(watched, house.now()) == "held back ");
    house.clock.advance(50s);
    CHECK(said(watched, house.now()) == "unhealthy ");
    house.clock.step_wall(-24h);
    CHECK(said(watched, house.now()) == "unhealthy ");
    watched.verdict.edit().told.acknowledged = true;
    CHECK(said(watched, house.now()).empty());
}

TEST_CASE("while a rung is carried out findings are shown and nothing is decided", "[cycle]") {
    House house;
    detail::WatchedRun& watched = house.at(house.run(nudging_class()));
    watched.rung_busy = true;
    const Judged judged = judged_of(watched, house.now());
    CHECK((judged.findings.size() == 1 && !judged.decision.acts() && judged.shows.status == Status::stalled));
}

TEST_CASE("a rung that is done but not taken in yet is not followed by another [M-101]", "[cycle]") {
    House house;
    const RunHandle run = house.run(nudging_class());
    house.tell(run, ToolCall{"ls", "{}", {}});
    house.clock.advance(60s);
    detail::WatchedRun& watched = house.at(run);
    REQUIRE(judged_of(watched, house.now()).decision.acts());
    // The other thread was faster than this cycle, which had asked what was settled before.
    watched.rare.edit().rung.edit().emplace_back();
    const Judged judged = judged_of(watched, house.now());
    CHECK_FALSE(judged.decision.acts());
    CHECK_FALSE(judged.findings.empty());
}

TEST_CASE("A-121: critical silence is told and shown, and no ladder hears of it [M-045]", "[cycle]") {
    for (const Ladder& ladder : {Ladder{*presets::long_run().ladder.as<RecoveryLadder>()},
                                 Ladder{*presets::session_monitor().ladder.as<WatchLadder>()}}) {
        House house;
        RunClass rules = silent_class();
        rules.ladder = ladder;
        detail::WatchedRun& watched = house.at(house.run(rules));
        const Judged judged = judged_of(watched, house.now());
        CHECK((judged.shows.status == Status::stalled && judged.shows.level == Level::nudge));
        CHECK(judged.severity == Severity::critical);
        CHECK((!judged.decision.acts() && judged.decision.incident.number == 0 && judged.debounced == 0));
        CHECK(said(watched, house.now()) == "begins SILENT ");
    }
}

TEST_CASE("a silence that an operator made quiet is shown, not told, and begins anew afterwards [M-045] [M-046]",
          "[cycle]") {
    House house;
    detail::WatchedRun& watched = house.at(house.run(silent_class()));
    watched.verdict.edit().told.edges.push_back({house.now().wall, 0, Condition::silent, {}});
    watched.verdict.edit().marks.snoozed_until = house.now().wall + 10s;
    Judged judged = judged_of(watched, house.now());
    CHECK((judged.shows.level == Level::watch && judged.severity == Severity::warning));
    CHECK(judged.findings.begin()->evidence.rule == "snoozed_silence");
    CHECK((said(watched, house.now()).empty() && telling(watched, house.now()).told.edges.empty()));
    watched.verdict.edit().told.edges.clear();
    house.clock.advance(10s);
    CHECK(said(watched, house.now()) == "begins SILENT ");
    watched.verdict.edit().marks.dismissed = true;
    judged = judged_of(watched, house.now());
    CHECK((said(watched, house.now()).empty() && judged.findings.begin()->evidence.rule == "dismissed_silence"));
}

TEST_CASE("that a silence is over is said when it is certain, and to those who read that it began [M-045]", "[cycle]") {
    House house;
    RunClass rules = silent_class();
    rules.alerts.cooldown = 100s;
    const RunHandle run = house.run(rules);
    detail::WatchedRun& watched = house.at(run);
    watched.verdict.edit().told.edges.push_back({house.now().wall, 0, Condition::silent, {}});
    watched.verdict.edit().told.last = house.now().wall;
    const auto goes_on = [&] { return telling(watched, house.now()).told.edges.size() == 1; };
    CHECK(goes_on());
    house.tell(run, ToolCall{"ls", "{}", {}});
    const auto is_said = [&] { return said(watched, house.now()) == "SILENT is over "; };
    CHECK(is_said());  // no cooldown holds an end back
    watched.run.late = true;
    CHECK_FALSE(is_said());
    watched.run.late = false;
    watched.source.edit().lost_since = house.now().elapsed;
    CHECK_FALSE(is_said());
    watched.source.reset();
    watched.alerts_pending = 1;
    CHECK_FALSE(is_said());
    watched.alerts_pending = 0;
    house.tell(run, StateChange{RunState::waiting_human, {}, {}, {}});
    CHECK(goes_on());
    house.tell(run, StateChange{RunState::running, {}, {}, {}});
    watched.verdict.edit().told.dead_edges = bit_of(Condition::silent);
    CHECK_FALSE(is_said());
    CHECK_FALSE(goes_on());  // forgotten all the same
}

TEST_CASE("a silence is not told of a run whose source is lost, nor in the cycle of another alert [M-045]", "[cycle]") {
    House house;
    RunClass rules = silent_class();
    rules.detectors.turn_on<rooms::Counts<'a'>>({Level::nudge});
    detail::WatchedRun& watched = house.at(house.run(rules));
    CHECK(said(watched, house.now()) == "unhealthy ");  // the silence comes with the next cycle
    watched.verdict.edit().told = telling(watched, house.now()).told;
    watched.verdict.edit().incident = judged_of(watched, house.now()).decision.incident;
    CHECK(said(watched, house.now()) == "begins SILENT ");
    watched.source.edit().lost_since = house.now().elapsed;
    CHECK_THAT(said(watched, house.now()), !ContainsSubstring("SILENT"));
    rules.alerts.cooldown = 100s;
    rules.name = "patient";
    RunSpec spec = bench::spec_of("s");
    CHECK(said(house.at(house.run(rules, spec)), house.now()) == "unhealthy ");
}

TEST_CASE("what is only worth showing has no alert of its own [M-045]", "[cycle]") {
    House house;
    RunClass rules = rooms::bare_class();
    rules.alerts.conditions = {{Condition::stalled, "worker.stuck", false, {}}};
    rules.detectors.turn_on<rooms::Counts<'a'>>({Level::watch});
    CHECK(said(house.at(house.run(rules)), house.now()).empty());
    rules.name = "nudged";
    rules.detectors.turn_on<rooms::Counts<'a'>>({Level::nudge});
    CHECK_THAT(said(house.at(house.run(rules, bench::spec_of("s"))), house.now()), ContainsSubstring("begins STALLED"));
}
