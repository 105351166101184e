// What is polled instead of reporting by itself: logs, tables, transcripts. Write one where agents only leave files.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline v0 {

/// Everything that can be reported about a run.
using Reported = std::variant<Heartbeat, SignOfLife, Output, ToolCall, ToolResult, Message, Progress, Usage,
                              StateChange, Compaction, OutputAccess>;

/// One thing that a source has found. Views stay valid until the source is polled again.
struct SourceEvent {
    Reported what{};
    std::optional<WallTime> at{};  ///< when it happened; absent or in the future: now
};

/// What a source has found since the cursor.
struct Polled {
    std::vector<SourceEvent> events{};
    std::string cursor{};           ///< where to go on; stored together with what the events changed
    std::vector<Error> problems{};  ///< what had to be passed over; the rest is good
    bool more = false;              ///< there is more than one poll may read
};

/// Reads what happened since a cursor that it made itself (empty: since the beginning). Bounded in time and memory. An
/// error means that nothing is known this time: the run's ages are not judged then. Called from the thread that ticks.
template <class T>
concept RunSourceLike = requires(T& source, std::string_view cursor) {
    { source.poll(cursor) } -> std::same_as<Result<Polled>>;
};

template <class T>
consteval bool check_source() {
    static_assert(RunSourceLike<T>,
                  "heeler: a RunSource needs `heeler::Result<heeler::Polled> poll(std::string_view)` (README: Write a "
                  "source)");
    return true;
}

}  // namespace heeler::inline v0
