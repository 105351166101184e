// What waits to be carried out: rungs, alerts, and runs whose rung is done. Shared by the cycle and the deliverer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/run.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// One rung to carry out, in its own order.
struct RungJob {
    RunHandle handle;
    WatchedRun* watched = nullptr;
    std::vector<Action> actions;
    std::size_t next = 0;
    bool may_have_happened = false;  ///< the first of them that has no outcome: it is looked up, not simply asked for
    bool asked = false;              ///< it was asked for here, without an answer
    std::uint8_t looks = 0;          ///< how often it was looked up in vain
    Elapsed due = Elapsed::min();    ///< not before
};

/// One alert to send.
struct AlertJob {
    RunHandle handle;
    WatchedRun* watched = nullptr;
    AlertRow row;
};

/// Thread-safe.
class Queues {
public:
    void add(RungJob job) {
        const std::lock_guard guard{lock_};
        rungs_.push_back(std::move(job));
    }
    void add(AlertJob job) {
        const std::lock_guard guard{lock_};
        alerts_.push_back(std::move(job));
    }
    /// When the next rung or alert is due; absent: nothing waits.
    [[nodiscard]] std::optional<Elapsed> next(Instant now) const {
        const std::lock_guard guard{lock_};
        std::optional<Elapsed> earliest;
        const auto consider = [&](Elapsed due) {
            if (!earliest || due < *earliest) earliest = std::max(due, now.elapsed);
        };
        for (const auto& job : rungs_) consider(job.due);
        for (const auto& job : alerts_)
            consider(job.row.not_before <= now.wall ? now.elapsed : elapsed_at(now, job.row.not_before));
        return earliest;
    }

    /// Runs whose rung has been carried out since the last call.
    [[nodiscard]] std::vector<RunHandle> take_settled() {
        const std::lock_guard guard{lock_};
        return std::exchange(settled_, {});
    }

    [[nodiscard]] bool has_settled() const {
        const std::lock_guard guard{lock_};
        return !settled_.empty();
    }

    /// The run's rung has been carried out (or is to be settled once more).
    void add_settled(RunHandle handle) {
        const std::lock_guard guard{lock_};
        settled_.push_back(handle);
    }

    [[nodiscard]] std::vector<RungJob> take_due_rungs(Elapsed now) {
        std::vector<RungJob> due, later;
        const std::lock_guard guard{lock_};
        for (auto& job : rungs_) (job.due <= now ? due : later).push_back(std::move(job));
        rungs_ = std::move(later);
        return due;
    }

    /// Everything that waits is due now.
    void hasten() {
        const std::lock_guard guard{lock_};
        for (auto& job : rungs_) job.due = Elapsed::min();
    }

    /// Due alerts that no waiting rung will send itself, in the order in which they were made.
    [[nodiscard]] std::vector<AlertJob> take_due_alerts(Instant now) {
        std::vector<AlertJob> due;
        const std::lock_guard guard{lock_};
        std::vector<AlertJob> later;
        for (auto& job : alerts_) {
            const bool of_rung = !job.row.action_key.empty() && job.row.attempts == 0 && rung_waits(job.row.action_key);
            if (job.row.not_before <= now.wall && !of_rung)
                due.push_back(std::move(job));
            else
                later.push_back(std::move(job));
        }
        alerts_ = std::move(later);
        return due;
    }

    [[nodiscard]] bool take_alert(const std::string& action_key, AlertJob& found) {
        const std::lock_guard guard{lock_};
        for (auto it = alerts_.begin(); it != alerts_.end(); ++it) {
            if (it->row.action_key != action_key) continue;
            found = std::move(*it);
            alerts_.erase(it);
            return true;
        }
        return false;
    }

private:
    [[nodiscard]] bool rung_waits(const std::string& key) const {
        for (const auto& job : rungs_)
            for (const Action& action : job.actions)
                if (action.key == key) return true;
        return false;
    }

    mutable std::mutex lock_;
    std::vector<RungJob> rungs_;
    std::vector<AlertJob> alerts_;
    std::vector<RunHandle> settled_;
};

}  // namespace heeler::inline HEELER_ABI::detail
