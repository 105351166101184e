#include <heeler/cycle/operators.hpp>

#include <deque>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::OperatorDecisions;
using detail::OperatorVerbs;
using detail::WorkItem;
using rooms::House;

namespace {

/// What operators decide about one run, which has an open incident.
struct Operated : House {
    RunHandle of;
    detail::WatchedRun& watched;
    OperatorDecisions decisions{registry};
    std::deque<WorkItem> work;
    Batch batch;

    explicit Operated(RunSpec spec = bench::spec_of("r"))
        : of{run(rooms::bare_class(), std::move(spec))}, watched{at(of)} {
        watched.verdict.edit().incident.number = 1;
        watched.verdict.edit().incident.phase = Phase::climbing;
    }
    static DecisionRow row(std::uint64_t number, Verb verb, std::string run = "r") {
        return {number, std::move(run), verb, {}, "ana", bench::start.wall};
    }
    std::string decide(Verb verb) {
        WorkItem item{of, watched};
        std::string ignored = decide(verb, item);
        item.decided.install(watched, now());
        return ignored;
    }
    std::string decide(Verb verb, WorkItem& item) {
        const detail::Deciding deciding{watched, item.decided};
        return std::string{OperatorVerbs{watched, now(), item}.decide(row(1, verb))};
    }
    std::string apply(const List<DecisionRow>& rows, bool stored = true) {
        CycleReport report;
        batch = {};
        decisions.apply(rows, now(), batch, report, [&](RunHandle handle, detail::WatchedRun& run_of) -> WorkItem& {
            return work.emplace_back(handle, run_of);
        });
        decisions.written(stored);
        std::string said;
        for (const auto& event : bench::all_of<AuditEvent>(report)) said += event.row.body;
        return said;
    }
};

}  // namespace

TEST_CASE("each verb marks the run, and one that has nothing to do says why", "[cycle]") {
    Operated o;
    CHECK(o.decide(Verb::ack).empty());
    CHECK(o.watched.verdict->told.acknowledged);
    CHECK(o.decide(Verb::snooze).empty());
    CHECK(o.watched.verdict->marks.snoozed_until == bench::start.wall + 1h);
    CHECK(o.decide(Verb::resume_watch).empty());
    CHECK(o.watched.verdict->marks.snoozed_until == bench::start.wall + 30min);
    CHECK(o.decide(Verb::freeze).empty());
    CHECK(o.watched.verdict->marks.frozen_at(o.now().wall));
    CHECK(o.decide(Verb::unfreeze).empty());
    CHECK_FALSE(o.watched.verdict->marks.frozen_at(o.now().wall));
    CHECK(o.decide(Verb::dismiss).empty());
    CHECK(o.watched.verdict->marks.snoozed_at(o.now().wall + 24h));
    CHECK(o.decide(Verb::resume) == "the watchdog has not paused the run");
    CHECK(o.decide(Verb::mark_wrong).empty());
    CHECK(o.watched.verdict->incident.phase == Phase::none);
    CHECK(o.watched.verdict->marks.wrong == bit_of(Condition::stalled));
    CHECK(o.decide(Verb::mark_wrong) == "it is marked wrong already");
    CHECK(o.decide(Verb::ack) == "nothing is wrong with the run");
    CHECK(o.decide(Verb::mark_stopped).empty());
    CHECK((o.watched.run.state == RunState::cancelled && o.watched.verdict->ended_at));
}

TEST_CASE("a run that the watchdog paused is resumed by an action of its own", "[cycle]") {
    Operated o;
    o.watched.run.paused_by_watchdog = true;
    WorkItem item{o.of, o.watched};
    CHECK(o.decide(Verb::resume, item).empty());
    REQUIRE(item.decided.actions() == 1);
    CHECK(item.change.rows.actions[0].kind == ActionKind::resume);
    CHECK_FALSE(o.watched.rung_busy);
    item.decided.install(o.watched, o.now());
    CHECK(o.watched.rung_busy);
}

