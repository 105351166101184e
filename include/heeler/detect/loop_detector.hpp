// Finds blocks of lines or calls that repeat one after the other, for any period up to 64, at a constant cost per item.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/fwd.hpp>
#include <heeler/text/combine.hpp>
#include <heeler/text/redact.hpp>
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

/// A loop is a block of `min_period` to `max_period` items that stands at least `min_repeats` times in a row, and makes
/// up at least `min_items` items, anywhere among the last `window` items. The smallest period that matches is reported.
struct BlockRule {
    std::uint32_t min_period = 1;
    std::uint32_t max_period = 20;  ///< at least `min_period`
    std::uint32_t min_repeats = 3;
    std::uint32_t min_items = 15;  ///< with `max_period` blocks at most `window`
    std::uint32_t window = 200;

    [[nodiscard]] constexpr std::uint32_t repeats_for(std::uint32_t period) const noexcept {
        return detail::max_of(min_repeats, (min_items + period - 1) / period);
    }
};

/// The long-run skill's own rule: a block of exactly five lines, three times in a row, within 200 lines.
inline constexpr BlockRule five_line_block{5, 5, 3, 15, 200};

template <class Item>
struct LoopDetector<Item, BlockRule> {
    static constexpr std::string_view kind = Item::kind;
    static constexpr EventMask listens = Item::listens | events<Watermark>;
    static constexpr std::uint32_t layout = 2;
    static constexpr std::uint32_t max_period = 64;
    static constexpr std::uint32_t ring_size = 256;

    struct Settings {
        BlockRule rule{};
        /// Items for which it answers true are legitimate repetition and are passed over. Called under the run's lock.
        std::function<bool(const Observation&)> exempt{};
        /// Items for which it answers true are progress: what repeated before them is no loop any more. Likewise.
        std::function<bool(const Observation&)> progress{};
    };

    /// Fingerprints of the newest items. `equal_run[p - 1]` counts how many items in a row equal the one p before them,
    /// on the masked fingerprints: one pass per item that compilers turn into vector code, so all counters are as wide
    /// as a fingerprint. Whether a block is exactly equal is asked only where that count is high enough, so that
    /// half of an exact fingerprint will do.
    struct Ring {
        std::uint32_t exact[ring_size]{};
        std::uint32_t index[ring_size]{};        ///< observation index of each item
        std::uint32_t recent[2 * max_period]{};  ///< newest first, twice: any 64 in a row are contiguous
        std::uint32_t equal_run[max_period]{};
        std::uint32_t hit_end[max_period]{};  ///< items seen when the period last matched; 0: never
        std::uint16_t hit_run[max_period]{};
        std::uint32_t hit_sum[max_period]{};  ///< of the block's masked fingerprints: in any order the same
        std::uint32_t items = 0;
        std::uint32_t watermark = 0;                ///< items before this one are not judged again
        std::uint32_t named = 0;                    ///< the period whose block `last` ended; 0: none
        Subject last{};                             ///< a line, or the name of a tool
        std::uint32_t longest = ~std::uint32_t{0};  ///< no count of `equal_run` exceeds it; not saved

        template <class A>
        void archive(A& a) {
            a(exact, index, recent, equal_run, hit_end, hit_run, hit_sum, items, watermark, named, last);
        }
    };

    struct Memory {
        OnDemand<Ring> ring;  ///< from the first item on

        template <class A>
        void archive(A& a) {
            a(ring);
        }
    };

