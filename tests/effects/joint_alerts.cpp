#include <heeler/effects/joint_alerts.hpp>

#include "support/rooms.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::House;

namespace {

/// Stored runs, alerts about which are told together after 30 s.
struct Grouping : House {
    std::vector<RunHandle> runs;
    CycleReport last;

    static RunClass grouped_class() {
        RunClass rules = rooms::bare_class("grouped");
        rules.alerts.outbox.group_wait = 30s;
        rules.alerts.outbox.group_interval = 5min;
        return rules;
    }
    explicit Grouping(int count = 3, const std::string& parent = {}) {
        for (int i = 0; i < count; ++i) add(parent);
    }
    void add(const std::string& parent = {}) {
        RunSpec spec = bench::spec_of("w" + std::to_string(runs.size()));
        spec.parent = parent;
        runs.push_back(stored(grouped_class(), std::move(spec)));
    }
    [[nodiscard]] static std::string key_of(std::size_t run) { return "key " + std::to_string(run); }

    /// An alert about a run was committed just now.
    detail::AlertJob alert(std::size_t run, Severity severity = Severity::warning, const std::string& to = {},
                           const std::string& action_key = {}) {
        AlertRow row;
        row.alert.key = key_of(run);
        row.alert.kind = "run.unhealthy";
        row.alert.to = to;
        row.alert.severity = severity;
        row.alert.run.id = row.alert.run.name = "w" + std::to_string(run);
        row.alert.summary = "run " + row.alert.run.id + " needs attention";
        row.action_key = action_key;
        row.created_at = row.not_before = now().wall;
        detail::WatchedRun& watched = at(runs[run]);
        watched.verdict.edit().incident.number = 1;
        watched.verdict.edit().incident.phase = Phase::climbing;
        watched.verdict.edit().told.ask({row.alert.at, 1, {}, row.alert.kind});
        watched.alerts_pending += 1;
        watched.unsaved.edit().alerts.push_back(row);
        if (const auto error = ledger.commit_one(runs[run], watched, now())) FAIL(error->message);
        return detail::alert_job(runs[run], watched, row);
    }
    void queue(std::size_t run, Severity severity = Severity::warning, const std::string& to = {}) {
        deliverer.queues().add(alert(run, severity, to));
    }
    /// A rung that tells people was committed just now.
    void escalate(std::size_t run) {
        Action action;
        action.kind = ActionKind::escalate;
        action.key = "action " + std::to_string(run);
        action.intervention = 1;
        deliverer.queues().add(alert(run, Severity::warning, {}, action.key));
        at(runs[run]).rung_busy = true;
        deliverer.queues().add(detail::RungJob{runs[run], &at(runs[run]), {action}, false});
    }
    /// What people read after so long.
    std::vector<std::string> after(Duration length) {
        clock.advance(length);
        const std::size_t known = notifier.delivered().size();
        last = {};
        deliverer.run(now(), last);
        std::vector<std::string> texts;
        for (std::size_t i = known; i < notifier.delivered().size(); ++i)
            texts.push_back(notifier.delivered()[i].summary);
        return texts;
    }
    /// The next process takes over what it finds in the store.
    void restart(detail::Deliverer& next, std::size_t first = 0) {
        for (std::size_t run = first; run < runs.size(); ++run) {
            detail::WatchedRun& watched = at(runs[run]);
            watched.unsaved = {};
            watched.version = history("w" + std::to_string(run)).row->version;
            if (AlertRow row = row_of(run); row.state == AlertRow::State::pending)
                next.queues().add(detail::alert_job(runs[run], watched, std::move(row)));
        }
    }
    /// Somebody else changes the run.
    void overtake(std::size_t run) {
        Batch batch;
        batch.runs.push_back({*history("w" + std::to_string(run)).row});
        REQUIRE(memory.commit(batch));
    }
    [[nodiscard]] std::string event_states() const {
        std::string text;
        for (const auto& event : bench::all_of<AlertEvent>(last)) {
            constexpr const char* names[] = {"pending", "delivered", "dead", "skipped"};
            text += event.row.alert.key + " " + names[static_cast<int>(event.row.state)] + ", ";
        }
        return text;
    }
    [[nodiscard]] AlertRow row_of(std::size_t run) {
        const auto rows = history("w" + std::to_string(run)).alerts;
        REQUIRE(rows.size() == 1);
        return rows[0];
    }
};

using Texts = std::vector<std::string>;

/// Looks at what is stored at the moment when people are told.
struct StoreReader {
    [[maybe_unused]] static constexpr std::string_view name = "reader";
    Grouping* world;
    bool* good;

