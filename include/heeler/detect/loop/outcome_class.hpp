// What came of a tool call, in numbers.
#pragma once

#include <cstdint>

#include <heeler/core/last_value.hpp>

namespace heeler::inline HEELER_ABI::loops {

enum class OutcomeClass : std::uint8_t {
    negative,  ///< it failed
    empty,     ///< there was nothing to answer
    ack,       ///< it was done, no more is said
    info,      ///< it told something
    infra,     ///< the service behind the tool failed: not the agent's doing
};

[[nodiscard]] constexpr OutcomeClass last_value(OutcomeClass) noexcept { return OutcomeClass::infra; }

/// What came of one call.
struct Outcome {
    OutcomeClass outcome = OutcomeClass::info;
    bool becomes_wait = false;    ///< the call asks for something that is not ready yet: from now on it is a poll
    bool enough_letters = false;  ///< the error key has at least 6 letters: it tells one failure from another
    bool is_news_if_new = false;  ///< information of a call whose answers may be news: no clock, no no-op
    std::uint8_t words = 0;       ///< distinct words left in the error key
    std::uint16_t subject = 0;    ///< of the arguments and literals that the error is about
    std::uint16_t things = 0;     ///< how many a failure says there are: "11 vulnerabilities"
    std::uint32_t key = 0;        ///< two outcomes are the same if their keys are
    std::uint32_t error_key = 0;  ///< of a failure, whatever the call was
    std::uint32_t numbers = 0;    ///< of the numbers in the text of a failure
    std::uint32_t novelty = 0;    ///< of the text with only times masked
    std::uint32_t lines = 0;      ///< that are not blank, without banners
    std::uint32_t length = 0;     ///< bytes, likewise
};

}  // namespace heeler::inline HEELER_ABI::loops
