#include <heeler/report/daily_digest.hpp>

#include <optional>
#include <string>
#include <utility>

#include <heeler/engine/watchdog.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/store/memory_store.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

WallTime at(std::string_view moment) { return *text::parse_rfc3339(std::string{moment} + ":00Z"); }

/// A digest that is asked once a minute. What is said arrives with the next look, unless nobody answers.
struct Days {
    DailyDigestSettings settings;
    std::optional<DailyDigest> digest;
    Vitals seen;
    CycleReport report;
    std::optional<Alert> under_way;
    Alert last;
    enum class Channel { works, hangs, refuses } channel = Channel::works;

    explicit Days(std::string_view begin, DailyDigestSettings given = {}) : settings{std::move(given)} {
        seen.at = {Elapsed{1000s}, at(begin)};
        seen.runs[static_cast<std::size_t>(RunState::running)] = 3;
        digest.emplace(settings);
    }

    /// What is told in the minutes from the next one to this moment, as "day hour:minute", with "late" after it.
    std::string until(std::string_view end) {
        std::string said;
        while (seen.at.wall < at(end)) {
            seen.at.elapsed += 1min;
            seen.at.wall += 1min;
            look(said);
        }
        return said;
    }
    void look(std::string& said) {
        report.ticks = report.whole = report.deliveries = 1;
        if (under_way && channel != Channel::hangs) {
            AlertRow row{*under_way};
            row.state = channel == Channel::works ? AlertRow::State::delivered : AlertRow::State::dead;
            report.events.push_back(AlertEvent{std::move(row), {}});
            under_way.reset();
        }
        if (auto alert = digest->note(report, seen)) {
            CHECK(alert->kind == "watchdog.digest");
            CHECK(alert->severity == Severity::none);
            said += (said.empty() ? "" : ", ") + text::rfc3339(alert->at).substr(8, 8);
            said[said.size() - 6] = ' ';
            if (alert->summary.find("(late") != std::string::npos) said += " late";
            last = *alert;
            under_way = std::move(*alert);
        }
        report = {};
    }
    /// The clock is set; nothing passes.
    void set(std::string_view moment) { seen.at.wall = at(moment); }
    /// The process is away so long; its successor knows what it kept, or nothing.
    void restart(Duration away, bool kept = true) {
        settings.told = kept ? digest->told() : "";
        digest.emplace(settings);
        seen.at = {Elapsed{5s}, seen.at.wall + away};
        under_way.reset();
    }
    void happens(Event event) { report.events.push_back(std::move(event)); }
    void acted(ActionKind kind) {
        Action action;
        action.kind = kind;
        action.outcome = ActionOutcome::done;
        happens(ActionEvent{"r", action});
    }
    void ended(AlertRow::State state) {
        AlertRow row;
        row.alert.kind = "run.unhealthy";
        row.state = state;
        happens(AlertEvent{row, {}});
    }
};

}  // namespace

TEST_CASE("a quiet day is told once, and in the first words that all is well [M-203]") {
    Days days{"2026-03-01T06:00"};
    CHECK(days.until("2026-03-04T08:59") == "01 09:00, 02 09:00, 03 09:00");
    CHECK(days.last.summary ==
          "all is well: 3 runs watched (3 running); since 2026-03-02T09:00Z: at most 1m 0s without a cycle");
    CHECK(days.last.key == "watchdog.digest.2026-03-03");
    CHECK(days.digest->told() == "2026-03-03");
}

TEST_CASE("the first digest says that it counts since the watchdog began [M-203]") {
    Days days{"2026-03-01T06:00", {.at = 7h, .to = "ops", .holder = "north"}};
    CHECK(days.until("2026-03-02T06:59") == "01 07:00");
    CHECK(days.last.summary ==
          "all is well with the watchdog `north`: 3 runs watched (3 running); since its start at 2026-03-01T06:01Z: at "
          "most 1m 0s without a cycle");
    CHECK(days.last.key == "watchdog.digest.north.2026-03-01");
    CHECK(days.last.to == "ops");
}

