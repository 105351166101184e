// One call with its result, as the families that count calls see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <heeler/config.hpp>
#include <heeler/detect/loop/facts.hpp>
#include <heeler/detect/loop/family.hpp>
#include <heeler/detect/loop/outcome_class.hpp>
#include <heeler/detect/loop/stamp.hpp>
#include <heeler/text/combine.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// A call with its result, judged when the result arrives. `Common` says where the run stood before it.
struct Unit {
    const CallFacts& call;
    const Outcome& outcome;
    std::string_view output{};
    std::uint32_t repeats = 0;  ///< that are a loop of this tool, as the host says; 0: the families' own counts
    std::uint32_t first = 0;    ///< index of the call's observation
    bool news = false;
    bool edit = false;
    bool half = false;   ///< half progress: a failure of a new kind, nothing found by a new search
    bool some = false;   ///< a failure of several lines that were not seen before, a short answer to another question
    bool fresh = false;  ///< a call that did not work before

    [[nodiscard]] bool progress() const noexcept { return news || edit; }
    /// It does something, rather than look or wait.
    [[nodiscard]] bool acts() const noexcept { return is(OutcomeClass::ack) || call.kind == CallKind::write; }
    [[nodiscard]] bool is(OutcomeClass which) const noexcept { return outcome.outcome == which; }
    /// Two outcomes are the same if these are.
    [[nodiscard]] std::uint32_t key() const noexcept {
        const std::uint32_t own = is(OutcomeClass::negative) || is(OutcomeClass::info) ? outcome.key : 0;
        return static_cast<std::uint32_t>(text::combine(static_cast<std::uint64_t>(outcome.outcome) + 1, own)) | 1u;
    }
    /// What this call and outcome are in every run: the members of a loop are summed up, so that it is the same from
    /// wherever it began.
    [[nodiscard]] std::uint64_t member() const noexcept { return text::combine(call.shape, key()); }
};

/// The entry that `is_it`, or else the one that `last` says was used the longest ago, cleared. Clear ones say 0.
template <class Entries, class IsIt, class Last>
[[nodiscard]] auto& entry_of(Entries& entries, const IsIt& is_it, const Last& last) {
    auto* oldest = &entries[0];
    for (auto& each : entries) {
        if (last(each) != 0 && is_it(each)) return each;
        if (last(each) < last(*oldest)) oldest = &each;
    }
    *oldest = {};
    return *oldest;
}

/// What says more: the higher level, of equals the one that is told first.
inline void keep_higher(Hit& best, const Hit& other) noexcept {
    if (other.level > best.level || (best.needed == 0 && best.level == Level::none)) best = other;
}

}  // namespace heeler::inline HEELER_ABI::loops
