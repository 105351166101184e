// What no host should send: it is refused or survived, and nothing else is affected.
#include <cmath>
#include <limits>

#include <heeler/explain/report.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

TEST_CASE("negative, endless and absurd amounts are refused and not counted [M-065]") {
    Bench b;
    const RunHandle run = b.run();
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    for (const Usage& bad : {Usage{-1, 0, 0, 0, 0}, Usage{0, -1, 0, 0, 0}, Usage{0, 0, -1, 0, 0}, Usage{0, 0, 0, -1, 0},
                             Usage{0, 0, 0, 0, -0.01}, Usage{0, 0, 0, 0, std::nan("")},
                             Usage{0, 0, 0, 0, std::numeric_limits<double>::infinity()}, Usage{most, 0, 0, 0, 0}})
        CHECK(b.dog->observe(run, bad) == Observed::refused);
    CHECK(b.dog->observe(run, Usage{0, 0, 0, 0, 0}) == Observed::ok);
    CHECK(b.dog->observe(run, Progress{most}) == Observed::refused);
    CHECK(b.dog->observe(run, Progress{std::numeric_limits<std::int64_t>::min()}) == Observed::refused);
    CHECK(b.dog->observe(run, Progress{-5}) == Observed::ok);
}

TEST_CASE("a run that reports the most for ever does not overflow [M-065]") {
    Bench b;
    const RunHandle run = b.run();
    const std::int64_t most = std::int64_t{1} << 50;
    for (int i = 0; i < 10'000; ++i) (void)b.dog->observe(run, Usage{most, most, most, most, 1e11});
    b.minutes(3);
    CHECK(b.dog->status(run) != Status::runaway);
}

TEST_CASE("output of any bytes and any length is taken [M-052]") {
    Bench b;
    RunSpec spec = bench::spec_of("r");
    spec.metric = MetricKind::output_lines;
    const RunHandle run = b.run(spec);
    using namespace std::string_literals;
    for (const std::string& text : {""s, "\n"s, "\0\0\n"s, "\xff\xfe\xc0\n"s, "\xed\xa0\x80\n"s,
                                    "\x1b[2J\x1b]0;x\x07\n"s, std::string(64u << 20, 'x') + "\n"})
        CHECK(b.dog->observe(run, Output{text}) == Observed::ok);
    CHECK(b.dog->observe(run, ToolCall{"", "\0{"s, {}}) == Observed::ok);
    CHECK(b.dog->observe(run, ToolResult{false, "\xff", {}, {}}) == Observed::ok);
    CHECK(b.dog->checkpoint(run, {std::numeric_limits<std::int64_t>::min(), "\xff\x1b[31m\0 done"s}));
    b.minutes(1);
    CHECK(b.dog->status(run) == Status::healthy);
    const CheckpointRow row = b.history().checkpoints.at(0);
    CHECK(row.text.find('\x1b') == std::string::npos);
}

TEST_CASE("handles that are stale, empty or made up answer ended") {
    Bench b;
    const RunHandle run = b.run();
    REQUIRE(b.dog->finish(run, RunEnd::completed));
    CHECK(b.dog->observe(run, Progress{1}) == Observed::ended);
    CHECK(b.dog->finish(run).error().code == ErrorCode::ended);
    CHECK(b.dog->checkpoint(run, {1, "x"}).error().code == ErrorCode::ended);
    (void)b.cycle();
    const RunHandle next = b.run("next");  // takes the slot
    for (const RunHandle stale : {run, RunHandle{}, RunHandle{0, 4}, RunHandle{0xffffffff, 1}, RunHandle{1023, 1}}) {
        CHECK(b.dog->observe(stale, Heartbeat{}) == Observed::ended);
        CHECK(b.dog->observe(stale, Output{"x"}) == Observed::ended);
        CHECK_FALSE(b.dog->status(stale));
        CHECK_FALSE(b.dog->finish(stale));
    }
    CHECK(b.dog->observe("nobody", Heartbeat{}) == Observed::unknown);
    CHECK(b.dog->observe("r", Progress{1}) == Observed::unknown);
    CHECK(b.dog->observe(next, Heartbeat{}) == Observed::ok);
    CHECK(b.history("next").row->state == RunState::running);
}

template <class Dog, class How>
concept Finishes = requires(Dog& dog, RunHandle run, How how) {
    dog.finish(run, how);
};

TEST_CASE("a run is ended by an end only [M-049]") {
    Bench b;
    using Dog = std::remove_reference_t<decltype(*b.dog)>;
    STATIC_REQUIRE(Finishes<Dog, RunEnd>);
    STATIC_REQUIRE_FALSE(Finishes<Dog, RunState>);

    std::size_t ends = 0;
    for (std::size_t i = 0; i < run_state_names.size(); ++i) {
        const auto state = static_cast<RunState>(i);
        const auto how = run_end_of(state);
        if (!how) continue;
        ++ends;
        CHECK(state_of(*how) == state);
        const std::string id = "ends as " + std::string{name_of(state)};
        const auto run = b.dog->start({.id = id}, "minute");
        REQUIRE(run);
        REQUIRE(b.dog->finish(*run, *how));
        CHECK(b.history(id).row->state == state);
    }
    CHECK(ends == 3);
}

TEST_CASE("registrations that cannot be right name the value and the limit") {
    Bench b;
    const auto refusal = [&](RunSpec spec) {
        const auto answer = b.dog->start(std::move(spec), "minute");
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == ErrorCode::invalid_argument);
        return answer.error().message;
    };
    CHECK_THAT(refusal({}), ContainsSubstring("neither id nor name"));
    CHECK_THAT(refusal(bench::spec_of(std::string(129, 'a'))), ContainsSubstring("128"));
    (void)refusal(bench::spec_of("a\nb"));
    (void)refusal(bench::spec_of("a\xff"));
    (void)refusal(bench::spec_of(std::string("a\0b", 3)));
    RunSpec spec = bench::spec_of("r");
    spec.timeout = -1s;
    CHECK_THAT(refusal(spec), ContainsSubstring("timeout") && ContainsSubstring("-1"));
    spec = bench::spec_of("r");
    spec.expected = Duration::max();
    CHECK_THAT(refusal(spec), ContainsSubstring("expected"));
    spec = bench::spec_of("r");
    spec.started_at = WallTime::min();
    CHECK_THAT(refusal(spec), ContainsSubstring("started_at"));
    CHECK_THAT(b.dog->start(bench::spec_of("r"), "none").error().message, ContainsSubstring("define()"));
    CHECK(b.memory.load()->runs.empty());
}

