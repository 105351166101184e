// Calls that differ in a number, an id or the wording, and still have the same outcome.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/detect/loop/unit.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// Digits and ids vary. One record for each of the newest tools. A counter that only rises, with empty answers or a
/// bare "done", is a batch: only values that come back are a loop there.
struct Near {
    struct Settings {
        bool on = true;
        std::uint32_t failure = 4;
        std::uint32_t info = 5;
        std::uint32_t empty = 5;     ///< or a bare "done"
        std::uint32_t telling = 80;  ///< bytes of an answer that is no mere number
    };
    struct Record {
        std::uint32_t tool, shape, key;
        std::uint32_t used;  ///< unit + 1; 0: free
        std::uint32_t numbers, first;
        std::uint16_t calls[8];  ///< halves of the newest, each in its turn
        Stamp round, edits;
        std::uint16_t rounds;
        std::uint8_t next;
        std::int8_t came_back;  ///< four for each value that did, one less for each that did not; below 0: too seldom
        std::uint8_t moved, varied;
    };
    struct Part {
        Record records[8];
    };

    static constexpr std::string_view name = "near";
    static constexpr Basis basis = Basis::same_call;

    static Hit learn(Part& part, const Settings& settings, const Unit& unit, const Common& common) noexcept {
        Record& record = entry_of(
            part.records, [&](const Record& each) { return each.tool == unit.call.tool; },
            [](const Record& each) { return each.used; });
        const bool goes_on = record.used != 0 && record.shape == unit.call.shape && record.key == unit.key() &&
                             record.edits == common.edits;
        if (goes_on && record.round == common.round) return {};
        if (!goes_on) {
            record = {};
            record.tool = unit.call.tool;
            record.shape = unit.call.shape;
            record.key = unit.key();
            record.first = unit.first;
        } else {
            note_value(record, unit);
        }
        record.calls[record.next++ % std::size(record.calls)] = static_cast<std::uint16_t>(unit.call.typed);
        record.numbers = unit.outcome.numbers;
        record.used = common.unit + 1;
        record.round = common.round;
        record.edits = common.edits + (unit.edit ? 1 : 0);
        count_up(record.rounds);
        return judge(record, settings, unit);
    }

    static std::string words(const Finding& finding) {
        return "makes the same call but for a number " +
               heeler::detail::words::count(finding.evidence.fact("repeats")) + " times, with the same outcome";
    }

private:
    static void note_value(Record& record, const Unit& unit) noexcept {
        const auto call = static_cast<std::uint16_t>(unit.call.typed);
        const std::uint16_t newest =
            record.calls[(record.next + std::size(record.calls) - 1) % std::size(record.calls)];
        if (newest != call) {
            record.varied = 1;
            bool back = false;
            for (const std::uint16_t each : record.calls) back = back || each == call;
            // In a long batch one value is tried again, or two have the same half: that alone is no circle. A circle
            // that begins there needs two.
            if (back)
                record.came_back = static_cast<std::int8_t>(record.came_back < 100 ? record.came_back + 4 : 100);
            else if (record.came_back > -6)
                --record.came_back;
        }
        if (record.numbers != unit.outcome.numbers) record.moved = 1;
    }

    static Hit judge(const Record& record, const Settings& s, const Unit& unit) noexcept {
        const bool failed = unit.is(OutcomeClass::negative);
        const bool told = unit.is(OutcomeClass::info);
        const bool counts = failed || record.came_back >= 0 || (told && unit.outcome.length >= s.telling);
        Hit hit;
        if (!counts || record.varied == 0) return hit;
        hit.judge(record.rounds, failed ? s.failure + record.moved : told ? s.info : s.empty, 0);
        hit.first = record.first;
        hit.identity = unit.member();
        hit.varied = Varied::numbers;
        return hit;
    }
};

/// The wording varies: most words of the arguments stay. Where one part of them is another one each time and all else
/// stays as it was, the agent goes through a list: that weighs half, and nothing if the answer is as short as "yes".
/// A failure must be about that part.
struct Similar {
    static constexpr std::uint32_t telling = 120;  ///< bytes of an answer that says more than yes or no

