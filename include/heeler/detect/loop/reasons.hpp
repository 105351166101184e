// What each family that counts calls makes of one call with its result, and why it is silent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <heeler/core/explanation.hpp>
#include <heeler/detect/loop/alike.hpp>
#include <heeler/detect/loop/cycle.hpp>
#include <heeler/detect/loop/failures.hpp>
#include <heeler/detect/loop/files.hpp>
#include <heeler/detect/loop/progress.hpp>
#include <heeler/detect/loop/repeat.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// Why a family's count is what it is. `counts` says what it counts; `passes_over` why a unit does not concern it,
/// empty if it does; `fill` gets the row with the numbers of the family's own `learn`, and completes it from what the
/// family remembered before and after. The numbers of a family that speaks, or is half way there, are its own: what is
/// said here only puts names to them.
template <class F>
struct Reasons;

namespace why {

inline constexpr std::string_view same_round = "made in one round with the one before: a round counts once";
inline constexpr std::string_view edited = "an edit came between: it counts anew";
inline constexpr std::string_view renewed = "something new came between: it counts anew";
inline constexpr std::string_view other_outcome = "it had another outcome the last time: it counts anew";
inline constexpr std::string_view too_far = "too many other calls came between: it counts anew";
inline constexpr std::string_view two_gains = "two rounds with progress came between: it counts anew";

/// The record that `is_it`, or null.
template <class Records, class IsIt>
[[nodiscard]] const auto* record_of(const Records& records, const IsIt& is_it) noexcept {
    for (const auto& each : records)
        if (each.used != 0 && is_it(each)) return &each;
    return static_cast<decltype(&records[0])>(nullptr);
}

}  // namespace why

/// What `learn` would answer, put into a row. Nothing is changed: it learns on a copy.
template <class F>
[[nodiscard]] Reason reason_of(const typename F::Part& before, const typename F::Settings& settings, const Unit& unit,
                               const Common& now) {
    Reason row;
    row.rule = F::name;
    row.counts = Reasons<F>::counts;
    row.because = settings.on ? Reasons<F>::passes_over(unit) : std::string_view{"it is switched off"};
    if (!row.because.empty()) return row;
    typename F::Part after = before;
    const Hit hit = F::learn(after, settings, unit, now);
    row.level = hit.level;
    row.count = hit.count;
    row.needed = hit.needed;
    row.first = hit.first;
    row.period = hit.period;
    Reasons<F>::fill(row, before, after, settings, unit, now);
    return row;
}

template <>
struct Reasons<Repeat> {
    static constexpr std::string_view counts = "the same call with the same outcome";

    static std::string_view passes_over(const Unit&) noexcept { return {}; }

    static void fill(Reason& row, const Repeat::Part& before, const Repeat::Part& after, const Repeat::Settings& s,
                     const Unit& unit, const Common& now) noexcept {
        const auto is_it = [&](const Repeat::Record& each) { return each.typed == unit.call.typed; };
        const Repeat::Record* was = why::record_of(before.records, is_it);
        const Repeat::Record* is = why::record_of(after.records, is_it);
        if (is == nullptr) return;
        const Sense sense = sense_of(row, *is, s, unit);
        row.counts = sense.counts;
        row.count = sense.count;
        row.needed = sense.needed;
        row.first = is->first;
        row.because = "the call was not made before";
        if (was == nullptr) return;
        row.before = (*was).*sense.member;
        row.because = was->round == now.round                   ? why::same_round
                      : now.unit - was->used > s.window         ? why::too_far
                      : was->key != unit.key()                  ? changed(*was, unit)
                      : is->all == 1 && now.edits != was->edits ? why::edited
                      : is->all == 1 && now.news != was->news   ? why::renewed
                      : is->all > was->all                      ? between(*was, *is, now)
                                                                : std::string_view{};
    }

private:
    struct Sense {
        std::string_view counts;
        std::uint16_t Repeat::Record::*member;
        std::uint32_t count, needed;
    };

