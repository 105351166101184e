#include <heeler/cycle/plan.hpp>

#include <string>

#include <heeler/alert/json.hpp>
#include <heeler/alert/text.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::Judged;
using detail::Planner;
using rooms::House;

namespace {

/// A run about which something is to be done.
struct Planned : House {
    RunHandle of;
    detail::WatchedRun& watched;

    explicit Planned(const RunClass& rules = rooms::bare_class(), RunSpec spec = bench::spec_of("r"))
        : of{run(rules, std::move(spec))}, watched{at(of)} {}

    [[nodiscard]] Judged judged(Plan plan) {
        Judged result{watched.verdict->incident};
        result.decision.incident.phase = Phase::climbing;
        result.decision.incident.number = 1;
        result.decision.incident.attempts = 1;
        result.decision.plan = std::move(plan);
        result.findings.add({Condition::stalled, Level::nudge, "quiet", {.rule = "zero_delta"}});
        return result;
    }
    RunBatch rows(Plan plan, bool same_rung = false) {
        const Judged result = judged(std::move(plan));
        return Planner{watched, result, now()}(same_rung);
    }
    static std::string kinds_of(const RunBatch& rows) {
        std::string text;
        for (const Action& action : rows.actions) text += std::string{name_of(action.kind)} + " ";
        return text;
    }
};

}  // namespace

TEST_CASE("a rung is one intervention by its strongest action, and each action has a key of its own", "[cycle]") {
    Planned p;
    const RunBatch rows =
        p.rows({{ActionKind::snapshot, {}, {}}, {ActionKind::pause, {}, {}}, {ActionKind::escalate, {}, {}}});
    REQUIRE(rows.actions.size() == 3);
    REQUIRE(rows.interventions.size() == 1);
    CHECK((rows.interventions[0].action == ActionKind::pause && rows.interventions[0].number == 1));
    CHECK(rows.actions[0].key != rows.actions[1].key);
    CHECK(rows.actions[0].key.size() == 32);
    REQUIRE(rows.alerts.size() == 1);
    CHECK(rows.alerts[0].action_key == rows.actions[2].key);
    CHECK((p.watched.verdict->told.incident && p.watched.verdict->rungs_today == 1));
    CHECK(p.watched.verdict->has_seen(Condition::stalled));
}

TEST_CASE("keys are the same whenever they are made, and others for each rung and incarnation", "[cycle]") {
    Run run;
    run.id = "r";
    const std::string key = detail::effect_key(run, 3, "0.spawn");
    CHECK(detail::effect_key(run, 3, "0.spawn") == key);
    CHECK(detail::effect_key(run, 4, "0.spawn") != key);
    CHECK(detail::effect_key(run, 3, "1.spawn") != key);
    run.incarnation = 2;
    CHECK(detail::effect_key(run, 3, "0.spawn") != key);
    run.incarnation = 1;
    run.id = "s";
    CHECK(detail::effect_key(run, 3, "0.spawn") != key);
}

TEST_CASE("what belongs to the rung that was carried out makes no new intervention", "[cycle]") {
    Planned p;
    const RunBatch first = p.rows({{ActionKind::nudge, {}, {}}});
    const RunBatch more = p.rows({{ActionKind::escalate, {}, {}}}, true);
    CHECK(more.interventions.empty());
    CHECK(more.actions[0].intervention == first.actions[0].intervention);
    CHECK(p.watched.verdict->incident.interventions == 1);
}

TEST_CASE("a continuation that is fenced raises the incarnation with its intent, others do not", "[cycle]") {
    RunClass rules = rooms::bare_class();
    rules.stop_proof = StopProofNeeded::fenced;
    Planned fenced{rules};
    CHECK_THAT(fenced.rows({{ActionKind::spawn, {}, {}}}).actions[0].text, ContainsSubstring("Port the parser"));
    CHECK((fenced.watched.run.incarnation == 2 && fenced.watched.run.attempt == 1));
    rules.stop_proof = StopProofNeeded::proved;
    Planned proved{rules};
    (void)proved.rows({{ActionKind::spawn, {}, {}}});
    CHECK(proved.watched.run.incarnation == 1);
    rules.stop_proof = StopProofNeeded::fenced;
    rules.mode = Mode::shadow;
    Planned shadow{rules};
    (void)shadow.rows({{ActionKind::spawn, {}, {}}});
    CHECK(shadow.watched.run.incarnation == 1);
}

TEST_CASE("an agent that shares its run is set apart first, once, and only if it is touched", "[cycle]") {
    RunSpec spec = bench::spec_of("r");
    spec.shared_run = {"another"};
    Planned p{rooms::bare_class(), spec};
    CHECK(Planned::kinds_of(p.rows({{ActionKind::escalate, {}, {}}})) == "escalate ");
    CHECK(Planned::kinds_of(p.rows({{ActionKind::snapshot, {}, {}}, {ActionKind::escalate, {}, {}}})) ==
          "snapshot escalate ");
    CHECK(Planned::kinds_of(p.rows({{ActionKind::nudge, {}, {}}})) == "isolate inject:nudge ");
    p.watched.verdict.edit().incident.isolated = true;
    CHECK(Planned::kinds_of(p.rows({{ActionKind::nudge, {}, {}}})) == "inject:nudge ");
}

