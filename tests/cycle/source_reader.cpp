#include <heeler/cycle/source_reader.hpp>

#include <span>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::House;

namespace {

/// A log of numbers, read a few at a time; the cursor is how many were read.
struct NumberLog {
    std::vector<std::int64_t> lines;
    std::size_t at_once = 2;
    bool broken = false;
    std::vector<std::string> asked;
    std::vector<Error> problems;

    Result<Polled> poll(std::string_view cursor) {
        asked.emplace_back(cursor);
        if (broken) return fail(ErrorCode::io, "the log is gone");
        std::size_t next = cursor.empty() ? 0 : std::stoul(std::string{cursor});
        Polled found;
        for (std::size_t i = 0; i < at_once && next < lines.size(); ++i)
            found.events.push_back({Progress{lines[next++]}, std::nullopt});
        found.cursor = std::to_string(next);
        found.more = next < lines.size();
        found.problems = problems;
        return found;
    }
};

/// The same for many runs: each run's number goes up with every poll.
struct NumberBoard {
    std::vector<std::string> asked;
    std::vector<std::string> silent;
    bool broken = false;

    Result<std::vector<PolledRun>> poll(std::span<const RunCursor> runs) {
        if (broken) return fail(ErrorCode::io, "the board is gone");
        std::vector<PolledRun> found;
        for (const RunCursor& run : runs) {
            asked.push_back(run.run + ":" + run.cursor);
            if (std::find(silent.begin(), silent.end(), run.run) != silent.end()) continue;
            Polled polled;
            polled.events.push_back({Progress{5}, std::nullopt});
            polled.cursor = "read";
            found.push_back({run.run, std::move(polled)});
        }
        found.push_back({"nobody", Polled{}});
        return found;
    }
};

struct PolledReading : House {
    RunHandle of = run(rooms::bare_class());
    NumberLog log;

    PolledReading() { at(of).source.edit().ref = detail::SourceRef{log}; }
    CycleReport read() {
        CycleReport report;
        intake.read(of, at(of), now(), report);
        return report;
    }
};

}  // namespace

TEST_CASE("a source is read to its end, and its cursor goes with what it changed", "[cycle]") {
    PolledReading r;
    r.log.lines = {1, 2, 3, 4, 5};
    CHECK(r.read().ok());
    CHECK(r.log.asked == std::vector<std::string>{"", "2", "4"});
    CHECK((r.at(r.of).run.reported_value == 5 && r.at(r.of).source->cursor == "5"));
    CHECK((r.at(r.of).fed && r.at(r.of).dirty));
    r.at(r.of).fed = r.at(r.of).dirty = false;
    CHECK(r.read().ok());
    CHECK_FALSE(r.at(r.of).fed);  // nothing new: nothing to write
}

TEST_CASE("one look reads a source sixteen times at most", "[cycle]") {
    PolledReading r;
    r.log.lines.assign(100, 7);
    (void)r.read();
    CHECK(r.log.asked.size() == 16);
    CHECK(r.at(r.of).source->cursor == "32");
}

TEST_CASE("a source that cannot be read is said once, and again after it worked", "[cycle]") {
    PolledReading r;
    r.log.broken = true;
    CHECK(r.read().errors == 1);
    CHECK(r.at(r.of).source->lost_since);
    CHECK(r.read().errors == 0);
    r.log.broken = false;
    r.log.problems = {{ErrorCode::corrupt, "line 3 is none"}};
    CHECK_THAT(bench::errors_of(r.read()), ContainsSubstring("line 3 is none"));
    CHECK_FALSE(r.at(r.of).source->lost_since);
    r.log.broken = true;
    CHECK(r.read().errors == 1);
}

TEST_CASE("a class's source is asked once for all its runs, but not for those with a source of their own", "[cycle]") {
    PolledReading r;
    (void)r.run(rooms::bare_class(), bench::spec_of("a"));
    (void)r.run(rooms::bare_class(), bench::spec_of("b"));
    (void)r.run(rooms::bare_class("other"), bench::spec_of("c"));
    NumberBoard board;
    CHECK_FALSE(r.sources.watches("bare"));
    r.sources.watch("bare", detail::GroupSourceRef{board});
    CHECK(r.sources.watches("bare"));
    board.silent = {"b"};
    CycleReport report;
    r.intake.read_groups(r.registry.in_order_of_ids(r.table.all()), true, r.now(), report);
    CHECK(board.asked == std::vector<std::string>{"a:", "b:"});
    CHECK(r.at(*r.registry.find("a")).run.reported_value == 5);
    CHECK(r.at(*r.registry.find("a")).source->cursor == "read");
    CHECK_FALSE(r.at(*r.registry.find("b")).source->lost_since);
    board.asked.clear();
    r.intake.read_groups(r.table.all(), false, r.now(), report);
    CHECK(board.asked.empty());  // none of them is to be judged now
    board.broken = true;
    r.intake.read_groups(r.table.all(), true, r.now(), report);
    CHECK(report.errors == 1);  // one error about all of them
    CHECK(r.at(*r.registry.find("b")).source->lost_since);
}

TEST_CASE("an age that the source tells puts the last checkpoint right, unless the run waited", "[cycle]") {
    struct Aged {
        Result<Polled> poll(std::string_view) {
            Polled found;
            found.checkpoint_age = 20s;
            return found;
        }
    };
    PolledReading r;
    Aged aged;
    r.at(r.of).source.edit().ref = detail::SourceRef{aged};
    r.clock.advance(100s);
    (void)r.read();
    CHECK(r.at(r.of).run.checkpoint_base == 80s);
    r.at(r.of).run.waited = 5s;
    r.clock.advance(100s);
    (void)r.read();
    CHECK(r.at(r.of).run.checkpoint_base == 80s);
}

TEST_CASE("a source that answers late is not taken to have spoken when it was asked", "[cycle]") {
    struct Slow {
        ManualClock& clock;
        Result<std::vector<PolledRun>> poll(std::span<const RunCursor> runs) {
            clock.advance(30s);
            Polled found;
            found.events.push_back({Heartbeat{}, std::nullopt, 10s});
            found.checkpoint_age = 20s;
            found.cursor = "read";
            return std::vector<PolledRun>{{runs.front().run, found}};
        }
    };
    House house;
    const RunHandle run = house.run(rooms::bare_class());
    Slow slow{house.clock};
    house.sources.watch("bare", detail::GroupSourceRef{slow});
    house.clock.advance(100s);
    CycleReport report;
    house.intake.read_groups({run}, true, house.now(), report);
    CHECK(house.at(run).run.checkpoint_base == 110s);
    CHECK(house.at(run).run.last_alive == 120s);
}
