#include <heeler/report/self_alerts.hpp>

#include <string>

#include <heeler/engine/watchdog.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/store/memory_store.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// A watchdog that is looked at once a minute.
struct Looked {
    SelfAlerts alerts;
    Vitals seen;
    CycleReport report;

    explicit Looked(SelfAlertSettings settings = {}) : alerts{std::move(settings)} {
        seen.at = {Elapsed{1000s}, WallTime{1'800'000'000s}};
    }

    /// What people are told, as "kind symptom".
    std::string minutes(int count) {
        std::string said;
        for (int i = 0; i < count; ++i) {
            seen.at.elapsed += 1min;
            seen.at.wall += 1min;
            report.ticks = report.whole = report.deliveries = 1;
            for (const Alert& alert : alerts.note(report, seen))
                said += (said.empty() ? "" : ", ") + alert.kind + " " + alert.details.front().value;
            report.events.clear();
            report.why = {};
        }
        return said;
    }
    void ended(AlertRow::State state, int count = 1, std::string run = "r") {
        for (int i = 0; i < count; ++i) {
            AlertRow row;
            row.alert.run.id = run;
            row.state = state;
            report.events.push_back(AlertEvent{row, {}});
        }
    }
};

}  // namespace

TEST_CASE("alerts that pile up are told once, and once when they are told") {
    Looked dog;
    dog.seen.alerts_pending = 499;
    CHECK(dog.minutes(20).empty());
    dog.seen.alerts_pending = 600;
    CHECK(dog.minutes(5).empty());
    CHECK(dog.minutes(60) == "watchdog.unwell queue");
    dog.seen.alerts_pending = 3;
    CHECK(dog.minutes(5).empty());
    CHECK(dog.minutes(60) == "watchdog.well queue");
}

TEST_CASE("many alerts that become fewer are no trouble") {
    Looked dog;
    for (dog.seen.alerts_pending = 5000; dog.seen.alerts_pending > 500; dog.seen.alerts_pending -= 100)
        CHECK(dog.minutes(1).empty());
}

TEST_CASE("cycles that come late are told when they go on to, not one that was") {
    Looked dog;
    dog.report.late = 30s;
    CHECK(dog.minutes(1).empty());
    dog.report.late = 1s;
    CHECK(dog.minutes(10).empty());
    dog.report.late = 10s;
    CHECK(dog.minutes(10) == "watchdog.unwell lateness");
    dog.report.late.reset();
    CHECK(dog.minutes(10) == "watchdog.well lateness");
}

TEST_CASE("that most alerts are kept from people is told, not that some are, nor of few") {
    Looked dog;
    dog.report.why.silence = 19;
    CHECK(dog.minutes(40).empty());
    dog.report.why.inhibit = 20;
    dog.ended(AlertRow::State::delivered, 5);
    CHECK(dog.minutes(40).empty());
    dog.report.why.silence = 30;
    dog.ended(AlertRow::State::delivered, 1);
    CHECK(dog.minutes(16) == "watchdog.unwell suppressed");
    CHECK(dog.minutes(60) == "watchdog.well suppressed");
}

TEST_CASE("an alert that was given up is told at once, and when alerts are delivered again") {
    Looked dog;
    dog.ended(AlertRow::State::dead, 1, "");  // one of these
    CHECK(dog.minutes(1).empty());
    dog.ended(AlertRow::State::dead);
    CHECK(dog.minutes(1) == "watchdog.unwell dead_letters");
    dog.ended(AlertRow::State::dead);
    CHECK(dog.minutes(30).empty());
    dog.ended(AlertRow::State::delivered);
    CHECK(dog.minutes(10) == "watchdog.well dead_letters");
}

TEST_CASE("a store that goes on to answer slowly is told, not one slow call, nor that it is not asked") {
    Looked dog;
    StoreCalls& commits = dog.seen.store[static_cast<std::size_t>(StoreOp::commit)];
    StoreCalls& lists = dog.seen.store[static_cast<std::size_t>(StoreOp::list)];
    const auto minutes_of = [&](Duration commit, int count) {
        std::string said;
        for (int i = 0; i < count; ++i) {
            ++commits.count;
            ++lists.count;
            commits.spent += commit;
            lists.spent += 100ms;
            said += dog.minutes(1);
        }
        return said;
    };
    CHECK(minutes_of(30s, 1).empty());  // it reads what it kept, of many runs
    CHECK(dog.minutes(10).empty());
    CHECK(minutes_of(10ms, 10).empty());
    CHECK(minutes_of(1800ms, 10).empty());  // 950 ms each
    CHECK(minutes_of(2s, 5).empty());
    CHECK(minutes_of(2s, 60) == "watchdog.unwell store");
    CHECK(minutes_of(10ms, 5).empty());
    CHECK(minutes_of(10ms, 60) == "watchdog.well store");
}

TEST_CASE("an alert that nobody has for ten minutes is told, and when somebody has it") {
    Looked dog;
    dog.seen.oldest_alert = 10min - 1s;
    CHECK(dog.minutes(20).empty());
    dog.seen.oldest_alert = 10min;
    CHECK(dog.minutes(1) == "watchdog.unwell old");
    dog.seen.oldest_alert = 3h;
    CHECK(dog.minutes(60).empty());
    dog.seen.oldest_alert.reset();
    CHECK(dog.minutes(10) == "watchdog.well old");
}

TEST_CASE("what is counted can be turned off") {
    Looked dog{{.pending = 0, .late = 0s, .suppressed_of = 0, .dead_letters = 0, .slow_store = 0s, .oldest = 0s}};
    dog.seen.oldest_alert = 20h;
    dog.seen.store[0] = {10, 1000s, {}};
    dog.seen.alerts_pending = 10'000;
    dog.report.late = 1h;
    dog.report.why.silence = 1000;
    dog.ended(AlertRow::State::dead, 10);
    CHECK(dog.minutes(40).empty());
}

TEST_CASE("the half of a cycle that ticks says nothing about the queue or the store") {
    Looked dog;
    dog.seen.alerts_pending = 600;
    CHECK(dog.minutes(5).empty());
    CycleReport half;
    half.ticks = 1;
    Vitals only_the_time;
    only_the_time.at = dog.seen.at;
    CHECK(dog.alerts.note(half, only_the_time).empty());
    CHECK(dog.minutes(2) == "watchdog.unwell queue");
}

TEST_CASE("a watchdog tells people about itself until somebody has it") {
    ManualClock clock{{Elapsed{1000s}, WallTime{1'800'000'000s}}};
    RecordingNotifier notifier;
    Watchdog dog{clock, MemoryStore{}, notifier};
    SelfAlerts alerts{{.to = "ops", .holder = "north"}};
    CycleReport report;
    AlertRow dead;
    dead.alert.run.id = "r";
    dead.state = AlertRow::State::dead;
    report.events.push_back(AlertEvent{dead, {}});
    for (Alert& alert : alerts.note(report, dog.vitals())) dog.say(std::move(alert));
    notifier.answer_with({Delivery::fail, Delivery::ok});
    (void)dog.cycle();
    clock.advance(5s);
    (void)dog.cycle();
    clock.advance(1h);
    (void)dog.cycle();
    REQUIRE(notifier.sent().size() == 2);
    CHECK(notifier.sent()[0].alert.key == notifier.sent()[1].alert.key);
    const Alert said = notifier.sent().back().alert;
    CHECK((said.kind == "watchdog.unwell" && said.to == "ops" && said.severity == Severity::warning));
    CHECK(said.summary == "the watchdog `north`: dead_letters: 1 alert was given up: nobody has it");
}
