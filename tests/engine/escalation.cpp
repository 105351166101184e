// The levels of an escalation: who is told when nobody says to be on it, what holds it back, and what a kill leaves.
#include <functional>
#include <set>
#include <utility>

#include <heeler/settings/presets.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

RunClass chained() {
    RunClass rules = presets::recommended();
    rules.alerts.to = "ops";
    rules.alerts.outbox.group_interval = {};             // told at once
    rules.detectors.turn_on<BurnRateTracker<Tokens>>();  // by one interval
    return rules;
}

/// A run of a parent whose output cannot be read, so that it is escalated in its first cycle.
struct Chained : Bench {
    explicit Chained(RunClass rules = chained()) {
        classes = {std::move(rules)};
        boot();
    }

    RunHandle lost(std::string id = "r") {
        RunSpec spec = bench::spec_of(std::move(id));
        spec.parent = "lead";
        const RunHandle handle = run(spec);
        progress(handle, 1);
        (void)dog->observe(handle, OutputAccess{false});
        (void)after(60s);
        return handle;
    }
    void decide(Verb verb, std::optional<WallTime> until = {}, std::string by = "ann") {
        DecisionRow row;
        row.run = "r";
        row.verb = verb;
        row.until = until;
        row.by = std::move(by);
        REQUIRE(dog->decide(row));
        (void)cycle();
    }
    void mends_itself(RunHandle handle) {
        (void)dog->observe(handle, OutputAccess{true});
        progress(handle, 100 + clock.now().elapsed.time_since_epoch().count());
        (void)cycle(TickCause::on_demand);
    }
    /// Judged as if it had been looked at all the time.
    void looks(int minutes) {
        for (int i = 0; i < minutes; ++i) {
            clock.advance(60s);
            (void)cycle(TickCause::on_demand);
        }
    }
    /// Whom escalations were delivered to, in order; the newest of each key counts.
    [[nodiscard]] std::string told() const {
        std::string text;
        for (const Alert& alert : notifier.delivered())
            if (alert.kind == "escalation") text += alert.to + " ";
        return text;
    }
    [[nodiscard]] std::string steps(std::string_view id = "r") {
        std::string text;
        for (const AuditRow& row : history(id).audit)
            if (row.kind == "escalation") text += row.body + "\n";
        return text;
    }
};

/// Lets something happen while a cycle has decided about a run, and has not stored it yet.
struct Between {
    static constexpr std::string_view kind{"between"};
    static constexpr EventMask listens = events<ToolCall>;
    static constexpr std::uint32_t layout = 1;
    struct Settings {};
    struct Memory {
        int calls = 0;
    };
    inline static std::function<void()> happens;

    void learn(Memory& memory, const Settings&, const Observation&) const { ++memory.calls; }
    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run& run, Instant) const {
        if (run.id == "z" && happens) std::exchange(happens, nullptr)();
        return std::nullopt;
    }
};

/// A run of the parent `lead` burns so much that it is paused, and its parent told.
void run_away(Chained& b) {
    RunSpec spec = bench::spec_of("r");
    spec.parent = "lead";
    const RunHandle run = b.run(spec);
    for (const std::int64_t tokens : {1000, 1000, 1000, 1000, 30'000}) {
        (void)b.dog->observe(run, Usage{tokens, 0, 0, 0, 0});
        (void)b.after(60s);
    }
}

std::string detail_of(const Alert& alert, std::string_view name) {
    for (const Detail& each : alert.details)
        if (each.name == name) return each.value;
    return "-";
}

}  // namespace

TEST_CASE("an escalation goes up a level for each quarter of an hour in which nobody acknowledges it [M-088] [M-094]") {
    Chained b;
    const RunHandle run = b.lost();
    CHECK(b.told() == "lead ");
    (void)b.after(899s);
    CHECK(b.told() == "lead ");
    (void)b.after(61s);
    CHECK(b.told() == "lead ops ");
    (void)b.after(960s);
    CHECK(b.told() == "lead ops ops ");
    (void)b.after(5h);
    CHECK(b.told() == "lead ops ops ");
    std::set<std::string> keys;
    for (const Alert& alert : b.notifier.delivered()) keys.insert(alert.key);
    CHECK(keys.size() == 3);
    b.mends_itself(run);
    CHECK(b.sent_kinds() ==
          std::vector<std::string>{"escalation", "escalation", "escalation", "run.recovered", "run.recovered"});
}

