// What a session is told by a class that watches sessions.
#pragma once

#include <cstddef>
#include <string>

#include <heeler/core/finding.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/text/one_line.hpp>

namespace heeler::inline HEELER_ABI {

/// Bytes of the finding in a message to a session.
inline constexpr std::size_t session_evidence_cap = 512;

/// What a session is told about one finding, whose words are in `facts.evidence`. For `PromptSettings::steer`.
[[nodiscard]] inline std::string session_steer(const PromptFacts& facts) {
    const std::string seen = "[watchdog] " + text::one_line(facts.evidence, session_evidence_cap) + ".\n";
    if (facts.condition == Condition::loop_detected)
        return seen +
               "The same call with the same input will give the same answer. Do not make it again: say in one "
               "sentence what you hoped to learn from it, then do something else. If nothing else is left, stop and "
               "say what you need.\n";
    if (facts.condition == Condition::error_cascade)
        return seen +
               "Stop and read the last error before the next call. Find out what the errors have in common and mend "
               "that first, or take another way. If the cause is not yours to mend, say what is needed.\n";
    if (facts.condition == Condition::token_budget)
        return seen +
               "That is the budget for one session. Finish the step you are at, leave the work in a state that "
               "another session can take up, and say what is left to do.\n";
    return seen + "Say where you stand, then go on with the next concrete step, or say what you need.\n";
}

}  // namespace heeler::inline HEELER_ABI