TEST_CASE("classes that contradict themselves name the value and the limit [M-186]") {
    Bench b;
    const auto refusal = [&](auto&& spoil) {
        RunClass rules = bench::minute_class("bad");
        spoil(rules);
        const auto answer = b.dog->define(rules);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == ErrorCode::invalid_argument);
        CHECK_FALSE(b.dog->start(bench::spec_of("r"), "bad"));
        return answer.error().message;
    };
    CHECK_THAT(refusal([](RunClass& c) { c.interval.fixed = 0s; }), ContainsSubstring("interval_s is 0"));
    CHECK_THAT(refusal([](RunClass& c) { c.interval.fixed = -5s; }), ContainsSubstring("-5"));
    CHECK_THAT(refusal([](RunClass& c) { c.interval.long_task = 25h; }), ContainsSubstring("interval.long_s"));
    CHECK_THAT(refusal([](RunClass& c) { c.schedule.period = 61s; }), ContainsSubstring("schedule.period"));
    CHECK_THAT(refusal([](RunClass& c) { c.schedule.period = 1ms; }), ContainsSubstring("schedule.period"));
    CHECK_THAT(refusal([](RunClass& c) { c.schedule.aligned = true; }), ContainsSubstring("aligned"));
    CHECK_THAT(refusal([](RunClass& c) {
                   c.schedule.period = 60s;
                   c.verify_after = 30s;
               }),
               ContainsSubstring("verify_after"));
    CHECK_THAT(refusal([](RunClass& c) { c.verify_after = -1s; }), ContainsSubstring("verify_after"));
    CHECK_THAT(refusal([](RunClass& c) { c.ladder.as<RecoveryLadder>()->max_pause = 0s; }),
               ContainsSubstring("max_pause"));
    CHECK_THAT(refusal([](RunClass& c) { c.ladder.as<RecoveryLadder>()->max_attempts = 0; }),
               ContainsSubstring("max_attempts is 0"));
    CHECK_THAT(refusal([](RunClass& c) { c.limits.debounce = 0; }), ContainsSubstring("debounce is 0"));
    CHECK_THAT(refusal([](RunClass& c) { c.alerts.outbox.first_retry = 0s; }), ContainsSubstring("first_retry"));
    CHECK_THAT(refusal([](RunClass& c) { c.alerts.outbox.group_wait = 2h; }), ContainsSubstring("group_wait"));
    CHECK_THAT(refusal([](RunClass& c) { c.alerts.outbox.group_interval = -1s; }), ContainsSubstring("group_interval"));
    CHECK_THAT(refusal([](RunClass& c) { c.alerts.outbox.group_wait = 1s, c.alerts.outbox.at_once = 3; }),
               ContainsSubstring("at_once"));
    CHECK_THAT(refusal([](RunClass& c) { c.alerts.outbox.longest_retry = 500ms; }), ContainsSubstring("longest_retry"));
    CHECK_THAT(refusal([](RunClass& c) { c.grace = -1s; }), ContainsSubstring("grace"));
    CHECK_THAT(refusal([](RunClass& c) {
                   c.interval.short_task = 0s;
                   c.interval.fixed.reset();
               }),
               ContainsSubstring("interval"));
    CHECK_THAT(refusal([](RunClass& c) { c.ladder.as<RecoveryLadder>()->final_rung.clear(); }),
               ContainsSubstring("final_rung"));
    CHECK_THAT(refusal([](RunClass& c) {
                   c.ladder.as<RecoveryLadder>()->responses[0].rungs[0] = {{ActionKind::terminate, {}}};
               }),
               ContainsSubstring("terminate"));
    for (const std::string& name : {std::string{}, std::string(65, 'a'), std::string{"a\x1b"}})
        (void)refusal([&](RunClass& c) { c.name = name; });
}

