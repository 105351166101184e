#include <heeler/run/fold.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::Folder;
using detail::WatchedRun;

namespace {

/// One run, to which things are reported at moments of its working clock.
struct Folded {
    rooms::House house;
    RunHandle handle;
    WatchedRun& watched;

    explicit Folded(MetricKind metric = MetricKind::reported)
        : handle{house.run(rooms::bare_class(), of(metric))}, watched{house.at(handle)} {}

    static RunSpec of(MetricKind metric) {
        RunSpec spec = bench::spec_of("r");
        spec.metric = metric;
        return spec;
    }
    [[nodiscard]] Folder at(Duration when) const {
        return Folder{watched, {bench::start.elapsed + when, bench::start.wall + when}};
    }
    [[nodiscard]] const Run& run() const { return watched.run; }
};

}  // namespace

TEST_CASE("a heartbeat is life, a repeated result is activity, a new one is progress", "[run]") {
    Folded f;
    f.at(1s)(Heartbeat{});
    CHECK((f.run().last_alive == 1s && !f.run().last_activity && !f.run().last_progress));
    f.at(2s)(ToolResult{true, "new", {}, {}});
    CHECK(f.run().last_progress == 2s);
    f.at(3s)(ToolResult{true, "new", {}, {}});
    CHECK((f.run().last_activity == 3s && f.run().last_progress == 2s));
    f.at(4s)(Message{false, "a person speaks"});
    CHECK((f.run().last_alive == 4s && f.run().last_activity == 3s));
    f.at(5s)(SignOfLife{"transcript"});
    CHECK((f.run().last_sign == 5s && f.run().last_activity == 3s));
}

TEST_CASE("what is more than output is told apart from it", "[run]") {
    Folded f{MetricKind::output_lines};
    f.at(1s)(Output{"a line\n"});
    CHECK((f.run().last_progress == 1s && !f.run().last_gain));
    f.at(2s)(ToolResult{true, "new", {}, {}});
    f.at(3s)(ToolResult{true, "new", {}, {}});
    CHECK(f.run().last_gain == 2s);
    f.at(4s)(Progress{1});
    f.at(5s)(Progress{1});
    CHECK(f.run().last_gain == 4s);
    f.at(6s).checkpoint(1, "one", CheckpointReason::scheduled);
    f.at(7s).checkpoint(1, "one", CheckpointReason::scheduled);
    CHECK(f.run().last_gain == 6s);
    f.at(8s).begin_attempt(1);
    CHECK(f.run().last_gain == 8s);
}

TEST_CASE("children that are no runs are credited when they are told to have done more than ever before", "[run]") {
    Folded f;
    f.at(1s)(SignOfLife{"workers", 0});
    CHECK_FALSE((f.run().last_activity || f.run().children));
    f.at(2s)(SignOfLife{"workers", 7});
    CHECK((f.run().last_progress == 2s && f.run().last_activity == 2s && !f.run().last_gain));
    f.at(3s)(SignOfLife{"workers", 7});
    f.at(4s)(SignOfLife{"workers", 6});
    CHECK((f.run().last_progress == 2s && f.run().last_sign == 4s && f.run().last_alive == 4s));
    f.at(5s)(StateChange{RunState::waiting_child, {}, {}, {}});
    f.at(9s)(SignOfLife{"workers", 8});
    CHECK((f.run().last_progress == 5s && f.run().children->progress == bench::start.elapsed + 9s));
    f.at(10s)(StateChange{RunState::waiting_human, {}, {}, {}});
    f.at(11s)(SignOfLife{"workers", 9});  // no answer of a person
    CHECK(f.run().children->progress == bench::start.elapsed + 9s);
}

TEST_CASE("what is reported late takes nothing back", "[run]") {
    Folded f;
    f.at(9s)(Progress{3});
    f.at(4s)(Progress{4});
    CHECK((f.run().last_progress == 9s && f.run().last_activity == 9s && f.run().reported_value == 4));
}

TEST_CASE("lines are counted when they are finished, and are progress where they are the metric", "[run]") {
    Folded f{MetricKind::output_lines};
    f.at(1s)(Output{"half", true});
    CHECK((f.run().lines == 0 && !f.run().last_progress && f.run().last_activity == 1s));
    f.at(2s)(Output{" a line\nand ", true});
    CHECK((f.run().lines == 1 && f.run().last_progress == 2s));
}

