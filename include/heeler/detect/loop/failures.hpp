// The same failure whatever was called, and a service that does not answer.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/detect/loop/unit.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// The same failure with any arguments, of any tool. About another subject each time it weighs little: that is walking
/// over distinct items. Different failures are no loop.
struct SameError {
    static constexpr std::uint32_t one = 256;  ///< a repeat in full

    struct Settings {
        bool on = true;
        std::uint32_t one_tool = 4;
        std::uint32_t several_tools = 5;
        std::uint32_t few_words = 3;             ///< a key of so few words needs one more
        std::uint32_t new_subject_percent = 25;  ///< what a repeat about a new subject weighs
        std::uint32_t window = 24;               ///< units between two of them
        std::uint32_t shown = 3;                 ///< so many are an error cascade, which is shown
    };
    struct Record {
        std::uint32_t error;
        std::uint32_t used;  ///< unit + 1; 0: free
        std::uint32_t gains, first;
        std::uint32_t weight;
        std::uint16_t tools[4];  ///< halves
        Stamp round, news, edits;
        std::uint16_t subjects[16];
        std::uint8_t subject_count, tool_count, next_subject, varied;
        std::uint16_t things;  ///< of the newest
    };
    struct Part {
        Record records[12];
    };

    static constexpr std::string_view name = "errclass";
    static constexpr Basis basis = Basis::error;

    static Hit learn(Part& part, const Settings& settings, const Unit& unit, const Common& common) noexcept {
        if (!unit.is(OutcomeClass::negative) || !unit.outcome.enough_letters) return {};
        Record& record = entry_of(
            part.records, [&](const Record& each) { return each.error == unit.outcome.error_key; },
            [](const Record& each) { return each.used; });
        if (record.used != 0 && record.round == common.round) {
            note(record, unit);  // one occurrence, about several subjects
            return {};
        }
        if (common.unit - record.used > settings.window || common.gains - record.gains >= 2 || unit.news) record = {};
        if (record.used == 0) {
            record.error = unit.outcome.error_key;
            record.first = unit.first;
            record.weight = one;
            note(record, unit);
            note(record, unit, true);  // the first failure has both subjects: an edit may come between it and the next
        } else {
            const bool renewed = record.news != common.news || record.edits != common.edits;
            const bool new_subject = note(record, unit, record.edits != common.edits);
            std::uint32_t more = one;
            if (renewed) more /= 2;
            if (new_subject) more = more * settings.new_subject_percent / 100;
            if (record.weight < one * 1000) record.weight += more;
        }
        record.used = common.unit + 1;
        record.round = common.round;
        record.news = common.news;
        record.edits = common.edits;
        record.gains = common.gains;
        record.things = unit.outcome.things;
        return judge(record, settings, unit);
    }

    /// The last time the same failure was one of more things.
    [[nodiscard]] static bool had_more(const Part& part, const Outcome& outcome) noexcept {
        for (const Record& each : part.records)
            if (each.used != 0 && each.error == outcome.error_key) return each.things > outcome.things;
        return false;
    }

    static std::string words(const Finding& finding) {
        return "meets the same failure " + heeler::detail::words::count(finding.evidence.fact("repeats")) + " times";
    }

private:
    /// Whether the subject is new. Keeps it, and the tool. After an edit the same failure of another call is about what
    /// that names, if it does not say.
    static bool note(Record& record, const Unit& unit, bool edited = false) noexcept {
        const bool by_call = edited && unit.outcome.subject == 0;
        const std::uint16_t subject = by_call ? static_cast<std::uint16_t>(~unit.call.typed) : unit.outcome.subject;
        const auto tool = static_cast<std::uint16_t>(unit.call.tool);
        bool known = false;
        const std::size_t tools = record.tool_count % (std::size(record.tools) + 1);
        for (std::size_t i = 0; i < tools; ++i) known = known || record.tools[i] == tool;
        if (!known && tools < std::size(record.tools)) {
            record.tools[tools] = tool;
            record.tool_count = static_cast<std::uint8_t>(tools + 1);
        }
        const std::size_t subjects = record.subject_count % (std::size(record.subjects) + 1);
        for (std::size_t i = 0; i < subjects; ++i)
            if (record.subjects[i] == subject) return false;
        record.subjects[record.next_subject++ % std::size(record.subjects)] = subject;
        if (subjects < std::size(record.subjects)) record.subject_count = static_cast<std::uint8_t>(subjects + 1);
        return true;
    }

    static Hit judge(const Record& record, const Settings& s, const Unit& unit) noexcept {
        const std::uint32_t own = record.tool_count > 1 ? s.several_tools : s.one_tool;
        Hit hit;
        hit.judge(record.weight / one, own + (unit.outcome.words <= s.few_words ? 1 : 0), 0);
        hit.first = record.first;
        hit.identity = text::combine(unit.outcome.error_key, 3);
        hit.varied = record.tool_count > 1      ? Varied::tool
                     : record.subject_count > 1 ? Varied::subject
                                                : Varied::wording;
        return hit;
    }
};

/// The service behind a tool fails: judged by time, and by whether the agent backs off.
struct Infra {
    struct Settings {
        bool on = true;
        std::uint32_t seconds = 120;  ///< of at least `tries` tries without growing gaps
        std::uint32_t tries = 4;
        std::uint32_t long_seconds = 600;  ///< however it tries
        std::uint32_t many = 20;           ///< tries without growing gaps
    };
    struct Part {
        std::uint32_t gaps[4];  ///< tenths of a second, each in its turn
        std::uint32_t began, last, round, news, edits, first;
        std::uint16_t tries;
    };

    static constexpr std::string_view name = "infra";
    static constexpr Basis basis = Basis::time;

    static Hit learn(Part& part, const Settings& settings, const Unit& unit, const Common& common) noexcept {
        if (part.tries == 0 || part.news != common.news || part.edits != common.edits) {
            part = {{}, common.at, common.at, common.round, common.news, common.edits, unit.first, 1};
            return {};
        }
        if (part.round == common.round) return {};
        const std::uint32_t gap = common.at > part.last ? common.at - part.last : 0;
        std::uint32_t& before = part.gaps[part.tries % std::size(part.gaps)];
        const std::uint64_t then = part.tries > std::size(part.gaps) ? before : part.gaps[1];
        const bool grows = part.tries > 1 && std::uint64_t{gap} * 10 > then * 13;
        before = gap;
        part.last = common.at;
        part.round = common.round;
        count_up(part.tries);
        return judge(part, settings, unit, grows, common.at > part.began ? (common.at - part.began) / 10 : 0);
    }

    static std::string words(const Finding& finding) {
        return "tries what does not answer, or is held by another, " +
               heeler::detail::words::count(finding.evidence.fact("repeats")) + " times";
    }

private:
    static Hit judge(const Part& part, const Settings& s, const Unit& unit, bool grows,
                     std::uint32_t seconds) noexcept {
        Hit hit;
        const bool by_time = seconds >= s.long_seconds || (seconds >= s.seconds && part.tries >= s.tries && !grows);
        hit.judge(part.tries, by_time ? part.tries : s.many, 0);
        if (!by_time && grows) hit.level = Level::none;
        hit.first = part.first;
        hit.identity = text::combine(unit.outcome.error_key != 0 ? unit.outcome.error_key : unit.call.tool, 4);
        hit.varied = Varied::wording;
        return hit;
    }
};

}  // namespace heeler::inline HEELER_ABI::loops
