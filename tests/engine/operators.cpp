// What operators decide: every verb, across restarts, with a store that fails, about runs that are gone; and what
// people are told so that they can decide.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <sys/stat.h>

#include <heeler/settings/presets.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

DecisionRow row_of(Verb verb, std::string run, std::string by = "ada") {
    DecisionRow row;
    row.run = std::move(run);
    row.verb = verb;
    row.by = std::move(by);
    return row;
}

/// A watchdog that operators can speak to.
struct Desk : Bench {
    Desk() = default;
    explicit Desk(RunClass rules) {
        classes = {std::move(rules)};
        boot();
    }

    void decide(Verb verb, std::string run = {}, std::optional<WallTime> until = {}) {
        DecisionRow row = row_of(verb, std::move(run));
        row.until = until;
        REQUIRE(dog->decide(row));
    }
    /// As another process does it, without this watchdog.
    void write(List<DecisionRow> rows) {
        Batch batch;
        for (DecisionRow& row : rows) row.at = clock.now().wall;
        batch.decisions = std::move(rows);
        batch.durable = true;
        REQUIRE(memory.commit(batch)->empty());
    }

    /// What is on record about decisions on a run, one after the other; `""`: on no run.
    [[nodiscard]] std::string record(std::string_view run = "r") {
        std::string text;
        for (const AuditRow& row : history(run).audit)
            if (row.kind == "decision") text += row.body + "\n";
        return text;
    }
    [[nodiscard]] std::size_t sent(std::string_view kind) const {
        std::size_t count = 0;
        for (const Alert& alert : notifier.delivered()) count += alert.kind == kind ? 1 : 0;
        return count;
    }
    [[nodiscard]] WallTime in(Duration length) const { return clock.now().wall + length; }
    [[nodiscard]] RunState state(std::string_view run = "r") { return history(run).row->state; }
    [[nodiscard]] Status status(std::string_view run = "r") const {
        const auto handle = dog->find(run);
        if (!handle) return Status::healthy;
        return *dog->status(*handle);
    }

    /// The same call again and again.
    void calls(std::string_view run, int count, std::string_view args = R"({"command":"ls"})") {
        for (int i = 0; i < count; ++i) (void)dog->observe(run, ToolCall{"Bash", args, {}});
    }
    CycleReport now() { return cycle(TickCause::on_demand); }
};

/// Sessions that are alerted about again and again while it lasts, as soon as the first cycle sees it.
RunClass sessions() { return presets::session_monitor(); }

std::uint64_t incidents_of(const Snapshot& stored, Condition condition) {
    std::uint64_t count = 0;
    for (const TallyRow& row : stored.tallies) count += row.condition == condition ? row.incidents : 0;
    return count;
}

std::uint64_t wrong_of(const Snapshot& stored, Condition condition) {
    std::uint64_t count = 0;
    for (const TallyRow& row : stored.tallies) count += row.condition == condition ? row.wrong : 0;
    return count;
}

/// A file that is there or not.
class Flag {
public:
    Flag() {
        std::string name = (std::filesystem::temp_directory_path() / "heeler_flag_XXXXXX").string();
        const int file = ::mkstemp(name.data());
        REQUIRE(file >= 0);
        ::close(file);
        path_ = name;
        lower();
    }
    Flag(const Flag&) = delete;
    Flag& operator=(const Flag&) = delete;
    ~Flag() { lower(); }
    void raise() const { std::ofstream{path_} << "held\n"; }
    void lower() const { (void)std::remove(path_.c_str()); }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
};

/// An agent control during whose snapshot somebody freezes everything.
struct FrozenHalfway {
    std::function<void()> freeze;
    int snapshots = 0;
    int ends = 0;

    Result<ActionDone> inject(const ActionRequest&) { return ActionDone{}; }
    Result<ActionDone> snapshot(const ActionRequest&) {
        ++snapshots;
        freeze();
        return ActionDone{};
    }
    Result<ActionDone> terminate(const ActionRequest&) {
        ++ends;
        return ActionDone{};
    }
};

}  // namespace

// --- freeze ---------------------------------------------------------------------------------------------------------

TEST_CASE("a freeze of everything outlives the watchdog and ends with unfreeze [M-126]") {
    Desk d;
    d.decide(Verb::freeze);
    d.progress(d.run(), 1);
    d.minutes(2);
    CHECK(d.memory.list()->size() == 1);
    d.boot();
    d.minutes(3);
    CHECK(d.control.requests().empty());
    CHECK(d.memory.list()->size() == 1);
    d.decide(Verb::unfreeze);
    d.minutes(2);
    CHECK(d.asked(ControlVerb::inject) > 0);
    CHECK(d.memory.list()->empty());
    CHECK_THAT(d.record(""), ContainsSubstring("\"verb\":\"freeze\"") && ContainsSubstring("\"verb\":\"unfreeze\""));
}

TEST_CASE("while everything is frozen people still learn what is wrong [M-126]") {
    Desk d;
    d.decide(Verb::freeze);
    d.stalled();
    CHECK(d.status() == Status::stalled);
    CHECK(d.sent("run.unhealthy") == 1);
    CHECK(d.acts.find("done") == std::string::npos);
}

