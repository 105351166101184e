#include <heeler/run/run_table.hpp>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

struct TableCell {
    std::string name;
};
using CellTable = detail::RunTable<TableCell>;

std::optional<RunHandle> added(CellTable& table) {
    return table.add([](TableCell&, RunHandle) {});
}

std::string due_at(CellTable& table, Elapsed now) {
    std::string found;
    table.each_due(now, [&](std::uint32_t index, std::int64_t) { found += std::to_string(index) + " "; });
    return found;
}

}  // namespace

TEST_CASE("nobody sees a run before its cell is filled", "[run]") {
    CellTable table;
    const auto run = table.add([&](TableCell& cell, RunHandle handle) {
        CHECK_FALSE(table.current(handle));
        CHECK(table.find(handle) == nullptr);
        CHECK(table.all().empty());
        cell.name = "r";
    });
    REQUIRE(run);
    CHECK(table.find(*run)->name == "r");
    CHECK(table.all() == std::vector<RunHandle>{*run});
}

TEST_CASE("a handle is good until its slot is free, and never again", "[run]") {
    CellTable table;
    const RunHandle first = *added(table);
    table.find(first)->name = "one";
    CHECK(table.current(first));
    table.remove(first);
    table.remove(first);
    CHECK_FALSE(table.current(first));
    CHECK(table.find(first) == nullptr);
    CHECK_FALSE(table.status(first));
    CHECK_FALSE(table.beat(first, Elapsed{1s}));
    const RunHandle second = *added(table);
    CHECK(second.index == first.index);
    CHECK_FALSE(table.current(first));
    CHECK(table.find(second)->name == "one");  // the cell is as it was left
    CHECK_FALSE(table.current(RunHandle{}));
    CHECK_FALSE(table.current(RunHandle{~0u, 1}));
}

TEST_CASE("a handle of another table is stale, also in slots that were used as often", "[run]") {
    CellTable one, two;
    for (int i = 0; i < 5; ++i) {
        const RunHandle of_one = *added(one);
        const RunHandle of_two = *added(two);
        CHECK(of_one.index == of_two.index);
        CHECK_FALSE(two.current(of_one));
        CHECK_FALSE(one.current(of_two));
        one.remove(of_one);
        two.remove(of_two);
    }
}

TEST_CASE("a run that went on elsewhere is known as such until its slot went elsewhere again", "[run]") {
    CellTable table;
    const RunHandle taken = *added(table);
    CHECK_FALSE(table.is_elsewhere(taken));
    table.remove(taken, true);
    CHECK(table.is_elsewhere(taken));
    const RunHandle next = *added(table);
    CHECK(table.is_elsewhere(taken));
    CHECK_FALSE(table.is_elsewhere(next));
    table.remove(next);
    CHECK_FALSE(table.is_elsewhere(next));
    CHECK_FALSE(table.is_elsewhere(RunHandle{}));
    const volatile std::uint32_t nobody = ~0u;  // GCC warns of a constant that it sees no limit for
    CHECK_FALSE(table.is_elsewhere(RunHandle{nobody, 1}));
}

TEST_CASE("beats are kept until the run is closed, and a new run in the slot has none", "[run]") {
    CellTable table;
    const RunHandle run = *added(table);
    CHECK_FALSE(table.last_beat(run.index));
    CHECK(table.beat(run, Elapsed{7s}));
    CHECK(table.last_beat(run.index) == Elapsed{7s});
    table.close(run, Elapsed{8s});
    CHECK_FALSE(table.beat(run, Elapsed{9s}));
    CHECK(table.last_beat(run.index) == Elapsed{7s});
    CHECK(table.next_deadline() == Elapsed{8s});
    table.remove(run);
    const RunHandle next = *added(table);
    CHECK_FALSE(table.last_beat(next.index));
    CHECK(table.beat(next, Elapsed{9s}));
}

TEST_CASE("a heartbeat that comes twice counts once", "[run]") {
    CellTable table;
    const RunHandle run = *added(table);
    CHECK(table.beat(run, Elapsed{1s}, 7));
    CHECK(table.beat(run, Elapsed{2s}, 7));
    CHECK(table.last_beat(run.index) == Elapsed{1s});
    CHECK(table.beat(run, Elapsed{3s}, 8));
    CHECK(table.last_beat(run.index) == Elapsed{3s});
    // A sender that begins to count anew, one that does not count, and numbers of any size.
    for (const std::uint64_t seq : {std::uint64_t{1}, std::uint64_t{0}, std::uint64_t{0}, ~std::uint64_t{0}}) {
        const Elapsed before = *table.last_beat(run.index);
        CHECK(table.beat(run, before + 1s, seq));
        CHECK(table.last_beat(run.index) == before + 1s);
    }
    table.remove(run);
    const RunHandle next = *added(table);
    CHECK(table.beat(next, Elapsed{9s}, ~std::uint64_t{0}));
    CHECK(table.last_beat(next.index) == Elapsed{9s});
}