    struct Settings {
        bool on = true;
        std::uint32_t failure = 4;
        std::uint32_t info = 5;
        std::uint32_t empty = 8;     ///< of searches
        std::uint32_t percent = 50;  ///< of all words of two calls that both have
        std::uint32_t window = 12;   ///< units between two of them
    };
    struct Record {
        std::uint32_t tool, key;
        std::uint32_t used;  ///< unit + 1; 0: free
        std::uint32_t gains, numbers, first;
        Stamp round, news, edits;
        TokenSet begun, newest;
        std::uint16_t rounds, renewed, walked;
        std::uint16_t subject;  ///< of the newest failure; of another outcome, the command but for what it names
        std::uint8_t moved;
    };
    struct Part {
        Record records[6];
    };

    static constexpr std::string_view name = "similar";
    static constexpr Basis basis = Basis::alike;

    static Hit learn(Part& part, const Settings& settings, const Unit& unit, const Common& common) noexcept {
        if (unit.is(OutcomeClass::ack) || (unit.is(OutcomeClass::empty) && !unit.call.search)) return {};
        const auto is_alike = [&](const Record& each) {
            return each.tool == unit.call.tool && each.key == unit.key() &&
                   (are_alike(each.newest, unit.call.tokens, settings.percent, 100) ||
                    are_alike(each.begun, unit.call.tokens, settings.percent, 100));
        };
        Record& record = entry_of(part.records, is_alike, [](const Record& each) { return each.used; });
        if (record.used != 0 && record.round == common.round) return {};
        const bool failed = unit.is(OutcomeClass::negative);
        const bool undone = failed ? unit.news : common.edits != record.edits;
        const std::uint16_t about = failed ? unit.outcome.subject : static_cast<std::uint16_t>(unit.call.resource);
        if (undone || common.unit - record.used > settings.window || common.gains - record.gains >= 2)
            record = {};  // one that is new begins with these zeros
        if (record.used == 0) {
            record.tool = unit.call.tool;
            record.key = unit.key();
            record.begun = unit.call.tokens;
            record.first = unit.first;
        } else {
            if (common.edits != record.edits || common.news != record.news) count_up(record.renewed);
            if (record.numbers != unit.outcome.numbers) record.moved = 1;
            const bool named = !failed || record.subject != about || (about == 0 && common.edits != record.edits);
            const bool walks = unit.fresh && named && walks_on(record, unit.call.tokens);
            const bool answers = unit.some && (failed ? walks : about != 0 && about == record.subject);
            if (walks) count_up(record.walked);
            if (answers) count_up(record.walked);
        }
        record.newest = unit.call.tokens;
        record.numbers = unit.outcome.numbers;
        record.subject = about;
        record.used = common.unit + 1;
        record.round = common.round;
        record.news = common.news + (unit.news ? 1 : 0);
        record.edits = common.edits + (unit.edit ? 1 : 0);
        record.gains = common.gains + (unit.progress() ? 1 : 0);
        count_up(record.rounds);
        return judge(record, settings, unit);
    }

    static std::string words(const Finding& finding) {
        return "makes calls worded alike " + heeler::detail::words::count(finding.evidence.fact("repeats")) +
               " times, with the same outcome";
    }

private:
    /// As many words as before stay, and as many are replaced.
    static bool walks_on(const Record& record, const TokenSet& tokens) noexcept {
        const std::uint32_t stay = common_tokens(record.newest, tokens);
        return tokens.count == record.newest.count && stay < tokens.count &&
               stay == common_tokens(record.begun, tokens);
    }
    static Hit judge(const Record& record, const Settings& s, const Unit& unit) noexcept {
        const bool failed = unit.is(OutcomeClass::negative);
        const bool is_short = unit.is(OutcomeClass::info) && unit.outcome.length < telling;
        const std::uint32_t own = failed ? s.failure : unit.is(OutcomeClass::empty) ? s.empty : s.info;
        const std::uint32_t needed = own + (failed ? record.moved : 0u) + (record.renewed >= 2 ? 1 : 0);
        const std::uint32_t back = record.renewed / 2u + (is_short ? record.walked : record.walked / 2u);
        Hit hit;
        hit.judge(record.rounds > back ? record.rounds - back : 0, needed, 0);
        hit.first = record.first;
        hit.identity = text::combine(unit.call.tool, unit.key());
        hit.varied = Varied::wording;
        return hit;
    }
};

}  // namespace heeler::inline HEELER_ABI::loops
