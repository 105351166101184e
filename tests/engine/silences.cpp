// Silences: what an operator does not want to be told is on record instead, and told once if it lasts longer.
#include <heeler/alert/group.hpp>
#include <heeler/settings/presets.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

RunClass told_by_levels() {
    RunClass rules = presets::recommended();
    rules.alerts.to = "ops";
    rules.alerts.outbox.group_interval = {};  // this is about when each is told
    return rules;
}

/// A watchdog whose operators want it quiet.
struct Quiet : Bench {
    explicit Quiet(RunClass rules = told_by_levels()) {
        classes = {std::move(rules)};
        boot();
    }

    [[nodiscard]] DecisionRow silence(AlertMatch about, Duration length = 2h) const {
        DecisionRow row;
        row.verb = Verb::silence;
        row.until = clock.now().wall + length;
        row.by = "ann";
        row.at = clock.now().wall;
        row.because = "deploy";
        row.about = std::move(about);
        return row;
    }
    [[nodiscard]] static AlertMatch run_r() {
        AlertMatch about;
        about.run = "r";
        return about;
    }
    [[nodiscard]] static AlertMatch of_kind(std::string kind) {
        AlertMatch about;
        about.kind = std::move(kind);
        return about;
    }
    /// As another process writes it.
    void write(DecisionRow row) {
        Batch batch;
        batch.decisions = {std::move(row)};
        batch.durable = true;
        REQUIRE(memory.commit(batch)->empty());
    }
    void silenced(AlertMatch about = run_r(), Duration length = 2h) {
        REQUIRE(dog->decide(silence(std::move(about), length)));
        (void)cycle();
    }
    /// It has to be escalated in the next cycle.
    RunHandle lost(std::string id = "r", std::vector<std::string> tags = {}) {
        RunSpec spec = bench::spec_of(std::move(id));
        spec.parent = "lead";
        spec.tags = std::move(tags);
        const RunHandle handle = run(spec);
        progress(handle, 1);
        (void)dog->observe(handle, OutputAccess{false});
        (void)after(60s);
        return handle;
    }
    void mends_itself(RunHandle handle) {
        (void)dog->observe(handle, OutputAccess{true});
        progress(handle, 100 + clock.now().elapsed.time_since_epoch().count());
        (void)cycle(TickCause::on_demand);
    }
    void looks(int count) {
        for (int i = 0; i < count; ++i) {
            clock.advance(60s);
            (void)cycle(TickCause::on_demand);
        }
    }
    /// What people were told about runs, in order: kind and route.
    [[nodiscard]] std::string told() const {
        std::string text;
        for (const Alert& alert : notifier.delivered())
            if (!alert.run.id.empty()) text += alert.kind + ":" + alert.to + " ";
        return text;
    }
    /// What is on record instead of being told.
    [[nodiscard]] std::string skipped(std::string_view id = "r") {
        std::string text;
        for (const AlertRow& row : history(id).alerts)
            if (row.state == AlertRow::State::skipped) text += row.alert.kind + " " + reason_of(row) + "\n";
        return text;
    }
    [[nodiscard]] std::string record(std::string_view id, std::string_view kind) {
        std::string text;
        for (const AuditRow& row : history(id).audit)
            if (row.kind == kind) text += row.body + "\n";
        return text;
    }
    [[nodiscard]] std::string refusal(DecisionRow row) {
        const auto done = dog->decide(std::move(row));
        return done ? std::string{} : done.error().message;
    }
};

}  // namespace