    Result<Receipt> send(const Alert& alert) const {
        *good = alert.key == Grouping::key_of(0) && world->row_of(0).alert.summary == alert.summary &&
                world->row_of(0).state == AlertRow::State::pending &&
                world->row_of(1).state == AlertRow::State::pending &&
                reason_of(world->row_of(2)) == "told with key 0 of the run w0";
        return fail(ErrorCode::delivery_failed, "killed meanwhile");
    }
};

}  // namespace

TEST_CASE("alerts of one cause are one message, and each knows with which it was told", "[effects]") {
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) g.queue(run);
    CHECK(g.deliverer.queues().next(g.now()) == g.now().elapsed + 30s);
    CHECK(g.after(29s).empty());
    CHECK(g.after(1s) == Texts{"run w0 needs attention, and 2 more runs"});
    CHECK(g.row_of(0).state == AlertRow::State::delivered);
    CHECK(g.row_of(2).state == AlertRow::State::skipped);
    CHECK(reason_of(g.row_of(2)) == "told with key 0 of the run w0");
    for (const RunHandle run : g.runs) CHECK(g.at(run).alerts_pending == 0);
    CHECK_FALSE(g.deliverer.queues().next(g.now()));
    g.add();
    g.queue(3);  // the next message about this cause comes later
    CHECK(g.after(299s).empty());
    CHECK(g.after(1s) == Texts{"run w3 needs attention"});
}

TEST_CASE("what is critical waits for nobody, another route and another parent are other messages", "[effects]") {
    Grouping g{4};
    g.add("boss");
    g.add("boss");
    g.queue(0);
    g.queue(1, Severity::critical);
    g.queue(2, Severity::warning, "ops");
    g.queue(3);
    g.queue(4);
    g.queue(5);
    CHECK(g.after(0s) == Texts{"run w1 needs attention"});
    CHECK(g.after(30s) == Texts{"run w0 needs attention, and 1 more run", "run w2 needs attention",
                                "run w4 needs attention, and 1 more run"});
}

TEST_CASE("what may go elsewhere by its tags, or is of another severity, is another message", "[effects]") {
    Grouping g;
    const auto group_of = [&](std::size_t run, Severity severity, std::vector<std::string> tags) {
        AlertRow row = g.alert(run, severity).row;
        row.alert.tags = std::move(tags);
        return detail::alert_job(g.runs[run], g.at(g.runs[run]), std::move(row)).group;
    };
    const std::string night = group_of(0, Severity::warning, {"night"});
    CHECK(group_of(1, Severity::warning, {"night"}) == night);
    CHECK(group_of(2, Severity::warning, {"day"}) != night);
    CHECK(group_of(2, Severity::none, {"night"}) != night);
}

TEST_CASE("who speaks for others is stored before people are told, and says the same after a kill", "[effects]") {
    Grouping g;
    bool good = false;
    StoreReader reader{&g, &good};
    detail::NotifierEdge<StoreReader> port{reader};
    detail::Courier courier{port, g.ledger, g.held_lease};
    detail::Deliverer own_deliverer{courier, g.clock_port, g.process, g.ledger, g.registry, g.held_lease};
    own_deliverer.freeze(false);
    for (std::size_t run = 0; run < 3; ++run) own_deliverer.queues().add(g.alert(run));
    g.clock.advance(30s);
    CycleReport report;
    own_deliverer.run(g.now(), report);
    CHECK(good);
    // What the next process finds in the store.
    AlertRow found = g.row_of(0);
    CHECK(found.attempts == 0);
    const detail::AlertJob job = detail::alert_job(g.runs[0], g.at(g.runs[0]), found);
    CHECK(job.group.empty());
    g.restart(g.deliverer);
    CHECK(g.after(0s) == Texts{"run w0 needs attention, and 2 more runs"});
    for (const RunHandle run : g.runs) CHECK(g.at(run).alerts_pending == 0);
    CHECK(g.row_of(2).state == AlertRow::State::skipped);
}

TEST_CASE("if the first one cannot speak for the others, a kill at that moment loses none of them I6", "[effects]") {
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) g.queue(run);
    g.overtake(0);
    CHECK(g.after(30s).empty());
    CHECK(g.row_of(1).state == AlertRow::State::pending);
    CHECK(reason_of(g.row_of(1)) == "told with key 0 of the run w0");
    CHECK_FALSE(speaks_for_others(g.row_of(0).alert));
    detail::Deliverer next{g.courier, g.clock_port, g.process, g.ledger, g.registry, g.held_lease};
    next.freeze(false);
    g.restart(next);
    CycleReport report;
    next.run(g.now(), report);
    g.clock.advance(300s);
    next.run(g.now(), report);
    REQUIRE(g.notifier.delivered().size() == 2);
    CHECK(g.notifier.delivered()[0].summary == "run w0 needs attention");
    CHECK(g.notifier.delivered()[1].summary == "run w1 needs attention, and 1 more run");
}

