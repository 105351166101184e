// What a host reports about a run, and what a detector sees of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <heeler/core/action.hpp>
#include <heeler/core/last_value.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

namespace loops {
struct CallFacts;
struct ResultFacts;
}  // namespace loops
namespace detail {
class SeenResults;
}

/// Where a run is in its life, as the host reports it. Terminal states absorb everything.
enum class RunState : std::uint8_t {
    queued,
    running,
    waiting_human,
    waiting_child,
    rate_limited,
    paused,
    completed,
    failed,
    cancelled,
    terminated,
    abandoned,  ///< given up by the watchdog: perhaps still running, no longer watched
};

[[nodiscard]] constexpr RunState last_value(RunState) noexcept { return RunState::abandoned; }

inline constexpr std::array<std::string_view, 11> run_state_names{
    "queued",    "running", "waiting_human", "waiting_child", "rate_limited", "paused",
    "completed", "failed",  "cancelled",     "terminated",    "abandoned"};
static_assert(run_state_names.size() == detail::count_of<RunState>);

[[nodiscard]] constexpr std::string_view name_of(RunState state) noexcept {
    return run_state_names[static_cast<std::size_t>(state)];
}

[[nodiscard]] constexpr std::optional<RunState> run_state_named(std::string_view name) noexcept {
    for (std::size_t i = 0; i < run_state_names.size(); ++i)
        if (run_state_names[i] == name) return static_cast<RunState>(i);
    return std::nullopt;
}

/// How a host says that a run is over. The other ends, `terminated` and `abandoned`, are the watchdog's own.
enum class RunEnd : std::uint8_t { completed, failed, cancelled };

[[nodiscard]] constexpr RunState state_of(RunEnd how) noexcept {
    switch (how) {
        case RunEnd::completed:
            return RunState::completed;
        case RunEnd::failed:
            return RunState::failed;
        case RunEnd::cancelled:
            break;
    }
    return RunState::cancelled;
}

/// Absent: the state is none that a host ends a run with.
[[nodiscard]] constexpr std::optional<RunEnd> run_end_of(RunState state) noexcept {
    if (state == RunState::completed) return RunEnd::completed;
    if (state == RunState::failed) return RunEnd::failed;
    if (state == RunState::cancelled) return RunEnd::cancelled;
    return std::nullopt;
}

[[nodiscard]] constexpr bool is_terminal(RunState state) noexcept {
    switch (state) {
        case RunState::completed:
        case RunState::failed:
        case RunState::cancelled:
        case RunState::terminated:
        case RunState::abandoned:
            return true;
        case RunState::queued:
        case RunState::running:
        case RunState::waiting_human:
        case RunState::waiting_child:
        case RunState::rate_limited:
        case RunState::paused:
            return false;
    }
    return false;
}

/// Time in a waiting state counts for no age, no interval and no deadline.
[[nodiscard]] constexpr bool is_waiting(RunState state) noexcept {
    return state != RunState::running && !is_terminal(state);
}

/// Why a checkpoint was written: the moments at which losing the state would hurt.
enum class CheckpointReason : std::uint8_t {
    scheduled,
    critical_path_change,
    contradictory_evidence,
    risky_step,
    user_interrupt
};

[[nodiscard]] constexpr CheckpointReason last_value(CheckpointReason) noexcept {
    return CheckpointReason::user_interrupt;
}

inline constexpr std::array<std::string_view, 5> checkpoint_reason_names{
    "scheduled", "critical_path_change", "contradictory_evidence", "risky_step", "user_interrupt"};
static_assert(checkpoint_reason_names.size() == detail::count_of<CheckpointReason>);

[[nodiscard]] constexpr std::string_view name_of(CheckpointReason reason) noexcept {
    return checkpoint_reason_names[static_cast<std::size_t>(reason)];
}

// --- what hosts report; views need to stay valid for the call only -------------------------------------------------

/// The run is alive. Proves nothing about work.
struct Heartbeat {
    /// Counted by the sender. The number of the heartbeat before it: it is the same one, delivered again, and proves
    /// nothing new. 0: not numbered.
    std::uint64_t seq = 0;
};

