// What a watchdog may do to an agent: the kinds of action, what one is asked with, and what may be answered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// One thing that a rung does. Destructive is only `terminate` (and a spawn on a stop that is only presumed).
enum class ActionKind : std::uint8_t {
    nudge,
    break_pattern,
    pause,
    resume,
    isolate,
    snapshot,
    escalate,
    terminate,
    steer,        ///< a message about one finding, at the next boundary; not verified
    abandon,      ///< record only: the run may still be running, it is no longer watched
    mark_failed,  ///< record only, likewise
    file_issue,   ///< through the `IssueSink`
    spawn,        ///< a fresh agent goes on with the run: attempt n+1
    clear,        ///< of the monitor's own context, after a cycle; never of a run
    review,       ///< the task in which somebody looks at what was found is created, reopened or bound anew
    wake,         ///< an agent that is not at work is woken
    block,        ///< the work is marked blocked, with a note that people see
};

/// The name of an action in records and outputs; injections carry the verb that delivers them.
[[nodiscard]] constexpr std::string_view name_of(ActionKind kind) noexcept {
    constexpr std::string_view names[] = {"inject:nudge", "inject:break_pattern",
                                          "pause",        "resume",
                                          "isolate",      "snapshot",
                                          "escalate",     "terminate",
                                          "inject:steer", "abandon",
                                          "mark_failed",  "file_issue",
                                          "spawn",        "clear",
                                          "review",       "wake",
                                          "block"};
    return names[static_cast<std::size_t>(kind)];
}

[[nodiscard]] constexpr bool is_destructive(ActionKind kind) noexcept { return kind == ActionKind::terminate; }

[[nodiscard]] constexpr bool is_injection(ActionKind kind) noexcept {
    return kind == ActionKind::nudge || kind == ActionKind::break_pattern || kind == ActionKind::steer;
}

/// Changes what is recorded of the run and touches nothing else: the engine does it itself.
[[nodiscard]] constexpr bool is_record_only(ActionKind kind) noexcept {
    return kind == ActionKind::abandon || kind == ActionKind::mark_failed;
}

/// How an action ended. `unknown` counts as an attempt and is escalated; `unsupported` and `skipped` count for nothing.
enum class ActionOutcome : std::uint8_t {
    intended,
    done,
    failed,
    rejected,
    unsupported,
    unknown,
    skipped,  ///< held back: `OutcomeFrom` says by what
    ended,    ///< the run was over
    blocked,  ///< not tried: what it needs was not done
};

[[nodiscard]] constexpr std::string_view name_of(ActionOutcome outcome) noexcept {
    constexpr std::string_view names[] = {"intended", "done",    "failed", "rejected", "unsupported",
                                          "unknown",  "skipped", "ended",  "blocked"};
    return names[static_cast<std::size_t>(outcome)];
}

/// Where an outcome comes from.
enum class OutcomeFrom : std::uint8_t {
    answer,    ///< whoever was asked said so, or the watchdog did it itself
    look_up,   ///< it was found (`find`): what was answered is not known
    shadow,    ///< it was only recorded: shadow mode
    freeze,    ///< an operator wants nothing done
    silence,   ///< an operator keeps it from people
    recovery,  ///< what it was decided for was over, or a person said that it is none, before it could be done
    snooze,    ///< an operator keeps deeds and words off the run
};

[[nodiscard]] constexpr std::string_view name_of(OutcomeFrom from) noexcept {
    constexpr std::string_view names[] = {"answer", "look_up", "shadow", "freeze", "silence", "recovery", "snooze"};
    return names[static_cast<std::size_t>(from)];
}

/// The `asker` of a watchdog that shares its store with nobody.
inline constexpr std::string_view lone_asker = "alone";

/// What the text of a request is.
enum class MessageKind : std::uint8_t {
    reason,         ///< why it is asked, for records; for nobody to be told
    nudge,          ///< the goal and the last checkpoint again
    break_pattern,  ///< a nudge to take another approach
    steer,          ///< what is seen; the run goes on with what it does
    brief,          ///< all that a fresh agent needs
};