TEST_CASE("a verdict is on record with its rule, and nothing is when nothing is new", "[cycle]") {
    Planned p;
    const RunBatch rows = p.rows({{ActionKind::nudge, {}, {}}});
    REQUIRE(rows.audit.size() == 1);
    CHECK(rows.audit[0].kind == "verdict");
    CHECK_THAT(rows.audit[0].body, ContainsSubstring(R"("rule":"zero_delta","detector":"quiet")"));
    const Judged quiet{p.watched.verdict->incident};
    const RunBatch none = Planner{p.watched, quiet, p.now()}(false);
    CHECK((none.audit.empty() && none.alerts.empty() && none.actions.empty()));
}

TEST_CASE("somebody is on a silence until it is over, and on no later one [M-045]", "[cycle]") {
    Planned p;
    const auto plan = [&](ConditionBits over) {
        Judged result{p.watched.verdict->incident};
        result.news.looked = true;
        result.news.found = over == 0 ? bit_of(Condition::silent) : 0;
        return Planner{p.watched, result, p.now()}(false);
    };
    p.watched.verdict.edit().incident.phase = Phase::closed;
    p.watched.verdict.edit().told.edges.push_back({p.now().wall, 0, Condition::silent, {}});
    p.watched.verdict.edit().told.acknowledged = true;
    (void)plan(0);
    CHECK(p.watched.verdict->told.acknowledged);
    const RunBatch rows = plan(bit_of(Condition::silent));
    REQUIRE(rows.alerts.size() == 1);
    CHECK((rows.alerts[0].alert.kind == "run.recovered" && rows.alerts[0].alert.severity == Severity::none));
    CHECK(rows.alerts[0].alert.summary == "run r: recovered from STALLED");
    CHECK((!p.watched.verdict->told.acknowledged && p.watched.verdict->told.edges.empty()));
    CHECK_FALSE(p.watched.verdict->told.last);  // an end starts no cooldown
}

TEST_CASE("that it is over is told with how long it lasted, what was done and what the run cost", "[cycle]") {
    Planned p;
    (void)p.rows({{ActionKind::nudge, {}, {}}});
    auto& incident = p.watched.verdict.edit().incident;
    incident.opened = p.watched.run.working(p.now().elapsed);
    p.watched.verdict.edit().told.incident = true;
    auto& known = p.watched.verdict.edit().interventions;
    known = List<Intervention>(9, {1, 1, 1, Condition::stalled, ActionKind::nudge, InterventionOutcome::persisted, {}});
    known.push_back({10, 1, 2, Condition::stalled, ActionKind::pause, InterventionOutcome::pending, {}});
    known.push_back({11, 7, 2, Condition::stalled, ActionKind::escalate, InterventionOutcome::failed, {}});
    p.clock.advance(270s);
    const auto told = [](const Alert& alert) {
        std::string text;
        for (const Detail& detail : alert.details)
            if (detail.name == "lasted" || detail.name == "steps" || detail.name == "cost")
                text += detail.name + "=" + detail.value + "|";
        return text;
    };
    const std::string steps =
        "2 earlier; inject:nudge: persisted; inject:nudge: persisted; inject:nudge: persisted; inject:nudge: "
        "persisted; inject:nudge: persisted; inject:nudge: persisted; inject:nudge: persisted; pause: ";
    SECTION("recovered") {
        Judged over{p.watched.verdict->incident};
        over.decision.incident.phase = Phase::closed;
        over.decision.last = InterventionOutcome::recovered;
        over.news.looked = true;
        const RunBatch rows = Planner{p.watched, over, p.now()}(false);
        REQUIRE(rows.alerts.size() == 1);
        CHECK(told(rows.alerts[0].alert) == "lasted=4m 30s|steps=" + steps + "recovered|");
    }
    SECTION("ended, and what it cost is known") {
        p.watched.run.usage.edit() = {7000, 500, 12, 0, 0.42004};
        incident.phase = Phase::closed;
        incident.closed_at = incident.opened + 270s;
        p.clock.advance(1h);  // told when the cooldown is over
        const Judged over{p.watched.verdict->incident};
        known[9].outcome = InterventionOutcome::ended;
        const Alert ended = Planner{p.watched, over, p.now()}.ended().front().alert;
        CHECK(told(ended) ==
              "lasted=4m 30s|steps=" + steps + "ended|cost=0.42 USD, 7500 tokens since the run started|");
        CHECK_THAT(format_alert(ended), ContainsSubstring("Lasted: 4m 30s"));
        CHECK_THAT(alert_json(ended), ContainsSubstring(R"("lasted":"4m 30s")"));
    }
    SECTION("ended in health: nothing lasted") {
        p.watched.verdict.edit().told.incident = false;
        const Judged over{p.watched.verdict->incident};
        CHECK(told(Planner{p.watched, over, p.now()}.ended().front().alert).empty());
    }
}
