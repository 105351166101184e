// Decides, when a cycle is over, whether the monitor's own context is cleared.
#pragma once

#include <cstdint>
#include <optional>

#include <heeler/core/settings.hpp>

namespace heeler::inline HEELER_ABI {

/// How a cycle of a class ended, as far as its outcomes are stored.
struct CycleEnd {
    std::uint64_t owed = 0;               ///< actions and alerts of it that nobody has tried yet
    bool failed = false;                  ///< somebody could not be told
    std::optional<std::uint64_t> size{};  ///< of the context; absent: not known
};

enum class ClearDecision : std::uint8_t {
    wait,  ///< something of the cycle is still owed
    clear,
    leave,  ///< the cycle is over, and the context stays as it is
};

/// Never before everything that the cycle owes was tried (the worker monitor: all polled, all judged, all told, nothing
/// left to retry). Whether all of it was polled, judged and stored is known before: only then is there a `CycleEnd`.
[[nodiscard]] constexpr ClearDecision decide_clear(const ContextSettings& settings, const CycleEnd& end) noexcept {
    if (!settings.auto_clear) return ClearDecision::leave;
    if (end.owed > 0) return ClearDecision::wait;
    if (end.failed && !settings.clear_on_error) return ClearDecision::leave;
    if (settings.clear_above > 0 && end.size && *end.size <= settings.clear_above) return ClearDecision::leave;
    return ClearDecision::clear;
}

}  // namespace heeler::inline HEELER_ABI