TEST_CASE("what a freeze keeps from being done is on record once, however long the freeze lasts [M-126]") {
    const Flag flag;
    Desk d;
    d.settings.freeze_file = flag.path();
    d.boot();
    d.progress(d.run(), 1);
    const std::string by = GENERATE("run", "all", "file");
    CAPTURE(by);
    if (by == "file") flag.raise();
    if (by != "file") d.decide(Verb::freeze, by == "run" ? "r" : "");
    d.minutes(30);
    if (GENERATE(false, true)) d.boot();
    d.minutes(30);
    REQUIRE(d.history("r").interventions.size() == 1);
    CHECK(d.history("r").interventions[0].outcome == InterventionOutcome::skipped);
    CHECK(d.control.requests().empty());
    CHECK(d.sent("run.unhealthy") == 1);

    if (by == "file") flag.lower();
    if (by != "file") d.decide(Verb::unfreeze, by == "run" ? "r" : "");
    d.minutes(1);
    CHECK(d.asked(ControlVerb::inject) == 1);
    if (by != "file") d.decide(Verb::freeze, by == "run" ? "r" : "");
    if (by == "file") flag.raise();
    d.minutes(30);
    CHECK(d.history("r").interventions.size() == 3);
    CHECK(d.history("r").interventions[2].outcome == InterventionOutcome::skipped);
    CHECK(d.asked(ControlVerb::inject) == 1);
}

TEST_CASE("a run that recovers while it is frozen is well, and what comes later is on record again [M-126]") {
    Desk d;
    const RunHandle run = d.run();
    d.progress(run, 1);
    d.decide(Verb::freeze);
    d.minutes(10);
    REQUIRE(d.status() == Status::stalled);
    d.progress(run, 2);
    d.minutes(1);
    CHECK(d.status() != Status::stalled);
    d.minutes(120);
    CHECK(d.status() == Status::stalled);
    CHECK(d.history("r").interventions.size() == 2);
}

TEST_CASE("a freeze with an end is over at that moment [M-126]") {
    const bool of_all = GENERATE(true, false);
    Desk d;
    const RunHandle run = d.run();
    d.progress(run, 1);
    d.decide(Verb::freeze, of_all ? "" : "r", d.in(240s));
    if (GENERATE(false, true)) {
        d.minutes(1);
        d.boot();
        d.minutes(2);
    } else {
        d.minutes(3);
    }
    CHECK(d.control.requests().empty());
    d.minutes(2);
    CHECK(d.asked(ControlVerb::inject) > 0);
    CHECK(d.memory.list()->empty());
}

TEST_CASE("one run can be frozen, also across a restart [M-126]") {
    Desk d;
    d.progress(d.run("a"), 1);
    d.progress(d.run("b"), 1);
    d.decide(Verb::freeze, "a");
    d.minutes(2);
    d.boot();
    d.minutes(1);
    CHECK_FALSE(d.control.requests().empty());
    for (const auto& request : d.control.requests()) CHECK(request.run == "b");
    d.decide(Verb::unfreeze, "a");
    d.minutes(2);
    std::size_t of_a = 0;
    for (const auto& request : d.control.requests()) of_a += request.run == "a" ? 1 : 0;
    CHECK(of_a > 0);
}

TEST_CASE("while a file of the configured name exists nothing is done [M-126]") {
    const Flag flag;
    Desk d;
    d.settings.freeze_file = flag.path();
    d.boot();
    flag.raise();
    d.stalled();
    d.minutes(2);
    CHECK(d.control.requests().empty());
    CHECK(d.acts.find("inject:nudge skipped") == 0);
    flag.lower();
    d.minutes(1);
    CHECK(d.asked(ControlVerb::inject) == 1);
}

TEST_CASE("a named pipe of the configured name freezes as well, and nobody waits for its writer [M-126]") {
    const Flag flag;
    Desk d;
    d.settings.freeze_file = flag.path();
    d.boot();
    REQUIRE(::mkfifo(flag.path().c_str(), 0600) == 0);
    d.stalled();
    d.minutes(2);
    CHECK(d.control.requests().empty());
    flag.lower();
    d.minutes(1);
    CHECK(d.asked(ControlVerb::inject) == 1);
}

TEST_CASE("what freezes is asked before each action, not before each rung [M-126]") {
    const Flag flag;
    const bool by_file = GENERATE(true, false);
    Desk d;
    d.settings.freeze_file = flag.path();
    d.boot();
    FrozenHalfway agents;
    agents.freeze = [&] {
        if (by_file)
            flag.raise();
        else
            REQUIRE(setenv("HEELER_FREEZE", "yes", 1) == 0);
    };
    d.dog->attach(agents);
    RunSpec spec = bench::spec_of("r");
    spec.timeout = 90s;
    d.run(spec);
    d.minutes(4);
    unsetenv("HEELER_FREEZE");
    CHECK(agents.snapshots == 1);
    CHECK(agents.ends == 0);
    CHECK(d.sent("escalation") == 0);
    CHECK_FALSE(is_terminal(d.state()));
}

TEST_CASE("a freeze that is stored holds back what a crash left undone, whoever loads the store first [M-126]") {
    Desk d;
    d.control.set_idempotent(true);
    d.control.answer_find(Found::absent);
    d.progress(d.run(), 1);
    d.minutes(1);
    d.clock.advance(60s);
    d.store.crash_at_commit(1);
    (void)d.dog->cycle();
    REQUIRE(d.store.dead());
    d.control.clear();
    d.write({row_of(Verb::freeze, "")});
    d.boot();
    REQUIRE(d.dog->find("r"));
    SECTION("actions are carried out before the first cycle") {
        (void)d.dog->deliver();
        CHECK(d.control.requests().empty());
    }
    SECTION("the decisions cannot be read") {
        d.store.fail(StoreOperation::list, ErrorCode::io);
        (void)d.cycle();
        (void)d.cycle();
        CHECK(d.control.requests().empty());
        d.store.heal();
    }
    d.minutes(2);
    CHECK(d.control.requests().empty());
    d.decide(Verb::unfreeze);
    d.minutes(3);
    CHECK_FALSE(d.control.requests().empty());
}