TEST_CASE("a day with trouble is told in numbers, and the next one is quiet again [M-203]") {
    Days days{"2026-03-01T09:30", {.told = "2026-03-01"}};
    CHECK(days.until("2026-03-01T12:00").empty());
    days.seen.open_incidents = 2;
    days.acted(ActionKind::nudge);
    days.acted(ActionKind::break_pattern);
    days.acted(ActionKind::pause);
    days.acted(ActionKind::terminate);
    days.acted(ActionKind::spawn);
    days.acted(ActionKind::escalate);
    days.ended(AlertRow::State::delivered);
    days.ended(AlertRow::State::dead);
    days.report.why.silence = 2;
    days.report.error("notifier", "", Error{ErrorCode::delivery_failed, "no"});
    days.report.error("commit", "r", Error{ErrorCode::io, "no"});
    days.report.error("judge", "r", Error{ErrorCode::io, "no"});
    CHECK(days.until("2026-03-01T13:00").empty());
    days.happens(OutcomeEvent{"r", 1, ActionKind::nudge, InterventionOutcome::recovered});
    days.happens(OutcomeEvent{"s", 1, ActionKind::nudge, InterventionOutcome::persisted});
    days.seen.open_incidents = 1;
    CHECK(days.until("2026-03-01T13:05").empty());
    days.seen.open_incidents = 2;
    CHECK(days.until("2026-03-01T13:10").empty());
    days.seen.at.elapsed += 20min;
    days.seen.at.wall += 20min;
    days.seen.alerts_pending = 1;
    CHECK(days.until("2026-03-02T09:30") == "02 09:00");
    CHECK(
        days.last.summary ==
        "not all is well: 3 runs watched (3 running), 2 incidents open, 1 alert waiting; since its start at "
        "2026-03-01T09:31Z: 3 incidents begun, 1 run recovered, 1 escalation, 2 nudges, 1 pause, 1 agent ended, 1 "
        "agent "
        "replaced, 1 alert given up, 1 error of the store, 1 error of the notifier, 1 alert told, 2 alerts kept back, "
        "at most 21m 0s without a cycle");
    days.seen.open_incidents = days.seen.alerts_pending = 0;
    CHECK(days.until("2026-03-03T09:30") == "03 09:00");
    CHECK(days.last.summary.starts_with("all is well: "));
}

TEST_CASE("what is wrong now is not well, whatever the day was [M-203]") {
    Days days{"2026-03-01T08:00"};
    SECTION("nothing can be read of a run") { days.seen.unobservable = 1; }
    SECTION("the store is down") { days.seen.store_failing = 90s; }
    SECTION("nobody is started any more") { days.seen.poisoned = 1; }
    CHECK(days.until("2026-03-01T09:30") == "01 09:00");
    CHECK(days.last.summary.starts_with("not all is well: "));
}

TEST_CASE("what was spent is added up over midnight [M-203]") {
    Spent today{5'000'000, 5'000'000};
    Days days{"2026-03-01T08:58", {.spent = [&] { return today; }}};
    CHECK(days.until("2026-03-01T09:00") == "01 09:00");
    CHECK(days.last.summary.find("0 tokens and $0.00 spent") != std::string::npos);
    today = {6'000'000, 7'250'000};
    CHECK(days.until("2026-03-02T00:00").empty());
    today = {200'000, 50'000};
    CHECK(days.until("2026-03-02T09:00") == "02 09:00");
    CHECK(days.last.summary.find("1,200,000 tokens and $2.30 spent") != std::string::npos);
}

TEST_CASE("a process that begins after the time tells at once, and one that begins before it waits [M-203]") {
    Days days{"2026-03-01T15:00"};
    CHECK(days.until("2026-03-02T12:00") == "01 15:01 late, 02 09:00");
    Days early{"2026-03-01T08:00"};
    CHECK(early.until("2026-03-01T12:00") == "01 09:00");
}