TEST_CASE("if the first one cannot speak for the others, it does so in the next delivery", "[effects]") {
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) g.queue(run);
    g.overtake(0);
    CHECK(g.after(30s).empty());
    CHECK(g.after(1s) == Texts{"run w0 needs attention, and 2 more runs"});
    CHECK(g.row_of(1).state == AlertRow::State::skipped);
    CHECK(g.at(g.runs[1]).alerts_pending == 0);
}

TEST_CASE("until the one is told that speaks for them, alerts wait, and then each is an event", "[effects]") {
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) {
        detail::Verdict& verdict = g.at(g.runs[run]).verdict.edit();
        verdict.incident.phase = Phase::climbing;
        verdict.told.incident = true;
        g.queue(run);
    }
    g.notifier.answer_with({Delivery::fail, Delivery::ok});
    CHECK(g.after(30s).empty());
    CHECK(g.deliverer.queues().waiting_alerts().first == 3);
    CHECK(g.at(g.runs[1]).alerts_pending == 1);
    CHECK(g.event_states().empty());
    CHECK(g.deliverer.queues().next(g.now()) == g.now().elapsed + 1s);
    CHECK(g.after(1s).size() == 1);
    CHECK(g.event_states() == "key 0 delivered, key 1 skipped, key 2 skipped, ");
    CHECK(g.deliverer.queues().waiting_alerts().first == 0);
    for (const RunHandle run : g.runs) CHECK(rooms::told(g.at(run)).told.heard);
}

TEST_CASE("what nobody received was not told of the others either, also after a restart", "[effects]") {
    const bool killed = GENERATE(false, true);
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) g.queue(run);
    g.notifier.answer_with({Delivery::permanent});
    detail::Deliverer next{g.courier, g.clock_port, g.process, g.ledger, g.registry, g.held_lease};
    next.freeze(false);
    if (killed) {
        g.notifier.answer_with({Delivery::fail, Delivery::permanent});
        CHECK(g.after(30s).empty());
        g.restart(next);
        g.clock.advance(1s);
        next.run(g.now(), g.last);
    } else {
        CHECK(g.after(30s).empty());
    }
    CHECK(g.event_states() == "key 0 dead, key 1 dead, key 2 dead, ");
    for (std::size_t run = 0; run < 3; ++run) {
        CHECK(g.row_of(run).state == AlertRow::State::dead);
        CHECK(rooms::told(g.at(g.runs[run])).told.dead);
        CHECK(g.at(g.runs[run]).alerts_pending == 0);
        detail::RunMemory stored;
        const std::string facts = g.history("w" + std::to_string(run)).row->facts;
        ArchiveReader reader{facts, g.now()};
        stored.archive_facts(reader);
        REQUIRE(rooms::fates_of(stored).size() == 1);
        CHECK(rooms::fates_of(stored).front().what == detail::Fate::What::dead);
    }
    CHECK(reason_of(g.row_of(2)) == "told with key 0 of the run w0, which nobody received");
}

TEST_CASE("what was not sent after all has told of nobody: the others are told by themselves", "[effects]") {
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) g.queue(run);
    g.notifier.answer_with({Delivery::fail, Delivery::ok});
    CHECK(g.after(30s).empty());
    AlertRow lead = g.row_of(0);  // somebody settled it
    lead.state = AlertRow::State::skipped;
    g.at(g.runs[0]).unsaved.edit().alerts.push_back(lead);
    REQUIRE_FALSE(g.ledger.commit_one(g.runs[0], g.at(g.runs[0]), g.now()));
    detail::Deliverer next{g.courier, g.clock_port, g.process, g.ledger, g.registry, g.held_lease};
    next.freeze(false);
    g.restart(next);
    CycleReport report;
    next.run(g.now(), report);
    next.run(g.now(), report);
    REQUIRE(g.notifier.delivered().size() == 1);
    CHECK(g.notifier.delivered()[0].summary == "run w1 needs attention, and 1 more run");
}

