// How often fresh agents were started for one piece of work, and that no more are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <heeler/core/settings.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Of a run's lineage: the run, and those that it goes on with. A run that is registered as going on with another one
/// takes over what was counted for that one until then. Wall times, which survive restarts and which no wait moves.
struct Restarts {
    std::vector<std::int64_t> starts;     ///< those that count, oldest first, in microseconds
    std::optional<WallTime> poisoned_at;  ///< since then nobody is started any more
    std::string lineage;                  ///< the first of those that it goes on with; empty: it goes on with none

    /// One more start must not be. `excused`: it would not count.
    [[nodiscard]] bool forbid(const RestartIntensity& limit, bool excused, WallTime now) const noexcept {
        std::uint32_t count = 0;
        for (const std::int64_t each : starts) count += each > (now - limit.within).time_since_epoch().count() ? 1 : 0;
        return limit.most != 0 && (poisoned_at || (!excused && count >= limit.most));
    }
    /// What is older than the limit's time is forgotten, so that there never are more than it allows.
    void add(const RestartIntensity& limit, WallTime at) {
        const std::int64_t oldest = (at - limit.within).time_since_epoch().count();
        while (!starts.empty() && starts.front() <= oldest) starts.erase(starts.begin());
        if (limit.most != 0) starts.push_back(at.time_since_epoch().count());
    }
    void archive(auto& a) { a(starts, poisoned_at, lineage); }
};

}  // namespace heeler::inline HEELER_ABI::detail