TEST_CASE("who was away at the time tells late, and nobody twice [M-203]") {
    Days days{"2026-03-01T08:00"};
    CHECK(days.until("2026-03-02T08:50") == "01 09:00");
    SECTION("away at the time") {
        days.restart(20min);
        CHECK(days.until("2026-03-03T08:00") == "02 09:11 late");
    }
    SECTION("away for days") {
        days.restart(48h);
        CHECK(days.until("2026-03-04T12:00") == "04 08:51 late, 04 09:51 late");
    }
    SECTION("anew after it was told") {
        CHECK(days.until("2026-03-02T09:01") == "02 09:00");
        days.restart(10s);
        CHECK(days.until("2026-03-03T12:00") == "03 09:00");
    }
    SECTION("it crashes before anybody has it") {
        days.channel = Days::Channel::hangs;
        CHECK(days.until("2026-03-02T09:01") == "02 09:00");
        const std::string key = days.last.key;
        days.restart(1min);
        days.channel = Days::Channel::works;
        CHECK(days.until("2026-03-03T08:00") == "02 09:03 late");
        CHECK(days.last.key == key);
    }
    SECTION("it knows nothing of the one before: receivers know the key") {
        CHECK(days.until("2026-03-02T09:01") == "02 09:00");
        const std::string key = days.last.key;
        days.restart(1min, false);
        CHECK(days.until("2026-03-03T08:00") == "02 09:03 late");
        CHECK(days.last.key == key);
    }
    SECTION("another time of the day") {
        CHECK(days.until("2026-03-02T09:01") == "02 09:00");
        days.settings.at = 15h;
        days.restart(10s);
        CHECK(days.until("2026-03-03T16:00") == "03 15:00");
    }
}

TEST_CASE("a clock that is set makes neither two nor none [M-203]") {
    Days days{"2026-03-01T08:00"};
    CHECK(days.until("2026-03-05T08:50") == "01 09:00, 02 09:00, 03 09:00, 04 09:00");
    SECTION("forward over the time") {
        days.set("2026-03-05T09:30");
        CHECK(days.until("2026-03-06T10:00") == "05 09:31 late, 06 09:00");
    }
    SECTION("back over the time") {
        CHECK(days.until("2026-03-05T09:10") == "05 09:00");
        days.set("2026-03-05T08:40");
        CHECK(days.until("2026-03-06T10:00") == "06 09:00");
    }
    SECTION("back and forward over the time") {
        for (int i = 0; i < 5; ++i) {
            days.set("2026-03-05T08:40");
            CHECK(days.until("2026-03-05T09:10") == (i == 0 ? "05 09:00" : ""));
        }
    }
    SECTION("a week forward, and right again soon after") {
        CHECK(days.until("2026-03-05T09:10") == "05 09:00");
        days.set("2026-03-12T09:10");
        CHECK(days.until("2026-03-12T09:20").empty());
        days.set("2026-03-05T09:20");
        CHECK(days.until("2026-03-14T10:00") ==
              "06 09:00, 07 09:00, 08 09:00, 09 09:00, 10 09:00, 11 09:00, 12 09:00, "
              "13 09:00, 14 09:00");
        CHECK(days.last.key == "watchdog.digest.2026-03-14");
    }
    SECTION("a week forward, and right again much later: a date that comes again has another key") {
        CHECK(days.until("2026-03-05T12:10") == "05 09:00");
        days.set("2026-03-12T12:10");
        CHECK(days.until("2026-03-12T12:20") == "12 12:11 late");
        CHECK(days.last.key == "watchdog.digest.2026-03-12");
        days.set("2026-03-05T12:20");
        CHECK(days.until("2026-03-07T10:00") == "06 09:00, 07 09:00");
        CHECK(days.last.key == "watchdog.digest.2026-03-07.2026-03-07T09:00:00.000Z");
        CHECK(days.until("2026-03-12T10:00") == "08 09:00, 09 09:00, 10 09:00, 11 09:00, 12 09:00");
        CHECK(days.last.key != "watchdog.digest.2026-03-12");
        CHECK(days.until("2026-03-13T10:00") == "13 09:00");
        CHECK(days.last.key == "watchdog.digest.2026-03-13");
    }
    SECTION("days back") {
        days.set("2026-03-01T08:50");
        CHECK(days.until("2026-03-03T10:00") == "01 09:00, 02 09:00, 03 09:00");
    }
    SECTION("days back, soon after it was told") {
        CHECK(days.until("2026-03-05T09:10") == "05 09:00");
        days.set("2026-03-02T08:30");
        CHECK(days.until("2026-03-04T10:00") == "03 09:00, 04 09:00");
    }
}

