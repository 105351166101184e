#include <heeler/effects/deliverer.hpp>

#include <string>
#include <vector>

#include <heeler/explain/explain.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::House;

namespace {

/// A stored run with rungs to carry out.
struct Delivering : House {
    RunHandle of = stored(rooms::bare_class());

    static Action intended(ActionKind kind, std::optional<ActionKind> needs = {}) {
        Action action;
        action.kind = kind;
        action.needs = needs;
        action.key = std::string{name_of(kind)};
        action.intervention = 1;
        return action;
    }
    void rung(List<Action> actions, bool reconcile = false) {
        at(of).rung_busy = true;
        at(of).verdict.edit().keep({.number = 1});
        deliverer.queues().add(detail::RungJob{of, &at(of), std::move(actions), reconcile});
    }
    std::string deliver() {
        CycleReport report;
        deliverer.run(now(), report);
        return bench::acts_of(report) + (report.errors > 0 ? " !" : "");
    }
    [[nodiscard]] std::size_t asked_to(ControlVerb verb) const {
        std::size_t count = 0;
        for (const auto& request : control.requests()) count += request.verb == verb ? 1 : 0;
        return count;
    }
    [[nodiscard]] std::string outcomes_stored() {
        std::string text;
        for (const Action& action : history().actions) text += std::string{name_of(action.outcome)} + " ";
        return text;
    }
};

/// People, who note what had been done to the run, and what of it was stored, when they were told.
struct Onlooker {
    [[maybe_unused]] static constexpr std::string_view name = "onlooker";
    Delivering* world;
    std::string* seen;

    Result<Receipt> send(const Alert&) const {
        for (const auto& request : world->control.requests())
            *seen += std::string{control_verb_names[static_cast<std::size_t>(request.verb)]} + " ";
        *seen += "- " + world->outcomes_stored();
        return Receipt{};
    }
};

/// An alert that failed once, and is due again.
struct Retried : Delivering {
    AlertRow row;

    Retried() {
        row.alert.key = "k";
        row.created_at = row.not_before = now().wall;
        at(of).alerts_pending = 1;
        notifier.answer_with({Delivery::fail, Delivery::ok});
    }
    void try_once() {
        deliverer.queues().add(detail::AlertJob{of, &at(of), row});
        CHECK(deliver() == " !");
        clock.advance(1s);
    }
    void settled_by_another(AlertRow::State state) {
        RunBatch theirs;
        theirs.row = *history().row;
        theirs.alerts = {row};
        theirs.alerts[0].state = state;
        Batch batch;
        batch.runs = {theirs};
        REQUIRE(memory.commit(batch)->empty());
    }
    /// The first is a conflict, if somebody else was here.
    void flush() {
        for (int i = 0; i < 2; ++i) static_cast<void>(ledger.commit_one(of, at(of), now()));
    }
};

/// Somebody who is out at first, and then gives names.
struct Named {
    [[maybe_unused]] static constexpr std::string_view name = "named";
    int out = 0;
    std::vector<std::string> names;

    Result<Receipt> send(const Alert&) {
        if (out-- > 0) return fail(ErrorCode::delivery_failed, "out");
        return Receipt{static_cast<std::uint32_t>(names.size()), names};
    }
};

/// An alert for them.
struct Receiving : Delivering {
    Named named;
    detail::NotifierEdge<Named> port{named};
    detail::Courier by{port, ledger, held_lease};
    detail::Deliverer own_deliverer{by, clock_port, process, ledger, registry, held_lease};

    Receiving() { own_deliverer.freeze(false); }

    CycleReport tell() {
        AlertRow row;
        row.alert.key = "k";
        row.alert.kind = "run.unhealthy";
        row.alert.run.id = "r";
        row.created_at = row.not_before = now().wall;
        at(of).alerts_pending = 1;
        own_deliverer.queues().add(detail::AlertJob{of, &at(of), row});
        return go_on();
    }
    CycleReport go_on() {
        CycleReport report;
        own_deliverer.run(now(), report);
        return report;
    }
};

/// A rung that tells people between two other actions.
struct Telling : Delivering {
    std::string seen;
    Onlooker onlooker{this, &seen};
    detail::NotifierEdge<Onlooker> port{onlooker};
    detail::Courier by{port, ledger, held_lease};
    detail::Deliverer own_deliverer{by, clock_port, process, ledger, registry, held_lease};