TEST_CASE("an escalation that is silenced is on record, goes up no level, and is told once when the silence is over") {
    Quiet q;
    const auto until = q.clock.now().wall + 2h;
    q.write(q.silence(q.run_r()));  // nobody watches yet
    q.lost();
    CHECK(q.told().empty());
    const std::string by = "silenced by 1 (ann until " + text::rfc3339(until) + ": deploy)";
    CHECK(q.skipped() == "escalation " + by + "\n");
    const History known = q.history();
    REQUIRE_FALSE(known.actions.empty());
    CHECK(known.actions.back().kind == ActionKind::escalate);
    CHECK(known.actions.back().outcome == ActionOutcome::skipped);
    CHECK(known.actions.back().note == by);
    CHECK_THAT(q.outcomes(), ContainsSubstring("escalate skipped"));
    CHECK_THAT(q.record("r", "suppressed"), ContainsSubstring(R"("why":"silence","kind":"escalation")"));
    CHECK_THAT(*q.dog->explain("r"), ContainsSubstring(by));
    CHECK_THAT(q.record("", "decision"), ContainsSubstring(R"("about":"run r","because":"deploy")"));

    q.looks(100);
    CHECK(q.told().empty());
    CHECK(q.skipped() == "escalation " + by + "\n");  // once, however long it lasts
    q.boot();
    q.looks(18);
    CHECK(q.told().empty());
    q.looks(3);
    CHECK(q.told() == "escalation:lead ");
    CHECK(q.dog->silences()->empty());
    q.looks(10);
    CHECK(q.told() == "escalation:lead ");
    q.looks(7);
    CHECK(q.told() == "escalation:lead escalation:ops ");
}

TEST_CASE("a level that is silenced is told when somebody ends the silence, and nobody is told twice") {
    Quiet q;
    const RunHandle run = q.lost();
    CHECK(q.told() == "escalation:lead ");
    q.silenced();
    q.looks(40);
    CHECK(q.told() == "escalation:lead ");
    REQUIRE(q.dog->silences()->size() == 1);
    const std::uint64_t number = q.dog->silences()->front().number;
    REQUIRE(q.dog->unsilence(number, "bob"));
    q.looks(2);
    CHECK(q.told() == "escalation:lead escalation:ops ");
    CHECK_THAT(q.record("", "decision"), ContainsSubstring(R"("verb":"unsilence","by":"bob","silence":)"));
    const auto again = q.dog->unsilence(number, "bob");
    REQUIRE_FALSE(again);
    CHECK_THAT(again.error().message, ContainsSubstring("no silence 1 is in force"));
    q.mends_itself(run);
    CHECK_THAT(q.told(), ContainsSubstring("run.recovered:"));
}

TEST_CASE("what is over before the silence is told to nobody, and the watchdog acts all the same") {
    Quiet q{bench::minute_class()};
    q.silenced();
    const RunHandle run = q.stalled();
    CHECK(q.asked(ControlVerb::inject) == 1);  // the nudge
    CHECK_THAT(q.skipped(), ContainsSubstring("run.unhealthy silenced by 1 "));
    SECTION("a run that has recovered") {
        q.progress(run, 50);
        q.looks(2);
        for (int i = 0; i < 130; ++i) {
            q.progress(run, 51 + i);
            q.looks(1);
        }
        CHECK(q.told().empty());
    }
    SECTION("a run that has not") {
        REQUIRE(q.dog->unsilence(1, "ann"));
        q.looks(1);
        CHECK_THAT(q.told(), ContainsSubstring("run.unhealthy:"));
        const std::string once = q.told();
        q.looks(1);
        CHECK(q.told().find("run.unhealthy", once.find("run.unhealthy") + 1) == std::string::npos);
    }
}

TEST_CASE("whom a silence kept the beginning from learns no end of it") {
    Quiet q{bench::minute_class()};
    AlertMatch beginnings;
    beginnings.kind = "run.unhealthy";
    q.silenced(beginnings);
    const RunHandle run = q.stalled();
    CHECK_THAT(q.skipped(), ContainsSubstring("run.unhealthy silenced by 1 "));
    q.progress(run, 1000);
    q.looks(1);
    CHECK(q.outcomes() == "inject:nudge recovered");
    CHECK(q.told().empty());
}

