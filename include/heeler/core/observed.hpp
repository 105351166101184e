// What reporting something of a run is answered with.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI {

/// What `observe` answers.
enum class Observed : std::uint8_t {
    ok,
    unknown,    ///< no run has this id
    ended,      ///< the run is over, or the handle is of another watchdog
    elsewhere,  ///< another watchdog holds the run now
    fenced,     ///< sent by an incarnation that was replaced
    refused,    ///< a value outside its limits, or a detector that threw; nothing was counted
};

inline constexpr std::array<std::string_view, 6> observed_names{"ok",        "unknown", "ended",
                                                                "elsewhere", "fenced",  "refused"};

}  // namespace heeler::inline HEELER_ABI