    Telling() {
        own_deliverer.effects().control(detail::ControlRef{control});
        own_deliverer.freeze(false);
        AlertRow row;
        row.alert.key = "k";
        row.action_key = name_of(ActionKind::escalate);
        row.created_at = row.not_before = now().wall;
        at(of).alerts_pending = 1;
        own_deliverer.queues().add(detail::AlertJob{of, &at(of), row});
        at(of).next_cycle = now().elapsed + 60s;
    }
    void rung(ActionOutcome first, bool reconcile = false) {
        List<Action> actions{intended(ActionKind::snapshot), intended(ActionKind::escalate),
                             intended(ActionKind::terminate, ActionKind::snapshot)};
        actions[0].outcome = first;
        at(of).rung_busy = true;
        own_deliverer.queues().add(detail::RungJob{of, &at(of), std::move(actions), reconcile});
    }
    std::string deliver() {
        CycleReport report;
        own_deliverer.run(now(), report);
        return bench::acts_of(report);
    }
};

}  // namespace

TEST_CASE("a rung is carried out in its order, and what needs something undone is not tried", "[effects]") {
    Delivering d;
    d.control.answer(ControlVerb::snapshot, ControlAnswer::fail);
    d.rung({Delivering::intended(ActionKind::nudge), Delivering::intended(ActionKind::snapshot),
            Delivering::intended(ActionKind::terminate, ActionKind::snapshot)});
    CHECK(d.deliver() == "inject:nudge done, snapshot failed");
    CHECK(d.outcomes_stored() == "done failed blocked ");
    CHECK_FALSE(d.at(d.of).rung_busy);
    CHECK(d.at(d.of).rare->rung->size() == 3);
    CHECK(d.deliverer.queues().take_settled() == std::vector<RunHandle>{d.of});
}

TEST_CASE("an outcome that cannot be stored holds the rest of the rung back, and nothing is done twice", "[effects]") {
    Delivering d;
    d.store.fail(StoreOperation::commit, ErrorCode::busy);
    d.rung({Delivering::intended(ActionKind::nudge), Delivering::intended(ActionKind::snapshot)});
    CHECK(d.deliver() == "inject:nudge done !");
    CHECK(d.deliver() == " !");
    CHECK(d.control.requests().size() == 1);
    d.store.heal();
    CHECK(d.deliver() == "snapshot done");
    CHECK(d.control.requests().size() == 2);
    CHECK(d.outcomes_stored() == "done done ");
}

TEST_CASE("a run that an action finds over gets no further one", "[effects]") {
    Delivering d;
    d.control.answer(ControlVerb::pause, ControlAnswer::ended);
    d.rung({Delivering::intended(ActionKind::pause), Delivering::intended(ActionKind::snapshot)});
    CHECK(d.deliver() == "pause ended");
    CHECK(d.control.requests().size() == 1);
    CHECK(d.outcomes_stored() == "ended blocked ");
}

TEST_CASE("until it is known whether everything is frozen nothing is done, and then nothing if it is", "[effects]") {
    Delivering d;
    detail::Deliverer fresh{d.courier, d.clock_port, d.process, d.ledger, d.registry, d.held_lease};
    fresh.queues().add(detail::RungJob{d.of, &d.at(d.of), {Delivering::intended(ActionKind::nudge)}, false});
    CycleReport report;
    fresh.run(d.now(), report);
    CHECK(report.events.empty());
    d.process.freeze = true;
    fresh.freeze(false);
    fresh.run(d.now(), report);
    CHECK(bench::acts_of(report) == "inject:nudge skipped");
    CHECK(d.control.requests().empty());
}

TEST_CASE("after a crash the first action is looked up, the others are done", "[effects]") {
    Delivering d;
    d.control.answer_find(Found::found);
    d.rung({Delivering::intended(ActionKind::nudge), Delivering::intended(ActionKind::snapshot)}, true);
    CHECK(d.deliver() == "inject:nudge done, snapshot done");
    REQUIRE(d.control.requests().size() == 1);
    CHECK(d.control.requests()[0].verb == ControlVerb::snapshot);
}

