// Finds runs that go round in circles: in their calls, their failures, what they read, edit and say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/alert.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/detect/loop/memory.hpp>
#include <heeler/detect/loop/settings.hpp>

namespace heeler::inline HEELER_ABI {

/// One detector of many families (README of `loop/`): they share what is known of calls and results, what counts as
/// progress, and the episode that begins with the first sign of a loop and ends when something moves.
struct Loop {
    static constexpr std::string_view kind = "loop";
    static constexpr EventMask listens =
        events<Output, ToolCall, ToolResult, Message, Usage, Compaction, Watermark> | no_call_prints;

    using Settings = loops::Settings;
    using Memory = loops::Memory;

    void learn(Memory& memory, const Settings& settings, const Observation& seen) const;
    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run&,
                                               Instant) const;

    static void by_name(Settings& settings, NamedSettings& named);
    [[nodiscard]] static Result<void> validate(const Settings& settings);

    /// Rounds with progress, not a count of items, prove that a loop is over. Of what was said, and of calls whose
    /// results nobody reports, so many that repeat nothing.
    [[nodiscard]] static std::uint32_t evidence_needed(const Settings& settings) noexcept {
        return settings.over_after;
    }
    [[nodiscard]] static std::uint32_t new_items(const Memory& memory, const Settings&) noexcept {
        const loops::Ledger& ledger = memory.calls->ledger;
        return ledger.common.gains - ledger.gains_since + (ledger.by_words != 0 ? ledger.said_since : 0);
    }
    /// Whatever it calls meanwhile: without progress it goes on with the same.
    [[nodiscard]] static std::optional<std::uint64_t> more_of_same(const Memory& memory, const Settings& settings,
                                                                   std::uint64_t) noexcept {
        if (new_items(memory, settings) != 0) return std::nullopt;
        return memory.calls->ledger.since;
    }

    [[nodiscard]] static List<Detail> details(const Memory& memory, const Settings&, const Run&, const Finding&);
    [[nodiscard]] static std::string describe(const Finding& finding);
    /// In `detect/loop/explain.hpp`, for who asks.
    [[nodiscard]] static struct Explanation explain(const Memory&, const Settings&, const Observation&);
};

}  // namespace heeler::inline HEELER_ABI

#ifndef HEELER_COMPILED
#include <heeler/detect/loop-inl.hpp>
#endif