TEST_CASE("runs that are not worth watching are skipped with a reason [M-018]") {
    Bench b;
    RunSpec spec = bench::spec_of("r");
    const bool brief = GENERATE(true, false);
    if (brief)
        spec.expected = 59s;
    else
        spec.interactive = true;
    spec.timeout = 60s;
    const RunHandle run = b.stalled(spec);
    b.minutes(5);
    CHECK(b.acts.empty());
    CHECK(b.dog->status(run) == Status::healthy);
    const auto explained = b.dog->explain("r");
    REQUIRE(explained);
    CHECK_THAT(*explained, ContainsSubstring(brief ? "short" : "interactive"));
    REQUIRE(b.dog->finish(run));
    (void)b.cycle();
    CHECK(b.history().row->state == RunState::completed);
}

TEST_CASE("runs that a host registers are held to the filter of their class [M-019] [M-020] [M-022]") {
    struct Case {
        const char* name;
        std::vector<std::string> tags;
        const char* pattern;
        const char* skipped;    ///< why; empty: it is watched
        bool untagged = false;  ///< the class says that those without tags are
    };
    const auto [name, tags, pattern, skipped, untagged] =
        GENERATE(values<Case>({{"r", {}, "", "filtered"},
                               {"r", {}, "", "", true},
                               {"r", {"x"}, "", "filtered", true},
                               {"__r", {}, "", "system", true},
                               {"r", {"worker"}, "", ""},
                               {"r", {"x", "orchestrator"}, "", "filtered"},
                               {"r", {}, "*-worker", "filtered"},
                               {"r-worker", {"x"}, "*-worker", ""},
                               {"__watchdog", {"worker"}, "", "system"},
                               {"dog", {"watchdog"}, "*", "system"}}));
    CAPTURE(name, pattern);
    Bench b;
    RunFilter& filter = b.classes[0].applicability.filter.emplace();
    filter.name_pattern = pattern;
    filter.untagged = untagged;
    b.boot();
    RunSpec spec = bench::spec_of("id");
    spec.name = name;
    spec.tags = tags;
    const RunHandle run = b.run(spec);
    b.progress(run, 1);
    std::string reasons;
    for (int minute = 0; minute < 5; ++minute)
        for (const auto& event : bench::all_of<AuditEvent>(b.after(60s)))
            if (event.row.kind == "skip") reasons += event.row.body;
    CHECK(reasons == (*skipped == 0 ? "" : std::string{R"({"reason":")"} + skipped + "\"}"));
    CHECK(b.acts.empty() == (*skipped != 0));
}

TEST_CASE("a conflict on one run leaves the others alone [M-008]") {
    Bench b;
    b.progress(b.run("a"), 1);
    b.progress(b.run("b"), 1);
    b.minutes(1);
    b.store.fail_run("a", ErrorCode::conflict);
    const CycleReport report = b.after(60s);
    CHECK(report.errors > 0);
    REQUIRE(b.control.requests().size() == 1);
    CHECK(b.control.requests()[0].run == "b");
    b.store.heal();
    b.minutes(1);
    CHECK(b.history("a").interventions.size() == 1);
}

TEST_CASE("an agent control that throws leaves the outcome unknown, and a person is told [M-008]") {
    struct Throwing {
        Result<ActionDone> inject(const ActionRequest&) { throw std::runtime_error{"no agent"}; }
        Result<Found> find(std::string_view) { throw 7; }
    } control;
    Bench b;
    b.dog->attach(control);
    b.stalled();
    b.minutes(2);
    CHECK(b.acts == "inject:nudge unknown, escalate done");
    CHECK(b.history().actions[0].note == "the agent control threw: no agent");
}

TEST_CASE("the metadata of a run is a table of fields and values [M-017]") {
    RunSpec spec = bench::spec_of("r");
    spec.expected = 600s;
    spec.timeout = 3600s;
    const std::string table = to_table(spec);
    CHECK_THAT(table, ContainsSubstring("| Field") && ContainsSubstring("| Value"));
    CHECK_THAT(table, ContainsSubstring("Port the parser") && ContainsSubstring("10m") && ContainsSubstring("1h"));
    CHECK(std::count(table.begin(), table.end(), '\n') == 5);
    spec.timeout.reset();
    CHECK_THAT(to_table(spec), ContainsSubstring("| -"));
}
