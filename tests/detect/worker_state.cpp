#include <heeler/detect/worker_state.hpp>

#include <string>
#include <utility>

#include <heeler/text/line_splitter.hpp>

#include "support/catch.hpp"
#include "support/checked_settings.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// A worker as its polls see it.
struct Worker {
    facts::Taught<WorkerState> rule{};
    facts::At at{1s};
    text::LineSplitter lines{};

    Worker& prints(std::string_view line) {
        rule.learn(OutputLine{line});
        return *this;
    }
    Worker& says(std::string reported, RunState state = RunState::running) {
        at.run.words.edit().reported = std::move(reported);
        at.run.state = state;
        return *this;
    }
    /// As it comes, the end of it unfinished.
    Worker& types(std::string_view text) {
        Observation seen;
        lines.feed(text, true, [&](std::string_view line, text::Fingerprint print) {
            seen.exact = print.exact;
            seen.event = OutputLine{line};
            WorkerState{}.learn(rule.memory, rule.settings, seen);
        });
        rule.learn(Output{text, true});
        return *this;
    }
    /// Looked at, at the end of an interval or before.
    std::optional<Finding> look() {
        static_cast<void>(WorkerState{}.poll(rule.memory, rule.settings, at.run, {}, at.now));
        return rule.check(at);
    }
    std::optional<Finding> poll(bool whole = true) {
        IntervalSample sample = facts::sample(1, 0);
        sample.whole = whole;
        rule.learn(sample);
        return look();
    }
    std::string detail(const Finding& finding, std::string_view name) const {
        for (const Detail& each : WorkerState{}.details(rule.memory, rule.settings, at.run, finding))
            if (each.name == name) return each.value;
        return "(none)";
    }
};

}  // namespace

TEST_CASE("the first poll is the baseline, the third one after it without a change is stuck [M-036][M-037]") {
    Worker worker;
    worker.prints("Processing file 42").says("working");
    CHECK_FALSE(worker.poll());
    CHECK_FALSE(worker.poll());
    CHECK_FALSE(worker.poll());
    const auto stuck = worker.poll();
    REQUIRE(stuck);
    CHECK(stuck->condition == Condition::stalled);
    CHECK(stuck->level == Level::nudge);
    CHECK(worker.detail(*stuck, "intervals_stuck") == "3");
    CHECK(worker.detail(*stuck, "duration_secs") == "180");
    CHECK(worker.detail(*stuck, "last_output_preview") == "Processing file 42");
}

TEST_CASE("of a worker that a list brought the first poll is the baseline of every state [M-037][D-59]") {
    const std::string status = GENERATE("complete", "needs_input", "error", "working");
    Worker worker;
    worker.at.run.found = true;
    worker.prints("Error: no such file").prints("Do you want to proceed? (y/n)").says(status);
    CHECK_FALSE(worker.poll());
    SECTION("what is still so at the second is found") { CHECK(worker.poll()); }
    SECTION("what is over by then is not") {
        for (int i = 0; i < 5; ++i) worker.prints("step " + std::to_string(i));
        CHECK_FALSE(worker.says("working").poll());
    }
}

TEST_CASE("what a host reports of a run that it registered is told at the first poll [M-037][D-59]") {
    Worker worker;
    CHECK(worker.says("error").poll());
}

TEST_CASE("a first look between two polls is the baseline as well, and no look between two counts [M-037]") {
    Worker worker;
    worker.prints("x");
    CHECK_FALSE(worker.look());
    CHECK_FALSE(worker.look());
    CHECK_FALSE(worker.poll());
    CHECK_FALSE(worker.look());
    CHECK_FALSE(worker.poll());
    CHECK(worker.poll());
}

TEST_CASE("another last line or another status begins the count anew, blanks around a line do not [M-035][M-036]") {
    Worker worker;
    worker.prints("  12 files ").says("working");
    for (int i = 0; i < 3; ++i) CHECK_FALSE(worker.poll());
    SECTION("another line") { worker.prints("13 files"); }
    SECTION("another status") { worker.says("compiling"); }
    SECTION("the same line again") {
        worker.prints("12 files");
        CHECK(worker.poll());
        return;
    }
    for (int i = 0; i < 3; ++i) CHECK_FALSE(worker.poll());
    CHECK(worker.poll());
}

TEST_CASE("an interval that was not watched as a whole counts for nothing [M-036]") {
    Worker worker;
    worker.prints("x");
    worker.poll();
    for (int i = 0; i < 9; ++i) CHECK_FALSE(worker.poll(false));
    CHECK_FALSE(worker.poll());
}