[[nodiscard]] constexpr std::string_view name_of(MessageKind kind) noexcept {
    constexpr std::string_view names[] = {"reason", "nudge", "break_pattern", "steer", "brief"};
    return names[static_cast<std::size_t>(kind)];
}

[[nodiscard]] constexpr MessageKind message_of(ActionKind kind) noexcept {
    if (kind == ActionKind::nudge) return MessageKind::nudge;
    if (kind == ActionKind::break_pattern) return MessageKind::break_pattern;
    if (kind == ActionKind::steer) return MessageKind::steer;
    return kind == ActionKind::spawn || kind == ActionKind::wake ? MessageKind::brief : MessageKind::reason;
}

/// When a request may take effect.
enum class Boundary : std::uint8_t {
    now,        ///< whatever the agent is at: it is worth an interruption
    next_turn,  ///< between two of its steps, such as with the answer to its next tool call
};

[[nodiscard]] constexpr std::string_view name_of(Boundary boundary) noexcept {
    return boundary == Boundary::now ? "now" : "next_turn";
}

/// Only a steer waits.
[[nodiscard]] constexpr Boundary boundary_of(ActionKind kind) noexcept {
    return kind == ActionKind::steer ? Boundary::next_turn : Boundary::now;
}

/// What an agent control is asked with. Views stay valid for the call only.
struct ActionRequest {
    std::string_view run{};     ///< run id
    std::string_view key{};     ///< idempotency key, chosen and stored before the action is tried
    std::string_view text{};    ///< what to tell the run (injections), or why (everything else)
    std::uint32_t attempt = 0;  ///< attempt of the incident, from 1
    std::string_view asker{};   ///< names this watchdog under its lease, and nobody else ever; `alone` without a lease
    /// Grows with every commit of the run and with every takeover by another watchdog. A resource that was asked under
    /// a higher one refuses a lower one: whoever asks so was replaced and does not know it yet.
    std::uint64_t fence = 0;
    bool repeated = false;  ///< asked before under this key, without an answer: that request may take effect yet
    /// For so long the agent has shown no work, as far as the watchdog has read: what the verdict rests on, and what
    /// was left since is not taken in. A resource that knows of younger work refuses. 0: nothing was read of it.
    Duration silent{};
    MessageKind message = MessageKind::reason;  ///< what `text` is
    Boundary boundary = Boundary::now;          ///< when an injection may reach the agent
};

/// A verb that worked. An error says how certain it is that nothing happened, and never will:
/// - `rejected` (the agent refused), `unsupported`, `failed`, `invalid_argument`: certainly nothing;
/// - `ended`: nothing, the run turned out to be over;
/// - `busy`: nothing yet; the same is asked again soon, under the same key;
/// - `timed_out`, anything else, and what is thrown: it may have happened. It is looked up with `find`, at once and in
///   the run's next two cycles, or asked again under the same key if the control is idempotent. What cannot be told
///   then has the outcome `unknown`, and a person is told.
struct ActionDone {
    std::string note{};  ///< where a snapshot is, "nothing to save", who was signalled; may be empty
};

/// How an error of a verb counts: `unknown` if it may have happened, `intended` if it is to be asked again.
[[nodiscard]] constexpr ActionOutcome outcome_of(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::rejected:
            return ActionOutcome::rejected;
        case ErrorCode::unsupported:
            return ActionOutcome::unsupported;
        case ErrorCode::ended:
            return ActionOutcome::ended;
        case ErrorCode::failed:
        case ErrorCode::invalid_argument:
            return ActionOutcome::failed;
        case ErrorCode::busy:
            return ActionOutcome::intended;
        default:
            return ActionOutcome::unknown;
    }
}

/// What `find(key)` answers about an action whose outcome is not known. `absent`: it did not take effect. After a
/// restart it is then asked for again at once, under the same key; without an answer, if it is still absent two cycles
/// later.
enum class Found : std::uint8_t { found, absent, unknown };

/// What `prove_stopped(run)` answers. `stopped` only if it was seen.
enum class StopProof : std::uint8_t { stopped, running, unknown };

}  // namespace heeler::inline HEELER_ABI