TEST_CASE("a dismissed run is left alone, but that it was ended before is told [M-046]") {
    Delivering d;
    Action ends = Delivering::intended(ActionKind::terminate);
    const bool done = GENERATE(false, true);
    if (done) ends.outcome = ActionOutcome::done;
    d.rung({ends, Delivering::intended(ActionKind::escalate)});
    d.at(d.of).verdict.edit().marks.dismissed = true;
    CHECK(d.deliver() == (done ? "escalate done" : "terminate skipped, escalate skipped"));
    CHECK(d.control.requests().empty());
}

TEST_CASE("of a run that waits nothing is done but what belongs to its being paused [M-046]") {
    Delivering d;
    Action pauses = Delivering::intended(ActionKind::pause);
    const bool done = GENERATE(false, true);
    if (done) pauses.outcome = ActionOutcome::done;
    d.rung({pauses, Delivering::intended(ActionKind::snapshot), Delivering::intended(ActionKind::escalate)});
    d.tell(d.of, StateChange{RunState::paused});
    CHECK(d.deliver() == (done ? "snapshot done, escalate done" : "pause skipped, snapshot skipped, escalate skipped"));
}

TEST_CASE("one agent is ended or replaced in ten seconds, and none so soon after a start [M-202]") {
    Delivering d;
    RunClass rules = rooms::bare_class("apart");
    rules.limits.endings_apart = 10s;
    rules.stop_proof = StopProofNeeded::presumed;
    d.control.answer_find(Found::absent);
    std::vector<RunHandle> runs;
    for (const char* id : {"a", "b", "c"}) runs.push_back(d.stored(rules, bench::spec_of(id)));
    const auto end = [&](RunHandle run, ActionKind how, bool reconcile) {
        d.at(run).rung_busy = true;
        d.at(run).verdict.edit().keep({.number = 1});
        d.deliverer.queues().add(detail::RungJob{run, &d.at(run), {Delivering::intended(how)}, reconcile});
    };
    const bool after_crash = GENERATE(false, true);
    end(runs[0], ActionKind::spawn, after_crash);
    end(runs[1], ActionKind::terminate, after_crash);
    end(runs[2], ActionKind::spawn, after_crash);
    d.rung({Delivering::intended(ActionKind::nudge)});
    CHECK(d.deliver() == "inject:nudge done");
    d.clock.advance(9s);
    CHECK(d.deliver().empty());
    d.clock.advance(1s);
    CHECK(d.deliver() == "spawn done");
    d.clock.advance(9s);
    CHECK(d.deliver().empty());
    d.clock.advance(1s);
    CHECK(d.deliver() == "terminate done");
    d.clock.advance(1s);
    d.at(runs[2]).called_off = true;  // it works again
    CHECK(d.deliver() == "spawn skipped");
    CHECK(d.asked_to(ControlVerb::spawn) == 1);
    CHECK(d.asked_to(ControlVerb::terminate) == 1);
    std::size_t on_record = 0;
    const History known = d.history("b");
    for (const AuditRow& row : known.audit) on_record += row.kind == "suppressed" ? 1 : 0;
    CHECK(on_record == 1);
}

TEST_CASE("without that limit all are ended and replaced in one delivery, however long each of them takes [M-202]") {
    Delivering d;
    RunClass rules = rooms::bare_class("at once");
    rules.stop_proof = StopProofNeeded::presumed;
    for (const char* id : {"a", "b", "c"}) {
        const RunHandle run = d.stored(rules, bench::spec_of(id));
        d.at(run).rung_busy = true;
        d.at(run).verdict.edit().keep({.number = 1});
        d.deliverer.queues().add(detail::RungJob{run, &d.at(run), {Delivering::intended(ActionKind::spawn)}});
    }
    const Instant begun = d.now();
    d.clock.advance(1ms);  // of which the first has used some when the second is asked for
    CycleReport report;
    d.deliverer.run(begun, report);
    CHECK(bench::acts_of(report) == "spawn done, spawn done, spawn done");
}

