// Every verb absent, refused, failing, without an answer or throwing, in every rung of every preset: nothing is
// destroyed because something is missing, and a person is told.
#include <array>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace absent_verbs {
namespace {

enum class Way : std::uint8_t { works, absent, rejected, failed, timed_out, throws };
constexpr std::array<std::string_view, 6> way_names{"works", "absent", "rejected", "failed", "timed out", "throws"};

/// An agent control whose verbs each go one way; what was asked for stands in `log`, with whether it worked.
struct Hands {
    enum Verb : std::uint8_t { inject, pause, resume, isolate, snapshot, terminate, spawn, prove, look, count };
    static constexpr std::array<std::string_view, count> names{
        "inject", "pause", "resume", "isolate", "snapshot", "terminate", "spawn", "prove_stopped", "find"};

    struct Asked {
        Verb verb;
        Way way;
        Elapsed at;
    };

    const ManualClock* clock = nullptr;
    std::array<Way, count> ways{};
    std::vector<Asked> log{};

    template <class Answer>
    Result<Answer> go(Verb verb, Answer answer) {
        const Way way = ways[verb];
        log.push_back({verb, way, clock->now().elapsed});
        const std::string text =
            std::string{names[verb]} + ": " + std::string{way_names[static_cast<std::size_t>(way)]};
        switch (way) {
            case Way::works:
                return answer;
            case Way::absent:
                return fail(ErrorCode::unsupported, text);
            case Way::rejected:
                return fail(ErrorCode::rejected, text);
            case Way::failed:
                return fail(ErrorCode::failed, text);
            case Way::timed_out:
                return fail(ErrorCode::timed_out, text);
            case Way::throws:
                break;
        }
        throw std::runtime_error{text};
    }

    Result<ActionDone> ask(Verb verb) { return go(verb, ActionDone{}); }
};

/// The same with the names that a watchdog looks for.
struct Control {
    Hands& hands;
    Result<ActionDone> inject(const ActionRequest&) { return hands.ask(Hands::inject); }
    Result<ActionDone> pause(const ActionRequest&) { return hands.ask(Hands::pause); }
    Result<ActionDone> resume(const ActionRequest&) { return hands.ask(Hands::resume); }
    Result<ActionDone> isolate(const ActionRequest&) { return hands.ask(Hands::isolate); }
    Result<ActionDone> snapshot(const ActionRequest&) { return hands.ask(Hands::snapshot); }
    Result<ActionDone> terminate(const ActionRequest&) { return hands.ask(Hands::terminate); }
    Result<ActionDone> spawn(const ActionRequest&) { return hands.ask(Hands::spawn); }
    Result<StopProof> prove_stopped(std::string_view) { return hands.go(Hands::prove, StopProof::stopped); }
    Result<Found> find(std::string_view) { return hands.go(Hands::look, Found::absent); }
};

// --- what brings a run of each preset to each of its rungs
// ------------------------------------------------------------

RunClass long_class() { return bench::minute_class(); }
RunClass nudging_class() {
    RunClass rules = presets::recommended();
    rules.schedule.period = 60s;
    rules.alerts.outbox.group_interval = {};             // told at once
    rules.detectors.turn_on<BurnRateTracker<Tokens>>();  // by one interval: the day is too short for half an hour
    return rules;
}
RunClass proving_class() {
    RunClass rules = presets::checkpoint_continuation();
    rules.stop_proof = StopProofNeeded::proved;
    return rules;
}
RunClass steering_class() {
    RunClass rules = presets::session_monitor();
    rules.ladder.as<WatchLadder>()->steers = presets::session_steers();
    return rules;
}
RunClass retrying_class() {
    RunClass rules = presets::long_run();
    rules.interval.fixed = 60s;
    rules.ladder.as<RecoveryLadder>()->retry = Backoff{};
    return rules;
}
RunClass retrying_session() {
    RunClass rules = presets::session_monitor();
    rules.ladder.as<WatchLadder>()->retry = Backoff{};
    return rules;
}

void stall(Bench& b, RunHandle) {
    for (int i = 0; i < 25; ++i) (void)b.after(60s);
}
void loop(Bench& b, RunHandle run) {
    for (int i = 0; i < 5; ++i) (void)b.dog->observe(run, ToolCall{"ls", "{}", {}});
    for (int i = 0; i < 15; ++i) (void)b.dog->observe(run, Output{"same\n"});
    b.minutes(5);
}
void burn(Bench& b, RunHandle run) {
    for (const int tokens : {100, 100, 1000}) {
        if (tokens < 1000) b.progress(run, static_cast<std::int64_t>(b.clock.now().elapsed.time_since_epoch().count()));
        (void)b.dog->observe(run, Usage{tokens, 0, 0, 0, 0});
        (void)b.after(60s);
    }
}
void end_of_time(Bench& b, RunHandle run) {
    for (int i = 0; i < 61; ++i) {
        b.progress(run, i);
        (void)b.after(60s);
    }
}
void blind(Bench& b, RunHandle run) {
    (void)b.dog->observe(run, OutputAccess{false});
    b.minutes(5);
}
void burn_then_resume(Bench& b, RunHandle run) {
    burn(b, run);
    DecisionRow decision;
    decision.run = "r";
    decision.verb = Verb::resume;
    decision.by = "ada";
    (void)b.dog->decide(decision);
    (void)b.after(60s);
}

struct Trouble {
    std::string_view preset;
    std::string_view name;
    RunClass (*rules)();
    void (*cause)(Bench&, RunHandle);
    bool watches = false;  ///< people are told what is found, whatever is done about it
};

const Trouble troubles[] = {
    {"long_run", "stall", long_class, stall},
    {"long_run", "loop", long_class, loop},
    {"long_run", "runaway", long_class, burn},
    {"long_run", "resume", long_class, burn_then_resume},
    {"long_run", "limit", long_class, end_of_time},
    {"long_run", "no output", long_class, blind},
    {"long_run", "retry", retrying_class, stall},
    {"recommended", "stall", nudging_class, stall},
    {"recommended", "loop", nudging_class, loop},
    {"recommended", "runaway", nudging_class, burn},
    {"recommended", "resume", nudging_class, burn_then_resume},
    {"recommended", "limit", nudging_class, end_of_time},
    {"checkpoint_continuation", "stall", presets::checkpoint_continuation, stall},
    {"checkpoint_continuation", "proof", proving_class, stall},
    {"checkpoint_relay", "stall", presets::checkpoint_relay, stall},
    {"session_monitor", "steer", steering_class, loop, true},
    {"session_monitor", "retry", retrying_session, stall, true},
};

/// One day of one kind of trouble, with one verb that does not work.
struct Day {
    Bench b;
    Hands hands;
    Control control{hands};
    const Trouble& trouble;
    Hands::Verb verb;
    Way way;
    bool shared;