// --- snooze, continue, dismiss --------------------------------------------------------------------------------------

TEST_CASE("a snooze does and says nothing until its moment, and still shows the verdict [A-121] [M-046]") {
    const std::optional<Duration> length = GENERATE(std::optional<Duration>{}, std::optional<Duration>{600s});
    Desk d;
    const RunHandle run = d.run();
    d.progress(run, 1);
    d.decide(Verb::snooze, "r", length ? std::optional{d.in(*length)} : std::nullopt);
    const bool restarted = GENERATE(false, true);
    INFO((length ? "for 10 min" : "for the usual time") << (restarted ? ", restarted" : ""));
    const auto quiet = static_cast<int>(length.value_or(1h) / Duration{60s}) - 1;
    d.minutes(2);
    CHECK(d.status() == Status::stalled);
    if (restarted) d.boot();
    d.minutes(quiet - 2);
    CHECK(d.control.requests().empty());
    CHECK(d.notifier.sent().empty());
    CHECK(d.history().interventions.empty());
    d.minutes(1);
    CHECK(d.asked(ControlVerb::inject) == 1);
    CHECK(d.sent("run.unhealthy") == 1);
}

TEST_CASE("a class that only watches is quiet while it is snoozed, and speaks afterwards [M-046]") {
    Desk d{sessions()};
    (void)d.run("s");
    d.calls("s", 5);
    d.decide(Verb::snooze, "s", d.in(400s));
    (void)d.now();
    CHECK(d.status("s") == Status::loop_detected);
    d.clock.advance(399s);
    (void)d.now();
    CHECK(d.notifier.sent().empty());
    d.clock.advance(1s);
    (void)d.now();
    CHECK(d.sent("run.unhealthy") == 1);
}

TEST_CASE("continue looks away for half an hour [A-121] [M-046]") {
    Desk d{sessions()};
    (void)d.run("s");
    d.calls("s", 5);
    d.decide(Verb::resume_watch, "s");
    (void)d.now();
    d.clock.advance(1799s);
    d.calls("s", 1);
    (void)d.now();
    CHECK(d.notifier.sent().empty());
    d.clock.advance(1s);
    (void)d.now();
    CHECK(d.sent("run.unhealthy") == 1);
}

TEST_CASE("dismissed is for ever and for one run [A-121] [M-046]") {
    Desk d;
    d.progress(d.run("a"), 1);
    d.decide(Verb::dismiss, "a");
    d.minutes(2);
    d.boot();
    d.minutes(24 * 60);
    CHECK(d.control.requests().empty());
    CHECK(d.notifier.sent().empty());
    CHECK(d.status("a") == Status::stalled);
    d.stalled("b");
    CHECK(d.asked(ControlVerb::inject) == 1);
    CHECK(d.sent("run.unhealthy") == 1);
}

TEST_CASE("who wants to hear nothing does not hear that it is over either [M-046]") {
    const Verb verb = GENERATE(Verb::dismiss, Verb::snooze);
    Desk d{sessions()};
    const RunHandle run = d.run("s");
    d.calls("s", 5);
    (void)d.now();
    REQUIRE(d.sent("run.unhealthy") == 1);
    d.decide(verb, "s");
    (void)d.now();
    SECTION("it recovers") {
        d.calls("s", 1, R"({"command":"make"})");
        d.clock.advance(60s);
        (void)d.now();
        CHECK(d.status("s") == Status::recovered);
    }
    SECTION("it ends") {
        REQUIRE(d.dog->finish(run));
        (void)d.now();
    }
    CHECK(d.notifier.sent().size() == 1);
}

// --- ack ------------------------------------------------------------------------------------------------------------

TEST_CASE("an incident that somebody is on is not said again, the next one is [M-127]") {
    Desk d{sessions()};
    (void)d.run("s");
    d.calls("s", 5);
    (void)d.now();
    d.decide(Verb::ack, "s");
    (void)d.now();
    if (GENERATE(false, true)) d.boot();
    for (int i = 0; i < 12; ++i) {
        d.clock.advance(300s);
        d.calls("s", 1);
        (void)d.cycle();
    }
    CHECK(d.status("s") == Status::loop_detected);
    CHECK(d.sent("run.unhealthy") == 1);
    d.calls("s", 1, R"({"command":"make"})");
    (void)d.now();
    CHECK(d.sent("run.recovered") == 1);
    for (int i = 0; i < 12; ++i) {
        d.clock.advance(300s);
        d.calls("s", 5, R"({"command":"top"})");
        (void)d.cycle();
    }
    CHECK(d.sent("run.unhealthy") == 3);  // half an hour after the last message, and again
}

TEST_CASE("an acknowledgement ends with the incident, also with one that was none [M-127]") {
    Desk d{sessions()};
    (void)d.run("s");
    d.calls("s", 5);
    (void)d.now();
    d.write({row_of(Verb::ack, "s"), row_of(Verb::mark_wrong, "s")});
    for (int i = 0; i < 5; ++i) (void)d.dog->observe("s", ToolResult{{}, "Traceback: no", {}, {}});
    (void)d.now();
    REQUIRE(d.history("s").row->status == Status::healthy);  // errors alone have no status of their own
    for (int i = 0; i < 12; ++i) {
        d.clock.advance(300s);
        d.calls("s", 1, std::to_string(i));
        (void)d.dog->observe("s", ToolResult{{}, "Traceback: no", {}, {}});
        (void)d.cycle();
    }
    CHECK(d.sent("run.unhealthy") == 3);
}

