#include <heeler/cycle/recovery_signs.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::RecoverySigns;
using rooms::House;

namespace {

RunClass looping_class() {
    RunClass rules = rooms::bare_class();
    rules.detectors.turn_on<LoopDetector<Line>>().turn_on<LoopDetector<Call>>({{1, 20, 3, 5, 200}, {}, {}});
    rules.verify_after = 120s;
    return rules;
}

/// A run whose last rung was carried out at the start, a minute ago.
struct Open {
    House house;
    RunHandle run;

    explicit Open(Condition about, Phase phase = Phase::climbing, MetricKind metric = MetricKind::output_lines)
        : run{house.run(looping_class(), spec_of(metric))} {
        detail::Verdict& verdict = house.at(run).verdict.edit();
        verdict.incident.number = 1;
        verdict.incident.phase = phase;
        verdict.incident.condition = about;
        house.clock.advance(60s);
    }
    static RunSpec spec_of(MetricKind metric) {
        RunSpec spec = bench::spec_of("r");
        spec.metric = metric;
        return spec;
    }
    void found_by(std::string_view kind) { house.at(run).verdict.edit().repeated_by |= detail::kind_bit(kind); }
    void lines(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) house.tell(run, Output{std::string(1 + i, 'x') + "\n"});
    }
    void calls(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) house.tell(run, ToolCall{"tool " + std::string(1 + i, 'x'), "{}", {}});
    }
    [[nodiscard]] RecoverySigns signs() {
        const detail::WatchedRun& watched = house.at(run);
        return {watched, detail::verify_after(watched), watched.run.working(house.now().elapsed)};
    }
};

}  // namespace

TEST_CASE("more output ends a stall, and no repetition [D-60]", "[cycle]") {
    const auto progressed_by_output = [](Condition about) {
        Open open{about};
        open.lines(1);
        return open.signs().progressed();
    };
    CHECK(progressed_by_output(Condition::stalled));
    CHECK(progressed_by_output(Condition::runaway));
    CHECK(progressed_by_output(Condition::timeout));
    CHECK_FALSE(progressed_by_output(Condition::loop_detected));
    CHECK_FALSE(progressed_by_output(Condition::error_cascade));
}

TEST_CASE("a new result, a checkpoint and a reported value end a repetition, the same again does not [D-60]",
          "[cycle]") {
    Open open{Condition::loop_detected};
    const auto tell = [&](const auto& what) { open.house.tell(open.run, what); };
    SECTION("a result") {
        tell(ToolResult{true, "old", {}, {}});
        open.house.at(open.run).run.last_gain.reset();
        tell(ToolResult{true, "old", {}, {}});
        CHECK_FALSE(open.signs().progressed());
        tell(ToolResult{true, "new", {}, {}});
    }
    SECTION("a checkpoint") {
        detail::Folder{open.house.at(open.run), open.house.now()}.checkpoint(3, "three", CheckpointReason::scheduled);
    }
    SECTION("a value") { tell(Progress{1}); }
    CHECK(open.signs().progressed());
}

TEST_CASE("a value reported at the very moment of the rung counts", "[cycle]") {
    Open open{Condition::loop_detected, Phase::climbing, MetricKind::reported};
    open.house.tell(open.run, Progress{1});
    open.house.at(open.run).verdict.edit().incident.acted = 60s;
    CHECK(open.signs().progressed());
    open.house.at(open.run).verdict.edit().incident.value_then = 1;
    CHECK_FALSE(open.signs().progressed());
}

TEST_CASE("an incident in which a repetition was found stays about one", "[cycle]") {
    Open open{Condition::stalled};
    open.found_by(LoopDetector<Line>::kind);
    open.lines(14);
    CHECK_FALSE(open.signs().progressed());
    CHECK_FALSE(open.signs().enough_new());
    open.lines(1);
    CHECK(open.signs().enough_new());
}

