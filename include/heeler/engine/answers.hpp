// What the watchdog's verbs take and answer besides runs and errors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/observation.hpp>
#include <heeler/core/observed.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI {

/// A handle to a run that was registered. `not_stored` says why it is not durable yet; the run is watched all the same.
struct Registered : RunHandle {
    std::optional<Error> not_stored{};
    bool found = false;  ///< it was known before, here or to the store: its agent may be at work
};

namespace detail {

[[nodiscard]] inline Result<void> durable(std::optional<Error> error) {
    if (error) return tl::unexpected<Error>(*std::move(error));
    return {};
}

[[nodiscard]] inline Result<void> refused(Observed answer) {
    if (answer == Observed::elsewhere)
        return fail(ErrorCode::ended, "another watchdog holds the run now; nothing was changed");
    return fail(ErrorCode::ended, "the run is over; nothing was changed");
}

[[nodiscard]] inline tl::unexpected<Error> no_such_run(std::string_view id, std::string_view advice) {
    return fail(ErrorCode::unknown_run, "no run has the id `" + text::shown_name(id, 160) + "`" + std::string{advice});
}

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI
