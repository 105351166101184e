// How the loop detector folds and judges.
#pragma once

#include <string>

#include <heeler/core/list.hpp>
#include <heeler/detect/loop.hpp>
#include <heeler/detect/loop/chant-inl.hpp>
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
    const bool fails = loops::is_cascade(shown, settings);
    if (hit.level < (settings.watch || fails ? Level::watch : Level::nudge)) return std::nullopt;
    const Condition& about = fails ? Condition::error_cascade : Condition::loop_detected;
    Finding finding{about, hit.level, kind, {.rule = loops::row(loops::Family{shown.family}).name}};
    finding.evidence.add("repeats", hit.count).add("needed", hit.needed);
    if (hit.period > 1) finding.evidence.add("period", hit.period);
    if (shown.rounds > 0) finding.evidence.add("rounds", shown.rounds);  // since its first sign
    if (shown.seconds > 0) finding.evidence.add("seconds", shown.seconds);
    if (shown.tokens > 0) finding.evidence.add("tokens", static_cast<double>(shown.tokens));
    finding.evidence.first = hit.first;
    finding.evidence.last = shown.last;
    if (!fails) finding.identity = hit.identity;
    finding.subject = shown.subject;
    return finding;
}

HEELER_INLINE void Loop::by_name(Settings& settings, NamedSettings& named) { loops::name_each(settings, named); }

HEELER_INLINE Result<void> Loop::validate(const Settings& settings) { return loops::validate(settings); }

HEELER_INLINE List<Detail> Loop::details(const Memory& memory, const Settings&, const Run&, const Finding& found) {
    List<Detail> shown;
    shown.push_back({"varied", std::string{name_of(memory.calls->shown.hit.varied)}});
    if (found.level >= Level::nudge && !memory.example->text().empty())
        shown.push_back({"example", std::string{memory.example->text()}});
    return shown;
}

HEELER_INLINE std::string Loop::describe(const Finding& finding) {
    std::string text =
        (finding.condition == Condition::error_cascade ? "Failing: " : "Looping: ") + loops::words_of(finding);
    if (!finding.subject.view().empty()) text += " (" + detail::words::tool_of(finding) + ")";
    return text;
}

}  // namespace heeler::inline HEELER_ABI