TEST_CASE("what a rule needs is counted in its own items [D-09]", "[cycle]") {
    Open open{Condition::loop_detected};
    SECTION("talk is no call") {
        open.found_by(LoopDetector<Call>::kind);
        open.lines(40);
        open.calls(4);
        CHECK_FALSE(open.signs().enough_new());
        open.calls(1);
        CHECK(open.signs().enough_new());
    }
    SECTION("each rule that found it") {
        open.found_by(LoopDetector<Call>::kind);
        open.found_by(LoopDetector<Line>::kind);
        open.calls(9);
        CHECK_FALSE(open.signs().enough_new());
        open.lines(15);
        CHECK(open.signs().enough_new());
    }
    SECTION("who found it was not noted by what stored it") {
        open.calls(10);
        CHECK_FALSE(open.signs().enough_new());
        open.lines(5);
        CHECK(open.signs().enough_new());
    }
    SECTION("the rule is off by now") {
        open.found_by("no such rule");
        open.lines(99);
        CHECK_FALSE(open.signs().enough_new());
    }
}

TEST_CASE("once a person was asked for, progress counts when the rule could have found the loop again", "[cycle]") {
    Open open{Condition::timeout, Phase::holding};
    open.found_by(LoopDetector<Line>::kind);
    open.house.tell(open.run, ToolResult{true, "new", {}, {}});
    CHECK_FALSE(open.signs().progressed());
    open.house.clock.advance(299s);
    CHECK_FALSE(open.signs().progressed());
    open.house.clock.advance(1s);
    CHECK(open.signs().progressed());
}

TEST_CASE("a new result of what goes on is no recovery, one of something else is [D-60]", "[cycle]") {
    Open open{Condition::loop_detected};
    detail::WatchedRun& watched = open.house.at(open.run);
    int results = 0;
    const auto call = [&](std::string_view name) { open.house.tell(open.run, ToolCall{name, "{}", {}}); };
    const auto answer = [&] {
        open.house.tell(open.run, ToolResult{false, "failed after " + std::to_string(++results) + " s", {}, {}});
    };
    for (int i = 0; i < 5; ++i) {
        call("make");
        if (i < 4) answer();
    }
    open.found_by(LoopDetector<Call>::kind);
    watched.detectors.check(watched.run, open.house.now(),
                            [&](const Finding& finding) { watched.verdict.edit().loop_identity = finding.identity; });
    REQUIRE(watched.verdict->loop_identity != 0);
    watched.verdict.edit().incident.acted = watched.run.working(open.house.now().elapsed);
    ++watched.verdict.edit().watermark;
    detail::Folder{watched, open.house.now()}.begin_anew();
    open.house.clock.advance(60s);
    answer();  // to what was called before the rung
    CHECK_FALSE(open.signs().progressed());
    SECTION("the same call again, and again") {
        for (int i = 0; i < 4; ++i) {
            call("make");
            answer();
            CHECK_FALSE(open.signs().progressed());
        }
    }
    SECTION("another call") {
        call("make");
        call("edit");
        answer();
        CHECK(open.signs().progressed());
    }
    SECTION("a checkpoint, and nothing was called since") {
        detail::Folder{watched, open.house.now()}.checkpoint(3, "three", CheckpointReason::scheduled);
        CHECK(open.signs().progressed());
        call("make");
        CHECK_FALSE(open.signs().progressed());
    }
}

TEST_CASE("another failure is no recovery from a cascade of them, however it reads [D-60]", "[cycle]") {
    Open open{Condition::error_cascade};
    RunClass rules = looping_class();
    rules.name = "cascade";
    rules.detectors.turn_on<ErrorCascade>();
    open.run = open.house.run(rules, bench::spec_of("cascade"));
    open.found_by(ErrorCascade::kind);
    open.house.at(open.run).verdict.edit().incident.condition = Condition::error_cascade;
    open.house.clock.advance(60s);
    for (const char* text : {"no such file", "no such target"}) {
        open.house.tell(open.run, ToolResult{false, text, {}, {}});
        CHECK_FALSE(open.signs().progressed());
    }
    open.house.tell(open.run, ToolResult{true, "built", {}, {}});
    CHECK(open.signs().progressed());
}
