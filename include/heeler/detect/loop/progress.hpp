// Nothing new comes, whatever is called; and a context that is condensed without anything new between.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/detect/loop/unit.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// Rounds without progress. A failure of a new kind is half a step, one whose text is new and long none back.
struct Fruitless {
    struct Settings {
        bool on = true;
        std::uint32_t rounds = 8;
        std::uint32_t stop = 16;
    };
    struct Part {
        std::uint32_t round, first;
        std::uint16_t halves;  ///< two a round
        std::uint8_t last;     ///< what the current round has added
    };

    static constexpr std::string_view name = "fruitless";
    static constexpr Basis basis = Basis::no_progress;

    static Hit learn(Part& part, const Settings& settings, const Unit& unit, const Common& common) noexcept {
        if (unit.progress()) {
            part = {common.round, 0, 0, 0};
            return {};
        }
        const std::uint8_t adds = unit.some ? 0 : unit.half ? 1 : 2;
        if (part.round != common.round) {
            if (part.halves == 0) part.first = unit.first;
            part.round = common.round;
            part.last = adds;
            part.halves = static_cast<std::uint16_t>(part.halves < 0xFFF0 ? part.halves + adds : part.halves);
        } else if (adds < part.last) {  // a round is as good as its best unit
            const auto back = static_cast<std::uint16_t>(part.last - adds);
            part.halves = part.halves > back ? static_cast<std::uint16_t>(part.halves - back) : 0;
            part.last = adds;
        }
        Hit hit;
        hit.judge(part.halves / 2u, settings.rounds, settings.stop);
        hit.first = part.first;
        hit.varied = Varied::tool;
        return hit;
    }
    static std::string words(const Finding& finding) {
        return "has had nothing new in " + heeler::detail::words::count(finding.evidence.fact("repeats")) + " rounds";
    }
};

struct Compacted {
    struct Settings {
        bool on = true;
        std::uint32_t times = 3;
    };
    struct Part {
        std::uint32_t news, edits, first;
        std::uint16_t times;
    };

    static constexpr std::string_view name = "compaction";
    static constexpr Basis basis = Basis::context;

    static Hit learn(Part& part, const Settings& settings, const Compaction&, const Common& common) noexcept {
        if (part.times == 0 || part.news != common.news || part.edits != common.edits)
            part = {common.news, common.edits, common.index, 0};
        count_up(part.times);
        Hit hit;
        hit.judge(part.times, settings.times, 0);
        hit.first = part.first;
        hit.identity = text::combine(5, 5);
        return hit;
    }
    static std::string words(const Finding& finding) {
        return "has condensed its context " + heeler::detail::words::count(finding.evidence.fact("repeats")) +
               " times with nothing new between";
    }
};

/// Calls that wait, and equal answers between which the run waited: only time counts, and any change begins anew.
struct FrozenPoll {
    struct Settings {
        bool on = true;
        std::uint32_t seconds = 600;
        std::uint32_t polls = 10;
        std::uint32_t intervals = 10;  ///< so many times the usual interval between two polls, if that is longer
    };
    struct Record {
        std::uint32_t typed, key;
        std::uint32_t used;  ///< unit + 1; 0: free
        std::uint32_t began, last, first;
        Stamp news, edits;
        std::uint16_t gaps[8];  ///< seconds, each in its turn
        std::uint16_t polls;
    };
    struct Part {
        Record records[8];
        std::uint32_t changed;  ///< how often a poll had another answer
    };

    static constexpr std::string_view name = "frozen_poll";
    static constexpr Basis basis = Basis::time;

    static Hit learn(Part& part, const Settings& settings, const Unit& unit, const Common& common) noexcept {
        Record& record = entry_of(
            part.records, [&](const Record& each) { return each.typed == unit.call.typed; },
            [](const Record& each) { return each.used; });
        const bool goes_on =
            record.used != 0 && record.key == unit.key() && record.news == common.news && record.edits == common.edits;
        if (record.used != 0 && record.key != unit.key())
            for (Record& each : part.records) each.polls = 0;  // what is waited for moves
        if (!goes_on || record.polls == 0) {
            record = {};
            record.typed = unit.call.typed;
            record.key = unit.key();
            record.began = common.at;
            record.first = unit.first;
        } else {
            const std::uint32_t gap = common.at > record.last ? (common.at - record.last) / 10 : 0;
            record.gaps[record.polls % std::size(record.gaps)] =
                static_cast<std::uint16_t>(gap < 0xFFFF ? gap : 0xFFFF);
        }
        record.last = common.at;
        record.news = common.news + (unit.news ? 1 : 0);
        record.edits = common.edits + (unit.edit ? 1 : 0);
        record.used = common.unit + 1;
        count_up(record.polls);
        return judge(record, settings, unit, common);
    }
    static std::string words(const Finding& finding) {
        return "polls what does not move, " + heeler::detail::words::count(finding.evidence.fact("repeats")) + " times";
    }

private:
    static std::uint32_t median(const Record& record) noexcept {
        std::uint32_t sorted[8]{};
        const std::uint32_t count = record.polls - 1u < 8 ? record.polls - 1u : 8;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t gap = record.gaps[(record.polls - 1u - i) % std::size(record.gaps)];
            std::uint32_t k = i;
            for (; k > 0 && sorted[k - 1] > gap; --k) sorted[k] = sorted[k - 1];
            sorted[k] = gap;
        }
        return count == 0 ? 0 : sorted[count / 2];
    }

    static Hit judge(const Record& record, const Settings& s, const Unit& unit, const Common& common) noexcept {
        const std::uint64_t tenths = common.at > record.began ? common.at - record.began : 0;
        const std::uint64_t usual = std::uint64_t{median(record)} * s.intervals * 10;
        const std::uint64_t least = usual > std::uint64_t{s.seconds} * 10 ? usual : std::uint64_t{s.seconds} * 10;
        Hit hit;
        hit.judge(record.polls, s.polls, 0);
        if (tenths < least) hit.level = Level::none;
        hit.first = record.first;
        hit.identity = unit.member();
        return hit;
    }
};

}  // namespace heeler::inline HEELER_ABI::loops