TEST_CASE("nothing to acknowledge is on record as ignored") {
    Desk d{sessions()};
    (void)d.run("s");
    d.decide(Verb::ack, "s");
    (void)d.now();
    CHECK_THAT(d.record("s"), ContainsSubstring("\"ignored\""));
}

// --- mark stopped ---------------------------------------------------------------------------------------------------

TEST_CASE("a run that an operator marks stopped is over for everybody") {
    Desk d;
    const RunHandle run = d.stalled();
    const bool told = GENERATE(true, false);
    if (!told) d.notifier.answer_with({Delivery::fail});
    const std::size_t before = d.control.requests().size();
    d.decide(Verb::mark_stopped, "r");
    d.minutes(1);
    CHECK(d.state() == RunState::cancelled);
    CHECK(d.sent("run.ended") == (told ? 1u : 0u));
    CHECK(d.dog->observe(run, Progress{7}) == Observed::ended);
    CHECK(d.dog->observe(run, Heartbeat{}) == Observed::ended);
    CHECK(d.dog->finish(run).error().code == ErrorCode::ended);
    CHECK(d.history().row->ended_at.has_value());
    d.boot();
    d.minutes(5);
    CHECK(d.control.requests().size() == before);
    CHECK(d.state() == RunState::cancelled);
    CHECK_FALSE(d.dog->start(bench::spec_of("r"), "minute"));
}

// --- mark wrong -----------------------------------------------------------------------------------------------------

TEST_CASE("a loop that is none is muted for all runs of the class, also after a restart") {
    RunClass other = sessions();
    other.name = "other";
    Desk d{sessions()};
    d.classes.push_back(other);
    d.boot();
    for (const char* id : {"a", "b"}) d.run(id), d.calls(id, 5);
    (void)d.now();
    REQUIRE(d.sent("run.unhealthy") == 2);
    d.decide(Verb::mark_wrong, "a");
    (void)d.now();
    CHECK(d.status("a") == Status::healthy);
    CHECK(d.status("b") == Status::recovered);  // the operator did not speak about this one
    CHECK(d.sent("run.recovered") == 1);        // which no cooldown holds back
    if (GENERATE(false, true)) d.boot();
    d.run("c");
    d.calls("c", 20);
    d.run("d");
    d.calls("d", 5, R"({"command":"top"})");
    REQUIRE(d.dog->start(bench::spec_of("e"), "other"));
    d.calls("e", 5);
    (void)d.now();
    CHECK(d.status("c") == Status::healthy);
    CHECK(d.status("d") == Status::loop_detected);
    CHECK(d.status("e") == Status::loop_detected);
    const Snapshot stored = *d.memory.load();
    CHECK(incidents_of(stored, Condition::loop_detected) == 4);
    CHECK(wrong_of(stored, Condition::loop_detected) == 1);
    REQUIRE(stored.mutes.size() == 1);
    CHECK(stored.mutes[0].class_name == "session_monitor");
    CHECK(stored.mutes[0].by == "ada");
    CHECK_THAT(d.record("a"), ContainsSubstring("\"verb\":\"mark_wrong\",\"by\":\"ada\"}"));
}

TEST_CASE("a muted block of lines is muted wherever a run begins it") {
    Desk d;
    const auto lines = [&](std::string_view run, int first) {
        const char* block[] = {"one\n", "two\n", "three\n", "four\n", "five\n"};
        for (int i = 0; i < 20; ++i) (void)d.dog->observe(run, Output{block[(i + first) % 5]});
    };
    RunSpec spec = bench::spec_of("a");
    spec.metric = MetricKind::output_lines;
    (void)d.run(spec);
    lines("a", 0);
    d.minutes(1);
    REQUIRE(d.asked(ControlVerb::inject) == 1);
    d.decide(Verb::mark_wrong, "a");
    (void)d.dog->observe("a", Output{"something new\n"});
    spec.id = "b";
    (void)d.run(spec);
    lines("b", 3);
    d.minutes(1);
    CHECK(d.status("a") == Status::healthy);
    CHECK(d.status("b") == Status::healthy);
    CHECK(d.asked(ControlVerb::inject) == 1);
    CHECK(d.sent("run.recovered") == 0);
}

TEST_CASE("any other finding that is none is none for this run alone") {
    Desk d;
    d.stalled("a");
    REQUIRE(d.asked(ControlVerb::inject) == 1);
    d.decide(Verb::mark_wrong, "a");
    d.minutes(2);
    if (GENERATE(false, true)) d.boot();
    d.minutes(10);
    CHECK(d.asked(ControlVerb::inject) == 1);
    CHECK(d.status("a") == Status::healthy);
    CHECK(d.sent("run.recovered") == 0);
    d.stalled("b");
    CHECK(d.asked(ControlVerb::inject) == 2);
    CHECK(wrong_of(*d.memory.load(), Condition::stalled) == 1);
    CHECK(incidents_of(*d.memory.load(), Condition::stalled) == 2);
    CHECK(d.memory.load()->mutes.empty());
}

TEST_CASE("attempts on a finding that was none do not count against the next one") {
    Desk d;
    const RunHandle run = d.run();
    for (int i = 0; i < 20; ++i) {
        const char* block[] = {"one\n", "two\n", "three\n", "four\n", "five\n"};
        (void)d.dog->observe(run, Output{block[i % 5]});
    }
    d.progress(run, 1);
    d.minutes(1);
    REQUIRE(d.outcomes() == "inject:break_pattern pending");
    d.decide(Verb::mark_wrong, "r");
    d.minutes(1);
    CHECK(d.history().interventions.back().attempt == 1);
    CHECK(d.history().interventions.back().incident == 2);
    CHECK(d.sent("run.unhealthy") == 2);
}

