// Measures two sides in one process, turn by turn, and keeps the minimum of each: what is left is a ratio that hardly
// depends on the machine or on what else it does.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// How much work a run of the program may do.
struct Effort {
    bool quick = false;      ///< every row once, with little work: whether it runs, not how fast
    std::string postgres{};  ///< connection string; empty: no row for PostgreSQL

    [[nodiscard]] std::size_t of(std::size_t full, std::size_t smoke) const noexcept { return quick ? smoke : full; }
    [[nodiscard]] int rounds() const noexcept { return quick ? 1 : 7; }
    /// Short turns, several in a round: on a busy machine some of them are left alone.
    [[nodiscard]] int turns() const noexcept { return quick ? 1 : 5; }
};

/// One line of the table. Without a baseline, `measured` is compared with the budget itself.
struct Row {
    std::string what;
    double measured = 0;
    double baseline = 0;
    double budget = 0;  ///< 0: for information
    std::string unit = "ns";

    [[nodiscard]] double ratio() const noexcept { return baseline > 0 ? measured / baseline : measured; }
    [[nodiscard]] bool holds() const noexcept { return budget <= 0 || ratio() <= budget; }
};

using Rows = std::vector<Row>;

/// A value that the optimiser knows nothing about.
template <class T>
[[nodiscard]] T opaque(T value) {
    benchmark::DoNotOptimize(value);
    return value;
}

/// Nanoseconds that one of `count` operations takes which `work` does.
template <class Work>
[[nodiscard]] double time_one(std::size_t count, Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    return took.count() / static_cast<double>(count);
}

/// `ours` and `theirs` time themselves (`time_one`) and are called in turn. A row that does not hold gets a second try.
template <class Ours, class Theirs>
[[nodiscard]] Row compare(Effort effort, std::string what, double budget, Ours&& ours, Theirs&& theirs) {
    Row row{std::move(what), 0, 0, budget};
    for (int attempt = 0; attempt < (effort.quick ? 1 : 2); ++attempt) {
        double least = std::numeric_limits<double>::max();
        double least_theirs = std::numeric_limits<double>::max();
        for (int round = 0; round < effort.rounds(); ++round) {
            for (int turn = 0; turn < effort.turns(); ++turn) {
                least_theirs = std::min(least_theirs, theirs());
                least = std::min(least, ours());
            }
        }
        Row again{row.what, least, least_theirs, budget};
        if (attempt == 0 || again.ratio() < row.ratio()) row = std::move(again);
        if (row.holds()) break;
    }
    return row;
}

// One function per group of rows.
void add_beats(Effort effort, Rows& rows);
void add_lines(Effort effort, Rows& rows);
void add_calls(Effort effort, Rows& rows);
void add_chants(Effort effort, Rows& rows);
void add_ticks(Effort effort, Rows& rows);
void add_judgements(Effort effort, Rows& rows);
void add_memory(Effort effort, Rows& rows);
void add_flushes(Effort effort, Rows& rows);
void add_trees(Effort effort, Rows& rows);

}  // namespace bench
