// Detectors of a host in a watchdog of any type, and what they remember while classes change and processes restart.
#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::Counts;

namespace {

/// Says how often it was asked, and for when.
struct Asked {
    static inline int checks = 0;
    static inline int dues = 0;
    static constexpr std::string_view kind = "asked";
    struct Settings {};
    struct Memory {
        int seen = 0;
    };
    void learn(Memory& memory, const Settings&, const Observation&) const { ++memory.seen; }
    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings&, const Run&, Instant) const {
        ++checks;
        if (memory.seen == 0) return std::nullopt;
        return Finding{Condition::runaway, Level::watch, kind, {.rule = "seen"}};
    }
    [[nodiscard]] std::optional<Duration> due(const Memory&, const Settings&, const Run&, Duration) const {
        ++dues;
        return std::nullopt;
    }
};

/// Finds too many failures, and counts them whatever is done.
struct Failures {
    static constexpr std::string_view kind = "failures";
    static constexpr EventMask listens = events<ToolResult>;
    struct Settings {
        int most = 4;
    };
    struct Memory {
        int failures = 0;
    };
    void learn(Memory& memory, const Settings&, const Observation& seen) const {
        if (!std::get<ToolResult>(seen.event).ok.value_or(true)) ++memory.failures;
    }
    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run&,
                                               Instant) const {
        if (memory.failures < settings.most) return std::nullopt;
        Finding finding{Condition::error_cascade, Level::watch, kind, {.rule = "failures"}};
        finding.evidence.add("failures", memory.failures);
        return finding;
    }
};

RunClass asked_class(std::string name = "asked") {
    RunClass rules = bench::minute_class(std::move(name));
    rules.detectors.turn_on<Asked>();
    return rules;
}

template <class Dog>
void judge_one(Dog& dog, ManualClock& clock, RunClass rules) {
    Asked::checks = 0;
    const auto run = dog.start({.name = "r"}, std::move(rules));
    REQUIRE(run);
    (void)dog.observe(*run, Progress{1});
    clock.advance(60s);
    (void)dog.tick();
    CHECK(Asked::checks == 1);
    const auto status = dog.status(*run);
    REQUIRE(status);
    CHECK(*status == Status::runaway);
}

std::string last_counts(const CycleReport& report) {
    const auto events = bench::all_of<StatusEvent>(report);
    return events.empty() ? "nothing is said" : rooms::counts_of(events.back().findings);
}

void call(bench::Bench& b, RunHandle run, int times) {
    for (int i = 0; i < times; ++i) (void)b.dog->observe(run, ToolCall{"t" + std::to_string(i), "{}", {}});
}

/// Its hooks are a template, and two of one name.
struct AnyHooks {
    static constexpr std::string_view kind = "any_hooks";
    struct Settings {};
    struct Memory {
        void archive(auto&) {}
    };
    static void learn(Memory&, const Settings&, const Observation&) {}
    static std::optional<Finding> check(const Memory&, const Settings&, const Run&, Instant) { return {}; }
    static std::optional<Duration> due(const auto&, const auto&, const Run&, Duration since) { return since; }
    static Result<void> validate(std::string_view) { return {}; }
    static Result<void> validate(const Settings&) { return fail(ErrorCode::invalid_argument, "they are refused"); }
};

}  // namespace

TEST_CASE("a detector that a class turns on is asked, whatever the watchdog is made of") {
    ManualClock clock{bench::start};
    Watchdog plain{clock, MemoryStore{}, RecordingNotifier{}};
    judge_one(plain, clock, asked_class());
    Watchdog<ManualClock, FaultStore<MemoryStore>, RecordingNotifier> other{clock, FaultStore<MemoryStore>{},
                                                                            RecordingNotifier{}};
    RunClass rules = presets::recommended();
    rules.detectors.turn_on<Asked>();
    judge_one(other, clock, rules);
    REQUIRE(other.define(asked_class("second")));
    const auto run = other.start({.name = "s"}, "second");
    REQUIRE(run);
    Asked::checks = 0;
    clock.advance(60s);
    (void)other.tick(TickCause::on_demand);
    CHECK(Asked::checks == 2);
    CHECK_THAT(other.describe(), ContainsSubstring("asked"));
}