/// The progress metric's value now (files, tests passed, commits: whatever `RunSpec::metric` names).
struct Progress {
    std::int64_t value = 0;
};

/// Output text as it arrives: any number of lines, split anywhere. `partial`: the last line is not finished yet.
/// Detectors learn of each line that it finished (`OutputLine`), and then of it as it is, without a fingerprint.
struct Output {
    std::string_view text{};
    bool partial = false;
};

/// About to use a tool. `args` is the arguments' JSON text; anything else is taken as plain text.
struct ToolCall {
    std::string_view name{};
    std::string_view args{};
    std::string_view call_id{};
    std::optional<Duration> timeout{};  ///< how long the call itself may take, as its caller declared it
    /// Number of the model's turn that made the call; calls of one turn are one attempt. Absent: by what was answered
    /// in between.
    std::optional<std::uint32_t> turn{};
};

/// What a tool answered. Without `call_id` it answers the oldest open call.
struct ToolResult {
    std::optional<bool> ok{};  ///< absent: the host does not know
    std::string_view output{};
    std::string_view call_id{};
    std::string_view output_sha{};  ///< digest of the whole output where `output` is cut
};

/// Where a message belongs.
enum class MessageChannel : std::uint8_t {
    assistant,  ///< what the assistant says
    thinking,   ///< what it thinks
    user,       ///< what it is told; `from_assistant` then counts for nothing
};

[[nodiscard]] constexpr MessageChannel last_value(MessageChannel) noexcept { return MessageChannel::user; }

/// A message of the conversation. Only the assistant's own messages are activity of the run. What a person, or a parent
/// agent, tells the run gives it another task: what it did before is not held against it.
struct Message {
    bool from_assistant = true;
    std::string_view text{};
    MessageChannel channel = MessageChannel::assistant;
    bool automatic = false;  ///< no person wrote it: a "continue" of the host's, a reminder, a system prompt

    /// The assistant's own.
    [[nodiscard]] constexpr bool is_own() const noexcept { return from_assistant && channel != MessageChannel::user; }
    /// Somebody has told the run what to do.
    [[nodiscard]] constexpr bool instructs() const noexcept { return !is_own() && !automatic; }
};

/// Consumed since the last such report. Negative values are refused.
struct Usage {
    std::int64_t tokens_in = 0;
    std::int64_t tokens_out = 0;
    std::int64_t api_calls = 0;
    std::int64_t bytes_written = 0;
    double cost_usd = 0;
};

/// The run's lifecycle as the host sees it.
struct StateChange {
    RunState state = RunState::running;
    std::string_view reported{};      ///< the worker's own free-text status
    std::optional<WallTime> until{};  ///< when a rate limit ends
    std::string_view prompt{};        ///< what it waits for
    std::string_view outcome{};       ///< what came of its task, in its own words
};

/// The agent's context was condensed.
struct Compaction {
    std::int64_t tokens_before = 0;
    std::int64_t tokens_after = 0;
};

/// Whether the run's output can be read from now on.
struct OutputAccess {
    bool ok = true;
};

/// A second source (a transcript's modification time, a child) shows life.
struct SignOfLife {
    std::string_view source{};
    /// Of children that are no runs of this watchdog, counted by the sender over all of them: more than ever before,
    /// and one has made progress, which is credited to the run as that of a watched child is. 0: not told.
    std::uint64_t progress = 0;
};

/// What only a host's own detectors understand, in an encoding of their own. Proves neither life nor work.
struct Reading {
    std::string_view name{};
    std::string_view text{};
};

/// How much is used of something that the run needs (a quota, a disk, the context window), both in one unit. Proves
/// neither life nor work. A negative `used` and a `limit` below 1 are refused.
struct Resource {
    std::string_view name{};
    std::int64_t used = 0;
    std::int64_t limit = 0;
};

/// A durable note of progress.
struct CheckpointNote {
    std::optional<std::int64_t> step{};
    std::string_view text{};
    CheckpointReason reason = CheckpointReason::scheduled;
    std::uint32_t incarnation = 0;  ///< of the agent that wrote it; 0: the current one. Of an older one: `fenced`
};