TEST_CASE("a run is due at its deadline, which only `look_at` puts off", "[run]") {
    CellTable table;
    const RunHandle a = *added(table), b = *added(table);
    table.look_at(a.index, Elapsed{10s});
    table.sooner(a.index, Elapsed{20s});
    table.look_at(b.index, Elapsed{30s});
    CHECK(table.next_deadline() == Elapsed{10s});
    CHECK(due_at(table, Elapsed{9s}).empty());
    CHECK(due_at(table, Elapsed{10s}) == "0 ");
    table.look_at(a.index, std::nullopt);
    CHECK(due_at(table, Elapsed{30s}) == "1 ");
    table.sooner(a.index, Elapsed{31s});
    CHECK(due_at(table, Elapsed{31s}) == "0 1 ");
    table.remove(b);
    table.look_at(a.index, std::nullopt);
    CHECK(due_at(table, Elapsed{99s}).empty());
}

// Where the compiler optimises, a look that lowers nothing in one order with other threads loses thousands of these.
TEST_CASE("a deadline that another thread lowers during a look is seen by it or by the next one", "[run]") {
    CellTable table;
    const RunHandle lowered = *added(table), due = *added(table);
    constexpr int no_more = -1;
    std::atomic<int> begun{0}, done{0};
    std::thread other{[&] {
        for (int seen = 0; seen != no_more;) {
            const int round = begun.load();
            if (round == seen) continue;
            seen = round;
            if (seen != no_more) table.sooner(lowered.index, Elapsed{1s});
            done.store(seen);
        }
    }};
    int lost = 0;
    const auto end = std::chrono::steady_clock::now() + 200ms;
    for (int round = 1; std::chrono::steady_clock::now() < end; ++round) {
        table.look_at(lowered.index, std::nullopt);
        table.look_at(due.index, Elapsed{1s});
        bool found = false;
        begun.store(round);
        for (std::atomic<int> steps{round % 97}; steps.load(std::memory_order_relaxed) > 0;)
            steps.store(steps.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
        table.each_due(Elapsed{1s}, [&](std::uint32_t index, std::int64_t) {
            found |= index == lowered.index;
            if (index == due.index) table.look_at(index, std::nullopt);
        });
        while (done.load() != round) {
        }
        const auto next = table.next_deadline();
        lost += found || (next && *next <= Elapsed{1s}) ? 0 : 1;
    }
    begun.store(no_more);
    other.join();
    CHECK(lost == 0);
}

TEST_CASE("runs beyond the first chunk have slots of their own and are due like others", "[run]") {
    CellTable table;
    std::vector<RunHandle> runs;
    for (std::uint32_t i = 0; i <= CellTable::chunk_runs; ++i) runs.push_back(*added(table));
    CHECK(runs.back().index == CellTable::chunk_runs);
    table.sooner(runs.back().index, Elapsed{5s});
    CHECK(table.next_deadline() == Elapsed{5s});
    CHECK(due_at(table, Elapsed{5s}) == std::to_string(CellTable::chunk_runs) + " ");
    CHECK(table.all().size() == runs.size());
    CHECK(table.at(3) == runs[3]);
}

TEST_CASE("the status that is shown is the run's, and a new run is healthy", "[run]") {
    CellTable table;
    const RunHandle run = *added(table);
    CHECK(table.status(run) == Status::healthy);
    table.show(run, Status::runaway);
    CHECK(table.status(run) == Status::runaway);
    table.remove(run);
    CHECK(table.status(*added(table)) == Status::healthy);
}

TEST_CASE("a look that is none leaves deadlines as they are", "[run]") {
    CellTable table;
    const RunHandle soon = *added(table), later = *added(table);
    table.look_at(soon.index, Elapsed{5s});
    table.look_at(later.index, Elapsed{9s});
    for (int i = 0; i < 2; ++i) {
        std::string found;
        table.each_due(
            Elapsed{5s}, [&](std::uint32_t index, std::int64_t) { found += std::to_string(index) + " "; }, false);
        CHECK(found == std::to_string(soon.index) + " ");
    }
    CHECK(table.next_deadline() == Elapsed{5s});
    CHECK(due_at(table, Elapsed{9s}) == std::to_string(soon.index) + " " + std::to_string(later.index) + " ");
}