TEST_CASE("what came of a rung brings no incident back that a person said was none") {
    Desk d;
    d.control.answer(ControlVerb::inject, ControlAnswer::timeout_but_done);
    d.control.answer_find(fail(ErrorCode::busy, "later"));
    d.stalled();
    REQUIRE(d.outcomes() == "inject:nudge pending");  // nobody knows yet, and it is looked up
    d.decide(Verb::mark_wrong, "r");
    d.minutes(5);
    CHECK(d.sent("escalation") == 0);
    CHECK(d.sent("run.unhealthy") == 1);
    CHECK(d.outcomes() == "inject:nudge unknown");
    CHECK_THAT(d.record(), ContainsSubstring("mark_wrong"));
}

TEST_CASE("after all attempts it is the finding that was wrong, not the limit of attempts") {
    RunClass rules = presets::recommended();
    rules.alerts.escalation = {};  // told once
    Desk d{rules};
    RunSpec spec = bench::spec_of("r");
    spec.timeout = 2h;
    (void)d.run(spec);
    for (int i = 0; i < 40; ++i) {
        d.calls("r", 3);
        (void)d.after(30s);
    }
    REQUIRE(d.sent("escalation") == 1);
    d.decide(Verb::mark_wrong, "r");
    d.decide(Verb::resume, "r");  // it was paused for what was none
    (void)d.after(30s);
    const std::size_t before = d.control.requests().size();
    for (int i = 0; i < 40; ++i) {
        d.calls("r", 3);
        d.progress(*d.dog->find("r"), i);
        (void)d.after(30s);
    }
    CHECK(d.control.requests().size() == before);
    CHECK(d.status() == Status::healthy);
    CHECK(d.memory.load()->mutes.size() == 1);
    for (int i = 0; i < 240; ++i) {
        d.progress(*d.dog->find("r"), 100 + i);
        (void)d.after(30s);
    }
    CHECK(d.status() == Status::timeout);  // the limit still holds
}

TEST_CASE("a run with which nothing was ever wrong cannot be marked wrong") {
    Desk d{sessions()};
    (void)d.run("s");
    d.decide(Verb::mark_wrong, "s");
    (void)d.now();
    CHECK_THAT(d.record("s"), ContainsSubstring("\"ignored\":\"nothing was found wrong with the run\""));
    CHECK(d.memory.load()->tallies.empty());
}

// --- what a person has done to a run through its watchdog ------------------------------------------------------------

