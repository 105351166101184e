// A source that is lost, a cycle that comes too late: neither says that a run is well, nor that it is not.
#include <heeler/explain/report.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

/// What is reported since the last poll, or why nothing can be read.
struct BreakableSource {
    std::vector<SourceEvent> news;
    std::optional<Error> broken;

    Result<Polled> poll(std::string_view) {
        if (broken) return tl::unexpected<Error>(*broken);
        Polled polled;
        polled.events = std::exchange(news, {});
        polled.cursor = std::to_string(++polls_);
        return polled;
    }
    void breaks() { broken = Error{ErrorCode::io, "the log cannot be opened"}; }

private:
    int polls_ = 0;
};

/// A run that is known from its source only.
struct Polling : Bench {
    BreakableSource line;
    RunHandle handle;

    explicit Polling(RunClass rules, MetricKind metric = MetricKind::reported) {
        classes = {std::move(rules)};
        boot();
        RunSpec spec = bench::spec_of("r");
        spec.metric = metric;
        handle = run(std::move(spec));
        REQUIRE(dog->attach(handle, line));
        says(Progress{1});
        says(Output{"configuring\n"});
    }
    template <class What>
    void says(What what) {
        line.news.push_back({std::move(what)});
    }
    /// Cycles until the run is `how`.
    void until(Status how) {
        for (int i = 0; i < 10'000 && dog->status(handle) != how; ++i) step();
        REQUIRE(dog->status(handle) == how);
    }
    std::string step() {
        const CycleReport report = after(std::max(Duration{5s}, *dog->next_deadline() - clock.now().elapsed));
        for (const auto& outcome : all_of<OutcomeEvent>(report))
            verified += std::string{name_of(outcome.outcome)} + " ";
        return bench::acts_of(report);
    }
    void for_long(Duration length) {
        const Elapsed end = clock.now().elapsed + length;
        while (clock.now().elapsed < end) step();
    }
    [[nodiscard]] std::size_t sent(std::string_view kind) const {
        const auto kinds = sent_kinds();
        return static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), kind));
    }

    std::string verified;
};

RunClass steering() {
    RunClass rules = presets::session_monitor();
    rules.ladder.as<WatchLadder>()->steers = presets::session_steers();
    return rules;
}

}  // namespace

TEST_CASE("an incident stays open while its source is lost, and ends when it is back and the run is well [M-092]") {
    const std::string preset = GENERATE("session_monitor", "recommended", "retry");
    RunClass rules = preset == "recommended" ? presets::recommended() : presets::session_monitor();
    if (preset == "session_monitor") rules.ladder.as<WatchLadder>()->endings.clear();
    if (preset == "retry") rules.ladder.as<WatchLadder>()->retry = Backoff{3, 20min, 1, 20min};
    CAPTURE(preset);
    Polling p{std::move(rules)};
    p.until(Status::stalled);
    while (p.acts.empty() && p.sent("run.unhealthy") == 0) p.step();
    const std::string acts = p.acts;
    p.line.breaks();
    p.for_long(1h);
    CHECK(p.dog->status(p.handle) == Status::stalled);
    CHECK(p.acts == acts);
    CHECK(p.verified.empty());
    CHECK(p.sent("run.recovered") == 0);
    p.line.broken.reset();
    p.says(Progress{2});
    p.says(ToolCall{"make", "{}", {}});
    p.for_long(10min);
    CHECK(p.dog->status(p.handle) == Status::healthy);
    CHECK(p.verified == (preset == "recommended" ? "recovered " : ""));
    CHECK(p.sent("run.recovered") == 1);
}

TEST_CASE("a retry that is planned is neither called off nor carried out while the source is lost [M-107]") {
    RunClass rules = presets::long_run();
    rules.ladder.as<RecoveryLadder>()->retry = Backoff{3, 10min, 1, 10min};
    rules.detectors.turn_on<OutputAccessRule>();
    rules.interval.fixed = 60s;
    Polling p{std::move(rules)};
    p.until(Status::stalled);
    p.line.breaks();
    p.for_long(1h);
    CHECK(p.acts.empty());
    p.line.broken.reset();
    p.for_long(2min);
    CHECK(p.acts.empty());  // it has both intervals to show itself
    p.for_long(2min);
    CHECK(p.acts == "spawn done");
}

TEST_CASE("what a run did before its source was lost is no reason to do anything now [M-108]") {
    Polling p{steering()};
    for (int i = 0; i < 5; ++i) p.says(ToolCall{"ls", "{}", {}});
    p.until(Status::loop_detected);
    REQUIRE(p.acts == "inject:steer done");
    p.line.breaks();
    p.for_long(1h);
    CHECK(p.acts == "inject:steer done");
    CHECK(p.sent("run.unhealthy") == 1);
    CHECK(p.dog->status(p.handle) == Status::loop_detected);
}

TEST_CASE("a limit holds while the source is lost [M-076]") {
    RunClass rules = presets::recommended();
    rules.detectors.turn_on<RunTimeout>({3600s});
    Polling p{std::move(rules)};
    p.line.breaks();
    p.for_long(2h);
    CHECK(p.acts == "pause done, snapshot done, escalate done");
}

