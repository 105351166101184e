// What the watchdog's verbs take and answer besides runs and errors.
#pragma once

#include <optional>

#include <heeler/core/observation.hpp>
#include <heeler/core/observed.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>

namespace heeler::inline HEELER_ABI {

/// A handle to a run that was registered. `not_stored` says why it is not durable yet; the run is watched all the same.
struct Registered : RunHandle {
    std::optional<Error> not_stored{};
    bool found = false;  ///< it was known before, here or to the store: its agent may be at work
};

}  // namespace heeler::inline HEELER_ABI
