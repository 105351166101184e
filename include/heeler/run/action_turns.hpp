// Whose turn it is when a watchdog does little at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include <heeler/core/incident.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// On record of what waits for its turn.
inline constexpr std::string_view waits_for_its_turn = R"({"what":"action","why":"turn"})";

/// Of the runs whose classes bound how much is done within a minute: whoever has waited longest comes first.
/// Thread-safe.
class ActionTurns {
public:
    static constexpr Duration within = std::chrono::minutes{1};

    /// Something was done then.
    void count(Elapsed at) {
        const std::lock_guard guard{lock_};
        done_.push_back(at);
    }

    /// Whether it is the run's turn, if so many are taken at most; 0: it always is.
    [[nodiscard]] bool is_turn_of(RunHandle run, std::uint32_t most, Elapsed now) {
        if (most == 0) return true;
        const std::lock_guard guard{lock_};
        detail::drop_if(done_, [&](Elapsed at) { return now - at >= within; });
        std::size_t before = done_.size();
        for (std::size_t i = 0; before < most && i < waiting_.size() && waiting_[i] != run; ++i) ++before;
        return before < most;
    }

    /// It waits for its turn, or it does not. True: it begins to.
    bool wait(RunHandle run, bool waits) {
        const std::lock_guard guard{lock_};
        if (waits == detail::contains(waiting_, run)) return false;
        if (waits)
            waiting_.push_back(run);
        else
            detail::drop_if(waiting_, [&](RunHandle each) { return each == run; });
        return waits;
    }

private:
    std::mutex lock_;
    List<Elapsed> done_;
    List<RunHandle> waiting_;
};

}  // namespace heeler::inline HEELER_ABI::detail
