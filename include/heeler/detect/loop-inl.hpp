// How the loop detector folds and judges.
#pragma once

#include <string>

#include <heeler/detect/loop.hpp>
#include <heeler/detect/loop/fold.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

HEELER_INLINE void Loop::learn(Memory& memory, const Settings& settings, const Observation& seen) const {
    loops::fold(memory, settings, seen, [](std::string_view, const loops::Hit&) {});
}

HEELER_INLINE std::optional<Finding> Loop::check(const Memory& memory, const Settings& settings, const Run&,
                                                 Instant) const {
    const loops::Shown& shown = memory.calls->shown;
    const loops::Hit& hit = shown.hit;
    if (hit.level < (settings.watch ? Level::watch : Level::nudge)) return std::nullopt;
    Finding finding{Condition::loop_detected, hit.level, kind, {.rule = loops::row(loops::Family{shown.family}).name}};
    finding.evidence.add("period", hit.period)
        .add("repeats", hit.count)
        .add("needed", hit.needed)
        .add("rounds", shown.rounds)
        .add("seconds", shown.seconds)
        .add("tokens", static_cast<double>(shown.tokens))
        .add("varied", static_cast<double>(hit.varied));
    finding.evidence.first = hit.first;
    finding.evidence.last = shown.last;
    finding.identity = hit.identity;
    finding.subject = shown.subject;
    return finding;
}

HEELER_INLINE void Loop::by_name(Settings& settings, NamedSettings& named) { loops::name_each(settings, named); }

HEELER_INLINE Result<void> Loop::validate(const Settings& settings) { return loops::validate(settings); }

HEELER_INLINE std::string Loop::describe(const Finding& finding) {
    std::string text = "Looping: " + loops::words_of(finding);
    if (!finding.subject.view().empty()) text += " (" + detail::words::tool_of(finding) + ")";
    return text;
}

}  // namespace heeler::inline HEELER_ABI