TEST_CASE("an alert that was sent by itself is not told with others after a kill", "[effects]") {
    Grouping g{2};
    g.queue(0);
    g.notifier.answer_with({Delivery::fail, Delivery::ok});
    CHECK(g.after(30s).empty());
    CHECK(g.row_of(0).attempts == 0);
    CHECK(reason_of(g.row_of(0)) == "sent by itself");
    static_cast<void>(g.alert(1));
    detail::Deliverer next{g.courier, g.clock_port, g.process, g.ledger, g.registry, g.held_lease};
    next.freeze(false);
    g.restart(next);
    g.clock.advance(30s);
    CycleReport report;
    next.run(g.now(), report);
    REQUIRE(g.notifier.delivered().size() == 2);
    CHECK(g.notifier.delivered()[0].summary == "run w0 needs attention");
    CHECK(reason_of(g.row_of(0)).empty());
}

TEST_CASE("what is told by itself is told while the store fails", "[effects]") {
    Grouping g{1};
    g.queue(0);
    g.store.fail(StoreOperation::commit, ErrorCode::busy);
    CHECK(g.after(30s) == Texts{"run w0 needs attention"});
}

TEST_CASE("alerts do not wait for ever for one that nobody sends", "[effects]") {
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) g.queue(run);
    g.notifier.answer_with({Delivery::fail, Delivery::ok});
    CHECK(g.after(30s).empty());
    detail::Deliverer next{g.courier, g.clock_port, g.process, g.ledger, g.registry, g.held_lease};
    next.freeze(false);
    g.restart(next, 1);
    CycleReport report;
    g.clock.advance(24h);
    next.run(g.now(), report);
    CHECK(next.queues().waiting_alerts().first == 2);
    CHECK(next.queues().next(g.now()) == g.now().elapsed + 1s);
    g.clock.advance(24h);
    next.run(g.now(), report);
    next.run(g.now(), report);
    REQUIRE(g.notifier.delivered().size() == 1);
    CHECK(g.notifier.delivered()[0].summary == "run w1 needs attention, and 1 more run");
}

TEST_CASE("while the store does not say what became of it, alerts wait", "[effects]") {
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) g.queue(run);
    g.notifier.answer_with({Delivery::fail, Delivery::ok});
    CHECK(g.after(30s).empty());
    g.store.fail(StoreOperation::history, ErrorCode::busy);
    CHECK(g.after(1s).size() == 1);
    CHECK(g.row_of(1).state == AlertRow::State::pending);
    g.store.heal();
    CHECK(g.after(1s).empty());
    CHECK(g.row_of(1).state == AlertRow::State::skipped);
}

TEST_CASE("a message for many is tried again by itself, and soon", "[effects]") {
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) g.queue(run);
    g.notifier.answer_with({Delivery::fail, Delivery::ok});
    CHECK(g.after(30s).empty());
    CHECK(g.row_of(1).state == AlertRow::State::pending);
    CHECK(g.after(1s) == Texts{"run w0 needs attention, and 2 more runs"});
    CHECK(g.row_of(1).state == AlertRow::State::skipped);
    Grouping alone{1};
    alone.queue(0);
    alone.notifier.answer_with({Delivery::fail, Delivery::ok});
    CHECK(alone.after(30s).empty());
    CHECK(alone.after(1s) == Texts{"run w0 needs attention"});
}

TEST_CASE("while it cannot be stored who speaks for whom, nobody is told, and then all at once", "[effects]") {
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) g.queue(run);
    g.store.fail(StoreOperation::commit, ErrorCode::busy);
    CHECK(g.after(30s).empty());
    CHECK(g.after(1s).empty());
    CHECK(g.at(g.runs[1]).alerts_pending == 1);
    g.store.heal();
    CHECK(g.after(1s) == Texts{"run w0 needs attention, and 2 more runs"});
    CHECK(g.row_of(0).state == AlertRow::State::delivered);
    CHECK(g.row_of(1).state == AlertRow::State::skipped);
}

TEST_CASE("whom the store does not take is told of alone, and holds up nobody's message", "[effects]") {
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) g.queue(run);
    g.store.fail_run("w0", ErrorCode::unstorable);
    CHECK(g.after(30s).empty());
    CHECK(g.after(1s) == Texts{"run w0 needs attention", "run w1 needs attention, and 1 more run"});
}

TEST_CASE("nobody counts as told by a message that is not stored, whenever this process ends", "[effects]") {
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) g.queue(run);
    g.store.fail_run("w0", GENERATE(ErrorCode::unstorable, ErrorCode::conflict));
    CHECK(g.after(30s).empty());
    for (std::size_t run = 0; run < 3; ++run) CHECK(g.row_of(run).state == AlertRow::State::pending);
}