TEST_CASE("a worker has one state: complete, needs input, error, stuck, working [M-082][M-079][M-080][M-073][M-078]") {
    Worker worker;
    worker.prints("Allow? rm -rf build").prints("Error: x").says("error");
    for (int i = 0; i < 5; ++i) worker.poll();
    CHECK(worker.says("Complete").look()->condition == Condition::complete);
    CHECK(worker.says("error").look()->condition == Condition::needs_input);
    worker.prints("Error: y");
    CHECK(worker.look()->condition == Condition::failed);
    for (int i = 0; i < 5; ++i) worker.prints("fine now");
    CHECK(worker.look()->condition == Condition::failed);
    CHECK_FALSE(worker.says("working").look());
    for (int i = 0; i < 3; ++i) worker.poll();
    CHECK(worker.look()->condition == Condition::stalled);
}

TEST_CASE("while it waits only what it waits for, or that it is done, is found [M-080]") {
    Worker worker;
    worker.prints("Error: x").says("", RunState::waiting_human);
    worker.at.run.waiting_since = worker.at.now.elapsed;
    CHECK(worker.look()->condition == Condition::needs_input);
    CHECK_FALSE(worker.says("", RunState::rate_limited).look());
    CHECK(worker.says("done", RunState::queued).look()->condition == Condition::complete);
}

TEST_CASE("a question is open until output follows it [M-080]") {
    Worker worker;
    worker.prints("Do you want to proceed?").prints("  1. Yes").prints("  2. No");
    CHECK(worker.poll()->condition == Condition::needs_input);
    for (int i = 0; i < 9; ++i) CHECK(worker.poll()->condition == Condition::needs_input);
    worker.prints("proceeding");
    CHECK_FALSE(worker.poll());
    worker.prints("Overwrite? [Y/n]");
    const auto again = worker.poll();
    REQUIRE(again);
    CHECK(worker.detail(*again, "prompt_preview") == "Overwrite? [Y/n]");
    CHECK(worker.detail(*again, "prompt_type") == "confirmation");
}

TEST_CASE("errors are looked for in the last five lines, and five are shown [M-073][M-119]") {
    Worker worker;
    worker.prints("the build failed");
    for (const char* line : {"1", "2", "3", "4"}) worker.prints(line);
    const auto error = worker.look();
    REQUIRE(error);
    CHECK(error->condition == Condition::failed);
    CHECK(worker.detail(*error, "error_source") == "output");
    CHECK(worker.detail(*error, "error_context") == "the build failed");
    CHECK(worker.detail(*error, "output_tail") == "the build failed\n1\n2\n3\n4");
    worker.prints("5");
    CHECK_FALSE(worker.look());
}

TEST_CASE("a line that is not finished is the last one: what it asks, or fails with, is found [M-080][M-073]") {
    Worker worker;
    worker.types("compiling\r\nDo you want to pro").types("ceed? (y/n) ");
    for (int i = 0; i < 9; ++i) {
        const auto asks = worker.poll();
        REQUIRE(asks);
        CHECK(asks->condition == Condition::needs_input);
        CHECK(worker.detail(*asks, "prompt_preview") == "Do you want to proceed? (y/n) ");
    }
    SECTION("an answer on its line is no more of it") {
        worker.types("y\n");
        CHECK(worker.poll()->condition == Condition::needs_input);
        CHECK(worker.rule.memory.lines == 2);
        worker.types("goes on");
        CHECK_FALSE(worker.poll());
        CHECK(worker.rule.memory.lines == 3);
    }
    SECTION("the next one fails") {
        worker.types("y\npanic: boom");
        const auto error = worker.poll();
        REQUIRE(error);
        CHECK(error->condition == Condition::failed);
        CHECK(worker.detail(*error, "error_context") == "panic: boom");
        CHECK(worker.detail(*error, "output_tail") == "compiling\nDo you want to proceed? (y/n) y\npanic: boom");
    }
}

TEST_CASE("a line that grows is no stuck worker, one that is finished is no other [M-035][M-036]") {
    Worker worker;
    worker.types("go\n");
    const std::string more(GENERATE(1U, 100U, 700U), '.');
    for (int i = 0; i < 9; ++i) {
        worker.types(more);
        CHECK_FALSE(worker.poll());
    }
    CHECK(worker.rule.memory.tail.back().size() <= WorkerState::line_cap);
    CHECK(worker.rule.memory.tail.size() == 2);
    if (more.size() > 1) return;
    worker.types("  ");
    CHECK_FALSE(worker.poll());
    worker.types("\n");
    CHECK_FALSE(worker.poll());
    CHECK(worker.poll());
}