TEST_CASE("an outcome that is not known is looked up at once and in two more cycles before it is unknown [M-101]") {
    Delivering d;
    const auto next_cycle = [&] {
        d.at(d.of).next_cycle = d.now().elapsed + 120s;
        d.clock.advance(60s);
        return d.deliver();
    };
    d.at(d.of).next_cycle = d.now().elapsed + 60s;
    d.control.answer(ControlVerb::inject, ControlAnswer::timeout_but_done);
    d.control.answer_find(Found::unknown);
    d.rung({Delivering::intended(ActionKind::nudge)});
    CHECK(d.deliver().empty());
    CHECK(d.deliverer.queues().next(d.now()) == d.now().elapsed + 60s);
    CHECK(d.deliver().empty());
    CHECK(next_cycle().empty());
    SECTION("nobody can tell: a person's business") {
        CHECK(next_cycle() == "inject:nudge unknown");
        CHECK(d.outcomes_stored() == "unknown ");
    }
    SECTION("found in the last of them") {
        d.control.answer_find(Found::found);
        CHECK(next_cycle() == "inject:nudge done");
    }
    SECTION("absent, and still so in the last of them: done now, under the same key") {
        d.control.answer(ControlVerb::inject, ControlAnswer::ok);
        d.control.answer_find(Found::absent);
        CHECK(next_cycle() == "inject:nudge done");
        REQUIRE(d.control.requests().size() == 2);
        CHECK(d.control.requests()[0].key == d.control.requests()[1].key);
        return;
    }
    CHECK(d.control.requests().size() == 1);
}

TEST_CASE("a control that is idempotent is asked again, one that cannot look is not [M-101]") {
    Delivering d;
    d.control.answer(ControlVerb::inject, ControlAnswer::timeout_but_done);
    d.control.set_idempotent(true);
    d.rung({Delivering::intended(ActionKind::nudge)});
    CHECK(d.deliver().empty());
    CHECK(d.control.requests().size() == 2);
    d.control.answer(ControlVerb::inject, ControlAnswer::ok);
    d.clock.advance(60s);
    CHECK(d.deliver() == "inject:nudge done");
    d.control.set_idempotent(false);
    d.control.answer(ControlVerb::inject, ControlAnswer::timeout_but_done);
    d.rung({Delivering::intended(ActionKind::nudge)});
    CHECK(d.deliver() == "inject:nudge unknown");
    CHECK(d.control.requests().size() == 4);
}

TEST_CASE("that an action is absent is believed at once after a restart, and of one's own request in the end [M-101]") {
    Delivering d;
    d.control.answer(ControlVerb::inject, ControlAnswer::timeout_but_done);
    d.control.answer_find(Found::absent);
    d.rung({Delivering::intended(ActionKind::nudge)});
    for (const std::size_t asked : {1U, 1U}) {
        CHECK(d.deliver().empty());
        CHECK(d.control.requests().size() == asked);
        d.clock.advance(60s);
    }
    CHECK(d.deliver() == "inject:nudge unknown");
    CHECK(d.control.requests().size() == 2);
    d.rung({Delivering::intended(ActionKind::nudge)}, true);
    CHECK(d.deliver().empty());
    CHECK(d.control.requests().size() == 3);
    d.clock.advance(60s);
    CHECK(d.deliver().empty());
    CHECK(d.control.requests().size() == 3);
}

TEST_CASE("that a repeated request did nothing says nothing of the first one [M-101]") {
    Delivering d;
    d.control.set_idempotent(true);
    d.control.answer(ControlVerb::inject, ControlAnswer::reject);
    d.rung({Delivering::intended(ActionKind::nudge)}, true);
    for (int i = 0; i < 2; ++i) {
        CHECK(d.deliver().empty());
        d.clock.advance(60s);
    }
    CHECK(d.deliver() == "inject:nudge unknown");
}

TEST_CASE("what a control throws may have happened, what is busy did not and is asked for again [M-101]") {
    struct Odd {
        int asked = 0;
        Result<ActionDone> spawn(const ActionRequest& request) {
            CHECK(request.key == "spawn");
            CHECK(request.asker == lone_asker);
            if (++asked == 1) return fail(ErrorCode::busy, "no answer from the table");
            if (asked == 2) throw std::runtime_error{"halfway"};
            return ActionDone{};
        }
        static Result<Found> find(std::string_view) { return Found::absent; }
    };
    Delivering d;
    Odd odd;
    d.deliverer.effects().control(detail::ControlRef{odd});
    d.rung({Delivering::intended(ActionKind::spawn)});
    CHECK(d.deliver() == " !");
    CHECK(d.deliver().empty());
    for (int i = 0; i < 2; ++i) {
        d.clock.advance(60s);
        CHECK(d.deliver().empty());
    }
    CHECK(odd.asked == 2);
    d.clock.advance(60s);
    CHECK(d.deliver() == "spawn done");
    CHECK(odd.asked == 3);
}

