// The same call with the same outcome, again and again: one after the other, or with others between.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/detect/loop/unit.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// Four counts, from the strictest sense of "again" to the widest; each outcome class has its own thresholds. An edit
/// or news between takes back what it should: see `again`.
struct Repeat {
    struct Settings {
        bool on = true;
        std::uint32_t adjacent = 3;          ///< one after the other, a failure or information
        std::uint32_t adjacent_empty = 4;    ///< nothing found, or a bare "done"
        std::uint32_t between = 4;           ///< others between and no progress, a failure or information
        std::uint32_t between_empty = 5;     ///< nothing found
        std::uint32_t between_done = 6;      ///< a bare "done"
        std::uint32_t progress_failure = 5;  ///< progress between
        std::uint32_t progress_info = 6;
        std::uint32_t progress_empty = 8;
        std::uint32_t plateau = 8;  ///< the same failure with edits between
        std::uint32_t window = 12;  ///< calls between two of them
    };

    struct Record {
        std::uint32_t typed;
        std::uint32_t key;   ///< of its last outcome
        std::uint32_t used;  ///< unit + 1; 0: free
        std::uint32_t first;
        std::uint16_t older[3];  ///< halves of the keys before, the newest first
        Stamp round, news, edits, waits;
        std::uint16_t all, adjacent, between, close;
        std::uint8_t edited;    ///< since `all` began; `acted` is another bit
        std::uint8_t touching;  ///< two of `close` were adjacent
    };
    struct Part {
        Record records[24];
    };
    static constexpr std::uint8_t acted = 2;  ///< the run did something since it was made

    static constexpr std::string_view name = "repeat";
    static constexpr Basis basis = Basis::same_call;

    static Hit learn(Part& part, const Settings& settings, const Unit& unit, const Common& common) noexcept {
        Record& record = entry_of(
            part.records, [&](const Record& each) { return each.typed == unit.call.typed; },
            [](const Record& each) { return each.used; });
        if (record.used != 0 && record.round == common.round) {
            record.used = common.unit + 1;
            return {};
        }
        if (record.used == 0 || common.unit - record.used > settings.window)
            restart(record, unit);
        else if (record.key != unit.key())
            changed(record, unit);
        else
            again(record, unit, common);
        record.typed = unit.call.typed;
        record.used = common.unit + 1;
        record.round = common.round;
        record.news = common.news + (unit.news ? 1 : 0);
        record.edits = common.edits + (unit.edit ? 1 : 0);
        record.waits = common.waits;
        record.edited &= 1;
        return judge(record, settings, unit);
    }

    /// What is known of the call; null: it was not made a short while ago.
    [[nodiscard]] static const Record* find(const Part& part, std::uint32_t typed) noexcept {
        for (const Record& each : part.records)
            if (each.typed == typed && each.used != 0) return &each;
        return nullptr;
    }
    static void note_act(Part& part) noexcept {
        for (Record& each : part.records) each.edited |= acted;
    }
    /// The same call had the same outcome before, and since then the run has waited, and did nothing else.
    [[nodiscard]] static bool waited_between(const Record* known, const Unit& unit, const Common& common) noexcept {
        return had(known, unit) && known->waits != common.waits && (known->edited & acted) == 0;
    }
    /// The same call had the same outcome the last time.
    [[nodiscard]] static bool had(const Record* known, const Unit& unit) noexcept {
        return known != nullptr && known->key == unit.key();
    }

    static std::string words(const Finding& finding) {
        return "makes the same call " + heeler::detail::words::count(finding.evidence.fact("repeats")) +
               " times, with the same outcome";
    }

private:
    static void restart(Record& record, const Unit& unit) noexcept {
        record = {};
        record.key = unit.key();
        record.first = unit.first;
        record.all = record.adjacent = record.between = record.close = 1;
    }

    /// An answer that flickers takes one repeat back, another one all.
    static void changed(Record& record, const Unit& unit) noexcept {
        const auto half = static_cast<std::uint16_t>(unit.key() >> 16);
        const auto newest = static_cast<std::uint16_t>(record.key >> 16);
        for (std::size_t i = 0; i < std::size(record.older); ++i) {
            if (record.older[i] != half) continue;
            for (std::size_t k = i; k > 0; --k) record.older[k] = record.older[k - 1];
            record.older[0] = newest;
            record.key = unit.key();
            for (std::uint16_t* count : {&record.all, &record.adjacent, &record.between, &record.close})
                *count = *count > 1 ? static_cast<std::uint16_t>(*count - 1) : 1;
            return;
        }
        const Record before = record;
        restart(record, unit);
        record.older[0] = newest;
        for (std::size_t k = 1; k < std::size(record.older); ++k) record.older[k] = before.older[k - 1];
    }