TEST_CASE("what nobody has yet is not said a second time, and what was given up is part of the next [M-203]") {
    Days days{"2026-03-01T08:00"};
    days.channel = Days::Channel::hangs;
    days.seen.open_incidents = 1;
    std::string said;
    days.look(said);
    days.seen.open_incidents = 3;
    CHECK(days.until("2026-03-02T09:05") == "01 09:00");
    days.seen.open_incidents = 0;
    days.channel = Days::Channel::refuses;
    CHECK(days.until("2026-03-02T09:06") == "02 09:06");
    days.channel = Days::Channel::works;
    CHECK(days.last.summary.find("since its start at 2026-03-01T08:00Z: 2 incidents begun") != std::string::npos);
    CHECK(days.until("2026-03-03T10:00") == "03 09:00");
    CHECK(days.last.summary.starts_with("all is well: "));
    SECTION("nor for ever, where nobody says what became of it") {
        days.channel = Days::Channel::hangs;
        CHECK(days.until("2026-03-08T10:00") == "04 09:00, 05 21:00 late, 07 09:00");
    }
}

TEST_CASE("a digest that a notifier refuses is tried until somebody has it [M-203]") {
    ManualClock clock{{Elapsed{1000s}, at("2026-03-01T08:59")}};
    RecordingNotifier notifier;
    Watchdog dog{clock, MemoryStore{}, notifier};
    DailyDigest digest;
    notifier.answer_with({Delivery::fail});
    const auto minutes = [&](int count) {
        for (int i = 0; i < count; ++i) {
            clock.advance(1min);
            const CycleReport cycle = dog.cycle();
            if (auto alert = digest.note(cycle, dog.vitals())) dog.say(std::move(*alert));
        }
    };
    minutes(3 * 60);
    CHECK(notifier.sent().size() > 10);
    CHECK(notifier.sent().size() < 60);
    CHECK(digest.told().empty());
    notifier.answer_with({Delivery::ok});
    minutes(20 * 60);
    REQUIRE(notifier.delivered().size() == 1);
    CHECK(notifier.sent().front().alert.key == notifier.delivered().front().key);
    CHECK(digest.told() == "2026-03-01");
    minutes(3 * 60);
    CHECK(notifier.delivered().size() == 2);
    CHECK(notifier.delivered().back().summary.find("errors of the notifier") != std::string::npos);
}

TEST_CASE("the digest of a real day: what began, was nudged, recovered and told [M-203]") {
    ManualClock clock{{Elapsed{1000s}, at("2026-03-01T00:00")}};
    Watchdog dog{clock, MemoryStore{}, RecordingNotifier{}};
    DailyDigest digest;
    std::optional<Alert> said;
    const auto minutes = [&](int count) {
        for (int i = 0; i < count && !said; ++i) {
            clock.advance(1min);
            const CycleReport cycle = dog.cycle();
            said = digest.note(cycle, dog.vitals());
        }
    };
    RunSpec spec;
    spec.id = "r";
    spec.metric = MetricKind::reported;
    const auto run = dog.start(spec, presets::long_run());
    REQUIRE(run);
    std::int64_t value = 0;
    const auto works = [&](int count) {
        for (int i = 0; i < count; ++i) {
            dog.observe(*run, Progress{++value});
            minutes(1);
        }
    };
    works(60);
    minutes(16);
    works(600);
    REQUIRE(said);
    INFO(said->summary);
    CHECK(said->summary.starts_with("not all is well: 1 run watched (1 running); since"));
    CHECK(said->summary.find(": 1 incident begun, 1 run recovered, ") != std::string::npos);
}

TEST_CASE("a time that is none of the day is refused, and so is a date that is none [M-203]") {
    CHECK(DailyDigestSettings{}.check());
    CHECK(DailyDigestSettings{.at = 0s, .told = "2026-02-28"}.check());
    CHECK(DailyDigestSettings{.at = 24h}.check().error().message ==
          "daily digest: at is 86400.000000 s; it is a time of the day: from 0 s to less than 24 h");
    CHECK_FALSE(DailyDigestSettings{.at = -1s}.check());
    CHECK(DailyDigestSettings{.told = "2026-02-30"}.check().error().message ==
          "daily digest: told is no date; it is what `told()` answered, like 2026-01-31");
    CHECK(time_of_day("09:00") == Duration{9h});
    CHECK(time_of_day("23:59:59") == Duration{24h - 1s});
    for (const char* wrong : {"", "9", "9:00", "24:00", "23:59:60", "09:60", "09:00Z", "-1:00"})
        CHECK_FALSE(time_of_day(wrong));
    CHECK(time_of_day("25:00").error().message ==
          "\"25:00\" is no time of the day: write 09:00 or 09:00:30, from 00:00 to 23:59:59");
}
