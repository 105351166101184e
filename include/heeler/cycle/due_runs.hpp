// Which runs a cycle looks at: those whose time has come, so many at once, and whoever has waited longest first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <heeler/core/list.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/time.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What is left over stays due, so that the next cycle begins with it. `left` from any thread, all else from the one
/// that ticks.
class DueRuns {
public:
    explicit DueRuns(RunTable<WatchedRun>& table) : table_{table} {}

    /// The first `most`; never holds more than twice as many.
    [[nodiscard]] std::vector<RunHandle> take(std::size_t most, Elapsed now) {
        List<std::pair<std::int64_t, std::uint32_t>> due;   // since when, and the slot
        std::int64_t latest = RunTable<WatchedRun>::never;  // who has not waited longer than that is left over
        std::uint64_t left = 0;
        const auto leave_all_but = [&](std::size_t kept) {
            for (; due.size() > kept; due.pop_back(), ++left) table_.leave_due(due.back().second);
        };
        table_.each_due(now, [&](std::uint32_t index, std::int64_t since) {
            due.push_back({since, index});
            if (since >= latest) return leave_all_but(due.size() - 1);
            if (due.size() / 2 < most) return;
            detail::sort(due);
            leave_all_but(most);
            latest = due.back().first;
        });
        detail::sort(due);
        leave_all_but(most);
        left_.store(left, std::memory_order_relaxed);
        std::vector<RunHandle> runs;
        for (const auto& each : due) runs.push_back(table_.at(each.second));
        return runs;
    }

    /// How many the last `take` left over.
    [[nodiscard]] std::uint64_t left() const noexcept { return left_.load(std::memory_order_relaxed); }

private:
    RunTable<WatchedRun>& table_;
    std::atomic<std::uint64_t> left_{0};
};

}  // namespace heeler::inline HEELER_ABI::detail
