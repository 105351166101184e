// What the loop detector can be told: the counts of each family, what hosts know of their tools, and when to stop.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/named_setting.hpp>
#include <heeler/core/result.hpp>
#include <heeler/detect/loop/memory.hpp>

namespace heeler::inline HEELER_ABI::loops {

struct Settings {
    Repeat::Settings repeat{};
    Cycle::Settings cycle{};
    Rewrite::Settings write{};
    Near::Settings near{};
    Similar::Settings similar{};
    SameError::Settings errclass{};
    NoOp::Settings nop{};
    Coverage::Settings coverage{};
    Oscillation::Settings oscillation{};
    Fruitless::Settings fruitless{};
    Infra::Settings infra{};
    FrozenPoll::Settings frozen_poll{};
    CallOnly::Settings call_only{};
    Compacted::Settings compaction{};
    Monologue::Settings monologue{};
    Chant::Settings chant{};
    Sentences::Settings sentences{};

    /// What is known of tools by their names; the first rule that fits counts.
    Overrides tools{};
    std::uint32_t stop_rounds = 5;            ///< of one episode after its first sign
    std::uint32_t stop_rounds_kinds = 2;      ///< likewise, with evidence of two kinds
    std::uint32_t stop_rounds_fruitless = 8;  ///< likewise, if nothing new came and that is all
    std::uint32_t over_after = 3;             ///< rounds with progress after which an incident is over
    bool watch = false;  ///< half of what is needed is a finding of level `watch`: shown, never told
};

/// In the order in which they claim what several of them see.
enum class Family : std::uint8_t {
    none,
    cycle,
    repeat,
    write,
    near,
    similar,
    errclass,
    nop,
    coverage,
    oscillation,
    fruitless,
    infra,
    frozen_poll,
    call_only,
    compaction,
    monologue,
    chant,
    sentences,
};

[[nodiscard]] constexpr Family last_value(Family) noexcept { return Family::sentences; }

struct FamilyRow {
    std::string_view name{};
    Basis basis = Basis::same_call;
    std::string (*words)(const Finding&) = nullptr;
};

template <class F>
inline constexpr FamilyRow row_of{F::name, F::basis, &F::words};

inline constexpr FamilyRow family_rows[heeler::detail::count_of<Family>]{
    FamilyRow{},        row_of<Cycle>,    row_of<Repeat>,    row_of<Rewrite>,     row_of<Near>,      row_of<Similar>,
    row_of<SameError>,  row_of<NoOp>,     row_of<Coverage>,  row_of<Oscillation>, row_of<Fruitless>, row_of<Infra>,
    row_of<FrozenPoll>, row_of<CallOnly>, row_of<Compacted>, row_of<Monologue>,   row_of<Chant>,     row_of<Sentences>,
};

[[nodiscard]] constexpr const FamilyRow& row(Family family) noexcept {
    return family_rows[static_cast<std::size_t>(family) % std::size(family_rows)];  // whatever a store says
}

/// How a finding of the family with this name reads.
[[nodiscard]] inline std::string words_of(const Finding& finding) {
    for (const FamilyRow& each : family_rows)
        if (each.words != nullptr && each.name == finding.evidence.rule) return each.words(finding);
    return "something that repeats itself";
}

/// Failures alike that are no loop yet. They are shown: one more way that fails, and they are one.
[[nodiscard]] inline bool is_cascade(const Shown& shown, const Settings& settings) noexcept {
    return shown.hit.level == Level::watch && Family{shown.family} == Family::errclass &&
           shown.hit.count >= settings.errclass.shown;
}

inline void name_each(Settings& s, NamedSettings& named) {
    named.flag("repeat", s.repeat.on);
    named.count("repeat_adjacent", s.repeat.adjacent, 2, 1000);
    named.count("repeat_adjacent_empty", s.repeat.adjacent_empty, 2, 1000);
    named.count("repeat_between", s.repeat.between, 3, 1000);
    named.count("repeat_between_empty", s.repeat.between_empty, 3, 1000);
    named.count("repeat_between_done", s.repeat.between_done, 3, 1000);
    named.count("repeat_progress_failure", s.repeat.progress_failure, 3, 1000);
    named.count("repeat_progress_info", s.repeat.progress_info, 3, 1000);
    named.count("repeat_progress_empty", s.repeat.progress_empty, 3, 1000);
    named.count("repeat_plateau", s.repeat.plateau, 3, 1000);
    named.count("repeat_window", s.repeat.window, 1, 1000);
    named.flag("cycle", s.cycle.on);
    named.count("cycle_rounds", s.cycle.rounds, 2, 1000);
    named.count("cycle_stop", s.cycle.stop, 3, 1000);
    named.flag("write", s.write.on);
    named.count("write_rounds", s.write.rounds, 2, 1000);
    named.flag("near", s.near.on);
    named.count("near_failure", s.near.failure, 2, 1000);
    named.count("near_info", s.near.info, 2, 1000);
    named.count("near_empty", s.near.empty, 2, 1000);
    named.flag("similar", s.similar.on);
    named.count("similar_failure", s.similar.failure, 2, 1000);
    named.count("similar_info", s.similar.info, 2, 1000);
    named.count("similar_empty", s.similar.empty, 2, 1000);
    named.count("similar_percent", s.similar.percent, 1, 100);
    named.flag("errclass", s.errclass.on);
    named.count("errclass_one_tool", s.errclass.one_tool, 2, 900);
    named.count("errclass_several_tools", s.errclass.several_tools, 2, 900);
    named.count("errclass_shown", s.errclass.shown, 2, 900);
    named.count("errclass_new_subject_percent", s.errclass.new_subject_percent, 0, 100);
    named.flag("nop", s.nop.on);
    named.count("nop_rounds", s.nop.rounds, 2, 1000);
    named.flag("coverage", s.coverage.on);
    named.count("coverage_reads", s.coverage.reads, 2, 1000);
    named.flag("oscillation", s.oscillation.on);
    named.count("oscillation_times", s.oscillation.times, 2, 1000);
    named.flag("fruitless", s.fruitless.on);
    named.count("fruitless_rounds", s.fruitless.rounds, 2, 1000);
    named.count("fruitless_stop", s.fruitless.stop, 3, 2000);
    named.flag("infra", s.infra.on);
    named.count("infra_s", s.infra.seconds, 1, 86'400);
    named.count("infra_long_s", s.infra.long_seconds, 1, 86'400);
    named.count("infra_tries", s.infra.many, 2, 1000);
    named.flag("frozen_poll", s.frozen_poll.on);
    named.count("frozen_poll_s", s.frozen_poll.seconds, 1, 86'400);
    named.count("frozen_poll_polls", s.frozen_poll.polls, 2, 1000);
    named.flag("call_only", s.call_only.on);
    named.count("call_only_repeats", s.call_only.repeats, 2, 1000);
    named.flag("compaction", s.compaction.on);
    named.count("compaction_times", s.compaction.times, 2, 1000);
    named.flag("monologue", s.monologue.on);
    named.count("monologue_equal", s.monologue.equal, 2, 1000);
    named.count("monologue_stop", s.monologue.equal_stop, 3, 1000);
    named.flag("chant", s.chant.on);
    named.count("chant_characters", s.chant.least, 60, 1900);
    named.flag("sentences", s.sentences.on);
    named.count("sentences_distinct", s.sentences.distinct, 1, 31);
    named.count("stop_rounds", s.stop_rounds, 1, 1000);
    named.count("stop_rounds_kinds", s.stop_rounds_kinds, 1, 1000);
    named.count("stop_rounds_fruitless", s.stop_rounds_fruitless, 1, 1000);
    named.count("over_after", s.over_after, 1, 1000);
    named.flag("watch", s.watch);
}

[[nodiscard]] inline Result<void> validate(const Settings& settings) {
    if (settings.cycle.stop > settings.cycle.rounds && settings.fruitless.stop > settings.fruitless.rounds) return {};
    return fail(ErrorCode::invalid_argument, "loop: a stop must need more than a nudge");
}

}  // namespace heeler::inline HEELER_ABI::loops