TEST_CASE("trouble that is silenced keeps nobody's alert back") {
    RunClass rules = bench::minute_class();
    rules.alerts.outbox.inhibit = true;
    Quiet q{std::move(rules)};
    q.silenced();
    q.stalled();
    RunSpec below = bench::spec_of("below");
    below.parent = "r";
    q.progress(q.run(below), 1);
    q.looks(3);
    CHECK(q.skipped("below") == "");
    CHECK(q.told() == "run.unhealthy: ");
}

TEST_CASE("that a run waits for a person is told when the silence is over, if it still does") {
    Quiet q;
    q.silenced();
    const RunHandle run = q.run();
    q.progress(run, 1);
    (void)q.dog->observe(run, StateChange{RunState::waiting_human});
    q.looks(1);
    CHECK(q.told().empty());
    CHECK_THAT(q.skipped(), ContainsSubstring("worker.needs_input silenced by 1 "));
    const std::string before = q.skipped();
    SECTION("it does") {
        q.looks(118);
        CHECK(q.told().empty());
        CHECK(q.skipped() == before);
        q.boot();
        q.minutes(4);  // by its own schedule
        CHECK(q.told() == "worker.needs_input:ops ");
        q.minutes(10);
        CHECK(q.told() == "worker.needs_input:ops ");
    }
    SECTION("it does not") {
        (void)q.dog->observe(run, StateChange{RunState::running});
        for (int i = 0; i < 125; ++i) {
            q.progress(run, 2 + i);
            q.looks(1);
        }
        CHECK(q.told().empty());
    }
}

TEST_CASE("each thing that a silence may be about narrows it") {
    Quiet q;
    AlertMatch about;
    bool silent = true;
    SECTION("its run") { about.run = "r"; }
    SECTION("another run") { about.run = "other", silent = false; }
    SECTION("its class") { about.class_name = "recommended"; }
    SECTION("another class") { about.class_name = "minute", silent = false; }
    SECTION("one of its tags") { about.tag = "gpu"; }
    SECTION("a tag that it does not have") { about.tag = "gp", silent = false; }
    SECTION("the kind of the alert") { about.kind = "escalation"; }
    SECTION("another kind") { about.kind = "run.unhealthy", silent = false; }
    SECTION("any severity") { about.at_most = Severity::critical; }
    SECTION("none but what is harmless") { about.at_most = Severity::none, silent = false; }
    SECTION("all of what it says, not one of it") {
        about.run = "r";
        about.kind = "run.unhealthy";
        silent = false;
    }
    q.silenced(about);
    q.lost("r", {"ci", "gpu"});
    CHECK(q.told() == (silent ? "" : "escalation:lead "));
    CHECK(q.skipped().empty() != silent);
}

TEST_CASE("a silence that says too little, too much or nonsense is refused with what to do") {
    Quiet q;
    DecisionRow row = q.silence(q.run_r());
    std::string part;
    SECTION("nothing that it is about") { row.about = {}, part = "name at least one of run, class, tag, kind"; }
    SECTION("no end") { row.until.reset(), part = "has no end: say until when, 30 days from now at most"; }
    SECTION("an end that is over") {
        row.until = q.clock.now().wall - 1s;
        part = text::rfc3339(*row.until) + ", which is over; it is " + text::rfc3339(q.clock.now().wall);
    }
    SECTION("longer than 30 days") { row.until = q.clock.now().wall + 24h * 30 + 1s, part = "the limit is 30 days"; }
    SECTION("no comment") { row.because = "   ", part = "has no comment"; }
    SECTION("no author") { row.by.clear(), part = "has no author"; }
    SECTION("a comment of 1 MB") { row.because.assign(1'048'576, 'x'), part = "has 1048576 bytes, the limit is 512"; }
    SECTION("a comment that would be two lines") { row.because = "a\nb", part = "contains a control character"; }
    SECTION("an author that is no text") { row.by = "\xff", part = "is not valid UTF-8"; }
    SECTION("a tag with an escape sequence") { row.about.tag = "\x1b[2J", part = "control character: remove it"; }
    SECTION("a run of 1 MB") { row.about.run.assign(1'048'576, 'r'), part = "the limit is 256"; }
    SECTION("what is about no run") { row.about.kind = "orchestrator.lost", part = "are always told"; }
    const std::string why = q.refusal(row);
    CHECK_THAT(why, ContainsSubstring(part));
    CHECK(why.size() < 600);
    CHECK(why.find('\n') == std::string::npos);
    CHECK(q.memory.list()->empty());
}

