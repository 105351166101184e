#include <heeler/effects/inhibition.hpp>

#include <string>
#include <utility>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::Beginning;
using rooms::House;

namespace {

/// A run in trouble that people know of, and another one below it.
struct Below : House {
    RunHandle boss, child;

    static RunClass inhibited_class() {
        RunClass rules = rooms::bare_class("inhibited");
        rules.alerts.outbox.inhibit = true;
        return rules;
    }
    explicit Below(const RunClass& rules = inhibited_class()) {
        boss = stored(rules, bench::spec_of("boss"));
        RunSpec spec = bench::spec_of("child");
        spec.parent = "boss";
        child = stored(rules, std::move(spec));
        in_trouble(boss, Beginning::known);
        in_trouble(child, Beginning::on_its_way);
    }
    void in_trouble(RunHandle run, Beginning begin) {
        detail::Verdict& verdict = at(run).verdict.edit();
        verdict.incident.number = 1;
        verdict.incident.phase = Phase::climbing;
        verdict.told.incident = true;
        verdict.told.last = now().wall;
        verdict.told.begin = begin;
        verdict.told.ask({now().wall, 1, {}, "run.unhealthy"});
    }
    /// An alert about the child was committed just now; what people read of it.
    std::size_t told(const std::string& kind = "run.unhealthy", Severity severity = Severity::warning,
                     std::uint32_t attempts = 0) {
        AlertRow row;
        row.alert.key = "key";
        row.alert.kind = kind;
        row.alert.at = now().wall;
        row.alert.severity = severity;
        row.alert.run.id = "child";
        row.created_at = row.not_before = now().wall;
        row.attempts = attempts;
        at(child).alerts_pending = 1;
        at(child).unsaved.edit().alerts.push_back(row);
        if (const auto error = ledger.commit_one(child, at(child), now())) FAIL(error->message);
        deliverer.queues().add(detail::alert_job(child, at(child), row));
        return deliver();
    }
    std::size_t deliver() {
        last = {};
        deliverer.run(now(), last);
        return notifier.delivered().size();
    }
    CycleReport last;
};

}  // namespace

TEST_CASE("the first alert about a run is kept back while people know of trouble above it", "[effects]") {
    Below b;
    CHECK(b.told() == 0);
    const AlertRow row = b.history("child").alerts.at(0);
    CHECK(row.state == AlertRow::State::skipped);
    CHECK(reason_of(row) == "inhibited: people know of the run boss above it");
    CHECK(b.last.why.inhibit == 1);
    CHECK(bench::all_of<AlertEvent>(b.last).size() == 1);
    CHECK(b.at(b.child).alerts_pending == 0);
    CHECK_FALSE(rooms::told(b.at(b.child)).told.last);  // no cooldown is used up
    CHECK(rooms::told(b.at(b.child)).told.begin == Beginning::inhibited);
    detail::RunMemory stored;
    const std::string facts = b.history("child").row->facts;
    ArchiveReader reader{facts, b.now()};
    stored.archive_facts(reader);
    REQUIRE(rooms::fates_of(stored).size() == 1);
    CHECK(rooms::fates_of(stored).front().what == detail::Fate::What::inhibited);
}

TEST_CASE("what asks for a person, is critical, was tried, or is no news is not kept back", "[effects]") {
    CHECK(Below{}.told("escalation") == 1);
    CHECK(Below{}.told("run.recovered", Severity::none) == 1);
    CHECK(Below{}.told("worker.needs_input") == 1);
    CHECK(Below{}.told("run.unhealthy", Severity::critical) == 1);
    CHECK(Below{}.told("run.unhealthy", Severity::warning, 1) == 1);
    Below reminder;
    reminder.at(reminder.child).verdict.edit().told.begin = Beginning::known;
    CHECK(reminder.told() == 1);
    Below off{rooms::bare_class()};
    CHECK(off.told() == 1);
}

TEST_CASE("trouble above a run that nobody knows of keeps nothing back", "[effects]") {
    SECTION("it is over") {
        Below b;
        b.at(b.boss).verdict.edit().incident.phase = Phase::closed;
        CHECK(b.told() == 1);
    }
    SECTION("nobody was told") {
        Below b;
        b.at(b.boss).verdict.edit().told.incident = false;
        CHECK(b.told() == 1);
    }
    SECTION("nobody received it") {
        Below b;
        b.at(b.boss).note({detail::Fate::What::dead, "key", "run.unhealthy", b.now().wall, 0});
        CHECK(b.told() == 1);
    }
    SECTION("it was kept back, or not said") {
        Below b;
        b.at(b.boss).verdict.edit().told.begin = GENERATE(Beginning::inhibited, Beginning::unsaid);
        CHECK(b.told() == 1);
    }
    SECTION("another watchdog holds it") {
        Below b;
        b.registry.disown(b.boss, b.now());
        CHECK(b.told() == 1);
    }
}

TEST_CASE("while the store does not take it, nobody is told, and later it is on record", "[effects]") {
    Below b;
    AlertRow row;
    row.alert.key = "key";
    row.alert.kind = "run.unhealthy";
    row.created_at = row.not_before = b.now().wall;
    b.deliverer.queues().add(detail::alert_job(b.child, b.at(b.child), row));
    b.store.fail(StoreOperation::commit, ErrorCode::busy);
    CHECK(b.deliver() == 0);
    b.store.heal();
    CHECK(b.deliver() == 0);
    CHECK(b.at(b.child).dirty);
    REQUIRE_FALSE(b.ledger.commit_one(b.child, b.at(b.child), b.now()));
    CHECK(b.history("child").alerts.at(0).state == AlertRow::State::skipped);
}