    void learn(Memory& memory, const Settings& settings, const Observation& seen) const {
        if (Item::is(seen)) {
            if (settings.progress && settings.progress(seen)) return begin_anew(memory);
            if (settings.exempt && settings.exempt(seen)) return;
            fold(memory.ring.edit(), settings.rule, seen);
        } else if (std::holds_alternative<Watermark>(seen.event)) {
            begin_anew(memory);
        }
    }

    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run&,
                                               Instant) const {
        if (!memory.ring) return std::nullopt;
        const Ring& ring = *memory.ring;
        const BlockRule& rule = settings.rule;
        const std::uint32_t oldest =
            detail::max_of(ring.watermark, ring.items > rule.window ? ring.items - rule.window : 0);
        for (std::uint32_t period = rule.min_period; period <= rule.max_period; ++period) {
            const std::uint32_t end = ring.hit_end[period - 1];
            if (end == 0 || end < oldest + period * rule.repeats_for(period)) continue;
            return finding_of(ring, rule, period);
        }
        return std::nullopt;
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
        if (!memory.ring) return 0;
        std::uint32_t since = memory.ring->watermark;
        for (const std::uint32_t end : memory.ring->hit_end) since = detail::max_of(since, end);
        return memory.ring->items - since;
    }

    /// Of calls only: who makes other calls and prints the same line has other results.
    [[nodiscard]] static std::optional<std::uint64_t> more_of_same(const Memory& memory, const Settings& settings,
                                                                   std::uint64_t identity) requires(Item::listens ==
                                                                                                    events<ToolCall>) {
        if (!memory.ring || settings.exempt || settings.progress) return std::nullopt;  // what they pass over is work
        const Ring& ring = *memory.ring;
        const std::uint32_t fresh = ring.items - ring.watermark;
        for (std::uint32_t period = settings.rule.min_period; period <= settings.rule.max_period; ++period) {
            if (identity_of(sum_of_newest(ring, period), period) != identity) continue;
            const std::uint32_t enough = detail::min_of(fresh, ring_size - period);
            if (exact_run(ring, period, enough) == enough) return fresh;
        }
        return std::nullopt;
    }