TEST_CASE("as long as 30 days, as short as a second, with a comment of 512 bytes: a silence") {
    Quiet q;
    DecisionRow row = q.silence(q.run_r(), 24h * 30);
    row.because.assign(512, 'x');
    CHECK(q.refusal(row).empty());
    CHECK(q.refusal(q.silence(q.run_r(), 1s)).empty());
    DecisionRow named = q.silence({});
    named.run = "r";  // as any other decision names its run
    CHECK(q.refusal(named).empty());
    CHECK(q.dog->silences()->back().about.run == "r");
}

TEST_CASE("a silence that somebody else stored without a limit is none, and that is on record") {
    Quiet q;
    DecisionRow row = q.silence(q.run_r());
    std::string why;
    SECTION("about nothing") { row.about = {}, why = "does not say what it is about"; }
    SECTION("for ever") { row.until.reset(), why = "has no end"; }
    SECTION("for a year") { row.until = row.at + 24h * 365, why = "the limit is 30 days"; }
    q.write(row);
    q.lost();
    CHECK(q.told() == "escalation:lead ");
    CHECK_THAT(q.record("", "decision"), ContainsSubstring("\"ignored\":\"") && ContainsSubstring(why));
    CHECK(q.memory.list()->empty());
}

TEST_CASE("a secret in the comment of a silence is neither stored nor told") {
    Quiet q;
    DecisionRow row = q.silence(q.run_r());
    row.because = "key ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
    REQUIRE(q.dog->decide(row));
    CHECK_THAT(q.memory.list()->front().because, !ContainsSubstring("ghp_0123"));
    q.lost();
    CHECK_THAT(q.skipped(), ContainsSubstring("silenced by 1") && !ContainsSubstring("ghp_0123"));
}

TEST_CASE("an alert that is being tried again is silenced before its next attempt") {
    Quiet q;
    q.notifier.answer_with({Delivery::fail});
    q.lost();
    const auto tried = q.notifier.sent().size();
    CHECK(tried >= 1);
    q.silenced();
    q.looks(10);
    CHECK(q.notifier.sent().size() == tried);
    CHECK_THAT(q.skipped(), ContainsSubstring("escalation silenced by 1 "));
}

TEST_CASE("a silence that is stored holds back what waits in the outbox, whoever loads the store first") {
    Quiet q;
    q.notifier.answer_with({Delivery::fail});
    q.lost();
    const auto tried = q.notifier.sent().size();
    q.write(q.silence(q.run_r()));
    q.boot();
    REQUIRE(q.dog->find("r"));
    q.clock.advance(10min);
    (void)q.dog->deliver();  // before the first cycle
    CHECK(q.notifier.sent().size() == tried);
    (void)q.cycle();
    CHECK(q.notifier.sent().size() == tried);
    CHECK_THAT(q.skipped(), ContainsSubstring("escalation silenced by 1 "));
}

TEST_CASE("a silence holds for every watchdog that shares the store") {
    Quiet q;
    q.settings.holder = "a";
    q.boot();
    (void)q.cycle();
    q.settings.holder = "b";
    Bench::Dog other{q.clock, Bench::Store{q.memory}, q.notifier, q.settings};
    REQUIRE(other.define(told_by_levels()));
    (void)other.cycle();
    REQUIRE(q.dog->decide(q.silence(q.run_r())));
    const auto run = other.start(bench::spec_of("r"), "recommended");
    REQUIRE(run);
    (void)other.observe(*run, Progress{1});
    (void)other.observe(*run, OutputAccess{false});
    q.clock.advance(60s);
    (void)other.cycle();
    CHECK(q.told().empty());
    CHECK_THAT(q.skipped(), ContainsSubstring("escalation silenced by 1 "));
    REQUIRE(other.unsilence(1, "bob"));
    q.clock.advance(60s);
    (void)other.cycle();
    CHECK(q.told() == "escalation:ops ");
    CHECK(q.dog->silences()->empty());
}

