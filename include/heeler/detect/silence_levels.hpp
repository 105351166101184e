// Silence that people are only told of.
#pragma once

#include <chrono>

#include <heeler/core/settings.hpp>
#include <heeler/core/time.hpp>
#include <heeler/detect/heartbeat_contract.hpp>

namespace heeler::inline HEELER_ABI {

/// How long a run may be silent, each strictly (the task-tree watchdog). Nothing is done about either level: a signal
/// that costs nothing may come early.
struct SilenceLevels {
    Duration suspicious = std::chrono::seconds{300};  ///< more is shown
    Duration critical = std::chrono::seconds{900};    ///< more is told to people, once, and when it is over
};

/// Makes silence what people are only told of; the rest of the settings stays.
inline void inform(HeartbeatContract<ActivityAge>::Settings& settings, const SilenceLevels& levels) {
    settings.warn_after = levels.suspicious;
    settings.act_after = levels.critical;
    settings.informs = true;
}

/// `rules.detectors.turn_on<HeartbeatContract<ActivityAge>>(silence_levels({300s, 900s}))`
[[nodiscard]] inline HeartbeatContract<ActivityAge>::Settings silence_levels(const SilenceLevels& levels = {}) {
    HeartbeatContract<ActivityAge>::Settings settings;
    inform(settings, levels);
    return settings;
}

}  // namespace heeler::inline HEELER_ABI
