// Alerts from the decision to the receipt: retries, keys, dead letters, and what the watchdog says about itself.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

TEST_CASE("an alert is tried again under one key until somebody receives it [M-125]") {
    Bench b;
    b.notifier.answer_with({Delivery::raise, Delivery::no_recipient, Delivery::fail, Delivery::ok});
    b.stalled();
    const auto sent = b.notifier.sent();
    REQUIRE(sent.size() == 1);
    for (int i = 0; i < 10; ++i) (void)b.after(1s);
    const auto all = b.notifier.sent();
    REQUIRE(all.size() == 4);
    std::set<std::string> keys;
    for (const auto& each : all) keys.insert(each.alert.key);
    CHECK(keys.size() == 1);
    CHECK(all[3].alert.attempt == 4);
    CHECK(b.history().alerts[0].state == AlertRow::State::delivered);
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("a notifier that fails is an error of the cycle, and other runs are delivered [M-125] [M-008]") {
    Bench b;
    b.progress(b.run("a"), 1);
    b.progress(b.run("b"), 1);
    b.minutes(1);
    b.notifier.answer_with({Delivery::raise, Delivery::ok});
    const CycleReport report = b.after(60s);
    CHECK(report.errors == 1);
    CHECK(bench::errors_of(report).find("the notifier threw") != std::string::npos);
    CHECK(b.notifier.delivered().size() == 1);
    CHECK(b.asked(ControlVerb::inject) == 2);
}

TEST_CASE("a permanent refusal is a dead letter at once, and visible [M-125]") {
    Bench b;
    b.notifier.answer_with({Delivery::permanent});
    const RunHandle run = b.stalled();
    CHECK(b.history().alerts[0].state == AlertRow::State::dead);
    CHECK(b.dog->report("r")->alerts.size() == 1);
    b.notifier.answer_with({});
    b.notifier.clear();
    b.progress(run, 2);
    b.minutes(1);
    CHECK(b.dog->status(run) == Status::recovered);
    CHECK(b.notifier.sent().empty());  // nobody learned that it began
}

TEST_CASE("an alert is given up after its time, not before [M-125]") {
    Bench b;
    b.classes[0].alerts.outbox.give_up_after = 600s;
    b.boot();
    b.notifier.answer_with({Delivery::fail});
    const RunHandle run = b.stalled();
    for (int i = 0; i < 599; ++i) {
        b.progress(run, 100 + i);
        (void)b.after(1s);
    }
    CHECK(b.history().alerts[0].state == AlertRow::State::pending);
    for (int i = 0; i < 400; ++i) {
        b.progress(run, 1000 + i);
        (void)b.after(1s);
    }
    CHECK(b.history().alerts[0].state == AlertRow::State::dead);
}

TEST_CASE("an alert that waited on purpose is tried for as long as any other [M-125]") {
    Bench b;
    b.classes[0].alerts.outbox.group_wait = 30min;
    b.classes[0].alerts.outbox.give_up_after = 10min;
    b.boot();
    b.notifier.answer_with({Delivery::fail, Delivery::fail, Delivery::ok});
    const RunHandle run = b.stalled();
    b.progress(run, 2);
    (void)b.after(30min);
    CHECK(b.history().alerts.front().state == AlertRow::State::pending);
    for (int i = 0; i < 3; ++i) (void)b.after(2s);
    CHECK(b.history().alerts.front().state == AlertRow::State::delivered);
}

TEST_CASE("a clock that is set back holds no alert back that is tried again [M-125]") {
    const Duration back = GENERATE(Duration{1h}, Duration{24h * 3650});
    const bool restarts = GENERATE(false, true);
    Bench b;
    b.notifier.answer_with({Delivery::fail, Delivery::ok});
    b.stalled();
    CHECK(b.history().alerts[0].state == AlertRow::State::pending);
    b.clock.step_wall(-back);
    if (restarts) b.boot();
    for (int i = 0; i < 3; ++i) (void)b.after(1s);
    CHECK(b.history().alerts[0].state == AlertRow::State::delivered);
}

TEST_CASE("a clock that is set forward, or a machine that slept, makes no dead letter of what fails next [M-125]") {
    const bool slept = GENERATE(false, true);
    Bench b;
    b.notifier.answer_with({Delivery::fail, Delivery::fail, Delivery::fail, Delivery::ok});
    b.stalled();
    CHECK(b.history().alerts[0].state == AlertRow::State::pending);
    slept ? b.clock.suspend(25h) : b.clock.step_wall(25h);
    (void)b.after(1s);
    CHECK(b.notifier.sent().size() == 2);
    CHECK(b.history().alerts[0].state == AlertRow::State::pending);
    CHECK(b.dog->vitals().oldest_alert < 1min);
    for (int i = 0; i < 10; ++i) (void)b.after(1s);
    CHECK(b.history().alerts[0].state == AlertRow::State::delivered);
}

TEST_CASE("what fails for its whole time is given up, whatever the clock was set to meanwhile [M-125]") {
    Bench b;
    b.classes[0].alerts.outbox.give_up_after = 600s;
    b.boot();
    b.notifier.answer_with({Delivery::fail});
    const RunHandle run = b.stalled();
    b.clock.step_wall(1h);
    for (int i = 0; i < 1000; ++i) {
        b.progress(run, 100 + i);
        (void)b.after(1s);
        if (i < 599) CHECK(b.history().alerts[0].state == AlertRow::State::pending);
    }
    CHECK(b.history().alerts[0].state == AlertRow::State::dead);
}

TEST_CASE("keys are the same after a restart, and no alert is lost by it") {
    Bench b;
    b.notifier.answer_with({Delivery::fail});
    b.stalled();
    const std::string key = b.notifier.sent().front().alert.key;
    b.notifier.answer_with({});
    b.boot();
    (void)b.after(10s);
    REQUIRE(b.notifier.sent().size() == 2);
    CHECK(b.notifier.sent()[1].alert.key == key);
    CHECK(b.history().alerts[0].state == AlertRow::State::delivered);
}

TEST_CASE("each incident of a run has keys of its own, reopened ones too") {
    Bench b;
    const RunHandle run = b.stalled();
    b.progress(run, 2);
    b.minutes(3);
    std::set<std::string> keys;
    for (const Alert& alert : b.notifier.delivered()) keys.insert(alert.key);
    CHECK(b.notifier.delivered().size() == 3);
    CHECK(keys.size() == 3);
}

TEST_CASE("an alert says what was seen, what was done and what comes next [M-023]") {
    Bench b;
    RunSpec spec = bench::spec_of("r");
    spec.name = "implement-123";
    spec.work_item = "Add the parser";
    spec.origin = "team";
    b.stalled(spec);
    const Alert alert = b.notifier.sent().front().alert;
    CHECK(alert.run.name == "implement-123");
    CHECK(alert.run.work_item == "Add the parser");
    CHECK(alert.to == "team");
    CHECK(alert.issues.size() == 1);
    std::set<std::string> details;
    for (const Detail& detail : alert.details) details.insert(detail.name);
    CHECK((details.contains("seen") && details.contains("next")));
    CHECK_FALSE(details.contains("done"));  // nothing was, yet
}

TEST_CASE("people hear of a store that stays down, and when it works again [M-009]") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    SECTION("commits alone fail, reading works: the disk is full") {
        b.store.fail(StoreOperation::commit, ErrorCode::full);
    }
    SECTION("nothing works") { b.store.crash(); }
    for (int i = 0; i < 60; ++i) {
        b.progress(run, i);
        (void)b.after(1s);
    }
    CHECK(b.sent_kinds().empty());
    for (int i = 0; i < 5; ++i) {
        b.progress(run, i);
        (void)b.after(1s);
    }
    CHECK(b.sent_kinds() == std::vector<std::string>{"watchdog.store_down"});
    b.store.heal();
    b.store.revive();
    for (int i = 0; i < 70; ++i) {
        b.progress(run, 1000 + i);
        (void)b.after(1s);
    }
    CHECK(b.sent_kinds() == std::vector<std::string>{"watchdog.store_down", "watchdog.store_up"});
    b.store.crash();
    for (int i = 0; i < 200; ++i) {
        b.progress(run, 2000 + i);
        (void)b.after(1s);
    }
    CHECK(b.sent_kinds().size() == 3);
    CHECK(b.notifier.sent()[2].alert.key != b.notifier.sent()[0].alert.key);
}