TEST_CASE("a source that is lost for an hour is told once, and once when it can be read again [M-189]") {
    const bool stalls = GENERATE(false, true);
    CAPTURE(stalls);
    Polling p{presets::recommended()};
    if (stalls) p.until(Status::stalled);
    const std::size_t began = p.sent("run.unhealthy");
    p.line.breaks();
    p.for_long(59min);
    CHECK(p.sent("run.unobservable") == 0);
    CHECK(p.dog->vitals().unobservable == 1);
    CHECK_THAT(*p.dog->explain("r"), ContainsSubstring("UNOBSERVABLE since 2027-01-15T") &&
                                         ContainsSubstring(": its source cannot be read\n"));
    p.for_long(2min);
    REQUIRE(p.sent("run.unobservable") == 1);
    const Alert told = p.notifier.sent().back().alert;
    CHECK(told.severity == Severity::warning);
    CHECK(told.issues == std::vector<std::string>{"UNOBSERVABLE: source_not_readable: for_s 3600"});
    CHECK(p.dog->status(p.handle) == (stalls ? Status::stalled : Status::healthy));
    p.for_long(3h);
    CHECK(p.sent("run.unobservable") == 1);
    CHECK(p.sent("run.observable") == 0);
    CHECK(p.sent("run.recovered") == 0);
    CHECK(p.sent("run.unhealthy") == began);
    CHECK(p.acts.empty());
    CHECK(p.dog->report("r")->conditions.back() == "UNOBSERVABLE");
    p.line.broken.reset();
    p.says(Progress{2});
    p.step();
    CHECK(p.sent("run.observable") == 1);
    CHECK_THAT(p.notifier.sent().back().alert.summary, ContainsSubstring("it can be read again"));
    CHECK(p.dog->vitals().unobservable == 0);
    CHECK_THAT(*p.dog->explain("r"), !ContainsSubstring("UNOBSERVABLE since"));
    p.line.breaks();
    p.for_long(90min);
    CHECK(p.sent("run.unobservable") == 2);
}

TEST_CASE("a source that was lost before a restart is lost since then, and told once [M-189]") {
    Polling p{presets::recommended()};
    (void)p.after(60s);
    p.line.breaks();
    const Duration first = GENERATE(30min, 2h);
    p.for_long(first);
    CHECK(p.sent("run.unobservable") == (first > 1h ? 1 : 0));
    REQUIRE(p.dog->flush());
    p.boot();
    p.handle = *p.dog->find("r");
    REQUIRE(p.dog->attach(p.handle, p.line));
    p.for_long(40min);
    CHECK(p.sent("run.unobservable") == 1);
    CHECK(p.sent("run.observable") == 0);
    p.line.broken.reset();
    p.for_long(5min);
    CHECK(p.sent("run.observable") == 1);
}

TEST_CASE("that nothing can be read is shown in every class, and told where the class says so [M-189]") {
    RunClass rules = GENERATE(presets::long_run(), presets::session_monitor());
    const bool told = GENERATE(false, true);
    if (told) rules.alerts.unobservable_after = 2h;
    const std::string name = rules.name;
    CAPTURE(name, told);
    rules.detectors.turn_off<OutputAccessRule>();
    Polling p{std::move(rules)};
    (void)p.after(300s);
    p.line.breaks();
    p.for_long(3h);
    CHECK(p.dog->vitals().unobservable == 1);
    CHECK(p.sent("run.unobservable") == (told ? 1 : 0));
}

TEST_CASE("a loss that is silenced is told when the silence is over, if it lasts [M-189]") {
    Polling p{presets::recommended()};
    (void)p.after(60s);
    DecisionRow silence;
    silence.verb = Verb::silence;
    silence.about.kind = "run.unobservable";
    silence.until = p.clock.now().wall + 2h;
    silence.by = "ana";
    silence.because = "the archive is moved";
    REQUIRE(p.dog->decide(silence));
    p.line.breaks();
    p.for_long(110min);
    CHECK(p.sent("run.unobservable") == 0);
    p.for_long(20min);
    CHECK(p.sent("run.unobservable") == 1);
}

TEST_CASE("output that cannot be read is shown as what nobody can observe [M-189]") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    (void)b.dog->observe(run, OutputAccess{false});
    b.minutes(2);
    CHECK(b.dog->status(run) == Status::stalled);
    CHECK(b.dog->vitals().unobservable == 1);
    CHECK_THAT(*b.dog->explain("r"),
               ContainsSubstring("UNOBSERVABLE since ") && ContainsSubstring(": its output cannot be read\n"));
    (void)b.dog->observe(run, OutputAccess{true});
    b.progress(run, 2);
    b.minutes(1);
    CHECK(b.dog->vitals().unobservable == 0);
}

