// What every fallible call answers: a value, or an `Error` that names the value, the limit and what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include <heeler/config.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// Why a call failed. Match on this, never on the text.
enum class ErrorCode : std::uint8_t {
    invalid_argument,  ///< a value outside its limits; nothing was changed
    unknown_run,       ///< no run has this id
    ended,             ///< the run is over; nothing was changed
    fenced,            ///< sent by an incarnation that was replaced
    duplicate,         ///< a run with this id is registered already
    unsupported,       ///< the agent control has no such verb
    rejected,          ///< the agent refused the action
    failed,            ///< the action was tried and did not work
    timed_out,         ///< no answer in time: whether it happened is unknown
    busy,              ///< someone else holds the store; try again
    full,              ///< no space left for the store
    read_only,         ///< the store cannot be written
    corrupt,           ///< the store's content is damaged
    not_a_store,       ///< the file or database is something else and was left alone
    newer_schema,      ///< written by a newer heeler that this one must not touch
    older_schema,      ///< written by an older heeler, in a layout that this one does not read
    io,                ///< the environment failed in another way
    conflict,          ///< the row was changed by someone else
    lost,              ///< the connection to the store is gone
    no_recipient,      ///< nobody listens on this route
    delivery_failed,   ///< the alert did not go out; trying again may help
    permanent,         ///< the alert can never go out this way
    unstorable,        ///< the store refuses a row of the batch: a constraint, a trigger, a value too large
    under_way,         ///< the alert is being sent: ask again with the same key what became of it
};

inline constexpr std::size_t error_code_count = static_cast<std::size_t>(ErrorCode::under_way) + 1;

[[nodiscard]] constexpr std::string_view name_of(ErrorCode code) noexcept {
    constexpr std::string_view names[] = {
        "invalid_argument", "unknown_run",  "ended",    "fenced",   "duplicate", "unsupported",  "rejected",
        "failed",           "timed_out",    "busy",     "full",     "read_only", "corrupt",      "not_a_store",
        "newer_schema",     "older_schema", "io",       "conflict", "lost",      "no_recipient", "delivery_failed",
        "permanent",        "unstorable",   "under_way"};
    static_assert(std::size(names) == error_code_count);
    return names[static_cast<std::size_t>(code)];
}

/// What went wrong, for a program (`code`) and for a person (`message`). Safe to copy between threads.
struct Error {
    ErrorCode code = ErrorCode::failed;
    std::string message;
    Duration retry_after{};  ///< it was said that nothing will come of trying again sooner; 0: nothing was said
    /// Of several channels those that have the alert, although not all have it: see `Alert::taken`.
    std::vector<std::string> taken{};
};

/// A value or an `Error`. Test it, then dereference it; never call `.value()`.
template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
    return tl::unexpected<Error>(Error{code, std::move(message)});
}

namespace detail {
[[nodiscard]] inline tl::unexpected<Error> invalid(std::string why) {
    return fail(ErrorCode::invalid_argument, std::move(why));
}
}  // namespace detail

}  // namespace heeler::inline HEELER_ABI