TEST_CASE("what a silence holds back is counted as such") {
    Quiet q;
    q.silenced();
    RunSpec spec = bench::spec_of("r");
    const RunHandle run = q.run(spec);
    q.progress(run, 1);
    (void)q.dog->observe(run, OutputAccess{false});
    CHECK(q.after(60s).why.silence == 1);
}

TEST_CASE("of alerts of one cause those that are silenced are left out of the message") {
    RunClass rules = bench::minute_class();
    rules.alerts.outbox.group_wait = 30s;
    rules.alerts.outbox.group_interval = 5min;
    Quiet q{rules};
    q.silenced();
    for (const char* id : {"r", "s", "t"}) {
        const RunHandle run = q.run(id);
        q.progress(run, 1);
    }
    q.looks(4);
    CHECK_THAT(q.told(), ContainsSubstring("run.unhealthy:"));
    CHECK_THAT(q.skipped("r"), ContainsSubstring("silenced by 1 "));
    for (const Alert& alert : q.notifier.delivered()) {
        CHECK(alert.run.id != "r");
        for (const std::string& issue : alert.issues) CHECK(issue.find("also: r") == std::string::npos);
    }
}

TEST_CASE("a cycle whose commit fails when the silence ends does not lose what people were not told") {
    Quiet q;
    q.silenced();
    q.lost();
    CHECK(q.told().empty());
    REQUIRE(q.dog->unsilence(1, "ann"));
    q.store.fail(StoreOperation::commit, ErrorCode::busy);
    q.looks(2);
    CHECK(q.told().empty());
    q.store.heal();
    q.looks(3);
    CHECK(q.told() == "escalation:lead ");
}

TEST_CASE("a silence that ends before its escalation is settled is followed by one alert, not by two") {
    Quiet q;
    q.silenced(q.run_r(), 1h);
    const RunHandle handle = q.run();
    q.progress(handle, 1);
    (void)q.cycle();
    (void)q.dog->observe(handle, OutputAccess{false});
    q.clock.advance(60s);
    (void)q.dog->tick();
    q.store.fail(StoreOperation::commit, ErrorCode::busy);
    (void)q.dog->deliver();
    CHECK(q.told().empty());
    q.clock.advance(2h);
    q.store.heal();
    q.looks(5);
    CHECK(q.told() == "escalation:ops ");
}

TEST_CASE("of what was over before its alert could be silenced no end is told either") {
    RunClass rules = bench::minute_class();
    rules.alerts.cooldown = {};
    rules.alerts.outbox.group_wait = 30s;
    rules.alerts.outbox.group_interval = 5min;
    Quiet q{std::move(rules)};
    const RunHandle run = q.stalled();  // its alert waits for others
    q.silenced(q.of_kind("run.unhealthy"));
    q.progress(run, 1000);
    q.clock.advance(20s);
    (void)q.cycle(TickCause::on_demand);
    q.looks(3);
    CHECK_THAT(q.skipped(), ContainsSubstring("run.unhealthy silenced by 1 "));
    CHECK(q.told().empty());
}

TEST_CASE("whom two silences kept two alerts of one incident from learns no end of it") {
    Quiet q;
    q.silenced(q.run_r(), 1h);
    q.silenced(q.of_kind("escalation"), 3h);
    const RunHandle run = q.lost();
    q.looks(65);  // the first is over; what is told then is silenced by the second
    CHECK_THAT(q.skipped(), ContainsSubstring("silenced by 1 ") && ContainsSubstring("silenced by 2 "));
    q.mends_itself(run);
    q.looks(3);
    CHECK(q.told().empty());
}