TEST_CASE("an acknowledgement has an author, stops the escalation, and is over after its time") {
    Chained b;
    b.lost();
    b.decide(Verb::ack);
    (void)b.after(4h - 1s);
    CHECK(b.told() == "lead ");
    (void)b.after(61s);
    CHECK(b.told() == "lead lead ");
    CHECK_THAT(b.steps(), ContainsSubstring(R"({"acknowledged_by":"ann","lasted_s":14400})"));
    CHECK_THAT(b.steps(), ContainsSubstring("the acknowledgement is over"));
    SECTION("and then it goes on") {
        (void)b.after(960s);
        CHECK(b.told() == "lead lead ops ");
    }
    SECTION("or somebody takes it on again") {
        b.decide(Verb::ack, {}, "bob");
        (void)b.after(3h);
        CHECK(b.told() == "lead lead ");
        b.decide(Verb::ack, {}, "cyd");
        (void)b.after(3h);
        CHECK(b.told() == "lead lead ");
        (void)b.after(61min);
        CHECK_THAT(b.steps(), ContainsSubstring(R"("acknowledged_by":"cyd")"));
    }
}

TEST_CASE("what holds an escalation back holds back that its acknowledgement is over") {
    Chained b;
    b.lost();
    b.decide(Verb::ack);
    SECTION("snoozed: until it is over") {
        b.decide(Verb::snooze, b.clock.now().wall + 8h);
        (void)b.after(5h);
        (void)b.after(60s);
        CHECK(b.told() == "lead ");
        (void)b.after(3h);
        CHECK(b.told() == "lead lead ");
    }
    SECTION("frozen: until it is not") {
        b.decide(Verb::freeze);
        (void)b.after(5h);
        CHECK(b.told() == "lead ");
        b.decide(Verb::unfreeze);
        (void)b.after(60s);
        CHECK(b.told() == "lead lead ");
    }
    SECTION("everything frozen") {
        DecisionRow row;
        row.verb = Verb::freeze;
        REQUIRE(b.dog->decide(row));
        (void)b.after(5h);
        (void)b.after(60s);
        CHECK(b.told() == "lead ");
    }
}

TEST_CASE("an acknowledgement that never ends is over with the incident") {
    RunClass rules = chained();
    rules.alerts.escalation.ack_lasts = {};
    Chained b{rules};
    const RunHandle run = b.lost();
    b.decide(Verb::ack);
    (void)b.after(48h);
    CHECK(b.told() == "lead ");
    b.mends_itself(run);
    b.minutes(10);
    (void)b.dog->observe(run, OutputAccess{false});
    b.minutes(1);
    CHECK(b.told() == "lead lead ");
    (void)b.after(960s);
    CHECK(b.told() == "lead lead ops ");
}

TEST_CASE("a level that nobody can be reached at is passed over at once [M-094]") {
    Chained b;
    b.notifier.answer_with({Delivery::permanent, Delivery::ok});
    b.lost();
    CHECK(b.told().empty());
    (void)b.after(60s);
    CHECK(b.told() == "ops ");
    CHECK_THAT(b.steps(), ContainsSubstring("nobody received it"));
    (void)b.after(600s);
    CHECK(b.told() == "ops ");
    (void)b.after(360s);
    CHECK(b.told() == "ops ops ");
}

TEST_CASE("those who were told learn that it is over, also if the last level is not reached") {
    Chained b;
    b.notifier.answer_with({Delivery::ok, Delivery::ok, Delivery::permanent, Delivery::ok});
    b.lost();
    for (int level = 0; level < 2; ++level) (void)b.after(960s);
    CHECK(b.told() == "lead ops ");
    b.boot();
    for (int time = 0; time < 2; ++time) (void)b.after(120s);
    const RunHandle run = *b.dog->find("r");
    const bool ends = GENERATE(false, true);
    ends ? static_cast<void>(b.dog->finish(run)) : b.mends_itself(run);
    (void)b.after(60s);
    std::set<std::string> told;
    for (const Alert& alert : b.notifier.delivered())
        if (alert.kind != "escalation") told.insert(alert.kind + " " + alert.to);
    if (ends)
        CHECK(told == std::set<std::string>{"run.ended lead", "run.ended ops"});
    else
        CHECK(told == std::set<std::string>{"run.recovered lead", "run.recovered ops"});
}