TEST_CASE("what may have happened is not skipped because of a freeze [M-101]") {
    Delivering d;
    d.control.answer_find(Found::unknown);
    d.rung({Delivering::intended(ActionKind::nudge)}, true);
    d.process.freeze = true;
    for (int i = 0; i < 5; ++i) {
        CHECK(d.deliver().empty());
        d.clock.advance(60s);
    }
    d.process.freeze = false;
    d.control.answer_find(Found::found);
    CHECK(d.deliver() == "inject:nudge done");
}

TEST_CASE("who lost its lease in the middle of a rung begins nothing more", "[effects]") {
    House house;
    house.settings.holder = "dog";
    REQUIRE(house.ledger.renew("dog", 15s, house.now()));
    const RunHandle run = house.stored(rooms::bare_class());
    const auto rung = [&] {
        return detail::RungJob{run, &house.at(run), {Delivering::intended(ActionKind::nudge)}, false};
    };
    house.deliverer.queues().add(rung());
    house.held_lease.gone();
    CycleReport report;
    house.deliverer.run(house.now(), report);
    CHECK(house.control.requests().empty());
    CHECK(house.deliverer.queues().next(house.now()));  // it waits for the lease
    CHECK_FALSE(*house.ledger.renew("dog", 15s, house.now()));
    house.registry.disown(run, house.now());
    house.at(run).rung_busy = true;
    house.deliverer.run(house.now(), report);
    CHECK(house.control.requests().empty());
    CHECK_FALSE(house.at(run).rung_busy);
}

TEST_CASE("an alert that nobody received waits for its next try, one that went out is stored", "[effects]") {
    Delivering d;
    AlertRow row;
    row.alert.key = "k";
    row.created_at = row.not_before = d.now().wall;
    d.at(d.of).alerts_pending = 1;
    d.notifier.answer_with({Delivery::fail, Delivery::ok});
    d.deliverer.queues().add(detail::AlertJob{d.of, &d.at(d.of), row});
    CHECK(d.deliver() == " !");
    CHECK(d.at(d.of).alerts_pending == 1);
    CHECK(d.deliverer.queues().next(d.now()) == d.now().elapsed + 1s);
    d.clock.advance(1s);
    CHECK(d.deliver().empty());
    CHECK(d.at(d.of).alerts_pending == 0);
    REQUIRE(d.history().alerts.size() == 1);
    CHECK((d.history().alerts[0].state == AlertRow::State::delivered && d.history().alerts[0].attempts == 2));
}

TEST_CASE("who is slow to be told does not delay what the rung does, which is reported in its order", "[effects]") {
    Telling t;
    SECTION("what was done is stored before anybody is told") {
        t.rung(ActionOutcome::intended);
        CHECK(t.deliver() == "snapshot done, escalate done, terminate done");
        CHECK(t.seen == "snapshot terminate - done done ");
    }
    SECTION("after a crash in front of both the action is looked up, and done once") {
        t.control.answer_find(Found::found);
        t.rung(ActionOutcome::done, true);
        CHECK(t.deliver() == "escalate done, terminate done");
        CHECK(t.seen == "- done ");
    }
    SECTION("what waits for an answer does not keep people waiting, who are told once") {
        t.control.answer(ControlVerb::terminate, ControlAnswer::timeout_but_done);
        t.control.answer_find(Found::unknown);
        t.rung(ActionOutcome::intended);
        CHECK(t.deliver() == "snapshot done, escalate done");
        CHECK(t.seen == "snapshot terminate - done ");
        t.control.answer_find(Found::found);
        t.clock.advance(60s);
        CHECK(t.deliver() == "terminate done");
        CHECK(t.seen == "snapshot terminate - done ");
        CHECK(t.asked_to(ControlVerb::terminate) == 1);
    }
    SECTION("they are told although the run turned out to be over") {
        t.control.answer(ControlVerb::terminate, ControlAnswer::ended);
        t.rung(ActionOutcome::intended);
        CHECK(t.deliver() == "snapshot done, escalate done, terminate ended");
    }
    SECTION("what was found over before is nothing to tell") {
        t.control.answer(ControlVerb::snapshot, ControlAnswer::ended);
        t.rung(ActionOutcome::intended);
        CHECK(t.deliver() == "snapshot ended");
        CHECK(t.seen.empty());
        CHECK(t.outcomes_stored() == "ended blocked blocked ");
    }
    CHECK(t.history().alerts.size() == 1);
    CHECK_FALSE(t.at(t.of).rung_busy);
    CHECK_FALSE(t.own_deliverer.queues().next(t.now()));
}

