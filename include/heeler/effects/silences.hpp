// The silences that stand, as the last cycle found them, and whether one of them swallows an alert.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/alert/silence.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/effects/queues.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Thread-safe, also for who holds a run's lock: its own is never held while one of those is waited for.
class Silences {
public:
    void set(const List<DecisionRow>& standing) {
        const std::lock_guard guard{lock_};
        if (!standing.empty() || !standing_.empty()) standing_ = standing;
        any_.store(!standing_.empty(), std::memory_order_release);
    }

    /// Whether this one is in force yet.
    [[nodiscard]] bool stands(std::uint64_t number) const {
        const std::lock_guard guard{lock_};
        for (const DecisionRow& row : standing_)
            if (row.number == number) return true;
        return false;
    }

    /// The oldest that is about this alert at this moment.
    [[nodiscard]] std::optional<DecisionRow> about(const AlertJob& job, WallTime now) const {
        std::string run;
        std::vector<std::string> tags;
        if (!any_.load(std::memory_order_acquire)) return std::nullopt;
        {
            const std::lock_guard of_run{job.watched->lock};
            run = job.watched->run.id;
            tags = job.watched->spec.tags();
        }
        const std::lock_guard guard{lock_};
        for (const DecisionRow& row : standing_)
            if (now < *row.until && is_about(row.about, job.row.alert, run, job.rules->rules.name, tags)) return row;
        return std::nullopt;
    }

private:
    mutable std::mutex lock_;
    List<DecisionRow> standing_;
    std::atomic<bool> any_{false};
};

}  // namespace heeler::inline HEELER_ABI::detail
