// What a watchdog may do to an agent: the kinds of action, what one is asked with, and what may be answered.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/result.hpp>

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
};

/// The name of an action in records and outputs; injections carry the verb that delivers them.
[[nodiscard]] constexpr std::string_view name_of(ActionKind kind) noexcept {
    constexpr std::string_view names[] = {
        "inject:nudge", "inject:break_pattern", "pause",   "resume",      "isolate",    "snapshot", "escalate",
        "terminate",    "inject:steer",         "abandon", "mark_failed", "file_issue", "spawn"};
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
    skipped,  ///< held back by a freeze or by shadow mode
    ended,    ///< the run was over
    blocked,  ///< not tried: what it needs was not done
};

[[nodiscard]] constexpr std::string_view name_of(ActionOutcome outcome) noexcept {
    constexpr std::string_view names[] = {"intended", "done",    "failed", "rejected", "unsupported",
                                          "unknown",  "skipped", "ended",  "blocked"};
    return names[static_cast<std::size_t>(outcome)];
}

/// What an agent control is asked with. Views stay valid for the call only.
struct ActionRequest {
    std::string_view run{};     ///< run id
    std::string_view key{};     ///< idempotency key, chosen and stored before the action is tried
    std::string_view text{};    ///< what to tell the run (injections), or why (everything else)
    std::uint32_t attempt = 0;  ///< attempt of the incident, from 1
};

/// A verb that worked. Errors: `rejected` (the agent refused), `unsupported`, `timed_out` (may have happened), `ended`
/// (the run turned out to be over), anything else counts as failed.
struct ActionDone {
    std::string note{};  ///< where a snapshot is, "nothing to save", who was signalled; may be empty
};

/// What `find(key)` answers after a crash.
enum class Found : std::uint8_t { found, absent, unknown };

/// What `prove_stopped(run)` answers. `stopped` only if it was seen.
enum class StopProof : std::uint8_t { stopped, running, unknown };

}  // namespace heeler::inline HEELER_ABI