TEST_CASE("what nobody received before an escalation passes over no level of it") {
    SECTION("of the same incident") {
        Chained b;
        RunSpec spec = bench::spec_of("r");
        spec.parent = "lead";
        const RunHandle run = b.run(spec);
        b.progress(run, 1);
        b.notifier.answer_with({Delivery::permanent, Delivery::ok});
        b.looks(23);
        CHECK(b.acts ==
              "inject:nudge done; inject:nudge done; inject:break_pattern done; pause done, snapshot done, escalate "
              "done");
        CHECK(b.told() == "lead ");
    }
    SECTION("of an earlier one") {
        RunClass rules = chained();
        rules.alerts.tell_people = false;
        Chained b{rules};
        b.notifier.answer_with({Delivery::permanent, Delivery::permanent, Delivery::permanent, Delivery::ok});
        const RunHandle run = b.lost();
        b.minutes(3);
        CHECK(b.told().empty());
        b.mends_itself(run);
        (void)b.after(600s);
        (void)b.dog->observe(run, OutputAccess{false});
        b.minutes(3);
        CHECK(b.told() == "lead ");
    }
}

TEST_CASE("a snooze, a freeze and the end of the run stop an escalation") {
    Chained b;
    const RunHandle run = b.lost();
    SECTION("snoozed: until it is over") {
        b.decide(Verb::snooze, b.clock.now().wall + 2h);
        (void)b.after(119min);
        CHECK(b.told() == "lead ");
        (void)b.after(2min);
        CHECK(b.told() == "lead ops ");
    }
    SECTION("frozen: until it is not") {
        b.decide(Verb::freeze);
        (void)b.after(2h);
        CHECK(b.told() == "lead ");
        b.decide(Verb::unfreeze);
        (void)b.after(60s);
        CHECK(b.told() == "lead ops ");
    }
    SECTION("everything frozen") {
        DecisionRow row;
        row.verb = Verb::freeze;
        REQUIRE(b.dog->decide(row));
        (void)b.after(2h);
        CHECK(b.told() == "lead ");
    }
    SECTION("dismissed") {
        b.decide(Verb::dismiss);
        (void)b.after(2h);
        CHECK(b.told() == "lead ");
    }
    SECTION("called wrong") {
        b.decide(Verb::mark_wrong);
        (void)b.after(2h);
        CHECK(b.told() == "lead ");
    }
    SECTION("ended, which those who were told learn") {
        (void)b.after(960s);
        REQUIRE(b.dog->finish(run));
        (void)b.after(2h);
        CHECK(b.told() == "lead ops ");
        CHECK(b.sent_kinds() == std::vector<std::string>{"escalation", "escalation", "run.ended", "run.ended"});
    }
}

TEST_CASE("a paused run waits for somebody, and its escalation goes on [M-088]") {
    RunClass rules = chained();
    rules.ladder.as<RecoveryLadder>()->max_pause = 24h;
    Chained b{rules};
    run_away(b);
    REQUIRE(b.told() == "lead ");
    CHECK(b.acts == "pause done, snapshot done, escalate done");
    (void)b.after(900s);
    CHECK(b.told() == "lead ops ");
    (void)b.after(900s);
    CHECK(b.told() == "lead ops ops ");
    b.decide(Verb::resume);
    (void)b.after(2h);
    CHECK(b.told() == "lead ops ops ");
}

