// A watchdog does little at once: so many rungs reach an agent within a minute, and whoever has waited longest is next.
#include <heeler/run/action_turns.hpp>

#include <algorithm>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;
using detail::ActionTurns;

namespace {

/// Runs that stand still from the beginning, looked at every ten seconds. One that stands still for two minutes is
/// nudged, and again a minute later.
struct Fleet : Bench {
    std::vector<RunHandle> runs;

    explicit Fleet(std::size_t count, std::uint32_t per_minute = 10, Mode mode = Mode::active) {
        control.answer_find(Found::absent);
        RunClass rules = bench::minute_class();
        rules.schedule.period = 10s;
        rules.limits.per_minute = per_minute;
        rules.mode = mode;
        classes = {std::move(rules)};
        boot();
        for (std::size_t i = 0; i < count; ++i) runs.push_back(run("r" + std::to_string(10 + i)));
        for (const RunHandle each : runs) progress(each, 1);
    }

    void go_on(Duration length) {
        for (Duration passed{}; passed < length; passed += 10s) (void)after(10s);
    }
    /// The next process, on the same store; what the one before had in memory only is lost.
    void crash() {
        boot();
        (void)cycle(TickCause::startup);
        for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = *dog->find("r" + std::to_string(10 + i));
    }
    [[nodiscard]] std::size_t told() const {
        const auto kinds = sent_kinds();
        return static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), "run.unhealthy"));
    }
    /// By the number of the run.
    [[nodiscard]] std::vector<std::string> nudged() const {
        std::vector<std::string> ids;
        for (const auto& request : control.requests())
            if (request.verb == ControlVerb::inject) ids.push_back(request.run);
        return ids;
    }
    [[nodiscard]] std::size_t held_back(std::string_view id) {
        std::size_t count = 0;
        for (const AuditRow& row : history(id).audit) count += row.kind == "suppressed" ? 1 : 0;
        return count;
    }
};

}  // namespace

TEST_CASE("so many turns are taken within a minute, and whoever has waited longest is next [M-202]") {
    ActionTurns turns;
    const RunHandle a{1, 1}, b{2, 1}, c{3, 1};
    const Elapsed now{1000s};
    CHECK(turns.is_turn_of(a, 0, now));
    turns.count(now);
    CHECK(turns.is_turn_of(a, 2, now));
    turns.count(now + 10s);
    CHECK_FALSE(turns.is_turn_of(c, 2, now + 59s));
    CHECK(turns.is_turn_of(c, 3, now + 59s));
    CHECK(turns.wait(c, true));
    CHECK_FALSE(turns.wait(c, true));
    CHECK(turns.wait(b, true));
    CHECK_FALSE(turns.wait(a, false));
    CHECK(turns.is_turn_of(c, 2, now + 60s));
    CHECK_FALSE(turns.is_turn_of(b, 2, now + 60s));
    CHECK_FALSE(turns.is_turn_of(a, 2, now + 60s));
    CHECK(turns.is_turn_of(b, 2, now + 70s));
    CHECK_FALSE(turns.is_turn_of(a, 2, now + 70s));
    CHECK_FALSE(turns.wait(c, false));
    CHECK(turns.is_turn_of(a, 2, now + 70s));
}

TEST_CASE("of thirty runs that stand still together ten are nudged in a minute, and all are told of at once [M-202]") {
    Fleet f{30};
    f.go_on(2min);
    CHECK(f.told() == 30);
    REQUIRE(f.nudged().size() == 10);
    CHECK(f.held_back("r10") == 0);
    CHECK(f.held_back("r39") == 1);
    const std::string text = *f.dog->explain("r39");
    CHECK(text.find(R"(suppressed {"what":"action","why":"turn"})") != std::string::npos);
    f.go_on(50s);
    CHECK(f.nudged().size() == 10);
    f.go_on(10s);
    CHECK(f.nudged().size() == 20);
    f.go_on(1min);
    const auto ids = f.nudged();
    REQUIRE(ids.size() == 30);
    for (std::size_t i = 0; i < ids.size(); ++i) CHECK(ids[i] == "r" + std::to_string(10 + i));
    CHECK(f.held_back("r39") == 1);
    CHECK(f.told() == 30);
    SECTION("a rung is verified a whole interval after it was carried out, and the next one is in turn, too") {
        f.go_on(1min);
        CHECK(f.nudged().size() == 40);
        CHECK(f.outcomes("r10") == "inject:nudge persisted, inject:nudge pending");
        CHECK(f.outcomes("r39") == "inject:nudge pending");
        f.go_on(2min);
        CHECK(f.nudged().size() == 60);
        CHECK(f.outcomes("r39") == "inject:nudge persisted, inject:nudge pending");
    }
}

TEST_CASE("who works again before his turn comes is left alone, and the next one takes it [M-202]") {
    Fleet f{3, 1};
    f.go_on(2min);
    REQUIRE(f.nudged() == std::vector<std::string>{"r10"});
    f.progress(f.runs[0], 2);
    f.progress(f.runs[1], 2);
    f.go_on(1min);
    CHECK(f.nudged() == std::vector<std::string>{"r10", "r12"});
    CHECK(f.history("r11").interventions.empty());
    SECTION("or is over") {
        Fleet g{3, 1};
        g.go_on(2min);
        g.progress(g.runs[0], 2);
        REQUIRE(g.dog->finish(g.runs[1], RunEnd::completed));
        g.go_on(1min);
        CHECK(g.nudged() == std::vector<std::string>{"r10", "r12"});
    }
}

TEST_CASE("what was done shortly before a restart counts, by what is stored of it [M-202]") {
    Fleet f{15};
    f.go_on(2min);
    REQUIRE(f.nudged().size() == 10);
    f.crash();
    f.go_on(50s);
    CHECK(f.nudged().size() == 10);
    f.go_on(10s);
    CHECK(f.nudged().size() == 20);
}

TEST_CASE("a class without a bound, and one in shadow mode, wait for nobody's turn [M-202]") {
    SECTION("no bound") {
        Fleet f{30, 0};
        f.go_on(2min);
        CHECK(f.nudged().size() == 30);
    }
    SECTION("shadow mode takes no turn from others") {
        Fleet f{30, 10, Mode::shadow};
        RunClass others = f.classes.front();
        others.name = "others";
        others.mode = Mode::active;
        REQUIRE(f.dog->define(others));
        std::vector<RunHandle> active;
        for (int i = 0; i < 10; ++i) active.push_back(*f.dog->start(bench::spec_of("s" + std::to_string(i)), "others"));
        for (const RunHandle each : active) f.progress(each, 1);
        f.go_on(2min);
        CHECK(f.nudged().size() == 10);
        CHECK(f.history("r10").interventions.size() == 1);
        CHECK(f.held_back("r39") == 0);
    }
}

TEST_CASE("recommended does little at once, and the exact presets what their texts say [M-202]") {
    const ActionLimits most = presets::recommended().limits;
    CHECK(most.per_minute == 10);
    CHECK(most.endings_apart == 10s);
    for (const RunClass& exact : {presets::long_run(), presets::checkpoint_continuation(), presets::checkpoint_relay(),
                                  presets::session_monitor(), presets::worker_monitor()}) {
        CHECK(exact.limits.per_minute == 0);
        CHECK(exact.limits.endings_apart == Duration{});
    }
}