    Day(const Trouble& of, Hands::Verb which, Way how, bool is_shared, bool told = true)
        : trouble{of}, verb{which}, way{how}, shared{is_shared} {
        hands.clock = &b.clock;
        hands.ways[Hands::look] = Way::absent;
        hands.ways[verb] = way;
        if (verb == Hands::look)  // asked only where an answer is missing
            for (const auto each : {Hands::inject, Hands::pause, Hands::isolate, Hands::terminate, Hands::spawn})
                hands.ways[each] = Way::timed_out;
        b.classes = {trouble.rules()};
        b.boot();
        b.dog->attach(control);
        if (!told) b.notifier.answer_with({Delivery::fail});
        RunSpec spec = bench::spec_of("r");
        if (shared) spec.shared_run = {"other"};
        if (trouble.name == "limit") spec.timeout = 3600s;
        const RunHandle run = b.run(std::move(spec));
        b.progress(run, 0);
        trouble.cause(b, run);
        for (int i = 0; i < (heeler_test::is_slowed ? 4 : 16); ++i) (void)b.after(2700s);
    }

    [[nodiscard]] int asked(Hands::Verb which) const {
        int count = 0;
        for (const Hands::Asked& each : hands.log) count += each.verb == which ? 1 : 0;
        return count;
    }

    /// When a verb worked first, if it did before the entry `end` of the log.
    [[nodiscard]] std::optional<Elapsed> worked(Hands::Verb which, std::size_t end) const {
        for (std::size_t i = 0; i < end; ++i)
            if (hands.log[i].verb == which && hands.log[i].way == Way::works) return hands.log[i].at;
        return std::nullopt;
    }

    /// Promised: a nudge that got through and was waited for, a limit that was set, or (S001) an agent that would not
    /// be nudged or paused. That something is missing is none of these.
    void check_destroyed_rightly(std::size_t at) const {
        CHECK(worked(Hands::snapshot, at));
        const auto nudged = worked(Hands::inject, at);
        const bool waited = nudged && hands.log[at].at - *nudged >= 60s;
        const bool refused = trouble.preset == "long_run" && (way == Way::rejected || way == Way::failed) &&
                             (verb == Hands::inject || verb == Hands::pause);
        CHECK((waited || refused || trouble.name == "limit"));
        CHECK(trouble.preset == "long_run");
    }

