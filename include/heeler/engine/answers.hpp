// What the watchdog's verbs take and answer besides runs and errors.
#pragma once

#include <cstdint>
#include <optional>

#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>

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

/// A handle to a run that was registered. `not_stored` says why it is not durable yet; the run is watched all the same.
struct Registered : RunHandle {
    std::optional<Error> not_stored;
};

}  // namespace heeler::inline HEELER_ABI