    /// In which sense of "again" the numbers of `learn` are meant; if it gave none, in that which is nearest.
    static Sense sense_of(const Reason& row, const Repeat::Record& record, const Repeat::Settings& s,
                          const Unit& unit) noexcept {
        const bool failed = unit.is(OutcomeClass::negative), done = unit.is(OutcomeClass::ack);
        const bool empty = unit.is(OutcomeClass::empty);
        const std::uint32_t own = unit.repeats;
        const std::uint32_t progress = record.edited != 0 ? s.plateau
                                       : failed           ? s.progress_failure
                                       : empty            ? s.progress_empty
                                                          : s.progress_info;
        const Sense senses[] = {
            {"the same call with the same outcome, one after the other", &Repeat::Record::adjacent, record.adjacent,
             own != 0        ? own
             : empty || done ? s.adjacent_empty
                             : s.adjacent},
            {"the same call with the same outcome, no progress between", &Repeat::Record::between, record.between,
             own != 0 ? own + 1
             : done   ? s.between_done
             : empty  ? s.between_empty
                      : s.between},
            {"the same call with the same failure, at most one other between", &Repeat::Record::close, record.close,
             failed && own == 0 ? s.between - (record.touching != 0 ? 1u : 0u) : 0},
            {"the same call with the same outcome, whatever comes between", &Repeat::Record::all, record.all,
             done       ? 0
             : own != 0 ? own + 2
                        : progress},
        };
        const auto missing = [](const Sense& each) { return each.needed > each.count ? each.needed - each.count : 0; };
        const Sense* nearest = &senses[0];
        for (const Sense& each : senses) {
            if (each.needed == 0) continue;
            if (row.level != Level::none && each.count == row.count && each.needed == row.needed) return each;
            if (missing(each) < missing(*nearest)) nearest = &each;
        }
        return *nearest;
    }

    static std::string_view changed(const Repeat::Record& was, const Unit& unit) noexcept {
        for (const std::uint16_t each : was.older)
            if (each == static_cast<std::uint16_t>(unit.key() >> 16))
                return "its outcome changes to and fro: one repeat is taken back";
        return why::other_outcome;
    }

    static std::string_view between(const Repeat::Record& was, const Repeat::Record& is, const Common& now) noexcept {
        if (is.between > 1) return {};
        if (now.edits != was.edits) return "an edit came between: only the last of its counts goes on";
        if (now.news != was.news) return "something new came between: only the last of its counts goes on";
        return {};
    }
};

template <>
struct Reasons<Cycle> {
    static constexpr std::string_view counts = "the same block of calls, with the same outcomes";

    static std::string_view passes_over(const Unit&) noexcept { return {}; }

    static void fill(Reason& row, const Cycle::Part& before, const Cycle::Part&, const Cycle::Settings& s, const Unit&,
                     const Common&) noexcept {
        const Hit was = best_of(before, 2, s.rounds, s.stop, 3);
        row.before = was.count;
        if (row.needed == 0) row.because = "no block of 2 to 32 calls stands there twice";
        if (row.needed == 0 && was.count > 1) row.because = "the call breaks the block that stood there";
        row.needed = s.rounds;
    }
};

template <>
struct Reasons<Rewrite> {
    static constexpr std::string_view counts = "the same change, made again; looking at things between is allowed";

    static std::string_view passes_over(const Unit& unit) noexcept {
        return unit.call.kind != CallKind::write || unit.call.nop ? "it looks at changes only" : "";
    }

    static void fill(Reason& row, const Rewrite::Part& was, const Rewrite::Part& is, const Rewrite::Settings& s,
                     const Unit& unit, const Common& now) noexcept {
        row.count = is.typed != 0 ? is.rounds : 0;
        row.needed = unit.repeats != 0 ? unit.repeats + 1 : s.rounds;
        row.before = was.rounds;
        row.first = is.first;
        row.because = unit.is(OutcomeClass::negative) ? "the change failed: it counts anew"
                      : was.typed == 0                ? "no change went before"
                      : was.typed != unit.call.typed  ? "it is another change than the last one: it counts anew"
                      : was.round == now.round        ? why::same_round
                                                      : std::string_view{};
    }
};

