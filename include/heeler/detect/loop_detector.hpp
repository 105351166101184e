// Finds blocks of lines or calls that repeat one after the other, for any period up to 64, at a constant cost per item.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <heeler/core/callback.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/detect/block_ring.hpp>
#include <heeler/fwd.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// Items: a line of output, a tool call.
struct Line {
    static constexpr std::string_view kind = "loop_lines";
    static constexpr EventMask listens = events<OutputLine>;
    static constexpr std::string_view one = "line of output", several = "lines of output";
    static bool is(const Observation& seen) noexcept { return std::holds_alternative<OutputLine>(seen.event); }
    static std::string_view text_of(const Observation& seen) noexcept {
        return std::get_if<OutputLine>(&seen.event)->text;
    }
};
struct Call {
    static constexpr std::string_view kind = "loop_calls";
    static constexpr EventMask listens = events<ToolCall>;
    static constexpr std::string_view one = "tool call", several = "tool calls";
    static bool is(const Observation& seen) noexcept { return std::holds_alternative<ToolCall>(seen.event); }
    static std::string_view text_of(const Observation& seen) noexcept {
        return std::get_if<ToolCall>(&seen.event)->name;
    }
};

/// The long-run skill's own rule: a block of exactly five lines, three times in a row, within 200 lines.
inline constexpr BlockRule five_line_block{5, 5, 3, 15, 200};

template <class Item>
struct LoopDetector<Item, BlockRule> {
    static constexpr std::string_view kind = Item::kind;
    static constexpr EventMask listens = Item::listens | events<Watermark>;
    static constexpr std::uint32_t layout = 3;
    static constexpr std::uint32_t max_period = detail::BlockRing::max_period;
    static constexpr std::uint32_t ring_size = detail::BlockRing::size;

    struct Settings {
        BlockRule rule{};
        /// Items for which it answers true are legitimate repetition and are passed over. Called under the run's lock.
        Callback<bool(const Observation&)> exempt{};
        /// Items for which it answers true are progress: what repeated before them is no loop any more. Likewise.
        Callback<bool(const Observation&)> progress{};
    };

    using Ring = detail::BlockRing;

    struct Memory {
        OnDemand<Ring> ring;  ///< from the first item on

        void archive(auto& a) { a(ring); }
    };

    void learn(Memory& memory, const Settings& settings, const Observation& seen) const {
        const bool is_item = Item::is(seen);
        if (is_item ? settings.progress && settings.progress(seen) : std::holds_alternative<Watermark>(seen.event)) {
            if (memory.ring) memory.ring.edit().begin_anew();
        } else if (is_item && !(settings.exempt && settings.exempt(seen))) {
            memory.ring.edit().add(settings.rule, seen, &Item::text_of);
        }
    }

    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run&,
                                               Instant) const {
        const std::uint32_t period = memory.ring->period_of_loop(settings.rule);
        if (period == 0) return std::nullopt;
        return memory.ring->finding_of(settings.rule, period, kind);
    }

    static void by_name(Settings& settings, NamedSettings& named) {
        BlockRule& rule = settings.rule;
        named.count("min_period", rule.min_period, 1, max_period);
        named.count("max_period", rule.max_period, 1, max_period);
        named.count("min_repeats", rule.min_repeats, 2, ring_size);
        named.count("min_items", rule.min_items, 0, ring_size);
        named.count("window", rule.window, 1, ring_size);
    }
    [[nodiscard]] static Result<void> validate(const Settings& settings) {
        const BlockRule& rule = settings.rule;
        const auto refuse = [](std::string why) {
            return fail(ErrorCode::invalid_argument, std::string{kind} + ": " + std::move(why));
        };
        if (rule.min_period > rule.max_period)
            return refuse("periods " + std::to_string(rule.min_period) + " to " + std::to_string(rule.max_period) +
                          "; the smaller must be first");
        if (rule.max_period * rule.repeats_for(rule.max_period) > rule.window)
            return refuse("window is " + std::to_string(rule.window) + "; it must hold " +
                          std::to_string(rule.max_period * rule.repeats_for(rule.max_period)) +
                          " items, the repeats of the longest period");
        return {};
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        const bool single = finding.evidence.fact("period") == 1;
        std::string text = "Looping: ";
        text += single ? "a " : "a block of " + detail::words::count(finding.evidence.fact("period")) + " ";
        text += single ? Item::one : Item::several;
        if (!finding.subject.view().empty())
            text += (single ? " (" : " (the last: ") + detail::words::tool_of(finding) + ")";
        return text + " " + detail::words::count(finding.evidence.fact("repeats")) + " times in a row";
    }

    /// New items that prove, without a finding, that a loop is over.
    [[nodiscard]] static std::uint32_t evidence_needed(const Settings& settings) noexcept {
        return settings.rule.min_items;
    }
    [[nodiscard]] static std::uint32_t new_items(const Memory& memory, const Settings&) noexcept {
        return memory.ring ? memory.ring->items_since() : 0;
    }

    /// Of calls only: who makes other calls and prints the same line has other results.
    [[nodiscard]] static std::optional<std::uint64_t> more_of_same(const Memory& memory, const Settings& settings,
                                                                   std::uint64_t identity) requires(Item::listens ==
                                                                                                    events<ToolCall>) {
        if (!memory.ring || settings.exempt || settings.progress) return std::nullopt;  // what they pass over is work
        return memory.ring->more_of_same(settings.rule, identity);
    }
};

}  // namespace heeler::inline HEELER_ABI