TEST_CASE("after a restart a class that lost, gained and moved detectors keeps the memory of the rest") {
    bench::Bench b;
    b.settings.memory_every = 0s;
    b.classes[0] = rooms::bare_class();
    b.classes[0].detectors.turn_on<Counts<'a'>>().turn_on<Counts<'b'>>().turn_on<Counts<'c'>>();
    b.boot();
    call(b, b.run(), 3);
    CHECK(last_counts(b.after(60s)) == "a 3, b 3, c 3");

    b.classes[0] = rooms::bare_class();
    b.classes[0].detectors.turn_on<Counts<'n'>>({Level::nudge}).turn_on<Counts<'c', 2>>().turn_on<Counts<'a'>>();
    b.boot();
    (void)b.cycle();
    const auto again = b.dog->find("r");
    REQUIRE(again);
    call(b, *again, 1);
    CHECK(last_counts(b.after(60s)) == "n 1, c 1, a 4");  // b is gone, n is new, c changed its layout
}

TEST_CASE("a class that is defined anew while its runs go on keeps what their detectors remember [M-186]") {
    bench::Bench b;
    b.classes[0] = rooms::bare_class();
    b.classes[0].detectors.turn_on<Failures>().turn_on<Counts<'a'>>();
    b.boot();
    const RunHandle run = b.run();
    const auto fail_once = [&] { (void)b.dog->observe(run, ToolResult{false, "no", {}, {}}); };
    for (int i = 0; i < 3; ++i) fail_once();
    call(b, run, 2);
    CHECK(last_counts(b.after(60s)) == "a 2");
    RunClass other = rooms::bare_class();
    other.detectors.turn_on<Counts<'a'>>({Level::nudge}).turn_on<Counts<'n'>>().turn_on<Failures>({4});
    REQUIRE(b.dog->define(other));
    fail_once();  // the fourth: three of them were counted before
    const CycleReport report = b.after(60s);
    const auto events = bench::all_of<StatusEvent>(report);
    REQUIRE_FALSE(events.empty());
    CHECK(rooms::counts_of(events.back().findings) == "a 2, n 0");
    REQUIRE(events.back().findings.size() == 3);
    CHECK(events.back().findings[0].evidence.fact("failures") == 4);
}

TEST_CASE("who starts a run under other rules than the class of that name has hears which setting differs") {
    const auto other = [](auto change) {
        RunClass rules = presets::recommended();
        change(rules);
        return rules;
    };
    const auto nothing = [](RunClass&) {};
    struct Differs {
        RunClass rules;
        std::string there;
    };
    const Differs all[] = {
        {other([](RunClass& rules) { rules.limits.debounce = 3; }), "debounce = 1`"},
        {other([](RunClass& rules) { rules.interval.fixed = 90s; }), "interval_s = 60`"},
        {other([](RunClass& rules) { rules.detectors.turn_on<ResourceLimit>({.watch_at = 0.5}); }),
         "resource.watch_at = 0.9`"},
        {other([](RunClass& rules) { rules.limits.rungs_per_tick = 2; }), "action_budget = none`"},
        {other([](RunClass& rules) {
             rules.detectors.turn_on<HeartbeatContract<ProgressAge>>({.warn_after = 300s, .act_after = 601s});
         }),
         "progress_age.age_s = 600`"},
        {other([](RunClass& rules) { rules.detectors.turn_off<ExpectedDuration>(); }), "  detectors: "},
        {other([](RunClass& rules) { rules.stop_proof = StopProofNeeded::presumed; }), "  stop_proof = proved"},
        {other([](RunClass& rules) { rules.ladder.as<RecoveryLadder>()->max_attempts = 7; }), "    after 3 attempts"},
    };
    bench::Bench b;
    b.classes = {};
    b.boot();
    REQUIRE(b.dog->start({.name = "first"}, other(nothing)));
    for (const Differs& each : all) {
        const auto started = b.dog->start({.name = "r"}, each.rules);
        REQUIRE_FALSE(started);
        CHECK(started.error().code == ErrorCode::invalid_argument);
        CHECK_THAT(started.error().message,
                   ContainsSubstring("class `recommended` is another already, with `" + each.there));
        for (const std::string id : {"first", "r"}) {
            const auto attached = b.dog->attach({.name = id}, each.rules);
            REQUIRE_FALSE(attached);
            CHECK(attached.error().message == started.error().message);
        }
        CHECK_FALSE(b.dog->scoped({.name = "r"}, each.rules));
    }
    CHECK(!b.memory.history("r")->row);
    CHECK(b.dog->start({.name = "second"}, presets::recommended()));
    CHECK(b.dog->start({.name = "third"}, "recommended"));
    CHECK(b.dog->attach({.name = "first"}, presets::recommended()));
    REQUIRE(b.dog->define(all[0].rules));
    CHECK(b.dog->start({.name = "fourth"}, all[0].rules));
}