TEST_CASE("a decision is on record with who took it, and applied once", "[cycle]") {
    Operated o;
    const std::string said = o.apply({Operated::row(7, Verb::dismiss)});
    CHECK_THAT(said, ContainsSubstring(R"("verb":"dismiss","by":"ana")"));
    REQUIRE(o.work.size() == 1);
    CHECK(o.work[0].change.related->applied == List<std::uint64_t>{7});  // with the run, or not at all
    CHECK(o.work[0].change.rows.audit.size() == 1);
    CHECK_THAT(o.apply({Operated::row(8, Verb::dismiss, "nobody")}), ContainsSubstring("ignored"));
    CHECK(o.batch.applied == List<std::uint64_t>{8});
    o.watched.run.state = RunState::completed;
    o.watched.verdict.edit().ended_at = bench::start.wall;
    CHECK_THAT(o.apply({Operated::row(9, Verb::dismiss)}), ContainsSubstring("the run has ended"));
}

TEST_CASE("a loop that was none is muted for its class and counted against its rule", "[cycle]") {
    Operated o;
    o.watched.verdict.edit().marks.found = Condition::loop_detected;
    o.watched.verdict.edit().loop_identity = 77;
    (void)o.apply({Operated::row(1, Verb::mark_wrong)});
    REQUIRE(o.work.size() == 1);
    const detail::RelatedRows& related = *o.work[0].change.related;
    REQUIRE(related.mutes.size() == 1);
    CHECK((related.mutes[0].identity == 77 && related.mutes[0].class_name == "bare"));
    REQUIRE(related.tallies.size() == 1);
    CHECK((related.tallies[0].wrong == 1 && related.tallies[0].incidents == 0));
    CHECK(o.watched.of_class()->mutes.has(77));
    CHECK(o.watched.verdict->marks.wrong == 0);
}

TEST_CASE("a freeze of everything stays open until somebody ends it, and is on record once it is stored", "[cycle]") {
    Operated o;
    const List<DecisionRow> freeze{Operated::row(1, Verb::freeze, "")};
    CHECK_THAT(o.apply(freeze, false), ContainsSubstring("freeze"));
    CHECK(o.decisions.frozen());
    CHECK(o.batch.applied.empty());
    CHECK_THAT(o.apply(freeze), ContainsSubstring("freeze"));
    CHECK(o.apply(freeze).empty());
    CHECK(o.decisions.frozen());
    (void)o.apply({freeze[0], Operated::row(2, Verb::unfreeze, "")});
    CHECK_FALSE(o.decisions.frozen());
    CHECK(o.batch.applied.size() == 2);
}

TEST_CASE("A-121: who is not the owner does not snooze, continue or dismiss a run [M-046]", "[cycle]") {
    RunSpec spec = bench::spec_of("r");
    spec.owner = "bo";
    Operated o{spec};
    for (const Verb verb : {Verb::snooze, Verb::resume_watch, Verb::dismiss})
        CHECK_THAT(o.apply({Operated::row(1, verb)}), ContainsSubstring(R"("ignored":"not the owner")"));
    for (const WorkItem& item : o.work) CHECK_FALSE(item.decided.verdict().marks.snoozed_at(o.now().wall));
    CHECK(o.work.back().change.related->applied == List<std::uint64_t>{1});  // it is not asked again
    DecisionRow own = Operated::row(2, Verb::dismiss);
    own.by = "bo";
    const std::string said = o.apply({own});
    CHECK(said.find("ignored") == std::string::npos);
    CHECK(o.work.back().decided.verdict().marks.dismissed);
}

TEST_CASE("a silence that people were told of can be taken on [M-045]", "[cycle]") {
    Operated o;
    o.watched.verdict.edit().incident.phase = Phase::closed;
    CHECK(o.decide(Verb::ack) == "nothing is wrong with the run");
    o.watched.verdict.edit().told.edges.push_back({o.now().wall, 0, Condition::needs_input, {}});
    CHECK(o.decide(Verb::ack) == "nothing is wrong with the run");
    o.watched.verdict.edit().told.edges.push_back({o.now().wall, 0, Condition::silent, {}});
    CHECK(o.decide(Verb::ack).empty());
    CHECK(o.watched.verdict->told.acknowledged);
}
