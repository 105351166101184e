// Why the loop detector speaks of an event, or does not: family by family. For who asks; the detector itself does not
// include it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include <heeler/core/explanation.hpp>
#include <heeler/detect/loop.hpp>
#include <heeler/detect/loop/fold.hpp>
#include <heeler/detect/loop/reasons.hpp>

namespace heeler::inline HEELER_ABI::loops {

[[nodiscard]] constexpr std::string_view words_of(OutcomeClass outcome) noexcept {
    constexpr std::string_view words[] = {"a failure", "nothing (an empty answer)",
                                          "done (a short answer that tells no more)", "information",
                                          "infra (a service that did not answer)"};
    return words[static_cast<std::size_t>(outcome)];
}

[[nodiscard]] constexpr std::string_view words_of(Basis basis) noexcept {
    constexpr std::string_view words[] = {"the same call", "calls alike",  "the same failure", "nothing new",
                                          "to and fro",    "what it says", "for too long",     "its context"};
    return words[static_cast<std::size_t>(basis)];
}

/// What a family counts of which there is no unit: texts, calls without results, contexts.
[[nodiscard]] constexpr std::string_view counts_of(Family family) noexcept {
    switch (family) {
        case Family::call_only:
            return "the same calls, of a run whose results nobody reports";
        case Family::compaction:
            return "how often the context was condensed with nothing new between";
        case Family::monologue:
            return "the same message again, and no result of a tool between";
        case Family::chant:
            return "characters that repeat what stands before them";
        case Family::sentences:
            return "sentences among the last 32 that were said before";
        default:
            return {};
    }
}

/// Everything up to this part, in the order of `Memory::Part`.
[[nodiscard]] constexpr std::string_view words_up_to(std::uint8_t part) noexcept {
    std::string_view all =
        "older lines of files; edits taken back; the words of parallel calls; older lines of answers; what is read "
        "again; polls; messages; paraphrases";
    std::size_t end = 0;
    for (; part > 0 && end != all.npos; --part) end = all.find(';', end > 0 ? end + 1 : 0);
    return all.substr(0, end);
}

/// Folds on a copy, and writes down what it is told.
class Explaining {
public:
    Explaining(const Memory& before, const Settings& settings, const Observation& seen)
        : before_{before}, settings_{settings}, seen_{seen} {}

    [[nodiscard]] Explanation operator()() {
        Memory after = before_;
        Observation seen = seen_;
        heeler::detail::SeenResults results;
        if (seen.results != nullptr) seen.results = &(results = *seen.results);
        fold(after, settings_, seen, *this);
        out_.state_cut = words_up_to(after.given_up);
        say_what_it_is(after);
        say_episode(after);
        const Shown& shown = after.calls->shown;
        out_.verdict.level = shown.hit.level >= Level::nudge || (settings_.watch && shown.hit.level == Level::watch) ||
                                     is_cascade(shown, settings_)
                                 ? shown.hit.level
                                 : Level::none;
        if (out_.verdict.level != Level::none) {
            out_.verdict = row_of(static_cast<Family>(shown.family), shown.hit);
            out_.verdict.because = shown.last == seen_.index ? "" : "found before, and nothing has moved since";
        }
        return out_;
    }

    /// Told by the fold of each family that listened to a text, a call or a compaction; those that look at units say
    /// more in `judges`.
    void operator()(std::string_view name, const Hit& hit) {
        for (std::size_t i = 1; i < std::size(family_rows); ++i) {
            const auto family = static_cast<Family>(i);
            if (family_rows[i].name != name || counts_of(family).empty()) continue;
            Reason row = row_of(family, hit);
            if (row.needed == 0) {
                row.needed = needed_of(family);
                row.because = family == Family::sentences ? "fewer than 32 sentences of prose were said"
                                                          : "nothing of it repeats itself";
            }
            out_.add(row);
        }
    }

    /// Told by the fold of each call with its result, before the families see it.
    void judges(const Unit& unit, const Common& now, bool waits) {
        out_.answers = unit.first;
        out_.saw = waits ? "a wait (or a poll): only how long it goes on counts" : words_of(unit.outcome.outcome);
        const bool failed = unit.is(OutcomeClass::negative);
        out_.progress = unit.news   ? failed ? "it is progress: the same failure, of fewer things since the edit"
                                             : "it is news: a text that the run has not seen before"
                        : unit.edit ? "it is an edit: a change that was not made before, and took"
                        : unit.some ? failed ? "no progress, but a long failure that is new"
                                             : "no progress, but a short answer to another question"
                        : unit.half ? "no progress, but new in part"
                                    : "no progress: nothing in it is new";
        const Counts& counts = before_.calls->counts;
        const bool infra = unit.is(OutcomeClass::infra);
        if (infra || waits) {
            if (infra)
                out_.add(reason_of<Infra>(counts.infra, settings_.infra, unit, now));
            else
                out_.add(reason_of<FrozenPoll>(*before_.polls, settings_.frozen_poll, unit, now));
            return;
        }
        out_.add(reason_of<Cycle>(counts.cycle, settings_.cycle, unit, now));
        out_.add(reason_of<Repeat>(counts.repeat, settings_.repeat, unit, now));
        out_.add(reason_of<Rewrite>(counts.rewrite, settings_.write, unit, now));
        if (unit.repeats != 0 && Repeat::had(Repeat::find(counts.repeat, unit.call.typed), unit)) {
            out_.cancelled = "the host says how often is too often of this tool: no other family speaks of it";
            return;
        }
        out_.add(reason_of<Near>(counts.near, settings_.near, unit, now));
        out_.add(reason_of<Similar>(*before_.similar, settings_.similar, unit, now));
        out_.add(reason_of<SameError>(*before_.errors, settings_.errclass, unit, now));
        out_.add(reason_of<NoOp>(counts.no_op, settings_.nop, unit, now));
        out_.add(reason_of<Coverage>(*before_.coverage, settings_.coverage, unit, now));
        out_.add(reason_of<Oscillation>(*before_.oscillation, settings_.oscillation, unit, now));
        out_.add(reason_of<Fruitless>(counts.fruitless, settings_.fruitless, unit, now));
    }

private:
    [[nodiscard]] static Reason row_of(Family family, const Hit& hit) noexcept {
        Reason row;
        row.rule = row_name(family);
        row.counts = counts_of(family);
        row.level = hit.level;
        row.count = hit.count;
        row.needed = hit.needed;
        row.first = hit.first;
        row.period = hit.period;
        return row;
    }
    [[nodiscard]] static std::string_view row_name(Family family) noexcept { return row(family).name; }