TEST_CASE("of a line that is printed over what is seen counts [M-035]") {
    Worker worker;
    const std::string_view before = GENERATE("\r", ""), behind = before.empty() ? "\r" : "";
    const auto draws = [&](const std::string& text) -> Worker& {
        return worker.types(std::string{before} + text + std::string{behind});
    };
    for (int i = 0; i < 99; ++i) CHECK_FALSE(draws("working " + std::to_string(i) + " %").poll());
    CHECK(worker.rule.memory.tail == std::vector<std::string>{"working 98 %" + std::string{behind}});
    for (int i = 0; i < 2; ++i) CHECK_FALSE(draws("working 98 %").poll());
    CHECK(draws("working 98 %").poll()->condition == Condition::stalled);
    CHECK(draws("Overwrite? [Y/n] ").poll()->condition == Condition::needs_input);
}

TEST_CASE("who says so is named before what is printed [M-074]") {
    Worker worker;
    worker.prints("fatal: no").says("Failed");
    const auto error = worker.look();
    REQUIRE(error);
    CHECK(worker.detail(*error, "error_source") == "status");
    CHECK(worker.detail(*error, "error_context") == "Failed");
}

TEST_CASE("a pattern that ends in a digit is not the beginning of another number [M-073]") {
    const auto is_error = [](std::string_view line) { return Worker{}.prints(line).look().has_value(); };
    CHECK(is_error("exit 1"));
    CHECK(is_error("make: exit 1 (ignored)"));
    CHECK_FALSE(is_error("exit 10 of the motorway"));
    CHECK(is_error("exit 10, then exit 1"));
    for (const char* pattern :
         {"Error:", "ERROR:", "error:", "panic:", "PANIC:", "fatal:", "FATAL:", "failed", "Failed", "FAILED", "[1]"})
        CHECK(is_error(std::string{"x "} + pattern + " y"));
    CHECK_FALSE(is_error("no Errors, nothing fatal"));
}

TEST_CASE("a command's exit status is an error unless it is 0 [M-073]") {
    const auto is_error = [](std::string_view line) { return Worker{}.prints(line).look().has_value(); };
    for (const char* line : {"exit 2", "make: exit 10", "Exit code 127", "exit status 2 (ignored)", "exit code: 2",
                             "exit code=-9", "[2]   Exit 127                make", "exit status 0, then exit status 3"})
        CHECK(is_error(line));
    for (const char* line : {"exit 0", "exit code 0", "exit status: 00", "exit 2 of 7", "exit", "exit ", "exit code",
                             "[2]+  Exit 0  make", "[2]", "xit 2", "exit codes 2"})
        CHECK_FALSE(is_error(line));
    Worker worker;
    worker.rule.settings.exit_status = false;
    CHECK_FALSE(worker.prints("exit 2").look());
}

TEST_CASE("a count of none that failed is no error [M-073]") {
    const auto is_error = [](std::string_view line) { return Worker{}.prints(line).look().has_value(); };
    for (const char* line : {"0 failed, 12 passed", "test result: ok. 12 passed; 0 failed; 0 ignored", "0 failed",
                             "Passed! - Failed:     0, Passed:    12", "Failed: 0"})
        CHECK_FALSE(is_error(line));
    for (const char* line : {"10 failed, 2 passed", "1 failed", "Failed: 3", "Failed: 01", "Error: 0 bytes written",
                             "0 failed, then 2 failed", "failed", " failed: disk full"})
        CHECK(is_error(line));
}

