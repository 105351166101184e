// Blocks of items that repeat themselves, of any period up to 64, at a constant cost per item.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/text/combine.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline HEELER_ABI {

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

namespace detail {

/// Where blocks stood, by period.
struct BlockHits {
    static constexpr std::uint32_t max_period = 64;

    std::uint32_t end[max_period]{};  ///< items seen when it last matched; 0: never
    std::uint16_t run[max_period]{};
    std::uint32_t sum[max_period]{};  ///< of the block's masked fingerprints: in any order the same
    std::uint32_t named = 0;          ///< the period whose block `last` ended; 0: none
    Subject last{};                   ///< a line, or the name of a tool

    void archive(auto& a) { a(end, run, sum, named, last); }
};

/// Fingerprints of the newest items. `equal_run[p - 1]` counts how many items in a row equal the one p before them, on
/// the masked fingerprints: one pass per item that compilers turn into vector code, so all counters are as wide as a
/// fingerprint. Whether a block is exactly equal is asked only where that count is high enough, so that a quarter of an
/// exact fingerprint will do.
struct BlockRing {
    static constexpr std::uint32_t max_period = BlockHits::max_period;
    static constexpr std::uint32_t size = 256;
    using TextOf = std::string_view (*)(const Observation&) noexcept;

    std::uint16_t exact[size]{};
    std::uint16_t step[size]{};          ///< observations since the item before; 0xFFFF: so many or more
    std::uint32_t recent[max_period]{};  ///< newest first
    std::uint32_t equal_run[max_period]{};
    OnDemand<BlockHits> hits;  ///< from the first block on
    std::uint32_t items = 0;
    std::uint32_t newest = 0;                   ///< observation index of the newest item
    std::uint32_t watermark = 0;                ///< items before this one are not judged again
    std::uint32_t longest = ~std::uint32_t{0};  ///< no count of `equal_run` exceeds it; not saved

    void archive(auto& a) { a(exact, step, recent, equal_run, hits, items, newest, watermark); }

    /// What was there before is not judged again.
    void begin_anew() {
        watermark = items;
        for (std::uint32_t& run : equal_run) run = 0;
        longest = 0;
    }

    /// `text_of`: what people read of an item with which a block begins.
    void add(const BlockRule& rule, const Observation& seen, TextOf text_of) {
        const auto index = static_cast<std::uint32_t>(seen.index);
        exact[items % size] = static_cast<std::uint16_t>(seen.exact);
        step[items % size] = static_cast<std::uint16_t>(min_of<std::uint32_t>(index - newest, 0xFFFF));
        newest = index;
        const std::uint32_t most = count_equal(seen.normal);
        for (std::uint32_t i = max_period - 1; i > 0; --i) recent[i] = recent[i - 1];
        recent[0] = seen.normal;
        ++items;
        // The shortest loop has r blocks of m / r items, of which all but the first repeat: nearly always too much.
        if (std::uint64_t{most} * rule.min_repeats >= std::uint64_t{rule.min_repeats - 1} * rule.min_items)
            note_blocks(rule, seen, text_of);
    }

    /// The smallest period of a block that the rule calls a loop; 0: there is none.
    [[nodiscard]] std::uint32_t period_of_loop(const BlockRule& rule) const {
        if (!hits) return 0;
        const std::uint32_t oldest = max_of(watermark, items > rule.window ? items - rule.window : 0);
        for (std::uint32_t period = rule.min_period; period <= rule.max_period; ++period) {
            const std::uint32_t end = hits->end[period - 1];
            if (end != 0 && end >= oldest + period * rule.repeats_for(period)) return period;
        }
        return 0;
    }

    [[nodiscard]] Finding finding_of(const BlockRule& rule, std::uint32_t period, std::string_view kind) const {
        const std::uint32_t end = hits->end[period - 1], run = hits->run[period - 1];
        Finding finding{Condition::loop_detected, Level::nudge, kind, {.rule = "block"}};
        finding.evidence.add("period", period)
            .add("repeats", run / period + 1)
            .add("min_repeats", rule.repeats_for(period))
            .add("window", rule.window);
        finding.evidence.first = index_of(end - min_of(run + period, size));
        finding.evidence.last = index_of(end - 1);
        if (hits->named == period) finding.subject = hits->last;
        finding.identity = identity_of(hits->sum[period - 1], period);
        return finding;
    }

