// What is polled instead of reporting by itself: logs, tables, transcripts. Write one where agents only leave traces.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// Everything that can be reported about a run.
using Reported = std::variant<Heartbeat, SignOfLife, Output, ToolCall, ToolResult, Message, Progress, Usage,
                              StateChange, Compaction, OutputAccess, CheckpointNote, Reading, Resource>;

namespace detail {
template <class What, class... All>
consteval bool is_one_of(const std::variant<All...>*) {
    return (std::is_same_v<What, All> || ...);
}
}  // namespace detail

/// What `observe` takes: a checkpoint goes through `checkpoint`, which is durable.
template <class What>
inline constexpr bool is_observation = detail::is_one_of<What>(static_cast<const Reported*>(nullptr)) &&
                                       !std::is_same_v<What, CheckpointNote>;

template <class What>
consteval bool check_observation() {
    static_assert(!std::is_same_v<What, CheckpointNote>,
                  "heeler: a CheckpointNote is durable: call `checkpoint(run, note)` (README: How it works)");
    static_assert(
        is_observation<What> || std::is_same_v<What, CheckpointNote>,
        "heeler: `observe` takes Heartbeat, SignOfLife, Output, ToolCall, ToolResult, Message, Progress, Usage, "
        "StateChange, Compaction, OutputAccess, Reading or Resource (README: How it works)");
    return true;
}

/// One thing that a source has found. Views stay valid until the source is polled again.
struct SourceEvent {
    Reported what{};
    std::optional<WallTime> at{};   ///< when it happened; absent or in the future: now
    std::optional<Duration> age{};  ///< how long ago, where another clock than this host's says so; comes before `at`
    std::uint32_t incarnation = 0;  ///< of the agent that left it; 0: the current one. An older one's is not heard
};

/// What a source has found since the cursor.
struct Polled {
    std::vector<SourceEvent> events{};
    std::string cursor{};           ///< where to go on; stored together with what the events changed
    std::vector<Error> problems{};  ///< what had to be passed over; the rest is good
    bool more = false;              ///< there is more than one poll may read
    /// How long ago the last checkpoint was written, or the attempt began if there is none, by the clock of whoever
    /// keeps it: it corrects what hosts with other clocks took down. Of the agent of `incarnation`; 0: the current one.
    std::optional<Duration> checkpoint_age{};
    std::uint32_t incarnation = 0;
    std::vector<Record> records{};  ///< to be put on record together with what the events change
    /// When the run began; heard if that is before it was registered, and the host did not say.
    std::optional<WallTime> began{};
    /// Of tools, since it began and as far as they are counted, with those in `events`; more than were seen are heard.
    std::optional<std::uint64_t> calls{};
};

/// Reads what happened since a cursor that it made itself (empty: since the beginning). Bounded in time and memory. An
/// error means that nothing is known this time: the run's ages are not judged then. Called from the thread that ticks.
template <class T>
concept RunSourceLike = requires(T& source, std::string_view cursor) {
    { source.poll(cursor) } -> std::same_as<Result<Polled>>;
};

/// How far one run was read.
struct RunCursor {
    std::string run{};
    std::string cursor{};  ///< made by the source; empty: nothing was read yet
    std::string name{};    ///< of the run: what a list knows it by
};

/// What a source of many runs has found of one. An error: nothing is known of this run this time.
struct PolledRun {
    std::string run{};
    Result<Polled> found{};
};

/// Reads what happened to many runs at once: a table that agents write, a list of workers. Runs without news may be
/// left out; an error is about all of them. Otherwise as `RunSourceLike`. Optional: `checkpoint_every() -> Duration`,
/// how long after a checkpoint nobody is replaced; a class that would act sooner is refused. Optional: `ListsRuns`.
/// `poll` takes what such a list converts to: a `std::span<const RunCursor>`, whose header it includes itself.
template <class T>
concept GroupSourceLike = requires(T& source, const std::vector<RunCursor>& runs) {
    { source.poll(runs) } -> std::same_as<Result<std::vector<PolledRun>>>;
};

/// Says which runs of the class there are, each time before they are judged, and once per period while there are none.
///
/// A run is known by its `name`; leave `id` empty: it is the name, or `name#2` and so on for one that returns. A name
/// that is new, and that the class's filter admits, is a run from now on. One that is missing is polled once more; if
/// that does not end its run, the run is cancelled, which is on record as `vanished`. A name that returns after that
/// is a new run; one whose run ended while it was listed is left alone until it was missing once, or has a
/// `started_at` after that end. An error means that nothing is known: nobody is dropped.
///
/// Runs that a host registered itself may be missing until they were listed once, but not after a restart. Several
/// watchdogs that share a store need the same list; of names whose ids are in use there, 128 are looked into per list,
/// so that one of several hundred that returns may have to wait for some cycles.
template <class T>
concept ListsRuns = requires(T& source) {
    { source.list() } -> std::same_as<Result<std::vector<RunSpec>>>;
};

namespace detail {
template <class T>
concept HasList = requires(T& source) {
    &T::list;
}
|| requires(T& source) { source.list(); };
}  // namespace detail

template <class T>
consteval bool check_group_source() {
    static_assert(GroupSourceLike<T>,
                  "heeler: a source of many runs needs `heeler::Result<std::vector<heeler::PolledRun>> "
                  "poll(std::span<const heeler::RunCursor>)` (README: Write a source)");
    static_assert(ListsRuns<T> || !detail::HasList<T>,
                  "heeler: the `list` of a source of many runs must be `heeler::Result<std::vector<heeler::RunSpec>> "
                  "list()` (README: Write a source)");
    return true;
}

template <class T>
consteval bool check_source() {
    static_assert(RunSourceLike<T>,
                  "heeler: a RunSource needs `heeler::Result<heeler::Polled> poll(std::string_view)` (README: Write a "
                  "source)");
    return true;
}

}  // namespace heeler::inline HEELER_ABI
