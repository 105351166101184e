// A ladder that a host brings, in a watchdog that is otherwise as it comes.
#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// Asks a person at once, and is done with it when the condition is gone.
struct AskAtOnce {
    static inline int absorbed = 0;

    [[nodiscard]] Decision climb(const Incident& incident, const Judgement& seen, Duration now, Elapsed,
                                 Duration) const {
        Decision decision{incident};
        Incident& next = decision.incident;
        if (incident.open() && !seen.worst) {
            decision.last = InterventionOutcome::recovered;
            next.phase = Phase::closed;
            next.closed_at = now;
        } else if (!incident.open() && seen.worst) {
            next.number += 1;
            next.phase = Phase::holding;
            next.condition = decision.condition = *seen.worst;
            next.opened = next.acted = now;
            next.attempts = 1;
            decision.plan = {{ActionKind::snapshot, {}, {}}, {ActionKind::escalate, ActionKind::snapshot, {}}};
            decision.reason = "asks_at_once";
        }
        return decision;
    }
    [[nodiscard]] Decision absorb(const Incident& incident, const std::vector<Action>& actions, Duration, Elapsed,
                                  Duration) const {
        ++absorbed;
        Decision decision{incident};
        decision.corrected = actions.back().outcome == ActionOutcome::done ? InterventionOutcome::escalated
                                                                           : InterventionOutcome::failed;
        return decision;
    }
};

/// The same with all that a ladder may have besides.
struct AskPolitely : AskAtOnce {
    bool allowed = true;

    [[nodiscard]] Result<void> validate() const {
        if (allowed) return {};
        return fail(ErrorCode::invalid_argument, "asking is not allowed");
    }
    [[nodiscard]] Decision held_back(const Incident& incident, Decision decision) const {
        Decision left{incident};
        left.incident.number = decision.incident.number;
        left.incident.phase = Phase::holding;
        left.incident.condition = decision.condition;
        left.tells = true;
        return left;
    }
    [[nodiscard]] std::string describe() const { return "  ladder: asks politely\n"; }
    [[nodiscard]] std::string outlook() const { return ", until it is well"; }
    [[nodiscard]] std::uint32_t attempts() const { return 9; }
};

bench::Bench bench_with(Ladder ladder) {
    bench::Bench b;
    b.classes[0].ladder = std::move(ladder);
    b.boot();
    return b;
}

}  // namespace

TEST_CASE("a ladder of a host's own is climbed in a watchdog as it comes [M-094]") {
    ManualClock clock{bench::start};
    ScriptedControl control;
    RecordingNotifier notifier;
    Watchdog dog{clock, MemoryStore{}, notifier};
    dog.attach(control);
    RunClass rules = bench::minute_class();
    rules.ladder = AskAtOnce{};
    AskAtOnce::absorbed = 0;
    const auto run = dog.start(bench::spec_of("r"), rules);
    REQUIRE(run);
    (void)dog.observe(*run, Progress{1});
    clock.advance(60s);
    (void)dog.cycle();
    clock.advance(60s);
    CHECK(bench::acts_of(dog.cycle()) == "snapshot done, escalate done");
    CHECK(AskAtOnce::absorbed == 1);
    CHECK(*dog.status(*run) == Status::stalled);
    for (int i = 0; i < 5; ++i) {
        clock.advance(60s);
        CHECK(bench::acts_of(dog.cycle()).empty());
    }
    (void)dog.observe(*run, Progress{2});
    clock.advance(60s);
    (void)dog.cycle();
    CHECK(*dog.status(*run) == Status::recovered);
    CHECK_THAT(*dog.explain("r"), ContainsSubstring("STALLED -> escalate, escalated") &&
                                      ContainsSubstring("asks_at_once") && ContainsSubstring(R"("last":"recovered")"));
    CHECK_THAT(dog.describe(), ContainsSubstring("ladder: the host's own"));
    REQUIRE(notifier.delivered().size() == 2);
    CHECK_THAT(notifier.delivered()[1].summary, ContainsSubstring("recovered from STALLED"));
}

TEST_CASE("a ladder of a host's own goes on after a restart") {
    auto b = bench_with(AskAtOnce{});
    b.progress(b.run(), 1);
    b.minutes(3);
    CHECK(b.acts == "snapshot done, escalate done");
    b.boot();
    b.minutes(3);
    CHECK(b.acts == "snapshot done, escalate done");
    REQUIRE(b.history().interventions.size() == 1);
    CHECK(b.history().interventions[0].outcome == InterventionOutcome::escalated);
}

TEST_CASE("what a ladder may have besides is asked: limits, words, and what is left when it is held back") {
    AskPolitely refusing;
    refusing.allowed = false;
    RunClass rules = bench::minute_class("mine");
    rules.ladder = refusing;
    bench::Bench b = bench_with(AskPolitely{});
    const auto refused = b.dog->define(rules);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "run class `mine`: asking is not allowed");
    CHECK_THAT(b.dog->describe(), ContainsSubstring("ladder: asks politely"));
    b.classes[0].limits.rungs_per_tick = 0;
    b.boot();
    b.progress(b.run(), 1);
    b.minutes(2);
    CHECK(b.acts.empty());
    const auto sent = b.notifier.delivered();
    REQUIRE(sent.size() == 1);  // nothing is done, and people are told all the same
    std::string next;
    for (const Detail& detail : sent[0].details)
        if (detail.name == "next") next = detail.value;
    CHECK_THAT(next, ContainsSubstring("until it is well") || ContainsSubstring("a person decides"));
}

TEST_CASE("what was put into a class as its ladder is had again by its type [M-186]") {
    Ladder ladder = AskPolitely{};
    CHECK(ladder.present());
    REQUIRE(ladder.as<AskPolitely>() != nullptr);
    ladder.as<AskPolitely>()->allowed = false;
    CHECK_FALSE(ladder.validate());
    CHECK(ladder.as<RecoveryLadder>() == nullptr);
    CHECK(ladder.attempts() == 9);
    CHECK(Ladder{AskAtOnce{}}.attempts() == 2);
    CHECK_FALSE(Ladder{}.present());
}