TEST_CASE("what it keeps is bounded, and survives a restart [M-136]") {
    Worker worker;
    const std::string long_line(100'000, 'x');
    for (int i = 0; i < 100; ++i) worker.prints(long_line);
    CHECK(worker.rule.memory.tail.size() == 5);
    CHECK(worker.rule.memory.tail.back().size() == WorkerState::line_cap);
    worker.poll();
    worker.poll();
    ArchiveWriter to{worker.at.now};
    to(worker.rule.memory);
    CHECK(to.bytes().size() < 3600);
    Worker next;
    ArchiveReader from{to.bytes(), worker.at.now};
    from(next.rule.memory);
    REQUIRE(from.ok());
    CHECK_FALSE(next.poll());
    CHECK(next.poll());
}

TEST_CASE("a last line of which nothing may be kept is told from another by its fingerprint [M-037]") {
    Worker worker;
    const auto prints_secret = [&](std::uint64_t exact) {
        Observation seen;
        seen.event = OutputLine{};
        seen.exact = exact;
        WorkerState{}.learn(worker.rule.memory, worker.rule.settings, seen);
    };
    for (std::uint64_t i = 1; i < 10; ++i) {
        prints_secret(i);
        CHECK_FALSE(worker.poll());
    }
    for (int i = 0; i < 2; ++i) {
        prints_secret(9);
        CHECK_FALSE(worker.poll());
    }
    prints_secret(9);
    CHECK(worker.poll());
}

TEST_CASE("settings of worker states that cannot work are refused") {
    WorkerState::Settings settings;
    CHECK(checked<WorkerState>(settings));
    settings.stuck_after = 0;
    CHECK(checked<WorkerState>(settings).error().message == "worker_state: stuck_after is 0; it must be 1 to 1000");
    settings = {};
    settings.lines = 21;
    CHECK(checked<WorkerState>(settings).error().message == "worker_state: lines is 21; it must be 1 to 20");
    settings = {};
    settings.error_patterns.emplace_back();
    CHECK_FALSE(checked<WorkerState>(settings));
}

TEST_CASE("the end of the output is stored without secrets, and nothing changes by that [M-184]") {
    Worker before;
    before.prints("token=hunter2").prints("Bearer\n").prints("ghp_0123456789abcdefghij").prints("0123456789abcdef ");
    CHECK_FALSE(before.poll());
    ArchiveWriter writer{before.at.now};
    before.rule.memory.archive(writer);
    CHECK(writer.bytes().find("hunter2") == std::string::npos);
    CHECK(writer.bytes().find("0123456789") == std::string::npos);
    CHECK(before.rule.memory.tail.front() == "token=hunter2");
    Worker after;
    ArchiveReader reader{writer.bytes(), after.at.now};
    after.rule.memory.archive(reader);
    REQUIRE(reader.ok());
    CHECK(after.rule.memory.tail.back() == "[redacted] ");
    for (int i = 0; i < 2; ++i) CHECK_FALSE(after.poll());
    CHECK(after.poll());
}

TEST_CASE("a line that is not finished is stored without secrets, and goes on after a restart [M-184][M-136]") {
    Worker before;
    before.types("one\ntoken=hunter2 Allow?");
    CHECK(before.poll());
    ArchiveWriter writer{before.at.now};
    before.rule.memory.archive(writer);
    CHECK(writer.bytes().find("hunter2") == std::string::npos);
    Worker after;
    ArchiveReader reader{writer.bytes(), after.at.now};
    after.rule.memory.archive(reader);
    REQUIRE(reader.ok());
    REQUIRE(reader.at_end());
    CHECK(after.poll()->condition == Condition::needs_input);
    after.types(" yes\n");
    CHECK(after.rule.memory.lines == 2);
    CHECK(after.rule.memory.tail.size() == 2);
}

TEST_CASE("nobody is stuck for polls from before a gap until as many were seen after it [D-57]") {
    Worker worker;
    worker.prints("Processing file 42").says("working");
    for (int i = 0; i < 3; ++i) CHECK_FALSE(worker.poll());
    worker.at.run.seen_from = worker.at.run.working(worker.at.now.elapsed);
    for (int i = 0; i < 2; ++i) {
        worker.at.now.elapsed += 60s;
        const auto found = worker.poll();
        REQUIRE(found);
        CHECK(found->is_put_off());
    }
    SECTION("it works") {
        worker.prints("Processing file 43");
        CHECK_FALSE(worker.poll());
    }
    SECTION("it does not") {
        worker.at.now.elapsed += 60s;
        const auto found = worker.poll();
        REQUIRE(found);
        CHECK(found->condition == Condition::stalled);
    }
    SECTION("what it says of itself counts at once") {
        worker.says("error");
        CHECK(worker.poll()->condition == Condition::failed);
    }
}

TEST_CASE("nobody is stuck while something takes long, nor for polls from before its end [M-191]") {
    Worker worker;
    worker.prints("Processing file 42").says("working");
    for (int i = 0; i < 3; ++i) CHECK_FALSE(worker.poll());
    worker.at.run.excuses.edit().until = worker.at.run.working(worker.at.now.elapsed) + 60s;
    for (int i = 0; i < 3; ++i) {
        worker.at.now.elapsed += 60s;
        CHECK(worker.poll()->is_put_off());
    }
    worker.at.now.elapsed += 60s;
    CHECK(worker.poll()->condition == Condition::stalled);
}