template <>
struct Reasons<Near> {
    static constexpr std::string_view counts = "a call of one tool that differs in numbers or ids only, same outcome";

    static std::string_view passes_over(const Unit&) noexcept { return {}; }

    static void fill(Reason& row, const Near::Part& before, const Near::Part& after, const Near::Settings& s,
                     const Unit& unit, const Common& now) noexcept {
        const auto is_it = [&](const Near::Record& each) { return each.tool == unit.call.tool; };
        const Near::Record* was = why::record_of(before.records, is_it);
        const Near::Record* is = why::record_of(after.records, is_it);
        if (is == nullptr) return;
        const bool failed = unit.is(OutcomeClass::negative), told = unit.is(OutcomeClass::info);
        row.count = is->rounds;
        row.needed = failed ? s.failure + is->moved : told ? s.info : s.empty;
        row.first = is->first;
        row.because = "the tool was not called before";
        if (was == nullptr) return;
        row.before = was->rounds;
        if (is->varied == 0 && row.count > 1) row.count = row.before = 0;
        row.because = was->shape != unit.call.shape ? "it is another call than the last one of the tool: it counts anew"
                      : was->key != unit.key()      ? why::other_outcome
                      : was->edits != now.edits     ? why::edited
                      : was->round == now.round     ? why::same_round
                      : is->varied == 0             ? "the calls do not differ at all: that is for repeat"
                      : row.level == Level::none && row.count >= row.needed
                          ? "a number that only rises, and answers that say little: a batch"
                          : std::string_view{};
    }
};

template <>
struct Reasons<Similar> {
    static constexpr std::string_view counts = "calls of one tool that share most words, with the same outcome";

    static std::string_view passes_over(const Unit& unit) noexcept {
        if (unit.is(OutcomeClass::ack)) return "it does not look at what is merely done";
        return unit.is(OutcomeClass::empty) && !unit.call.search ? "of empty answers it looks at those of searches only"
                                                                 : "";
    }

    static void fill(Reason& row, const Similar::Part& before, const Similar::Part& after, const Similar::Settings& s,
                     const Unit& unit, const Common& now) noexcept {
        const Similar::Record* was = why::record_of(before.records, [&](const Similar::Record& each) {
            return each.tool == unit.call.tool && each.key == unit.key() &&
                   (are_alike(each.newest, unit.call.tokens, s.percent, 100) ||
                    are_alike(each.begun, unit.call.tokens, s.percent, 100));
        });
        const Similar::Record* is = was;
        for (const Similar::Record& each : after.records)
            if (each.used == now.unit + 1 && each.tool == unit.call.tool && each.key == unit.key()) is = &each;
        if (is == nullptr) return;
        const bool failed = unit.is(OutcomeClass::negative);
        const std::uint32_t own = failed ? s.failure : unit.is(OutcomeClass::empty) ? s.empty : s.info;
        row.count = counted(*is);
        row.needed = own + (failed ? is->moved : 0u) + (is->renewed >= 2 ? 1 : 0);
        row.first = is->first;
        row.because = "no call worded alike had this outcome before";
        if (was == nullptr) return;
        row.before = counted(*was);
        row.because = was->round == now.round              ? why::same_round
                      : !failed && now.edits != was->edits ? why::edited
                      : now.unit - was->used > s.window    ? why::too_far
                      : now.gains - was->gains >= 2        ? why::two_gains
                      : is->renewed > was->renewed         ? "progress came between: it weighs half"
                      : is->numbers != 0 && is->moved > was->moved
                          ? "the numbers of the failure move: one more is needed"
                          : std::string_view{};
    }

private:
    static std::uint32_t counted(const Similar::Record& record) noexcept {
        const std::uint32_t back = record.renewed / 2u;
        return record.rounds > back ? record.rounds - back : 0;
    }
};

template <>
struct Reasons<SameError> {
    static constexpr std::string_view counts = "the same failure, whatever was called";