TEST_CASE("waiting stops the working clock, and a wait that ends lets it go on where it stood", "[run]") {
    Folded f;
    f.at(10s)(StateChange{RunState::rate_limited, {}, bench::start.wall + 40s, {}});
    CHECK(f.run().working(bench::start.elapsed + 30s) == 10s);
    CHECK(f.watched.rare->waits_until == bench::start.elapsed + 40s);
    CHECK(f.watched.state_told);
    f.at(30s)(StateChange{RunState::waiting_human, {}, {}, {}});  // the same wait goes on
    f.at(50s)(StateChange{RunState::running, {}, {}, {}});
    CHECK((f.run().waited == 40s && !f.run().waiting_since && !f.watched.rare->waits_until));
    CHECK(f.run().working(bench::start.elapsed + 55s) == 15s);
}

TEST_CASE("a sample is taken once per interval of the working clock, and a late one keeps the grid", "[run]") {
    Folded f;
    f.at(0s)(Progress{5});
    CHECK_FALSE(f.at(59s).sample());
    f.at(59s)(Progress{7});
    CHECK(f.at(60s).sample());
    CHECK_FALSE(f.at(61s).sample());
    CHECK(f.at(200s).sample());
    CHECK_FALSE(f.at(239s).sample());
    CHECK(f.at(240s).sample());
    const auto& rows = *f.watched.rare->heartbeats;
    REQUIRE(rows.size() == 3);
    CHECK((rows[0].value == 7 && rows[0].delta == 2));
    CHECK(rows[2].at - rows[0].at == 180s);
    CHECK((rows[2].number == 3 && rows[2].delta == 0));
    f.at(250s)(StateChange{RunState::waiting_child, {}, {}, {}});
    CHECK_FALSE(f.at(900s).sample());
}

TEST_CASE("a call is open until its result, which may come before it", "[run]") {
    Folded f;
    f.at(1s)(ToolResult{true, "x", {}, {}});
    f.at(1s)(ToolCall{"ls", "{}", {}});
    f.at(2s)(ToolCall{"ls", "{}", {}});
    f.at(3s)(ToolResult{true, "x", {}, {}});
    CHECK((f.run().open_calls == 1 && f.run().calls == 2));
}

TEST_CASE("steps that are done count once and are kept in order", "[run]") {
    Folded f;
    for (const std::int64_t step : {3, 1, 3, 2}) f.at(1s).checkpoint(step, "done", CheckpointReason::scheduled);
    CHECK(f.watched.checkpoints->steps == std::vector<std::int64_t>{1, 2, 3});
    CHECK(f.watched.checkpoints->last.step == 2);
    const auto progressed = f.run().last_progress;
    f.at(9s).checkpoint(2, "done", CheckpointReason::scheduled);
    CHECK((f.run().last_progress == progressed && f.run().checkpoint_base == 9s));
}

TEST_CASE("a continuation is counted once, however often its outcome is taken in", "[run]") {
    Folded f;
    f.at(1s)(ToolCall{"ls", "{}", {}});
    f.at(9s).begin_attempt(1);
    f.at(20s).begin_attempt(1);
    CHECK((f.run().attempt == 2 && f.run().incarnation == 2 && f.run().open_calls == 0));
    CHECK(f.run().checkpoint_base == 9s);
    f.watched.run.incarnation = 3;
    f.at(21s).keep_attempt();
    CHECK(f.run().incarnation == 2);
}

TEST_CASE("a checkpoint is a row of its incarnation, without its secrets", "[run]") {
    Folded f;
    Folder folder = f.at(5s);
    detail::record(f.watched, folder, CheckpointNote{2, "password=hunter2 \x1b[31mred"}, bench::start.wall);
    REQUIRE(f.watched.unsaved->checkpoints.size() == 1);
    const CheckpointRow& row = f.watched.unsaved->checkpoints[0];
    CHECK((row.number == 1 && row.incarnation == 1 && row.step == 2));
    CHECK(row.text.find("hunter2") == std::string::npos);
    CHECK(row.text.find('\x1b') == std::string::npos);
}