    [[nodiscard]] std::uint32_t needed_of(Family family) const noexcept {
        switch (family) {
            case Family::call_only:
                return settings_.call_only.repeats;
            case Family::compaction:
                return settings_.compaction.times;
            case Family::monologue:
                return settings_.monologue.equal;
            case Family::chant:
                return settings_.chant.least;
            default:
                return Sentences::most - settings_.sentences.distinct;
        }
    }

    /// Of what is no unit, and what an observation takes back.
    void say_what_it_is(const Memory& after) {
        const auto& event = seen_.event;
        if (const auto* message = std::get_if<Message>(&event)) {
            out_.saw = message->is_own() ? "what the agent says" : "a message to the agent";
            if (message->instructs())
                out_.cancelled = "a message of the user: it is another task, so all counts and the episode are void";
            else if (!message->is_own())
                out_.cancelled = "no person wrote it (automatic): nothing is void";
        } else if (std::get_if<Output>(&event) != nullptr) {
            out_.saw = "output";
        } else if (std::get_if<Usage>(&event) != nullptr) {
            out_.saw = "tokens: they are told with what is found, and prove nothing";
        } else if (std::get_if<Compaction>(&event) != nullptr) {
            out_.saw = "its context was condensed";
        } else if (std::get_if<Watermark>(&event) != nullptr) {
            out_.saw = "the watchdog has intervened";
            out_.cancelled = "what it did before is not held against it: all counts begin anew, the episode goes on";
        } else if (std::get_if<ToolCall>(&event) != nullptr) {
            out_.saw = after.calls->ledger.common.results == 0
                           ? "a call: nobody has reported any result yet, so only calls are counted"
                           : "a call: it is judged when its result comes";
        } else if (std::get_if<ToolResult>(&event) != nullptr && out_.saw.empty()) {
            out_.saw = after.calls->ledger.orphans != before_.calls->ledger.orphans
                           ? "a result of no call that is known to be open: it counts nowhere"
                           : "the result of a tool that the host exempts: it is not judged";
        }
    }

    void say_episode(const Memory& after) {
        const Episode& was = before_.calls->ledger.episode;
        const Episode& is = after.calls->ledger.episode;
        const Common& now = after.calls->ledger.common;
        Reason& row = out_.episode;
        row.rule = "episode";
        out_.episode_open = is.open != 0;
        const bool goes_on = was.open && is.open && was.round == is.round && was.at == is.at;
        if (was.open && !goes_on)
            row.because = std::get_if<Message>(&seen_.event) != nullptr ? "a message of the user ended the one before"
                          : now.edits != before_.calls->ledger.common.edits ? "the edit ended the one before"
                                                                            : "the news ended the one before";
        if (!is.open) return;
        for (std::size_t i = 0; i < out_.kinds.size(); ++i)
            if ((is.kinds >> i & 1u) != 0) out_.kinds[out_.kind_count++] = words_of(static_cast<Basis>(i));
        row.first = is.first;
        row.count = now.round - is.round;
        row.before = before_.calls->ledger.common.round - is.round;
        if (!goes_on) {
            row.before = 0;
            if (row.because.empty()) row.because = "it is found at this event";
        }
        row.needed = is.other_than_fruitless != 0 ? settings_.stop_rounds : settings_.stop_rounds_fruitless;
        if (out_.kind_count > 1 && settings_.stop_rounds_kinds < row.needed) row.needed = settings_.stop_rounds_kinds;
        if (is.may_stop == 0) row.needed = 0;
    }

    const Memory& before_;
    const Settings& settings_;
    const Observation& seen_;
    Explanation out_{};
};

}  // namespace heeler::inline HEELER_ABI::loops

namespace heeler::inline HEELER_ABI {

inline Explanation Loop::explain(const Memory& memory, const Settings& settings, const Observation& seen) {
    return loops::Explaining{memory, settings, seen}();
}

static_assert(Explains<Loop>);

}  // namespace heeler::inline HEELER_ABI
