// Why a detector speaks, or why it does not: plain data for whoever asks.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/observation.hpp>

namespace heeler::inline HEELER_ABI {

/// One rule of a detector: what it has counted, and how much it needs to speak. All texts are literals.
struct Reason {
    std::string_view rule{};     ///< its name
    std::string_view counts{};   ///< what it counts
    std::string_view because{};  ///< why its count is no higher, or why it says nothing; empty: there is nothing to say
    Level level = Level::none;   ///< at which it speaks
    std::uint32_t count = 0;
    std::uint32_t needed = 0;  ///< for a nudge; 0: what was observed does not concern it
    std::uint32_t before = 0;  ///< its count of the same before what was observed
    std::uint32_t first = 0;   ///< index of the observation with which it began to count
    std::uint32_t period = 1;  ///< of the block that it counts
};

/// What a detector makes of one observation. All texts are literals.
struct Explanation {
    static constexpr std::size_t most_rules = 20;
    static constexpr std::size_t most_kinds = 8;

    std::string_view saw{};        ///< what it was to the detector: "a failure"; empty: it does not look at it
    std::string_view progress{};   ///< what of it is progress, or that nothing is
    std::string_view cancelled{};  ///< what it has taken back for all rules; empty: nothing
    std::string_view state_cut{};  ///< what it no longer looks at, for too much is kept of the run; empty: nothing
    std::uint32_t answers = 0;     ///< index of the observation that it belongs to, such as a result's call
    std::array<Reason, most_rules> rules{};
    std::size_t count = 0;  ///< of them

    /// What was found goes on since `first`, for `count` rounds; `needed` of them are worth stopping.
    Reason episode{};
    bool episode_open = false;
    std::array<std::string_view, most_kinds> kinds{};  ///< of evidence in it
    std::size_t kind_count = 0;

    Reason verdict{};  ///< what the detector says now, with the rule that speaks; `level` none: nothing

    void add(const Reason& reason) noexcept {
        if (count < rules.size()) rules[count++] = reason;
    }
};

/// A detector that can say why. `explain` tells what `learn` is about to do with an observation, and changes nothing.
/// Nothing calls it but who asks by the detector's type, so that it costs nobody else anything.
template <class D>
concept Explains = requires(const typename D::Memory& memory, const typename D::Settings& settings,
                            const Observation& seen) {
    { D::explain(memory, settings, seen) } -> std::same_as<Explanation>;
};

}  // namespace heeler::inline HEELER_ABI