TEST_CASE("of a replaced agent it is on record once that it still reports", "[run]") {
    Folded f;
    f.watched.run.incarnation = 3;
    CHECK_FALSE(detail::fence_off(f.watched, 0, bench::start.wall));
    CHECK_FALSE(detail::fence_off(f.watched, 3, bench::start.wall));
    CHECK(detail::fence_off(f.watched, 1, bench::start.wall));
    CHECK(detail::fence_off(f.watched, 1, bench::start.wall));
    CHECK(f.watched.unsaved->audit.size() == 1);
    CHECK(detail::fence_off(f.watched, 2, bench::start.wall));
    CHECK(f.watched.unsaved->audit.size() == 2);
    CHECK(f.watched.dirty);
}

TEST_CASE("a report about a resource is neither life nor work [M-188]", "[run]") {
    Folded f;
    f.at(1s)(Resource{"disk", 99, 100});
    CHECK((f.run().observations == 1 && !f.run().last_alive && !f.run().last_activity && !f.run().last_progress));
}

TEST_CASE("what a run says of itself is kept without secrets [M-184]", "[run]") {
    Folded f;
    StateChange said{RunState::waiting_human, {}, {}, {}};
    said.prompt = "go on with --token hunter2?";
    const std::string outcome = std::string(RunWords::longest - 20, 'x') + " password=0123456789abcdefghij";
    said.outcome = outcome;
    f.at(1s)(said);
    CHECK(f.run().words->prompt == "go on with --token [redacted]");
    CHECK_THAT(f.run().words->outcome, !ContainsSubstring("012"));
}

namespace {

/// A run of which a host says what takes long.
struct Busy : Folded {
    [[nodiscard]] bool begins(Duration when, Duration takes, std::string_view what = "build") {
        Expect expect{takes, what};
        const auto taken = at(when).expect(expect);
        error = taken ? std::string{} : taken.error().message;
        CHECK((taken || taken.error().code == ErrorCode::invalid_argument));
        number = expect.number;
        return taken.has_value();
    }
    [[nodiscard]] bool ends(Duration when, std::string_view what = "build", std::uint32_t which = 0) const {
        Expect over{.what = what, .over = true, .number = which};
        return at(when).expect(over).has_value();
    }
    [[nodiscard]] SmallOptional<Duration> until() const { return run().excuses->until; }

    std::string error;
    std::uint32_t number = 0;
};

}  // namespace

TEST_CASE("what takes long extends to the later end, and restores the earlier one [M-191]", "[run]") {
    Busy b;
    REQUIRE(b.begins(10s, 100s, "outer"));
    CHECK(b.until() == 110s);
    REQUIRE(b.begins(20s, 50s, "inner"));
    CHECK(b.until() == 110s);
    REQUIRE(b.begins(30s, 200s, "innermost"));
    CHECK(b.until() == 230s);
    CHECK(b.run().excuses->times == 2);  // one of them was no more time
    CHECK((b.ends(40s, "innermost") && b.until() == 110s));
    CHECK((b.ends(50s, "outer") && b.until() == 70s));
    CHECK_FALSE(b.ends(50s, "outer"));
    CHECK((b.ends(60s, "") && b.until() == 60s));
    CHECK_FALSE(b.ends(60s, ""));
    CHECK((!b.run().last_alive && !b.run().last_activity && !b.run().last_progress));
}

TEST_CASE("of equal names the newest is over, or that of the number [M-191]", "[run]") {
    Busy b;
    REQUIRE(b.begins(0s, 100s));
    const std::uint32_t first = b.number;
    REQUIRE(b.begins(0s, 200s));
    CHECK(b.number != first);
    CHECK((b.ends(10s, {}, first) && b.until() == 200s));
    CHECK_FALSE(b.ends(10s, {}, first));
    CHECK((b.ends(20s) && b.until() == 20s));
}