private:
    /// What was there before is not judged again.
    static void begin_anew(Memory& memory) {
        if (!memory.ring) return;
        Ring& ring = memory.ring.edit();
        ring.watermark = ring.items;
        for (std::uint32_t& run : ring.equal_run) run = 0;
        ring.longest = 0;
    }

    static void fold(Ring& ring, const BlockRule& rule, const Observation& seen) {
        const std::uint32_t slot = ring.items % ring_size;
        ring.exact[slot] = static_cast<std::uint32_t>(seen.exact);
        ring.index[slot] = static_cast<std::uint32_t>(seen.index);
        // recent[newest .. newest + 63] are the last 64 items; the item p before the new one is at newest + p - 1.
        const std::uint32_t newest = (max_period - ring.items % max_period) % max_period;
        const std::uint32_t longest = count_equal(ring, newest, seen.normal);
        const std::uint32_t place = (newest + max_period - 1) % max_period;
        ring.recent[place] = ring.recent[place + max_period] = seen.normal;
        ++ring.items;
        // The shortest loop has r blocks of m / r items, of which all but the first repeat: nearly always too much.
        if (std::uint64_t{longest} * rule.min_repeats >= std::uint64_t{rule.min_repeats - 1} * rule.min_items)
            note_blocks(ring, rule, seen);
    }

    static void note_blocks(Ring& ring, const BlockRule& rule, const Observation& seen) {
        for (std::uint32_t period = rule.min_period; period <= rule.max_period; ++period) {
            const std::uint32_t run = ring.equal_run[period - 1];
            if (run < (rule.min_repeats - 1) * period || run + period < rule.min_items) continue;
            const std::uint32_t needed = (rule.repeats_for(period) - 1) * period;
            if (run >= needed) note_if_exact(ring, period, needed, seen);
        }
    }

    /// Counts on and answers with a number that no counter exceeds.
    static std::uint32_t count_equal(Ring& ring, std::uint32_t newest, std::uint32_t normal) {
        // Nearly always nothing repeats, and nothing did.
        if (ring.longest == 0 && !is_among(ring.recent + newest, normal)) return 0;
        const std::uint32_t known = detail::min_of(ring.items - ring.watermark, max_period);
        for (std::uint32_t i = known; i < max_period; ++i) ring.equal_run[i] = ~std::uint32_t{0};  // becomes 0
        return ring.longest = count_each(ring.equal_run, ring.recent + newest, normal);
    }

    static bool is_among(const std::uint32_t* last, std::uint32_t normal) {
        std::uint32_t any = 0;
        for (std::uint32_t i = 0; i < max_period; ++i) any |= last[i] == normal ? ~std::uint32_t{0} : 0;
        return any != 0;
    }

    /// Compilers make vector code of it only if they are told that nothing overlaps.
    static std::uint32_t count_each(std::uint32_t* __restrict runs, const std::uint32_t* __restrict last,
                                    std::uint32_t normal) {
        std::uint32_t any = 0;
        for (std::uint32_t i = 0; i < max_period; ++i) {
            const std::uint32_t equal = last[i] == normal ? ~std::uint32_t{0} : 0;
            runs[i] = (runs[i] + 1) & equal;
            any |= runs[i];
        }
        return any;
    }

    /// How many of the newest items equal exactly the one `period` before them, as far as the ring reaches.
    static std::uint32_t exact_run(const Ring& ring, std::uint32_t period, std::uint32_t enough) {
        std::uint32_t run = 0;
        for (std::uint32_t i = ring.items; run < enough; --i, ++run)
            if (ring.exact[(i - 1) % ring_size] != ring.exact[(i - 1 - period) % ring_size]) break;
        return run;
    }

    static void note_if_exact(Ring& ring, std::uint32_t period, std::uint32_t needed, const Observation& seen) {
        std::uint32_t run = ring.hit_run[period - 1];
        if (ring.hit_end[period - 1] + 1 == ring.items && exact_run(ring, period, 1) == 1 && run >= needed) {
            run = detail::min_of<std::uint32_t>(run + 1, 0xFFFF);
        } else {
            run =
                exact_run(ring, period, detail::min_of<std::uint32_t>(ring.equal_run[period - 1], ring_size - period));
        }
        if (run < needed) return;
        if (ring.hit_end[period - 1] + 1 != ring.items) begin_block(ring, period, seen);
        ring.hit_end[period - 1] = ring.items;
        ring.hit_run[period - 1] = static_cast<std::uint16_t>(run);
    }

    /// Who repeats one item repeats two as well: the shortest block that goes on gives the name.
    static void begin_block(Ring& ring, std::uint32_t period, const Observation& seen) {
        ring.hit_sum[period - 1] = sum_of_newest(ring, period);
        if (ring.named > 0 && ring.named < period && ring.hit_end[ring.named - 1] == ring.items) return;
        ring.named = period;
        ring.last = Subject{text::redact(Item::text_of(seen).substr(0, 256))};  // a secret cut short is not recognised
    }

    /// A run begins its loop anywhere in the block, so the order of the items must not matter.
    static std::uint32_t sum_of_newest(const Ring& ring, std::uint32_t period) {
        const std::uint32_t* newest = ring.recent + (max_period - ring.items % max_period) % max_period;
        std::uint32_t sum = 0;
        for (const std::uint32_t* each = newest; each != newest + period; ++each) sum += *each;
        return sum;
    }

    static Finding finding_of(const Ring& ring, const BlockRule& rule, std::uint32_t period) {
        const std::uint32_t end = ring.hit_end[period - 1];
        const std::uint32_t run = ring.hit_run[period - 1];
        const std::uint32_t items = detail::min_of(run + period, ring_size);
        Finding finding{Condition::loop_detected, Level::nudge, kind, {.rule = "block"}};
        finding.evidence.add("period", period)
            .add("repeats", run / period + 1)
            .add("min_repeats", rule.repeats_for(period))
            .add("window", rule.window);
        finding.evidence.first = ring.index[(end - items) % ring_size];
        finding.evidence.last = ring.index[(end - 1) % ring_size];
        if (ring.named == period) finding.subject = ring.last;
        finding.identity = identity_of(ring.hit_sum[period - 1], period);
        return finding;
    }

    static std::uint64_t identity_of(std::uint32_t sum, std::uint32_t period) {
        return detail::max_of<std::uint64_t>(text::combine(sum, period), 1);
    }
};

}  // namespace heeler::inline HEELER_ABI