TEST_CASE("a cycle that comes far too late ends no incident [D-23]") {
    Bench b;
    b.classes = {presets::session_monitor()};
    b.classes[0].ladder.as<WatchLadder>()->endings.clear();
    b.boot();
    const RunHandle run = b.run();
    (void)b.dog->observe(run, ToolCall{"ls", "{}", {}});
    for (int i = 0; i < 4; ++i) (void)b.after(300s);
    REQUIRE(b.dog->status(run) == Status::stalled);
    (void)b.after(2000s);
    CHECK(b.dog->status(run) == Status::stalled);
    CHECK(b.sent_kinds() == std::vector<std::string>{"run.unhealthy"});
    (void)b.after(300s);
    CHECK(b.dog->status(run) == Status::stalled);
}

TEST_CASE("a source that cannot be read for an interval is a stall of a long run, escalated and never nudged [M-033]") {
    const MetricKind metric = GENERATE(MetricKind::reported, MetricKind::output_lines);
    Polling p{bench::minute_class(), metric};
    p.says(Output{"compiling\n"});
    (void)p.after(60s);
    p.line.breaks();
    (void)p.after(60s);
    CHECK(p.acts.empty());
    CHECK(p.dog->status(p.handle) == Status::healthy);
    (void)p.after(60s);
    CHECK(p.dog->status(p.handle) == Status::stalled);
    CHECK(p.acts == "escalate done");
    p.minutes(10);
    CHECK(p.acts == "escalate done");
    CHECK(p.history().audit.back().body.find("zero_delta") == std::string::npos);
    p.line.broken.reset();
    p.says(Progress{2});
    p.says(Output{"linking\n"});
    (void)p.after(60s);
    CHECK(p.dog->status(p.handle) == Status::recovered);
}

TEST_CASE("intervals that could not be read are no progress of zero, whatever the metric [M-033]") {
    RunClass rules = bench::minute_class();
    rules.detectors.turn_off<OutputAccessRule>();
    Polling p{std::move(rules), GENERATE(MetricKind::reported, MetricKind::output_lines)};
    (void)p.after(60s);
    p.line.breaks();
    p.minutes(10);
    p.line.broken.reset();
    (void)p.after(60s);  // part of it could not be read
    CHECK(p.dog->status(p.handle) == Status::healthy);
    p.minutes(2);
    CHECK(p.acts == "inject:nudge done");
}

TEST_CASE("output that cannot be read is escalated when it is said, not in the next cycle [M-033]") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    b.minutes(1);
    b.clock.advance(10s);
    b.progress(run, 2);
    (void)b.dog->observe(run, OutputAccess{false});
    CHECK(*b.dog->next_deadline() <= b.clock.now().elapsed);
    (void)b.cycle();
    CHECK(b.dog->status(run) == Status::stalled);
    CHECK(b.acts == "escalate done");
    (void)b.after(50s);
    CHECK(b.dog->report("r")->intervals == 2);
}

TEST_CASE("in a class with an aligned schedule it waits for the grid [D-51]") {
    Bench b;
    b.classes[0].schedule = {900s, true, false};
    b.classes[0].interval.fixed = 900s;
    b.boot();
    const RunHandle run = b.run();
    (void)b.dog->observe(run, OutputAccess{false});
    (void)b.after(10s);
    CHECK(b.acts.empty());
    (void)b.after(900s);
    CHECK(b.acts == "escalate done");
}

TEST_CASE("a nudge is not verified once the output is out of reach, and goes on where it was [M-033]") {
    Bench b;
    const RunHandle run = b.stalled();
    (void)b.dog->observe(run, OutputAccess{false});
    b.minutes(5);
    CHECK(b.acts == "inject:nudge done; escalate done");
    CHECK(b.outcomes() == "inject:nudge pending, escalate escalated");
    (void)b.dog->observe(run, OutputAccess{true});
    SECTION("it progresses: recovered") {
        b.progress(run, 2);
        b.minutes(2);
        CHECK(b.dog->status(run) == Status::healthy);
    }
    SECTION("it still stalls: nudged again, once more than never") {
        b.minutes(1);
        CHECK(b.acts == "inject:nudge done; escalate done; inject:nudge done");
    }
}

TEST_CASE("that a source stays lost is counted, and said more and more seldom") {
    Polling p{GENERATE(presets::recommended(), presets::session_monitor())};
    (void)p.after(300s);
    p.line.breaks();
    std::string said;
    std::size_t lines = 0;
    std::uint64_t held = 0;
    for (int i = 0; i < 6 * 60; ++i) {
        const CycleReport report = p.after(30s);
        held += report.why.grace;
        for (const auto& event : all_of<AuditEvent>(report))
            if (event.row.kind == "held") said += event.row.body;
        for (const LogLine& line : log_lines(report))
            lines += line.text.find("watchdog held: ") != std::string::npos ? 1 : 0;
    }
    CHECK(lines >= 4);
    CHECK(lines <= 6);
    CHECK_THAT(said, ContainsSubstring(R"({"cause":"source","runs":1,"seconds":600})"));
    CHECK(held > 30);
    CHECK(p.dog->vitals().held_by_source == 1);
    p.line.broken.reset();
    (void)p.after(300s);
    CHECK(p.dog->vitals().held_by_source == 0);
}