namespace {

/// Is silent as long as it works and calls no tool.
struct SeesSilence {
    static constexpr std::string_view kind = "silence";
    struct Settings {};
    struct Memory {};
    void learn(Memory&, const Settings&, const Observation&) const {}
    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run& run, Instant) const {
        if (run.calls > 0 || run.waiting_since) return std::nullopt;
        return Finding{Condition::silent, Level::nudge, kind, {.rule = "critical_silence"}};
    }
};

RunClass told_of_silence() {
    RunClass rules = bench::minute_class();
    rules.detectors = {};
    rules.detectors.turn_on<SeesSilence>();
    rules.alerts.conditions = {ConditionAlert{}, silence_alert()};
    rules.alerts.cooldown = {};
    rules.alerts.renotify_every = {};
    return rules;
}

}  // namespace

TEST_CASE("of something with alerts of its own no end is told to whom a silence kept the beginning from") {
    Quiet q{told_of_silence()};
    const bool known = GENERATE(false, true);
    const std::string before = known ? "run.unhealthy: " : "";
    if (!known) q.silenced(q.of_kind("run.unhealthy"));
    const RunHandle run = q.run();
    q.looks(3);
    CHECK(q.told() == before);
    if (known) q.silenced(q.of_kind("run.unhealthy"));
    SECTION("it is over") {
        if (GENERATE(false, true)) q.boot();
        (void)q.dog->observe(*q.dog->find("r"), ToolCall{"x"});
        q.looks(3);
        CHECK(q.told() == (known ? "run.unhealthy: run.recovered: " : ""));
    }
    SECTION("the run is") {
        REQUIRE(q.dog->finish(run, RunEnd::completed));
        q.looks(3);
        CHECK(q.told() == (known ? "run.unhealthy: run.ended: " : ""));
    }
}

TEST_CASE("what is not found when the silence ends, but is not known to be over, is told when it is found again") {
    Quiet q{told_of_silence()};
    q.silenced(q.of_kind("run.unhealthy"), 10min);
    const RunHandle run = q.run();
    q.looks(3);
    (void)q.dog->observe(run, StateChange{RunState::waiting_human});
    q.looks(15);
    CHECK(q.told().empty());
    (void)q.dog->observe(run, StateChange{RunState::running});
    q.looks(5);
    CHECK(q.told() == "run.unhealthy: ");
}

TEST_CASE("a silence about what nobody has is in force, and on record with the name that is nearest") {
    RunClass rules = told_by_levels();
    rules.alerts.conditions[0].kind = "deploy.waits";
    Quiet q{rules};
    q.lost("port-parser", {"night"});
    const auto doubt = [&](AlertMatch about) {
        const std::size_t before = q.record("", "contradiction").size();
        q.silenced(std::move(about));
        return q.record("", "contradiction").substr(before);
    };
    const auto said = [](const std::string& message) {
        return R"({"setting":"silence","message":")" + message + "\"}\n";
    };
    CHECK(doubt({"port-parsr", {}, {}, {}, {}}) ==
          said("no run has the id `port-parsr`, the nearest is `port-parser`"));
    CHECK(doubt({{}, rules.name + "s", {}, {}, {}}) ==
          said("no class has the name `" + rules.name + "s`, the nearest is `" + rules.name + "`"));
    CHECK(doubt({{}, {}, "nigth", "run.unhealty", {}}) ==
          said("no run that is watched has the tag `nigth`, the nearest is `night`; no alert has the kind "
               "`run.unhealty`, the nearest is `run.unhealthy`"));
    CHECK(doubt({"comes-later", {}, {}, {}, {}}) == said("no run has the id `comes-later`"));
    CHECK(q.dog->silences()->size() == 4);
    CHECK(doubt({"port-parser", rules.name, "night", "deploy.waits", Severity::critical}).empty());
    CHECK(doubt({{}, {}, {}, "escalation", {}}).empty());
}
