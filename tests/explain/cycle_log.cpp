#include <heeler/explain/cycle_log.hpp>

#include <cstdio>
#include <string>
#include <thread>

#include <heeler/engine/runner.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

/// A file to log into, and what is in it.
class LogFile {
public:
    LogFile() : file_{std::fopen(scratch_.path().c_str(), "w")} { REQUIRE(file_ != nullptr); }
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;
    ~LogFile() { std::fclose(file_); }

    [[nodiscard]] std::FILE* stream() const noexcept { return file_; }
    [[nodiscard]] std::string text() const { return scratch_.content(); }

private:
    ScratchLog scratch_;
    std::FILE* file_;
};

ActionEvent act(std::string run, ActionKind kind, ActionOutcome outcome = ActionOutcome::done) {
    ActionEvent event;
    event.run = std::move(run);
    event.action.kind = kind;
    event.action.outcome = outcome;
    return event;
}

}  // namespace

TEST_CASE("a day of continuations is summed up in the cycles that did something [M-181]") {
    Bench b;
    b.classes = {presets::checkpoint_continuation()};
    b.boot();
    const LogFile log;
    CycleLog note{b.clock, log.stream()};
    (void)b.run("a");
    const RunHandle steady = b.run("b");
    for (int quarter = 1; quarter <= 7; ++quarter) {
        b.clock.advance(900s);
        if (quarter < 6) REQUIRE(b.dog->checkpoint(steady, {quarter, "step"}));
        if (quarter == 6) REQUIRE(b.dog->finish(steady));
        note(b.cycle());
    }
    CHECK(log.text() ==
          "2027-01-15T08:30:00.000Z heeler cycle: 2 runs checked, 1 healthy, 1 acted on: [a] spawn done\n"
          "2027-01-15T09:00:00.000Z heeler cycle: 2 runs checked, 1 healthy, 1 acted on: [a] spawn done\n"
          "2027-01-15T09:30:00.000Z heeler cycle: 1 run checked, 1 acted on: [a] escalate done, mark_failed done\n");
    CHECK(b.notifier.sent().size() == 1);  // the summary itself is sent to nobody
}

TEST_CASE("a healthy cycle has no summary [M-181]") {
    CycleReport report;
    report.checked = report.healthy = 12;
    CHECK(summary_of(report).empty());
    report.events.emplace_back(StatusEvent{});
    CHECK(summary_of(report).empty());
    report.suppressed = 1;
    CHECK(summary_of(report) == "12 runs checked, 12 healthy, 1 held back");
}

TEST_CASE("both halves of a cycle make sense alone [M-181]") {
    CycleReport judged;
    judged.checked = 2;
    judged.acted = 1;
    CHECK(summary_of(judged).empty());  // what was decided is told when it is done
    CycleReport carried_out;
    carried_out.events.emplace_back(act("a", ActionKind::spawn, ActionOutcome::failed));
    CHECK(summary_of(carried_out) == "1 acted on: [a] spawn failed");
}

TEST_CASE("however much a cycle did, its summary is one line [M-181]") {
    CycleReport report;
    for (int i = 0; i < 100; ++i)
        report.events.emplace_back(act("run\n\x1b[2J" + std::to_string(i), ActionKind::nudge));
    const std::string text = summary_of(report);
    CHECK(text.starts_with("100 acted on: [run \\u{1B}[2J0] inject:nudge done; "));
    CHECK(text.ends_with("[run \\u{1B}[2J31] inject:nudge done; and 68 more"));
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    report.events = List<Event>(32, act(std::string(160, 'x'), ActionKind::nudge));
    CHECK(summary_of(report).size() <= 4096);
}

TEST_CASE("errors of a cycle are lines of their own in its log [M-181]") {
    const LogFile log;
    CycleLog note{ManualClock{bench::start}, log.stream()};
    CycleReport report;
    report.error("commit", "r", Error{ErrorCode::full, "the disk is full\nfree some space"});
    note(report);
    CHECK(log.text() ==
          "2027-01-15T08:00:00.000Z heeler cycle: 1 error\n"
          "2027-01-15T08:00:00.000Z ERROR heeler [r] commit: the disk is full free some space\n");
}

TEST_CASE("an error that goes on is in the log once, then every minute, whatever its words are [M-181]") {
    const LogFile log;
    ManualClock clock{bench::start};
    CycleLog note{clock, log.stream()};
    for (int second = 0; second < 120; ++second) {
        CycleReport report;
        report.error("lease", {}, Error{ErrorCode::busy, "for " + std::to_string(120 - second) + " s more"});
        note(report);
        clock.advance(1s);
    }
    CHECK(log.text() ==
          "2027-01-15T08:00:00.000Z heeler cycle: 1 error\n"
          "2027-01-15T08:00:00.000Z ERROR heeler [] lease: for 120 s more\n"
          "2027-01-15T08:01:00.000Z heeler cycle: 1 error\n"
          "2027-01-15T08:01:00.000Z ERROR heeler [] lease: for 60 s more (60 times since this was said)\n");
}

TEST_CASE("a runner writes the log of its cycles [M-181]") {
    Bench b;
    const LogFile log;
    (void)b.stalled();
    (void)b.after(60s);
    b.clock.advance(60s);
    Runner runner{*b.dog, 10ms, CycleLog{b.clock, log.stream()}};
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (log.text().empty() && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(5ms);
    runner.stop();
    CHECK(log.text() ==
          "2027-01-15T08:04:00.000Z heeler cycle: 1 acted on: [r] snapshot done, escalate done, terminate done\n");
}