TEST_CASE("a run that an operator pauses stays paused until an operator resumes it") {
    const bool watches = GENERATE(false, true);
    CAPTURE(watches);
    Desk d{watches ? sessions() : bench::minute_class()};
    d.progress(d.run(), 1);
    DecisionRow row = row_of(Verb::pause, "r");
    row.because = "look at sk-ant-api03-0123456789abcdef0123456789abcdef first";
    REQUIRE(d.dog->decide(row));
    d.minutes(1);
    CHECK(d.acts == "pause done");
    CHECK(d.state() == RunState::paused);
    CHECK_THAT(d.record(), ContainsSubstring(R"("verb":"pause","by":"ada","because":"look at )"));
    CHECK(d.record().find("0123456789abcdef") == std::string::npos);
    d.decide(Verb::pause, "r");
    d.minutes(60);
    d.boot();
    d.minutes(60);
    CHECK(d.acts == "pause done");  // it is no incident, and its clock stands
    CHECK(d.state() == RunState::paused);
    CHECK_THAT(d.record(), ContainsSubstring("\"ignored\":\"the run is paused already\""));
    CHECK(d.notifier.sent().empty());
    CHECK(d.history().interventions.empty());
    d.decide(Verb::resume, "r");
    d.minutes(1);
    CHECK(d.state() == RunState::running);
    d.decide(Verb::pause, "r");
    d.minutes(1);
    d.decide(Verb::resume, "r");
    d.minutes(1);
    CHECK(d.acts == "pause done; resume done; pause done; resume done");
    std::set<std::string> keys;
    for (const auto& asked : d.control.requests()) keys.insert(asked.key);
    CHECK(keys.size() == 4);  // each is an effect of its own
    CHECK(d.dog->report("r")->final_status == "running");
    CHECK(d.notifier.sent().empty());
}

TEST_CASE("an operator's pause in an incident leaves the ladder where it stands") {
    Desk d;
    const RunHandle run = d.stalled();
    REQUIRE(d.acts == "inject:nudge done");
    d.decide(Verb::pause, "r");
    d.minutes(30);
    CHECK(d.acts == "inject:nudge done; pause done");
    CHECK(d.outcomes() == "inject:nudge pending");
    CHECK(d.sent("run.recovered") == 0);
    d.decide(Verb::resume, "r");
    d.minutes(1);
    d.progress(run, 2);
    d.minutes(3);
    CHECK(d.status() != Status::timeout);
    CHECK(d.state() == RunState::running);
}

TEST_CASE("people hear of an operator's pause that came to nothing, and no rung follows from it") {
    const auto answer = GENERATE(ControlAnswer::fail, ControlAnswer::reject);
    Desk d;
    d.classes[0].ladder.as<RecoveryLadder>()->on_failure = OnFailure::final_rung;
    d.boot();
    d.progress(d.run(), 1);
    d.control.answer(ControlVerb::pause, answer);
    d.decide(Verb::pause, "r");
    (void)d.now();
    CHECK(d.sent("escalation") == 1);
    CHECK(d.state() == RunState::running);
    CHECK(d.asked(ControlVerb::terminate) == 0);
    CHECK_THAT(d.notifier.delivered().back().summary, ContainsSubstring("pause_failed"));
    (void)d.after(1s);
    CHECK(d.sent("escalation") == 1);
}

TEST_CASE(
    "an operator's pause of a run that several agents share sets it apart first, and waits for a rung that is busy") {
    Desk d;
    RunSpec spec = bench::spec_of("r");
    spec.shared_run = {"other"};
    d.progress(d.run(spec), 1);
    d.decide(Verb::pause, "r");
    d.minutes(1);
    CHECK(d.acts == "isolate done, pause done");
    Desk other;
    other.progress(other.run(), 1);
    other.clock.advance(60s);
    (void)other.dog->tick();
    other.clock.advance(60s);
    (void)other.dog->tick();  // a nudge is decided, and not carried out
    other.decide(Verb::pause, "r");
    (void)other.dog->tick();
    CHECK(other.memory.list()->size() == 1);
    (void)other.dog->deliver();
    (void)other.now();
    (void)other.now();
    CHECK(other.memory.list()->empty());
    CHECK(other.state() == RunState::paused);
}

TEST_CASE("a step takes the next rung at once, as long as there is one") {
    Desk d;
    const auto step = [&] {
        d.decide(Verb::step, "r");
        (void)d.after(1s);
    };
    const auto ignored = [&] { return d.record().substr(d.record().rfind('{')); };
    d.progress(d.run(), 1);
    step();
    CHECK_THAT(ignored(), ContainsSubstring("\"ignored\":\"nothing is wrong with the run\""));
    d.minutes(2);
    REQUIRE(d.acts == "inject:nudge done");
    d.decide(Verb::freeze, "r");
    step();
    d.decide(Verb::unfreeze, "r");
    d.decide(Verb::pause, "r");
    (void)d.after(1s);
    step();
    d.decide(Verb::resume, "r");
    (void)d.after(1s);
    CHECK(d.acts == "inject:nudge done; pause done; resume done");
    const std::string record = d.record();
    const std::string held = "\"ignored\":\"nothing is done to the run: it waits, or is snoozed or frozen\"";
    CHECK(record.find(held) != record.rfind(held));
    step();  // that the run was let go on ended the incident
    CHECK_THAT(ignored(), ContainsSubstring("\"ignored\":\"nothing is wrong with the run\""));

    Desk other;
    other.stalled();
    for (int i = 0; i < 2; ++i) {
        other.decide(Verb::step, "r");
        (void)other.after(1s);
    }
    CHECK_THAT(other.acts, ContainsSubstring("inject:nudge done; inject:nudge done; snapshot done"));
    CHECK(other.state() == RunState::terminated);

    Desk held_up;
    (void)held_up.dog->observe(held_up.run(), OutputAccess{false});
    held_up.minutes(2);
    REQUIRE(held_up.acts == "escalate done");
    held_up.decide(Verb::step, "r");
    (void)held_up.after(1s);
    CHECK(held_up.acts == "escalate done");
    CHECK_THAT(held_up.record(), ContainsSubstring("no rung follows: a person is asked for"));
}

TEST_CASE("a step starts the fresh agent of a planned retry at once") {
    Desk d;
    d.classes[0].ladder.as<RecoveryLadder>()->retry = Backoff{3, 1h, 2, 10h};
    d.classes[0].stop_proof = StopProofNeeded::fenced;
    d.boot();
    (void)d.stalled();
    REQUIRE(d.acts.empty());
    d.decide(Verb::step, "r");
    (void)d.after(1s);
    CHECK(d.acts == "spawn done");
}

TEST_CASE("an operator makes a run's own limit of time longer or shorter, also across a restart") {
    Desk d{presets::recommended()};
    RunSpec spec = bench::spec_of("r");
    spec.timeout = 10min;
    const RunHandle run = d.run(spec);
    const auto limit = [&](Duration length) {
        DecisionRow row = row_of(Verb::limit, "r");
        row.length = length;
        REQUIRE(d.dog->decide(row));
    };
    const auto work = [&](int minutes) {
        for (int i = 0; i < minutes; ++i) {
            (void)d.dog->observe("r", Output{"step " + std::to_string(i) + "\n"});
            d.progress(*d.dog->find("r"), d.clock.now().wall.time_since_epoch().count());
            (void)d.after(60s);
        }
    };
    static_cast<void>(run);
    work(5);
    limit(1h);
    work(10);
    CHECK(d.status() == Status::healthy);
    d.boot();
    work(30);
    CHECK(d.status() == Status::healthy);
    CHECK_THAT(d.record(), ContainsSubstring(R"({"verb":"limit","by":"ada","timeout_s":3600})"));
    limit(46min);
    work(2);
    CHECK(d.status() == Status::timeout);
    limit(0s);
    limit(24h * 3651);
    (void)d.after(1s);
    const std::string record = d.record();
    CHECK_THAT(record, ContainsSubstring(R"("timeout_s":0,"ignored":"it must be 1 s to 10 years")"));
    CHECK(std::count(record.begin(), record.end(), '\n') == 4);
}

// --- runs that are gone, several operators, stores that fail --------------------------------------------------------

TEST_CASE("decisions about runs that are not watched are applied once and on record as ignored [M-008]") {
    Desk d;
    const RunHandle over = d.stalled("over");
    REQUIRE(d.dog->finish(over));
    d.minutes(1);
    for (const std::string run : {"over", "nobody"}) {
        for (const Verb verb :
             {Verb::snooze, Verb::resume_watch, Verb::dismiss, Verb::ack, Verb::resume, Verb::mark_stopped,
              Verb::mark_wrong, Verb::freeze, Verb::unfreeze, Verb::pause, Verb::step, Verb::limit}) {
            INFO(run << " " << verb_names[static_cast<std::size_t>(verb)]);
            d.write({row_of(verb, run)});
            const CycleReport report = d.after(1s);
            CHECK(report.errors == 0);
            CHECK(d.memory.list()->empty());
            REQUIRE(all_of<AuditEvent>(report).size() == 1);
            CHECK_THAT(all_of<AuditEvent>(report)[0].row.body, ContainsSubstring("\"ignored\""));
        }
    }
    CHECK(d.history("over").row->state == RunState::completed);
}

TEST_CASE("a decision about a run that nobody has is refused, and the nearest run is named") {
    Desk d;
    (void)d.run("port-parser");
    REQUIRE(d.dog->finish(d.run("nightly")));
    d.minutes(1);
    REQUIRE_FALSE(d.dog->find("nightly"));
    const auto refusal = [&](std::string run) {
        const auto done = d.dog->decide(row_of(Verb::snooze, std::move(run)));
        return done ? std::string{} : std::string{name_of(done.error().code)} + ": " + done.error().message;
    };
    CHECK(refusal("port-parsr") == "unknown_run: no run has the id `port-parsr`, the nearest is `port-parser`");
    CHECK(refusal("deploy") == "unknown_run: no run has the id `deploy`");
    CHECK(refusal(std::string(128, 'p')).starts_with("unknown_run: "));
    CHECK(d.memory.list()->empty());
    CHECK(refusal("port-parser").empty());
    CHECK(refusal("nightly").empty());  // it is over, which the record says
}

TEST_CASE("a verb for one run that names none is ignored, not applied to all [M-008]") {
    Desk d;
    d.progress(d.run(), 1);
    d.write({row_of(Verb::mark_stopped, ""), row_of(Verb::snooze, ""), row_of(Verb::dismiss, "")});
    d.minutes(2);
    CHECK(d.asked(ControlVerb::inject) == 1);
    CHECK_THAT(d.record(""), ContainsSubstring("it names no run"));
    CHECK(d.memory.list()->empty());
}

TEST_CASE("what another process writes into the store is applied with the next cycle") {
    Desk d{sessions()};
    (void)d.run("s");
    (void)d.run("t");
    d.write({row_of(Verb::mark_stopped, "s", "bob"), row_of(Verb::snooze, "t", "bob"), row_of(Verb::freeze, "")});
    (void)d.after(1s);
    CHECK(d.state("s") == RunState::cancelled);
    CHECK_THAT(d.record("s"), ContainsSubstring("\"by\":\"bob\""));
    d.calls("t", 5);
    (void)d.now();
    CHECK(d.notifier.sent().empty());
    CHECK(d.memory.list()->size() == 1);  // the freeze lasts
}

TEST_CASE("two operators at once: the decisions apply in their order") {
    Desk d;
    SECTION("the later word about a freeze counts") {
        const bool freezes = GENERATE(true, false);
        if (freezes)
            d.write({row_of(Verb::freeze, ""), row_of(Verb::unfreeze, "", "bob"), row_of(Verb::freeze, "", "eve")});
        else
            d.write({row_of(Verb::freeze, ""), row_of(Verb::freeze, "", "bob"), row_of(Verb::unfreeze, "", "eve")});
        d.stalled();
        CHECK(d.control.requests().empty() == freezes);
        CHECK(d.memory.list()->size() == (freezes ? 1u : 0u));
    }
    SECTION("what comes after a stop finds no run") {
        d.stalled();
        d.write({row_of(Verb::mark_stopped, "r"), row_of(Verb::snooze, "r", "bob")});
        d.minutes(1);
        CHECK(d.state() == RunState::cancelled);
        CHECK_THAT(d.record(), ContainsSubstring("\"verb\":\"mark_stopped\",\"by\":\"ada\"}"));
        CHECK_THAT(d.record() + d.record(""), ContainsSubstring("\"ignored\":\"the run has ended\""));
    }
    SECTION("the later snooze counts") {
        d.progress(d.run(), 1);
        DecisionRow longer = row_of(Verb::snooze, "r");
        longer.until = d.in(1h);
        DecisionRow shorter = row_of(Verb::snooze, "r", "bob");
        shorter.until = d.in(90s);
        d.write({longer, shorter});
        d.minutes(2);
        CHECK(d.asked(ControlVerb::inject) == 1);
    }
    SECTION("the same finding is wrong once") {
        d.stalled();
        d.write({row_of(Verb::mark_wrong, "r"), row_of(Verb::mark_wrong, "r", "bob")});
        d.minutes(1);
        CHECK(wrong_of(*d.memory.load(), Condition::stalled) == 1);
        CHECK_THAT(d.record(), ContainsSubstring("\"by\":\"bob\",\"ignored\":"));
    }
}

TEST_CASE("a decision whose commit fails is applied once, later [M-009]") {
    Desk d{sessions()};
    (void)d.run("s");
    d.calls("s", 5);
    (void)d.now();
    const bool executed = GENERATE(false, true);
    const Verb verb = GENERATE(Verb::mark_wrong, Verb::snooze, Verb::mark_stopped);
    INFO(verb_names[static_cast<std::size_t>(verb)] << (executed ? ", executed" : ""));
    d.write({row_of(verb, "s")});
    d.store.fail(StoreOperation::commit, ErrorCode::full, executed ? FaultEffect::executed : FaultEffect::not_executed);
    for (int i = 0; i < 3; ++i) {
        d.clock.advance(1s);
        (void)d.now();
    }
    if (GENERATE(false, true))
        d.boot();
    else
        d.store.heal();
    d.clock.advance(1s);
    (void)d.now();
    d.clock.advance(1s);
    (void)d.now();
    CHECK(d.memory.list()->empty());
    const std::string record = d.record("s");
    CHECK(std::count(record.begin(), record.end(), '\n') == 1);
    CHECK(wrong_of(*d.memory.load(), Condition::loop_detected) == (verb == Verb::mark_wrong ? 1u : 0u));
    if (verb == Verb::mark_stopped)
        CHECK(d.state("s") == RunState::cancelled);
    else
        CHECK(d.status("s") == (verb == Verb::mark_wrong ? Status::healthy : Status::loop_detected));
}

TEST_CASE("a freeze whose record cannot be written holds all the same, and is on record later [M-009]") {
    Desk d;
    d.progress(d.run(), 1);
    d.minutes(1);
    d.write({row_of(Verb::freeze, "")});
    d.store.fail(StoreOperation::commit, ErrorCode::io);
    d.minutes(2);
    d.store.heal();
    d.minutes(2);
    CHECK(d.control.requests().empty());
    const std::string record = d.record("");
    CHECK(std::count(record.begin(), record.end(), '\n') == 1);
}

TEST_CASE("a decision about a run that somebody else changed is applied with the next cycle [M-009]") {
    RunClass rules = sessions();
    rules.conflict_fails_run = false;
    Desk d{rules};
    (void)d.run("s");
    d.calls("s", 5);
    (void)d.now();
    d.write({row_of(Verb::mark_wrong, "s")});
    d.store.fail_run("s", ErrorCode::conflict);
    (void)d.after(1s);
    CHECK(d.memory.list()->size() == 1);
    d.store.heal();
    d.clock.advance(1s);
    (void)d.now();
    CHECK(d.memory.list()->empty());
    CHECK(d.status("s") == Status::healthy);
    CHECK(d.memory.load()->mutes.size() == 1);
}

// --- what people are told -------------------------------------------------------------------------------------------

TEST_CASE("every alert says what was seen, what was done, what comes next and how to stop it") {
    const std::string id = "it's run 7; rm -rf /";
    const bool watching = GENERATE(true, false);
    RunClass rules = watching ? sessions() : bench::minute_class();
    rules.alerts.operate = "heeler-ctl --store /var/state.db";
    Desk d{rules};
    RunSpec spec = bench::spec_of(id);
    spec.timeout = watching ? std::nullopt : std::optional<Duration>{170s};
    const RunHandle run = d.run(spec);
    d.progress(run, 1);
    d.calls(id, watching ? 5 : 0);
    (void)d.now();
    d.minutes(3);
    std::size_t seen = 0;
    for (const Alert& alert : d.notifier.delivered()) {
        if (alert.kind != "run.unhealthy" && alert.kind != "escalation") continue;
        ++seen;
        const auto value = [&](std::string_view name) {
            for (const Detail& detail : alert.details)
                if (detail.name == name) return detail.value;
            return std::string{};
        };
        INFO(alert.kind);
        CHECK_FALSE(value("seen").empty());
        if (alert.kind == "escalation") CHECK_FALSE(value("done").empty());
        if (alert.kind == "run.unhealthy") CHECK_THAT(value("next"), ContainsSubstring(" at 2027-01-15T08:"));
        CHECK_FALSE(value("next").empty());
        CHECK(value("stop") == R"(heeler-ctl --store /var/state.db snooze --for 2h -- 'it'\''s run 7; rm -rf /')");
    }
    CHECK(seen == (watching ? 1u : 2u));
}

namespace {

/// One that others can reach.
struct ReachedStore : MemoryStore {
    [[nodiscard]] std::string place() const { return "sqlite:/var/state.db"; }
};

/// How people are told to stop what the watchdog does, in the first alert about a run.
template <class Store>
std::string stop_of(Store store, std::string operate) {
    ManualClock clock{bench::start};
    RecordingNotifier notifier;
    ScriptedControl control;
    Watchdog dog{clock, FaultStore<Store>{store}, notifier};
    dog.attach(control);
    RunClass rules = bench::minute_class();
    rules.alerts.operate = std::move(operate);
    REQUIRE(dog.define(rules));
    const auto run = dog.start(bench::spec_of("r"), "minute");
    REQUIRE(run);
    for (int i = 0; i < 2; ++i) {
        (void)dog.observe(*run, Progress{1});
        clock.advance(60s);
        (void)dog.cycle();
    }
    const std::vector<Alert> told = notifier.delivered();
    REQUIRE(told.size() == 1);
    for (const Detail& detail : told[0].details)
        if (detail.name == "stop") return detail.value;
    return "-";
}

}  // namespace

TEST_CASE("the command that stops it reaches the store, and is not said where nobody could") {
    CHECK(stop_of(MemoryStore{}, "") == "-");
    CHECK(stop_of(ReachedStore{}, "") == "heeler-ctl --store sqlite:/var/state.db snooze --for 2h -- 'r'");
    CHECK(stop_of(ReachedStore{}, "ops") == "ops snooze --for 2h -- 'r'");
    CHECK(stop_of(MemoryStore{}, "ops") == "ops snooze --for 2h -- 'r'");
}