TEST_CASE("a message about the store that nobody received is tried again [M-009]") {
    Bench b;
    b.run();
    b.store.crash();
    b.notifier.answer_with({Delivery::fail, Delivery::ok});
    for (int i = 0; i < 400; ++i) (void)b.after(1s);
    CHECK(b.notifier.sent().size() == 2);
    CHECK(b.notifier.delivered().size() == 1);
}

TEST_CASE("a short outage is nobody's business, and nothing is done to any run meanwhile [M-009]") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    b.minutes(1);
    b.store.crash();
    (void)b.after(60s);
    CHECK(b.control.requests().empty());
    CHECK_FALSE(b.dog->checkpoint(run, {1, "one"}));
    CHECK_FALSE(b.dog->report("r"));
    b.store.revive();
    (void)b.after(30s);
    CHECK(b.acts == "inject:nudge done");
    CHECK(b.history().checkpoints.size() == 1);
    CHECK(b.sent_kinds() == std::vector<std::string>{"run.unhealthy"});
}

namespace {

/// A channel that answers 429 with a `Retry-After`, so many times.
struct BusyChannel {
    static constexpr std::string_view name = "busy";

    struct Calls {
        int refusals = 0;
        std::vector<Alert> sent;
    };
    std::shared_ptr<Calls> calls = std::make_shared<Calls>();