TEST_CASE("where a source was read to does not depend on the class's detectors") {
    struct Source {
        std::vector<std::string> asked;
        Result<Polled> poll(std::string_view cursor) {
            asked.emplace_back(cursor);
            Polled found;
            found.cursor = "42";
            if (cursor.empty()) found.events.push_back({Progress{1}, std::nullopt});
            return found;
        }
    };
    bench::Bench b;
    b.classes[0] = rooms::bare_class();
    b.classes[0].detectors.turn_on<Counts<'a'>>().turn_on<Counts<'b'>>();
    b.boot();
    Source source;
    REQUIRE(b.dog->attach(b.run(), source));
    (void)b.after(60s);
    REQUIRE(source.asked == std::vector<std::string>{""});
    for (int step = 0; step < 3; ++step) {
        b.classes[0].detectors = {};
        if (step == 1) b.classes[0].detectors.turn_on<Counts<'b', 7>>().turn_on<Counts<'x'>>();
        if (step == 2) b.classes[0].detectors = presets::recommended().detectors;
        b.boot();
        const auto run = b.dog->find("r");
        REQUIRE(run);
        source.asked.clear();
        REQUIRE(b.dog->attach(*run, source));
        (void)b.after(60s);
        CHECK(source.asked == std::vector<std::string>{"42"});
    }
}

TEST_CASE("a run that is started in a class that is known already does not define it anew [M-186]") {
    bench::Bench b;
    b.classes[0] = asked_class();
    b.boot();
    for (int i = 0; i < 8; ++i) (void)b.run("r" + std::to_string(i));
    b.clock.advance(1s);
    (void)b.cycle();
    const std::string before = b.dog->describe();
    RunClass other = asked_class();
    other.interval.fixed = 30s;
    CHECK_FALSE(b.dog->start(bench::spec_of("late"), other));
    REQUIRE(b.dog->start(bench::spec_of("late"), asked_class()));
    CHECK(b.dog->describe() == before);
    Asked::dues = 0;
    (void)b.cycle();
    CHECK(Asked::dues == 0);  // nobody is due, and nobody is looked at
    REQUIRE(b.dog->define(other));
    (void)b.cycle();
    CHECK(Asked::dues == 9);
}

TEST_CASE("words of a host may ask the watchdog what it knows") {
    bench::Bench b;
    std::string said;
    RunHandle run;
    const auto look = [&](std::string_view who) {
        const auto status = b.dog->status(run);
        said += std::string{who} + (status ? " " + std::string{name_of(*status)} : " gone") +
                (b.dog->describe().empty() ? "?" : "") + ", ";
        return std::string{who};
    };
    PromptSettings& words = b.classes[0].prompts;
    words.nudge = [&](const PromptFacts&) { return look("nudge"); };
    words.issues = [&](const List<Finding>&, const Run&) { return std::vector{look("issues")}; };
    words.alert = [&](Alert&, const Run&, Duration) { (void)look("alert"); };
    b.boot();
    run = b.run();
    b.progress(run, 1);
    b.minutes(2);
    CHECK(b.asked(ControlVerb::inject) == 1);
    CHECK_THAT(said, ContainsSubstring("nudge HEALTHY") && ContainsSubstring("issues HEALTHY") &&
                         ContainsSubstring("alert HEALTHY"));
    CHECK(b.dog->status(run) == Status::stalled);
}

TEST_CASE("a hook of a detector may be a template, or one of several of its name") {
    CHECK(detector_ops<AnyHooks>.due != nullptr);
    RunClass rules = bench::minute_class();
    rules.detectors.turn_on<AnyHooks>();
    bench::Bench d;
    const auto said = d.dog->define(rules);
    REQUIRE_FALSE(said);
    CHECK_THAT(said.error().message, ContainsSubstring("they are refused"));
}
