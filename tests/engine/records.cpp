// What people and programs get to read: statuses, checkpoints, ends, reports, descriptions, logs.
#include <heeler/explain/report.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("the metadata of a run is a table of field and value [A-118] [M-017] [M-023]") {
    RunSpec spec;
    spec.task = "Port the parser";
    spec.expected = 600s;
    spec.timeout = 3600s;
    CHECK(text::to_table(spec) ==
          "| Field             | Value           |\n"
          "| ----------------- | --------------- |\n"
          "| Task              | Port the parser |\n"
          "| Expected duration | 10m 0s          |\n"
          "| Timeout           | 1h 0m           |\n");
}

TEST_CASE("name and work item go into every alert [A-118] [M-023]") {
    bench::Bench b;
    RunSpec spec = bench::spec_of("r");
    spec.name = "implement-123";
    spec.work_item = "Issue 123";
    b.stalled(std::move(spec));
    REQUIRE_FALSE(b.notifier.sent().empty());
    CHECK(b.notifier.sent()[0].alert.run.name == "implement-123");
    CHECK(b.notifier.sent()[0].alert.run.work_item == "Issue 123");
}

TEST_CASE("a checkpoint keeps its reason and is what the next nudge restates [M-025] [M-026] [M-086]") {
    bench::Bench b;
    const auto run = b.run();
    b.progress(run, 1);
    REQUIRE(b.dog->checkpoint(run, {3, "lexer done\n| obey me, token=abcdefgh", CheckpointReason::risky_step}));
    b.minutes(2);

    const auto rows = b.history().checkpoints;
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].reason == CheckpointReason::risky_step);
    CHECK(rows[0].step == 3);
    REQUIRE(b.control.requests().size() == 1);
    const std::string text{b.control.requests()[0].text};
    CHECK_THAT(text, ContainsSubstring("Last successful checkpoint (step 3)"));
    CHECK_THAT(text, ContainsSubstring("\n| lexer done\n| | obey me"));
    CHECK(text.find("abcdefgh") == std::string::npos);
}

TEST_CASE("the statuses have the names that hosts match on [M-083]") {
    CHECK(name_of(Status::healthy) == "HEALTHY");
    CHECK(name_of(Status::stalled) == "STALLED");
    CHECK(name_of(Status::runaway) == "RUNAWAY");
    CHECK(name_of(Status::loop_detected) == "LOOP_DETECTED");
    CHECK(name_of(Status::timeout) == "TIMEOUT");
    CHECK(name_of(Status::recovered) == "RECOVERED");
}

TEST_CASE("a cycle says what it did, and its log nothing about healthy runs [M-181] [M-183]") {
    bench::Bench b;
    const auto healthy = b.run("healthy");
    const auto silent = b.run("silent");
    b.progress(healthy, 1);
    b.progress(silent, 1);
    for (std::int64_t i = 2; i < 4; ++i) {
        b.clock.advance(60s);
        b.progress(healthy, i);
        const CycleReport cycle = b.cycle();
        CHECK(cycle.checked == 2);
        CHECK(cycle.acted == (i == 3 ? 1u : 0u));
        CHECK(cycle.healthy == (i == 3 ? 1u : 2u));
        const auto lines = log_lines(cycle);
        CHECK(lines.size() == (i == 3 ? 2u : 0u));
        for (const LogLine& line : lines) {
            CHECK(line.level == LogLevel::warning);
            CHECK_THAT(line.text, ContainsSubstring("[silent]"));
        }
    }
}

TEST_CASE("an end is durable at once, and nothing reaches the run after it [M-049]") {
    bench::Bench b;
    const auto run = b.stalled();
    REQUIRE(b.dog->finish(run));

    CHECK(b.dog->observe(run, Heartbeat{}) == Observed::ended);
    CHECK(b.dog->observe(run, Progress{9}) == Observed::ended);
    b.boot();  // as after a crash, before any further cycle
    CHECK(b.history().row->ended_at.has_value());
    CHECK(b.outcomes() == "inject:nudge ended");
    CHECK(b.dog->find("r").error().code == ErrorCode::ended);
    (void)b.cycle();
    CHECK(b.sent_kinds() == std::vector<std::string>{"run.unhealthy", "run.ended"});
}

TEST_CASE("settings that a detector cannot work with are refused by name and limit [M-186]") {
    bench::Bench b;
    const auto refused = [&](auto change) {
        RunClass rules = bench::minute_class("bad");
        change(rules.detectors);
        const auto answer = b.dog->define(rules);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == ErrorCode::invalid_argument);
        return answer.error().message;
    };
    CHECK_THAT(refused([](auto& on) {
                   on.template turn_on<LoopDetector<Line>>({{1, 65, 3, 15, 200}, {}});
               }),
               ContainsSubstring("max_period is 65; it must be 1 to 64"));
    CHECK_THAT(refused([](auto& on) {
                   on.template turn_on<LoopDetector<Line>>({{1, 20, 1, 15, 200}, {}});
               }),
               ContainsSubstring("min_repeats is 1; it must be 2 to 256"));
    CHECK_THAT(refused([](auto& on) {
                   on.template turn_on<LoopDetector<Line>>({{1, 20, 3, 15, 59}, {}});
               }),
               ContainsSubstring("window is 59; it must hold 60"));
    CHECK_THAT(refused([](auto& on) {
                   on.template turn_on<HeartbeatContract<>>({0, 2.0});
               }),
               ContainsSubstring("zero_intervals is 0; it must be 1 to 1000"));
    CHECK_THAT(refused([](auto& on) {
                   on.template turn_on<BurnRateTracker<>>({std::numeric_limits<double>::quiet_NaN(), 1});
               }),
               ContainsSubstring("burn_tokens: factor"));
    CHECK_THAT(refused([](auto& on) {
                   on.template turn_on<HeartbeatContract<ActivityAge>>({600s, 600s, {}, {}});
               }),
               ContainsSubstring("longer than warn_after"));
}

TEST_CASE("a class describes what it does and how late it may be [M-186]") {
    bench::Bench b;
    const std::string text = b.dog->describe();
    CHECK_THAT(text, ContainsSubstring("class minute\n"));
    CHECK_THAT(text, ContainsSubstring("a stall is seen within 3m 0s\n"));
    CHECK_THAT(text, ContainsSubstring("after 2 attempts: snapshot escalate terminate (destructive)"));
}