    Result<Receipt> send(const Alert& alert) {
        calls->sent.push_back(alert);
        if (calls->refusals-- <= 0) return Receipt{};
        return tl::unexpected<Error>(Error{ErrorCode::delivery_failed, "429 Too Many Requests", 30s});
    }
};

}  // namespace

TEST_CASE("a class that sends at once comes again when the channel said, not before [M-125]") {
    const int refusals = GENERATE(1, 2, 100);
    ManualClock clock{bench::start};
    MemoryStore store;
    BusyChannel channel;
    channel.calls->refusals = refusals;
    ScriptedControl control;
    Watchdog dog{clock, store, channel};
    dog.attach(control);
    RunClass rules = bench::minute_class();
    rules.alerts.outbox.at_once = 3;
    REQUIRE(dog.define(rules));
    const auto run = dog.start(bench::spec_of("r"), "minute");
    REQUIRE(run);
    (void)dog.observe(*run, Progress{1});
    std::string errors;
    const auto after = [&](Duration length) {
        clock.advance(length);
        (void)dog.observe(*run, Heartbeat{});
        errors += bench::errors_of(dog.cycle());
        return channel.calls->sent.size();
    };
    (void)after(60s);
    REQUIRE(after(60s) == 1);  // not four at once
    const std::size_t most = 4;
    for (std::size_t sent = 1; sent < std::min<std::size_t>(static_cast<std::size_t>(refusals) + 1, most); ++sent) {
        CHECK(store.history("r")->alerts[0].state == AlertRow::State::pending);
        CHECK(errors.empty());
        CHECK(after(29s) == sent);
        CHECK(after(1s) == sent + 1);
    }
    const bool is_given_up = refusals >= static_cast<int>(most);
    CHECK(store.history("r")->alerts[0].state == (is_given_up ? AlertRow::State::dead : AlertRow::State::delivered));
    const std::string sends = std::to_string(std::min(refusals + 1, 4));
    const std::string ended = is_given_up
                                  ? "given up after " + sends + " sends: 429 Too Many Requests"
                                  : "delivered with send " + sends + " only: the channel asked to come again later";
    CHECK(errors == "notifier r: " + ended + "\n");
    for (const Alert& alert : channel.calls->sent) CHECK(alert.key == channel.calls->sent[0].key);
}

TEST_CASE("that a run is over is not lost with a crash after the alert that it waited for [M-125]") {
    const auto point = GENERATE(CrashPoint::after_answer, CrashPoint::before_answer);
    const std::uint64_t commits = GENERATE(1u, 2u, 3u);
    Bench b;
    b.notifier.answer_with({Delivery::fail});
    const RunHandle run = b.stalled();
    REQUIRE(b.history().alerts[0].state == AlertRow::State::pending);
    REQUIRE(b.dog->finish(run));
    b.notifier.answer_with({});
    b.store.crash_at_commit(commits, point);
    (void)b.after(10min);
    b.boot();
    for (int i = 0; i < 3; ++i) (void)b.after(60s);
    std::vector<std::string> read;
    std::set<std::string> keys;
    for (const Alert& alert : b.notifier.delivered())
        if (keys.insert(alert.key).second) read.push_back(alert.kind);
    CHECK(read == std::vector<std::string>{"run.unhealthy", "run.ended"});
}