TEST_CASE("time is given so often, and so much in all, until there is progress [M-191]", "[run]") {
    Busy b;
    SECTION("three times") {
        for (int i = 0; i < 3; ++i) REQUIRE(b.begins(i * 100s, 50s, "build"));
        CHECK_FALSE(b.begins(300s, 50s, "build"));
        CHECK(b.error.find("`build`") != std::string::npos);
        CHECK(b.error.find("expect.most is 3") != std::string::npos);
        CHECK(b.error.find("report progress") != std::string::npos);
        CHECK(b.until() == 250s);
        b.at(300s)(Output{"a line\n"});  // is none of this run's metric
        CHECK_FALSE(b.begins(310s, 50s));
        b.at(320s)(Progress{1});
        CHECK(b.begins(330s, 50s));
    }
    SECTION("two hours, of which is given back what was not needed") {
        REQUIRE(b.begins(0s, 60min));
        REQUIRE(b.ends(10min));
        REQUIRE(b.begins(20min, 110min));
        CHECK_FALSE(b.begins(21min, 110min, "more"));
        CHECK(b.error.find("expect.total_s 2h 0m") != std::string::npos);
        CHECK(b.until() == 130min);
    }
    SECTION("what was given before goes on after progress, and counts from there") {
        REQUIRE(b.begins(0s, 2h));
        b.at(30min)(Progress{1});
        CHECK_FALSE(b.begins(1h, 91min, "more"));
        CHECK(b.begins(1h, 90min, "more"));
    }
}

TEST_CASE("lengths that are none, and too many things at once, are refused [M-191]", "[run]") {
    Busy b;
    for (const Duration takes : {Duration{}, Duration{-1}, Duration::min(), Duration{2h + 1us}, Duration::max()})
        CHECK_FALSE(b.begins(0s, takes));
    CHECK(b.run().observations == 0);
    CHECK_FALSE(b.until());
    for (int i = 0; i < 8; ++i) REQUIRE(b.begins(0s, 100s - i * 1s));
    CHECK_FALSE(b.begins(0s, 1s));
    CHECK(b.error.find("8 others") != std::string::npos);
    CHECK(b.until() == 100s);
}

TEST_CASE("its text is sanitised and cut [M-191]", "[run]") {
    Busy b;
    const std::string hostile = "\x1b[31mbuild\n with key ghp_0123456789abcdef " + std::string(1'000'000, 'x');
    REQUIRE(b.begins(0s, 100s, hostile));
    const std::string& kept = b.run().excuses->open[0].what;
    CHECK(kept.size() <= Expected::longest + 16);
    CHECK(kept.find('\x1b') == std::string::npos);
    CHECK(kept.find("ghp_") == std::string::npos);
    CHECK(b.ends(1s, hostile));
}

TEST_CASE("a wait stops its time, and a fresh agent begins without [M-191]", "[run]") {
    Busy b;
    REQUIRE(b.begins(10s, 100s));
    const std::uint32_t old = b.number;
    b.at(20s)(StateChange{RunState::waiting_human, {}, {}, {}});
    b.at(1020s)(StateChange{RunState::running, {}, {}, {}});
    CHECK(b.run().working(bench::start.elapsed + 1020s) == 20s);
    CHECK(b.until() == 110s);
    b.at(1030s).begin_attempt(1);
    CHECK(b.until() == 30s);
    CHECK(b.run().excuses->open.empty());
    REQUIRE(b.begins(1040s, 50s));
    CHECK_FALSE(b.ends(1045s, {}, old));
    CHECK(b.until() == 90s);
}

namespace {

/// Counts whole intervals and others.
struct Intervallic {
    static constexpr std::string_view kind = "intervallic";
    struct Settings {};
    struct Memory {
        char whole = 0, others = 0;
    };
    void learn(Memory& memory, const Settings&, const Observation& seen) const {
        if (const auto* sample = std::get_if<IntervalSample>(&seen.event))
            ++(sample->whole ? memory.whole : memory.others);
    }
    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run&, Instant) const { return {}; }
};

}  // namespace

TEST_CASE("an interval in which something took long counts against nobody [M-189]", "[run]") {
    rooms::House house;
    RunClass rules = rooms::bare_class();
    rules.detectors.turn_on<Intervallic>();
    WatchedRun& watched = house.at(house.run(rules, Folded::of(MetricKind::output_lines)));
    const auto at = [&](Duration when) {
        return Folder{watched, {bench::start.elapsed + when, bench::start.wall + when}};
    };
    const auto counted = [&] { return watched.detectors.saved("intervallic", house.now()).value_or(""); };
    at(60s).sample();
    CHECK(counted() == std::string{1, 0});
    Expect build{200s, "build"};
    REQUIRE(at(70s).expect(build));
    at(120s).sample();
    at(180s).sample();
    CHECK(counted() == std::string{1, 2});
    Expect over{.over = true};
    REQUIRE(at(190s).expect(over));
    at(240s).sample();
    at(300s).sample();
    CHECK(counted() == std::string{2, 3});
}