    /// Items since a block last stood there.
    [[nodiscard]] std::uint32_t items_since() const {
        std::uint32_t since = watermark;
        for (const std::uint32_t end : hits->end) since = max_of(since, end);
        return items - since;
    }

    /// How many items since the watermark are nothing but the block of this identity; absent: others are among them.
    [[nodiscard]] std::optional<std::uint64_t> more_of_same(const BlockRule& rule, std::uint64_t identity) const {
        const std::uint32_t fresh = items - watermark;
        for (std::uint32_t period = rule.min_period; period <= rule.max_period; ++period) {
            if (identity_of(sum_of_newest(period), period) != identity) continue;
            const std::uint32_t enough = min_of(fresh, size - period);
            if (exact_run(period, enough) == enough) return fresh;
        }
        return std::nullopt;
    }

private:
    void note_blocks(const BlockRule& rule, const Observation& seen, TextOf text_of) {
        for (std::uint32_t period = rule.min_period; period <= rule.max_period; ++period) {
            const std::uint32_t run = equal_run[period - 1];
            if (run < (rule.min_repeats - 1) * period || run + period < rule.min_items) continue;
            const std::uint32_t needed = (rule.repeats_for(period) - 1) * period;
            if (run >= needed) note_if_exact(period, needed, seen, text_of);
        }
    }

    /// Counts on and answers with a number that no counter exceeds.
    std::uint32_t count_equal(std::uint32_t normal) {
        // Nearly always nothing repeats, and nothing did.
        if (longest == 0 && !is_among(recent, normal)) return 0;
        for (std::uint32_t i = min_of(items - watermark, max_period); i < max_period; ++i)
            equal_run[i] = ~std::uint32_t{0};  // becomes 0
        return longest = count_each(equal_run, recent, normal);
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
    [[nodiscard]] std::uint32_t exact_run(std::uint32_t period, std::uint32_t enough) const {
        std::uint32_t run = 0;
        for (std::uint32_t i = items; run < enough; --i, ++run)
            if (exact[(i - 1) % size] != exact[(i - 1 - period) % size]) break;
        return run;
    }

    void note_if_exact(std::uint32_t period, std::uint32_t needed, const Observation& seen, TextOf text_of) {
        const bool goes_on = hits->end[period - 1] + 1 == items;
        std::uint32_t run = hits->run[period - 1];
        if (goes_on && exact_run(period, 1) == 1 && run >= needed)
            run = min_of<std::uint32_t>(run + 1, 0xFFFF);
        else
            run = exact_run(period, min_of<std::uint32_t>(equal_run[period - 1], size - period));
        if (run < needed) return;
        BlockHits& known = hits.edit();
        if (!goes_on) known.sum[period - 1] = sum_of_newest(period);
        // Who repeats one item repeats two as well: the shortest block that goes on gives the name.
        if (!goes_on && (known.named == 0 || known.named >= period || known.end[known.named - 1] != items)) {
            known.named = period;
            known.last = Subject{text::redact(text_of(seen).substr(0, 256))};  // a secret cut short is not recognised
        }
        known.end[period - 1] = items;
        known.run[period - 1] = static_cast<std::uint16_t>(run);
    }

    /// A run begins its loop anywhere in the block, so the order of the items must not matter.
    [[nodiscard]] std::uint32_t sum_of_newest(std::uint32_t period) const {
        std::uint32_t sum = 0;
        for (std::uint32_t i = 0; i < period; ++i) sum += recent[i];
        return sum;
    }

    /// Of an item in the ring, counted from 0.
    [[nodiscard]] std::uint32_t index_of(std::uint32_t item) const {
        const std::uint32_t last = items - 1;
        const std::uint32_t back = min_of(last - item, size - 1);  // whatever a store says
        std::uint32_t index = newest;
        for (std::uint32_t i = 0; i < back; ++i) index -= step[(last - i) % size];
        return index;
    }

    static std::uint64_t identity_of(std::uint32_t sum, std::uint32_t period) {
        return max_of<std::uint64_t>(text::combine(sum, period), 1);
    }
};

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI
