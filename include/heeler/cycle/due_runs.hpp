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

    /// From the next `take` on each run comes once, whether its time has come or not. Who asks again meanwhile begins
    /// no round anew, which would never end: it is made so much longer.
    void ask_for_all() noexcept { round_left_ = table_.slots(); }
    [[nodiscard]] bool asks_for_all() const noexcept { return round_left_ > 0; }

    /// The next `most`. While a round over all goes on, it is of that.
    [[nodiscard]] std::vector<RunHandle> take(std::size_t most, Elapsed now) {
        std::vector<RunHandle> runs;
        std::uint64_t left = 0;
        if (asks_for_all()) {
            runs = table_.take_of_round(round_at_, round_left_, most);
            left = round_left_;
        } else {
            for (const Due& each : oldest(most, now, left)) runs.push_back(table_.at(each.second));
        }
        left_.store(left, std::memory_order_relaxed);
        return runs;
    }

    /// How many the last `take` left over; of a round over all, at most.
    [[nodiscard]] std::uint64_t left() const noexcept { return left_.load(std::memory_order_relaxed); }

private:
    using Due = std::pair<std::int64_t, std::uint32_t>;  ///< since when, and the slot

    /// Never holds more than twice as many as are taken.
    [[nodiscard]] List<Due> oldest(std::size_t most, Elapsed now, std::uint64_t& left) {
        List<Due> due;
        std::int64_t latest = RunTable<WatchedRun>::never;  // who has not waited longer than that is left over
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
        return due;
    }

    RunTable<WatchedRun>& table_;
    std::uint32_t round_at_ = 0;    ///< the slot at which the round over all goes on
    std::uint32_t round_left_ = 0;  ///< slots that are still to be looked into; 0: there is none
    std::atomic<std::uint64_t> left_{0};
};

}  // namespace heeler::inline HEELER_ABI::detail