TEST_CASE("who received an alert is stored in the same commit as that it was delivered [M-120]", "[effects]") {
    Receiving r;
    r.named.names = {"ada", "the night\nwatch"};
    r.named.out = 1;
    CHECK(r.tell().errors == 1);
    r.clock.advance(1s);
    const auto commits = r.store.calls(StoreOperation::commit);
    const auto told = bench::all_of<AlertEvent>(r.go_on());
    CHECK(r.store.calls(StoreOperation::commit) == commits + 1);
    REQUIRE(told.size() == 1);
    CHECK(told[0].received_by == r.named.names);
    const History known = r.history();
    CHECK(known.alerts.at(0).state == AlertRow::State::delivered);
    REQUIRE(known.audit.size() == 1);
    CHECK(known.audit[0].kind == delivery_record);
    CHECK(known.audit[0].body ==
          R"({"key":"k","kind":"run.unhealthy","attempt":2,"recipients":2,"names":["ada","the night watch"]})");
    CHECK_THAT(detail::explanation(known, bench::start), ContainsSubstring(R"("names":["ada","the night watch"])"));
}

TEST_CASE("however many received an alert, and whatever they are called, its record stays small", "[effects]") {
    Receiving r;
    r.named.names.assign(5000, "token=ghp_0123456789abcdefghijABCDEFGHIJ456789 " + std::string(1 << 16, 'x'));
    static_cast<void>(r.tell());
    const std::string body = r.history().audit.at(0).body;
    CHECK(body.size() < 4096);
    CHECK_THAT(body, ContainsSubstring(R"("recipients":5000)"));
    CHECK(body.find("ghp_") == std::string::npos);
}

TEST_CASE("of receipts without names nothing is on record but that it was delivered", "[effects]") {
    Receiving r;
    r.named.names = {};
    static_cast<void>(r.tell());  // nobody listens
    CHECK(r.history().audit.empty());
    Delivering d;
    AlertRow row;
    row.alert.key = "k";
    row.created_at = row.not_before = d.now().wall;
    d.deliverer.queues().add(detail::AlertJob{d.of, &d.at(d.of), row});
    CHECK(d.deliver().empty());
    CHECK(d.history().alerts.at(0).state == AlertRow::State::delivered);
    CHECK(d.history().audit.empty());
}

TEST_CASE("before an alert is tried again the store is asked, not before its first try", "[effects]") {
    Retried r;
    const auto asked = r.store.calls(StoreOperation::history);
    r.try_once();
    CHECK(r.store.calls(StoreOperation::history) == asked);
    SECTION("it waits still") {}
    SECTION("the store does not say: better told twice than never") {
        r.settled_by_another(AlertRow::State::delivered);
        r.store.fail(StoreOperation::history, ErrorCode::busy);
    }
    static_cast<void>(r.deliver());
    CHECK(r.store.calls(StoreOperation::history) > asked);
    CHECK(r.notifier.sent().size() == 2);
    r.store.heal();
    CHECK(r.history().alerts.at(0).state == AlertRow::State::delivered);
}

TEST_CASE("what somebody else delivered or gave up is not sent again, and stays as it is stored", "[effects]") {
    const auto state = GENERATE(AlertRow::State::delivered, AlertRow::State::dead, AlertRow::State::skipped);
    Retried r;
    r.try_once();
    SECTION("nothing was committed meanwhile") { r.settled_by_another(state); }
    SECTION("that it failed here is not written over it") {
        r.settled_by_another(state);
        r.flush();
        CHECK(r.history().alerts.at(0).state == state);
    }
    CHECK(r.deliver().empty());
    CHECK(r.notifier.sent().size() == 1);
    CHECK(r.at(r.of).alerts_pending == 0);
    CHECK_FALSE(r.deliverer.queues().next(r.now()));
    r.flush();
    CHECK(r.history().alerts.at(0).state == state);
}
