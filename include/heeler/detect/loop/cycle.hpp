// A block of calls with their outcomes that repeats itself, of any period from 2 to 32.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/detect/loop/unit.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// The newest items, and for each period how many of them in a row equal the one so many before.
struct CycleRing {
    static constexpr std::uint32_t longest = 32;

    struct Item {
        std::uint32_t first;
        std::uint32_t member;  ///< for the identity
    };
    struct Run {
        std::uint32_t first;  ///< of the block before the first item that equals the one a period before
        Stamp round;          ///< likewise
        std::uint16_t equal;  ///< items in a row
    };

    std::uint32_t items[longest];
    Item kept[longest];
    Stamp kept_rounds[longest];
    Run runs[longest + 1];
    std::uint32_t count;
    std::uint32_t repeats;  ///< 0: the newest item equals none of those that are kept

    void add(std::uint32_t item, Stamp round, const Item& known) noexcept {
        if (is_kept(item) || repeats != 0) count_runs(item);
        items[count % longest] = item;
        kept_rounds[count % longest] = round;
        kept[count++ % longest] = known;
    }

    [[nodiscard]] bool is_new() const noexcept { return repeats == 0; }

    /// How often the block of this period stands there, if it is one: a single item is its own block.
    [[nodiscard]] std::uint32_t blocks(std::uint32_t period) const noexcept {
        const std::uint32_t equal = runs[period].equal;
        if (equal < period || (period > 1 && runs[1].equal + 1u >= period)) return 0;
        return equal / period + 1;
    }
    [[nodiscard]] std::uint32_t rounds(std::uint32_t period) const noexcept {
        return runs[period].round.until(kept_rounds[place(1)]) + 1u;
    }
    [[nodiscard]] std::uint32_t first(std::uint32_t period) const noexcept { return runs[period].first; }
    [[nodiscard]] std::uint64_t identity(std::uint32_t period) const noexcept {
        std::uint64_t sum = 0;
        for (std::uint32_t i = 1; i <= period; ++i) sum += kept[place(i)].member;
        return text::combine(sum, period);
    }

private:
    /// Of the item so many before the next one.
    [[nodiscard]] std::uint32_t place(std::uint32_t period) const noexcept { return (count - period) % longest; }

    [[nodiscard]] bool is_kept(std::uint32_t item) const noexcept {
        std::uint32_t found = 0;
        for (const std::uint32_t each : items) found |= each == item ? 1u : 0u;
        return found != 0;
    }
    void count_runs(std::uint32_t item) noexcept {
        repeats = 0;
        for (std::uint32_t period = 1; period <= longest; ++period) {
            Run& run = runs[period];
            if (period > count || items[place(period)] != item) {
                run.equal = 0;
                continue;
            }
            repeats = 1;
            if (run.equal == 0)
                run = {kept[place(period)].first, kept_rounds[place(period)], 1};
            else
                count_up(run.equal);
        }
    }
};

/// The smallest period that says most.
[[nodiscard]] inline Hit best_of(const CycleRing& ring, std::uint32_t least_period, std::uint32_t needed,
                                 std::uint32_t stop, std::uint32_t rounds) noexcept {
    Hit best;
    if (ring.is_new()) return best;
    for (std::uint32_t period = least_period; period <= CycleRing::longest; ++period) {
        const std::uint32_t blocks = ring.blocks(period);
        if (blocks == 0 || ring.rounds(period) < rounds) continue;
        Hit hit;
        hit.judge(blocks, needed, stop);
        hit.period = static_cast<std::uint16_t>(period);
        hit.first = ring.first(period);
        hit.identity = ring.identity(period);
        keep_higher(best, hit);
    }
    return best;
}

/// Needs no guard against progress: a block that repeats holds no news.
struct Cycle {
    struct Settings {
        bool on = true;
        std::uint32_t rounds = 3;  ///< of the block
        std::uint32_t stop = 6;
    };
    using Part = CycleRing;

    static constexpr std::string_view name = "cycle";
    static constexpr Basis basis = Basis::same_call;

    static Hit learn(Part& part, const Settings& settings, const Unit& unit, const Common& common) noexcept {
        part.add(static_cast<std::uint32_t>(text::combine(unit.call.typed, unit.key())), common.round,
                 {unit.first, static_cast<std::uint32_t>(unit.member())});
        return best_of(part, 2, settings.rounds, settings.stop, 3);
    }
    static std::string words(const Finding& finding) {
        return "repeats a block of " + heeler::detail::words::count(finding.evidence.fact("period")) + " calls " +
               heeler::detail::words::count(finding.evidence.fact("repeats")) + " times, with the same outcomes";
    }
};

/// Of a host that reports no results at all: nothing but the calls is known, so more of them are needed. Off for good
/// with the first result.
struct CallOnly {
    struct Settings {
        bool on = true;
        std::uint32_t repeats = 5;
    };
    using Part = CycleRing;

    static constexpr std::string_view name = "call_only";
    static constexpr Basis basis = Basis::same_call;

    static Hit learn(Part& part, const Settings& settings, const CallFacts& call, const Common& common) noexcept {
        part.add(call.typed, common.round, {common.index, static_cast<std::uint32_t>(text::combine(call.shape, 0))});
        return best_of(part, 1, settings.repeats, 2 * settings.repeats, 2);
    }
    static std::string words(const Finding& finding) {
        return "makes the same calls " + heeler::detail::words::count(finding.evidence.fact("repeats")) +
               " times; nobody reports their results";
    }
};

}  // namespace heeler::inline HEELER_ABI::loops