    void check_deeds() const {
        for (std::size_t i = 0; i < hands.log.size(); ++i) {
            const Hands::Verb each = hands.log[i].verb;
            if (each == Hands::terminate) check_destroyed_rightly(i);
            const bool reaches =
                each == Hands::inject || each == Hands::pause || each == Hands::terminate || each == Hands::spawn;
            if (shared && reaches) CHECK(worked(Hands::isolate, i));
        }
        CHECK(asked(verb) <= (verb == Hands::look ? 40 : 10));
    }
};

/// What some hosts have, and no more.
struct Ending {
    Result<ActionDone> terminate(const ActionRequest&) { return ActionDone{}; }
};
struct Keeping : Ending {
    Result<ActionDone> snapshot(const ActionRequest&) { return ActionDone{}; }
};
struct Speaking {
    Result<ActionDone> inject(const ActionRequest&) { return ActionDone{}; }
};

}  // namespace

TEST_CASE("a class that wants to terminate is told by define that there is no snapshot [M-091] [D-63]") {
    Ending ending;
    Keeping keeping;
    Speaking speaking;
    Bench b;
    b.classes = {};
    b.boot();
    SECTION("it is refused") {
        CHECK(b.dog->attach(ending));
        const auto refused = b.dog->define(presets::long_run());
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::invalid_argument);
        CHECK_THAT(refused.error().message, ContainsSubstring("`long_run`") && ContainsSubstring("`terminate`") &&
                                                ContainsSubstring("no verb `snapshot`"));
        CHECK_FALSE(b.dog->start(bench::spec_of("r"), presets::long_run()));
    }
    SECTION("a class that terminates nobody is not, nor one whose host could not, or keeps what there is") {
        CHECK(b.dog->attach(ending));
        CHECK(b.dog->define(presets::recommended()));
        CHECK(b.dog->attach(speaking));
        CHECK(b.dog->define(presets::long_run()));
        CHECK(b.dog->attach(keeping));
        CHECK(b.dog->define(presets::long_run()));
    }
    SECTION("whichever comes first") {
        CHECK(b.dog->define(presets::long_run()));
        const auto told = b.dog->attach(ending);
        REQUIRE_FALSE(told);
        CHECK_THAT(told.error().message, ContainsSubstring("no verb `snapshot`"));
    }
}

TEST_CASE("what a class asks for and the agent control cannot do stands in describe [D-63]") {
    Speaking speaking;
    Bench b;
    CHECK_THAT(b.dog->describe(), !ContainsSubstring("cannot"));
    CHECK(b.dog->attach(speaking));
    CHECK_THAT(b.dog->describe(),
               ContainsSubstring("  the agent control cannot: pause, snapshot, terminate; a person is told instead\n"));
    b.dog->detach_control();
    CHECK_THAT(b.dog->describe(), !ContainsSubstring("cannot"));
}

TEST_CASE("no verb that is absent or fails destroys anything, on no rung of any preset [M-090] [M-095] [D-63]") {
    const Trouble& trouble = troubles[GENERATE(range(0, static_cast<int>(std::size(troubles))))];
    const auto verb = static_cast<Hands::Verb>(GENERATE(range(0, static_cast<int>(Hands::count))));
    const bool shared = GENERATE(false, true);
    // Each rung and each verb in one of the two ways.
    if (heeler_test::is_slowed && shared != ((&trouble - troubles) % 2 == static_cast<int>(verb) % 2)) return;
    for (const Way way : {Way::absent, Way::rejected, Way::failed, Way::timed_out, Way::throws}) {
        CAPTURE(trouble.preset, trouble.name, Hands::names[verb], way_names[static_cast<std::size_t>(way)], shared);
        const Day day{trouble, verb, way, shared};
        day.check_deeds();
        if (day.asked(verb) == 0) return;  // not a verb of this rung, whatever it would answer
        const auto kinds = day.b.sent_kinds();
        const auto told = std::count(kinds.begin(), kinds.end(), trouble.watches ? "run.unhealthy" : "escalation");
        const bool lives_on = day.asked(Hands::terminate) > 0 && day.hands.ways[Hands::terminate] != Way::works;
        CHECK(told >= (lives_on ? 2 : 1));
    }
}

TEST_CASE("that nobody could be told destroys nothing either [M-090] [M-094]") {
    const Trouble& trouble = troubles[GENERATE(range(0, static_cast<int>(std::size(troubles))))];
    const auto verb = static_cast<Hands::Verb>(GENERATE(range(0, static_cast<int>(Hands::count))));
    for (const Way way : {Way::absent, Way::failed}) {
        CAPTURE(trouble.preset, trouble.name, Hands::names[verb], way_names[static_cast<std::size_t>(way)]);
        const Day day{trouble, verb, way, false, false};
        day.check_deeds();
        CHECK(day.b.notifier.delivered().empty());
        if (day.asked(verb) == 0) return;
    }
}

}  // namespace absent_verbs