/// Something takes long from now on, so that its silence is no stall (`Watchdog::expect`): so long at most, or until
/// it is `over`. Proves neither life nor work.
struct Expect {
    Duration takes{};
    std::string_view what{};        ///< "cargo build", for people: the first `Expected::longest` bytes
    bool over = false;              ///< the newest of this text has ended; without a text the newest of all
    std::uint32_t number = 0;       ///< of the one that is over, in place of its text; 0: by its text
    std::uint32_t incarnation = 0;  ///< of the agent that does it; 0: the current one. Of an older one: `fenced`
};

// --- what the engine adds for detectors ----------------------------------------------------------------------------

/// One finished line of output.
struct OutputLine {
    std::string_view text{};
};

/// One interval of the run's own schedule has ended. Sampled by the engine, once per interval.
struct IntervalSample {
    std::uint32_t number = 0;             ///< from 1
    std::optional<std::int64_t> value{};  ///< the metric's value, absent while there is none
    std::int64_t delta = 0;               ///< since the sample before
    std::int64_t lines = 0;               ///< output lines since the sample before
    std::int64_t tokens = 0;
    std::int64_t api_calls = 0;
    std::int64_t bytes_written = 0;
    bool whole = true;      ///< false: partly spent waiting, paused, unreadable or unwatched; counts against nobody
    bool credited = false;  ///< a run below it made progress
};

/// The watchdog has just intervened: evidence from before this point must not be judged again.
struct Watermark {};

/// What came of an action on the run.
struct Acted {
    ActionKind kind = ActionKind::nudge;
    ActionOutcome outcome = ActionOutcome::done;
    std::string_view note{};  ///< what was answered
    OutcomeFrom from = OutcomeFrom::answer;
};

/// One entry of the records: `body` is one JSON object.
struct Record {
    std::string kind{};
    std::string body{};
};

/// One thing that happened, as detectors fold it.
struct Observation {
    Duration at{};             ///< on the run's working clock (`Run::working`)
    std::uint64_t index = 0;   ///< 0-based position among the run's observations
    std::uint64_t exact = 0;   ///< fingerprint of the line, call, result or message
    std::uint32_t normal = 0;  ///< the same with numbers and white space masked
    std::variant<OutputLine, ToolCall, ToolResult, Message, Progress, Usage, StateChange, Compaction, IntervalSample,
                 Watermark, Reading, Acted, Resource, Output>
        event;
    /// What the detector `loop` reads in a call or result without the run's lock; null: it reads it itself.
    const loops::CallFacts* call = nullptr;
    const loops::ResultFacts* result = nullptr;
    /// Of a result with such facts: the run's last 512 different ones, with what else that detector wants to know
    /// again. Null: it has a place of its own.
    detail::SeenResults* results = nullptr;
    bool told_before = false;  ///< one of these told the same (`told`)
};

/// Kinds of observation, a bit each.
using EventMask = std::uint32_t;

inline constexpr EventMask every_event = ~EventMask{0} >> 1;
/// Beside the kinds: a detector that reads no fingerprint of a call spares its class what one costs.
inline constexpr EventMask no_call_prints = ~every_event;

namespace detail {

template <class Event, class... All>
consteval EventMask event_bit(const std::variant<All...>*) {
    static_assert((std::is_same_v<Event, All> || ...),
                  "heeler: a Detector listens to alternatives of `heeler::Observation::event` (README: Write a "
                  "detector)");
    EventMask bit = 1, found = 0;
    ((found |= std::is_same_v<Event, All> ? bit : 0, bit <<= 1), ...);
    return found;
}

}  // namespace detail

/// What a detector listens to: `static constexpr EventMask listens = events<ToolCall, ToolResult>;`. No events:
/// nothing.
template <class... Events>
inline constexpr EventMask events = (EventMask{0} | ... |
                                     detail::event_bit<Events>(static_cast<decltype(Observation::event)*>(nullptr)));

}  // namespace heeler::inline HEELER_ABI