    static std::string_view passes_over(const Unit& unit) noexcept {
        if (!unit.is(OutcomeClass::negative)) return "it looks at failures only";
        return unit.outcome.enough_letters ? "" : "the failure says too little to know it again";
    }

    static void fill(Reason& row, const SameError::Part& before, const SameError::Part& after,
                     const SameError::Settings& s, const Unit& unit, const Common& now) noexcept {
        const auto is_it = [&](const SameError::Record& each) { return each.error == unit.outcome.error_key; };
        const SameError::Record* was = why::record_of(before.records, is_it);
        const SameError::Record* is = why::record_of(after.records, is_it);
        if (is == nullptr) return;
        row.count = is->weight / SameError::one;
        row.needed = (is->tool_count > 1 ? s.several_tools : s.one_tool) + (unit.outcome.words <= s.few_words ? 1 : 0);
        row.first = is->first;
        row.because = "the failure was not met before";
        if (was == nullptr) return;
        row.before = was->weight / SameError::one;
        const std::uint32_t more = is->weight - was->weight;
        row.because = was->round == now.round           ? why::same_round
                      : now.unit - was->used > s.window ? why::too_far
                      : now.gains - was->gains >= 2     ? why::two_gains
                      : more == SameError::one          ? std::string_view{}
                      : more == SameError::one / 2      ? "progress came between: it weighs half"
                                                        : "it is about another subject each time: it weighs little";
    }
};

template <>
struct Reasons<NoOp> {
    static constexpr std::string_view counts = "commands that do nothing";

    static std::string_view passes_over(const Unit& unit) noexcept {
        return !unit.call.nop || unit.is(OutcomeClass::negative) ? "it looks at commands that do nothing only" : "";
    }

    static void fill(Reason& row, const NoOp::Part& was, const NoOp::Part& is, const NoOp::Settings& s, const Unit&,
                     const Common& now) noexcept {
        row.count = is.rounds;
        row.needed = s.rounds;
        row.before = was.rounds;
        row.first = is.first;
        row.because = was.rounds == 0          ? "none went before"
                      : was.edits != now.edits ? why::edited
                      : was.news != now.news   ? why::renewed
                      : was.round == now.round ? why::same_round
                                               : std::string_view{};
    }
};

template <>
struct Reasons<Coverage> {
    static constexpr std::string_view counts = "reads of parts of one thing that show no new line";

    static std::string_view passes_over(const Unit& unit) noexcept {
        const bool reads = unit.call.has_span && unit.call.kind == CallKind::read && unit.is(OutcomeClass::info);
        return reads ? "" : "it looks at reads of a part only: lines, a page";
    }

    static void fill(Reason& row, const Coverage::Part& before, const Coverage::Part& after,
                     const Coverage::Settings& s, const Unit& unit, const Common& now) noexcept {
        const auto is_it = [&](const Coverage::Resource& each) { return each.resource == unit.call.resource; };
        const Coverage::Resource* was = why::record_of(before.resources, is_it);
        const Coverage::Resource* is = why::record_of(after.resources, is_it);
        row.needed = s.reads;
        row.count = is != nullptr ? is->reads : 0;
        row.before = was != nullptr ? was->reads : 0;
        row.first = is != nullptr ? is->first : 0;
        row.because = was == nullptr            ? "it was not read in parts before"
                      : was->edits != now.edits ? "an edit came between: all that is read is new"
                      : row.count == 0          ? "it shows lines that were not seen before"
                      : was->round == now.round ? why::same_round
                                                : std::string_view{};
    }
};

template <>
struct Reasons<Oscillation> {
    static constexpr std::string_view counts = "edits of one file that take earlier ones back";

    static std::string_view passes_over(const Unit& unit) noexcept {
        const bool failed = unit.is(OutcomeClass::negative) || unit.is(OutcomeClass::infra);
        const bool same = unit.call.whole == 0 && unit.call.old_text == unit.call.new_text;
        return unit.call.file == 0 || failed || same ? "it looks at edits of files that took only" : "";
    }