TEST_CASE("who comes after one that nobody is told of waits as long as the first of a group", "[effects]") {
    Grouping g;
    detail::Queues& queues = g.deliverer.queues();
    queues.add(g.alert(0, Severity::warning, {}, "action"));
    detail::AlertJob skipped;
    REQUIRE(queues.take_alert("action", skipped));
    g.clock.advance(60s);
    g.queue(1);
    CHECK(queues.next(g.now()) == g.now().elapsed + 30s);
}

TEST_CASE("two alerts about one run are one message about it", "[effects]") {
    Grouping g{1};
    g.queue(0);
    detail::AlertJob second = g.alert(0);
    second.row.alert.key = "second";
    g.deliverer.queues().add(second);
    CHECK(g.after(30s) == Texts{"run w0 needs attention"});
    CHECK(g.at(g.runs[0]).alerts_pending == 0);
}

TEST_CASE("an escalation that waits for others settles its action at once", "[effects]") {
    Grouping g;
    for (std::size_t run = 0; run < 3; ++run) g.escalate(run);
    CHECK(g.after(0s).empty());
    for (std::size_t run = 0; run < 3; ++run) {
        CHECK_FALSE(g.at(g.runs[run]).rung_busy);
        const auto actions = g.history("w" + std::to_string(run)).actions;
        REQUIRE(actions.size() == 1);
        CHECK(actions[0].outcome == ActionOutcome::done);
        CHECK(actions[0].note == "told together with others of its cause");
        CHECK(g.row_of(run).state == AlertRow::State::pending);
    }
    CHECK(g.after(30s) == Texts{"run w0 needs attention, and 2 more runs"});
}

TEST_CASE("a clock that is set back by a day holds no message back for longer than the waits", "[effects]") {
    Grouping g;
    g.queue(0);
    g.clock.step_wall(-24h);
    CHECK(g.after(0s) == Texts{"run w0 needs attention"});
}

TEST_CASE("alerts about thousands of runs are one message", "[effects]") {
    constexpr int count = heeler_test::is_slowed ? 2'000 : 10'000;
    Grouping g{count};
    const std::size_t runs = g.runs.size();
    const bool of_rungs = GENERATE(false, true);
    for (std::size_t run = 0; run < runs; ++run) of_rungs ? g.escalate(run) : g.queue(run);
    CHECK(g.after(0s).empty());
    CHECK(g.after(30s) == Texts{"run w0 needs attention, and " + std::to_string(runs - 1) + " more runs"});
    CHECK(g.row_of(runs - 1).state == AlertRow::State::skipped);
    CHECK(g.notifier.delivered()[0].details.back().value.size() < 400);
}

TEST_CASE("what a cycle is deciding about a run is not stored by who tells people of it", "[effects]") {
    Grouping g;
    detail::WatchedRun& watched = g.at(g.runs[0]);
    const auto stored = [&] {
        detail::RunMemory run;
        const std::string facts = g.history("w0").row->facts;
        ArchiveReader reader{facts, g.now()};
        run.archive_facts(reader);
        return run;
    };
    g.queue(0);
    detail::Decided decided{watched};
    {
        const detail::Deciding deciding{watched, decided};
        watched.verdict.edit().incident.number = 1;  // by an alert that is not stored yet
        watched.verdict.edit().incident.phase = Phase::climbing;
        watched.verdict.edit().told.incident = true;
    }
    CHECK(g.after(30s).size() == 1);
    CHECK(g.last.errors == 0);
    CHECK_FALSE(stored().verdict->told.incident);
    REQUIRE(rooms::fates_of(stored()).size() == 1);
    List<detail::Change> changes(1);
    changes[0].handle = g.runs[0];
    changes[0].watched = &watched;
    changes[0].decided = &decided;
    SECTION("it is stored on top, and the next cycle takes in what was told meanwhile") {
        REQUIRE_FALSE(g.ledger.commit(changes, {}, g.now()));
        CHECK(changes[0].stored);
        CHECK((stored().verdict->told.incident && rooms::fates_of(stored()).size() == 1));
        CHECK((watched.verdict->told.incident && !watched.verdict->told.heard));
        CHECK(rooms::told(watched).told.heard);
    }
    SECTION("not about what another one has made of the run") {
        g.overtake(0);
        CHECK(g.ledger.commit_one(g.runs[0], watched, g.now())->code == ErrorCode::conflict);
        REQUIRE_FALSE(g.ledger.commit(changes, {}, g.now()));
        CHECK((changes[0].outdated && !changes[0].stored));
        CHECK_FALSE(watched.verdict->told.incident);
    }
}
