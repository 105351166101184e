// What clears the context of the monitor itself after a cycle.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

/// Clears the monitor's own context (a conversation, a scratch pad), never a worker's: `clear() -> Result<void>`. What
/// identifies the monitor stays: its prompt, its tools, its session. Called from the thread that delivers; an error is
/// said, and it is asked again when the next cycle begins; with a `Runner`, at the end of that cycle, for people are
/// told of it first. Optional: `size()`, a number of any unit or an optional one, for `ContextSettings::clear_above`.
template <class T>
concept ContextResetLike = requires(T& context) {
    { context.clear() } -> std::same_as<Result<void>>;
};

template <class T>
consteval bool check_context_reset() {
    static_assert(
        ContextResetLike<T>,
        "heeler: a ContextReset needs `heeler::Result<void> clear()` (README: Clear the monitor's own context)");
    return true;
}

/// What became of the monitor's own context so far.
struct ContextClears {
    std::uint64_t done = 0;
    std::uint64_t failed = 0;
    std::optional<std::uint64_t> last_size{};  ///< just before the newest clear that worked, where the context tells it
};

}  // namespace heeler::inline HEELER_ABI