    static void again(Record& record, const Unit& unit, const Common& common) noexcept {
        const bool edited = common.edits != record.edits;
        const bool news = common.news != record.news;
        if ((edited && !unit.is(OutcomeClass::negative)) || (news && unit.is(OutcomeClass::ack)) || unit.news)
            return restart(record, unit);
        const std::uint32_t gap = common.unit - record.used;
        const auto go_on = [](std::uint16_t& count, bool goes_on) {
            if (!goes_on) count = 0;
            count_up(count);
        };
        count_up(record.all);
        go_on(record.adjacent, gap == 0 && !edited && !news);
        go_on(record.between, !edited && !news);
        go_on(record.close, gap <= 1 && !edited);
        record.touching = record.close > 1 && (gap == 0 || record.touching != 0) ? 1 : 0;
        if (edited) record.edited = 1;
    }

    static Hit judge(const Record& record, const Settings& s, const Unit& unit) noexcept {
        const bool failed = unit.is(OutcomeClass::negative), done = unit.is(OutcomeClass::ack);
        const bool empty = unit.is(OutcomeClass::empty);
        const std::uint32_t own = unit.repeats;
        const std::uint32_t adjacent = own != 0 ? own : empty || done ? s.adjacent_empty : s.adjacent;
        const std::uint32_t between = own != 0 ? own + 1 : done ? s.between_done : empty ? s.between_empty : s.between;
        Hit best;
        const auto see = [&](std::uint32_t count, std::uint32_t need, std::uint32_t stop) {
            Hit hit;
            hit.judge(count, need, stop);
            keep_higher(best, hit);
        };
        see(record.adjacent, adjacent, 2 * adjacent);
        see(record.between, between, 2 * between);
        if (failed && own == 0) see(record.close, record.touching != 0 ? s.between - 1 : s.between, 0);
        const std::uint32_t progress = failed ? s.progress_failure : empty ? s.progress_empty : s.progress_info;
        if (!done) see(record.all, own != 0 ? own + 2 : record.edited != 0 ? s.plateau : progress, 0);
        best.first = record.first;
        best.identity = unit.member();
        return best;
    }
};

/// The same change, made again and again: looking at things between is allowed, another change is not. What it answers
/// does not matter, unless it fails: a file grows each time.
struct Rewrite {
    struct Settings {
        bool on = true;
        std::uint32_t rounds = 4;
    };
    struct Part {
        std::uint32_t typed, round, first;
        std::uint16_t rounds;
    };

    static constexpr std::string_view name = "write";
    static constexpr Basis basis = Basis::same_call;

    static Hit learn(Part& part, const Settings& settings, const Unit& unit, const Common& common) noexcept {
        if (unit.call.kind != CallKind::write || unit.call.nop) return {};
        if (unit.news && unit.call.file == 0) {  // a move in a game, say
            part = {};
            return {};
        }
        if (unit.is(OutcomeClass::negative) || part.typed != unit.call.typed) {
            part = {unit.is(OutcomeClass::negative) ? 0 : unit.call.typed, common.round, unit.first, 1};
            return {};
        }
        if (part.round == common.round) return {};
        part.round = common.round;
        count_up(part.rounds);
        const std::uint32_t need = unit.repeats != 0 ? unit.repeats + 1 : settings.rounds;
        Hit hit;
        hit.judge(part.rounds, need, 2 * need);
        hit.first = part.first;
        hit.identity = text::combine(unit.call.shape, 1);
        return hit;
    }
    static std::string words(const Finding& finding) {
        return "makes the same change " + heeler::detail::words::count(finding.evidence.fact("repeats")) + " times";
    }
};

/// Commands that do nothing.
struct NoOp {
    struct Settings {
        bool on = true;
        std::uint32_t rounds = 3;
    };
    struct Part {
        std::uint32_t round, first, news, edits;
        std::uint16_t rounds;
    };

    static constexpr std::string_view name = "nop";
    static constexpr Basis basis = Basis::no_progress;

    static Hit learn(Part& part, const Settings& settings, const Unit& unit, const Common& common) noexcept {
        if (!unit.call.nop || unit.is(OutcomeClass::negative)) return {};
        if (part.rounds == 0 || part.news != common.news || part.edits != common.edits)
            part = {common.round, unit.first, common.news, common.edits, 1};
        else if (part.round != common.round)
            count_up(part.rounds);
        else
            return {};
        part.round = common.round;
        Hit hit;
        hit.judge(part.rounds, settings.rounds, 0);
        hit.first = part.first;
        hit.identity = text::combine(unit.call.tool, 2);
        hit.varied = Varied::wording;
        return hit;
    }
    static std::string words(const Finding& finding) {
        return "runs commands that do nothing, " + heeler::detail::words::count(finding.evidence.fact("repeats")) +
               " times";
    }
};

}  // namespace heeler::inline HEELER_ABI::loops
