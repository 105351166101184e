// What the families of the loop detector share: what moved in the run, what was said, and what a family answers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <heeler/core/finding.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// What kind of evidence a family gives. Two kinds in one episode weigh more than one.
enum class Basis : std::uint8_t {
    same_call,    ///< the same call and outcome, or the same block of them
    alike,        ///< calls alike in wording with the same outcome
    error,        ///< the same failure, whatever the call
    no_progress,  ///< nothing new, whatever the calls
    state,        ///< a file goes back and forth
    text,         ///< what it says repeats itself
    time,         ///< the same for too long
    context,      ///< its context is condensed again and again
};

[[nodiscard]] constexpr Basis last_value(Basis) noexcept { return Basis::context; }

/// What differed among the repeats. A scale: more is greater.
enum class Varied : std::uint8_t { nothing, masked, numbers, wording, subject, tool };

[[nodiscard]] constexpr Varied last_value(Varied) noexcept { return Varied::tool; }

[[nodiscard]] constexpr std::string_view name_of(Varied varied) noexcept {
    constexpr std::string_view names[] = {"nothing", "masked", "numbers", "wording", "subject", "tool"};
    return names[static_cast<std::size_t>(varied)];
}

/// What a family saw with the unit or text that it was just told of. With `level` none it explains itself: how far its
/// count is.
struct Hit {
    Level level = Level::none;
    Varied varied = Varied::nothing;
    std::uint16_t count = 0;     ///< in the family's own unit: repeats, rounds, seconds
    std::uint16_t needed = 0;    ///< for a nudge
    std::uint16_t period = 1;    ///< units, messages or characters of the block that repeats
    std::uint32_t first = 0;     ///< index of the observation with which it began
    std::uint64_t identity = 0;  ///< what repeats, the same in every run and from wherever it began; 0: cannot be told

    /// Half of what is needed, at least 2, is worth showing. `stop` 0: never by count.
    void judge(std::uint32_t have, std::uint32_t need, std::uint32_t stop) noexcept {
        const auto narrow = [](std::uint32_t n) { return static_cast<std::uint16_t>(n < 0xFFFF ? n : 0xFFFF); };
        count = narrow(have);
        needed = narrow(need);
        const std::uint32_t half = (need + 1) / 2 > 2 ? (need + 1) / 2 : 2;
        level = stop != 0 && have >= stop ? Level::stop
                : have >= need            ? Level::nudge
                : have >= half            ? Level::watch
                                          : Level::none;
    }
};

/// Where the run stood just before what a family is told of. Each count only grows, so two equal ones mean that nothing
/// of it came between.
struct Common {
    std::uint32_t news = 0;     ///< results with something never seen before
    std::uint32_t edits = 0;    ///< changes never made before that took
    std::uint32_t round = 0;    ///< parallel calls are one round
    std::uint32_t gains = 0;    ///< rounds with news or an edit
    std::uint32_t unit = 0;     ///< calls with their results; those that wait or met a dead service are left out
    std::uint32_t waits = 0;    ///< calls that did nothing but wait
    std::uint32_t results = 0;  ///< all of them
    std::uint32_t at = 0;       ///< tenths of a second on the run's working clock
    std::uint32_t index = 0;    ///< of the observation
};

/// Who speaks.
enum class Channel : std::uint8_t { output, assistant, thinking };

/// Text of one channel. A message is `finished` and stands alone; output goes on where the last piece ended.
struct Speech {
    std::string_view text{};
    Channel channel = Channel::assistant;
    bool finished = true;
};

// A family is an aggregate without state:
//
//   struct Chant {
//       struct Settings { ... };            // its counts, with defaults; `bool on = true` first
//       struct Part { ... };                // what it remembers of one run: integers only, no pointers, zeros at first
//       static constexpr std::string_view name = "chant";
//       static constexpr Basis basis = Basis::text;
//       static Hit learn(Part&, const Settings&, const Speech&, const Common&);   // or `const Unit&`, see unit.hpp
//       static std::string words(const Finding&);                               // how its finding reads in an alert
//   };
//
// `learn` folds what it is told and answers with what it now sees: every verdict of a loop falls at an event, and the
// same numbers explain why there is none. A part is cleared (`part = {}`) at an intervention or a user's message,
// unless the family has `static void begin_anew(Part&)` for what stays. A part that is large stands in the detector's
// memory as `OnDemand`; `static bool wants(const Speech&, const Common&)` says, where it exists, that it is needed now.

}  // namespace heeler::inline HEELER_ABI::loops