TEST_CASE("a further escalation of an incident goes to whom it has reached") {
    RunClass rules = chained();
    rules.ladder.as<RecoveryLadder>()->max_pause = 20min;
    Chained b{rules};
    run_away(b);
    (void)b.after(900s);
    REQUIRE(b.told() == "lead ops ");
    (void)b.after(300s);  // paused for too long
    CHECK(b.told() == "lead ops ops ");
    CHECK(b.notifier.delivered().back().details[2].value == "2 of 3");
    (void)b.after(600s);  // its quarter of an hour began anew
    CHECK(b.told() == "lead ops ops ");
    (void)b.after(300s);
    CHECK(b.told() == "lead ops ops ops ");
}

TEST_CASE("an acknowledgement that is over as the incident is escalated anew holds nothing up") {
    RunClass rules = chained();
    rules.ladder.as<RecoveryLadder>()->max_pause = 20min;
    rules.alerts.escalation.ack_lasts = 20min;
    Chained b{rules};
    run_away(b);
    b.decide(Verb::ack);
    (void)b.after(20min);
    CHECK(b.told() == "lead lead ");
    CHECK(detail_of(b.notifier.delivered().back(), "acknowledged_by") == "-");
    (void)b.after(15min);
    CHECK(b.told() == "lead lead ops ");
}

TEST_CASE("whatever commit a kill cuts off, each level is told under one key and none is passed over") {
    const std::uint32_t cut = GENERATE(1u, 2u, 3u);
    Chained b;
    b.lost();
    b.clock.advance(900s);
    b.store.crash_at_commit(cut);
    (void)b.cycle();
    b.boot();
    b.minutes(2);
    b.clock.advance(900s);
    b.store.crash_at_commit(cut);
    (void)b.cycle();
    b.boot();
    b.minutes(2);
    std::set<std::string> keys;
    std::set<std::string> levels;
    for (const Alert& alert : b.notifier.delivered()) {
        keys.insert(alert.key);
        levels.insert(detail_of(alert, "level") + " " + alert.to);
    }
    CHECK(keys.size() == 3);
    CHECK(levels == std::set<std::string>{"1 of 3 lead", "2 of 3 ops", "3 of 3 ops"});
    (void)b.after(2h);
    CHECK(b.notifier.delivered().size() <= 5);
}

TEST_CASE("what a delivery stores while a level is decided says nothing of that level") {
    RunClass rules = chained();
    rules.detectors.turn_on<Between>();
    rules.alerts.outbox.jitter = false;
    rules.alerts.outbox.first_retry = rules.alerts.outbox.longest_retry = 300s;
    Chained b{rules};
    b.run("z");
    b.notifier.answer_with({Delivery::fail, Delivery::ok});
    b.lost();
    b.clock.advance(900s);
    Between::happens = [&] {
        (void)b.dog->deliver();
        b.store.crash();
    };
    (void)b.dog->tick();
    REQUIRE(b.notifier.delivered().size() == 1);
    b.boot();
    b.minutes(40);
    std::set<std::string> levels;
    for (const Alert& alert : b.notifier.delivered())
        if (alert.run.id == "r") levels.insert(detail_of(alert, "level"));
    CHECK(levels == std::set<std::string>{"1 of 3", "2 of 3", "3 of 3"});
}

TEST_CASE("who takes an incident on before it is escalated is named in the escalation, which goes no further") {
    Chained b;
    RunSpec spec = bench::spec_of("r");
    spec.parent = "lead";
    const RunHandle run = b.run(spec);
    b.progress(run, 1);
    b.looks(12);
    REQUIRE(b.acts == "inject:nudge done");
    b.decide(Verb::ack);
    b.looks(60);
    CHECK(b.told() == "lead ");
    CHECK(detail_of(b.notifier.delivered().back(), "acknowledged_by") == "ann");
    b.looks(180);
    b.looks(20);
    CHECK(b.told() == "lead lead ops ");
}

TEST_CASE("an acknowledgement survives a kill, and its end, too") {
    Chained b;
    b.lost();
    b.decide(Verb::ack);
    b.boot();
    (void)b.after(1h);
    CHECK(b.told() == "lead ");
    b.boot();
    (void)b.after(3h);
    b.minutes(3);  // it was away: nothing is judged at first
    CHECK(b.told() == "lead lead ");
    CHECK_THAT(b.steps(), ContainsSubstring("\"ann\""));
}