    static void fill(Reason& row, const Oscillation::Part& before, const Oscillation::Part& after,
                     const Oscillation::Settings& s, const Unit& unit, const Common&) noexcept {
        const auto is_it = [&](const Oscillation::File& each) { return each.file == unit.call.file; };
        const Oscillation::File* was = why::record_of(before.files, is_it);
        const Oscillation::File* is = why::record_of(after.files, is_it);
        row.because = row.needed == 0 ? "the edit takes nothing back" : "";
        row.needed = s.times;
        row.count = is != nullptr ? is->back : 0;
        row.before = was != nullptr ? was->back : 0;
        row.first = is != nullptr ? is->first : 0;
    }
};

template <>
struct Reasons<Fruitless> {
    static constexpr std::string_view counts = "rounds without progress, whatever was called";

    static std::string_view passes_over(const Unit&) noexcept { return {}; }

    static void fill(Reason& row, const Fruitless::Part& was, const Fruitless::Part& is, const Fruitless::Settings& s,
                     const Unit& unit, const Common& now) noexcept {
        row.count = is.halves / 2u;
        row.needed = s.rounds;
        row.before = was.halves / 2u;
        row.first = is.first;
        row.because = unit.news                                      ? "the result is news: it counts anew"
                      : unit.edit                                    ? "the edit is progress: it counts anew"
                      : was.round == now.round && was.halves         ? why::same_round
                      : unit.some && unit.is(OutcomeClass::negative) ? "a long failure that is new: it does not count"
                      : unit.some ? "a short answer to another question: it does not count"
                      : unit.half ? "new in part: it counts half"
                                  : std::string_view{};
    }
};

template <>
struct Reasons<Infra> {
    static constexpr std::string_view counts = "tries of a service that does not answer";

    static std::string_view passes_over(const Unit& unit) noexcept {
        return unit.is(OutcomeClass::infra) ? "" : "it looks at services that do not answer only";
    }

    static void fill(Reason& row, const Infra::Part& was, const Infra::Part& is, const Infra::Settings& s, const Unit&,
                     const Common& now) noexcept {
        const bool anew = was.tries == 0 || was.news != now.news || was.edits != now.edits;
        row.count = is.tries;
        if (row.needed == 0) row.needed = s.many;
        row.before = was.tries;
        row.first = is.first;
        row.because = was.tries == 0              ? "it is the first try"
                      : anew                      ? "progress came between: it counts anew"
                      : was.round == now.round    ? why::same_round
                      : row.level >= Level::nudge ? std::string_view{}
                      : row.level == Level::none  ? "the pauses between the tries grow, or there were few"
                                                  : "so many tries, or two minutes of them, speak";
    }
};

template <>
struct Reasons<FrozenPoll> {
    static constexpr std::string_view counts = "polls with the same answer; they must go on for long as well";

    static std::string_view passes_over(const Unit&) noexcept { return {}; }

    static void fill(Reason& row, const FrozenPoll::Part& before, const FrozenPoll::Part& after,
                     const FrozenPoll::Settings& s, const Unit& unit, const Common& now) noexcept {
        const auto is_it = [&](const FrozenPoll::Record& each) { return each.typed == unit.call.typed; };
        const FrozenPoll::Record* was = why::record_of(before.records, is_it);
        const FrozenPoll::Record* is = why::record_of(after.records, is_it);
        row.needed = s.polls;
        row.count = is != nullptr ? is->polls : 0;
        row.before = was != nullptr ? was->polls : 0;
        row.first = is != nullptr ? is->first : 0;
        row.because = was == nullptr                                        ? "it is the first poll"
                      : was->key != unit.key()                              ? "the answer has changed: it counts anew"
                      : was->news != now.news || was->edits != now.edits    ? "progress came between: it counts anew"
                      : row.level == Level::none && row.count >= row.needed ? "it has not gone on for long enough"
                                                                            : std::string_view{};
    }
};

}  // namespace heeler::inline HEELER_ABI::loops