TEST_CASE("a clock that is set back before a restart holds no level back, and lengthens no acknowledgement") {
    Chained b;
    b.lost();
    const bool taken_on = GENERATE(false, true);
    if (taken_on) b.decide(Verb::ack);
    b.clock.step_wall(-24h * 365);
    b.boot();
    for (int i = 0; i < 17; ++i) (void)b.after(60s);
    CHECK(b.told() == (taken_on ? "lead " : "lead ops "));
    (void)b.after(225min);
    (void)b.after(60s);
    CHECK(b.told().starts_with(taken_on ? "lead lead " : "lead ops ops "));
}

TEST_CASE("nobody is told by a watchdog in shadow mode, and all of it is on record") {
    RunClass rules = chained();
    rules.mode = Mode::shadow;
    Chained b{rules};
    b.lost();
    (void)b.after(960s);
    CHECK(b.notifier.sent().empty());
    CHECK_THAT(b.steps(), ContainsSubstring(R"("level":2,"of":3,"to":"ops","why":"nobody acknowledged it")"));
}

TEST_CASE("an escalation that a freeze held back begins its levels when it is told") {
    Chained b;
    RunSpec spec = bench::spec_of("r");
    spec.parent = "lead";
    const RunHandle run = b.run(spec);
    b.progress(run, 1);
    b.decide(Verb::freeze);
    (void)b.dog->observe(run, OutputAccess{false});
    (void)b.after(1h);
    (void)b.after(1h);
    CHECK(b.told().empty());
    b.decide(Verb::unfreeze);
    (void)b.after(120s);
    CHECK(b.told() == "lead ");
    (void)b.after(899s);
    CHECK(b.told() == "lead ");
    (void)b.after(61s);
    CHECK(b.told() == "lead ops ");
}

TEST_CASE("levels that contradict themselves are refused") {
    Chained b;
    RunClass rules = chained();
    const auto refusal = [&] {
        const auto answer = b.dog->define(rules);
        return answer ? std::string{} : answer.error().message;
    };
    SECTION("the first waits") {
        rules.alerts.escalation.levels[0].after = 1s;
        CHECK_THAT(refusal(), ContainsSubstring("escalation.levels[0].after must be 0"));
    }
    SECTION("another one does not") {
        rules.alerts.escalation.levels[1].after = {};
        CHECK_THAT(refusal(), ContainsSubstring("escalation.levels[1].after is 0"));
    }
    SECTION("too many") {
        rules.alerts.escalation.levels.resize(17);
        CHECK_THAT(refusal(), ContainsSubstring("17 levels"));
    }
    SECTION("a route of the parent") {
        rules.alerts.escalation.levels[0].route = "x";
        CHECK_THAT(refusal(), ContainsSubstring("escalation.levels[0].route"));
    }
    SECTION("a time that is none") {
        rules.alerts.escalation.ack_lasts = -1s;
        CHECK_THAT(refusal(), ContainsSubstring("escalation.ack_lasts"));
    }
}

TEST_CASE("a class says whom its escalations are told") {
    Chained b;
    CHECK_THAT(b.dog->describe(), ContainsSubstring("an escalation is told: parent, origin after 15m 0s, people after "
                                                    "15m 0s; until somebody acknowledges it, which holds for 4h"));
    CHECK(presets::long_run().alerts.escalation.levels.empty());
    CHECK(presets::session_monitor().alerts.escalation.levels.empty());
}

TEST_CASE("that it is over is told once to whoever can be reached, and not again because somebody else cannot") {
    RunClass rules = chained();
    rules.alerts.outbox.retry = false;
    Chained b{rules};
    const RunHandle run = b.lost();
    REQUIRE(b.told() == "lead ");
    b.notifier.answer_with({Delivery::fail, Delivery::ok});
    b.mends_itself(run);
    for (int i = 0; i < 10; ++i) {
        b.progress(run, 1000 + i);
        (void)b.after(60s);
    }
    std::size_t ends = 0;
    for (const auto& sent : b.notifier.sent()) ends += sent.alert.kind == "run.recovered" ? 1 : 0;
    CHECK(ends == 2);  // to the route of the class, and to the level that was told
}
