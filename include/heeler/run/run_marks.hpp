// What is noted at a run besides what it does: operators' words, what was sent and when, its source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/ladder.hpp>
#include <heeler/core/small_optional.hpp>
#include <heeler/core/time.hpp>
#include <heeler/run/source_ref.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What operators said about a run.
struct OperatorMarks {
    std::optional<WallTime> snoozed_until;
    std::optional<WallTime> frozen_until;  ///< absent: until somebody ends it
    ConditionBits wrong = 0;               ///< conditions that are none for this run, a bit each
    std::uint32_t wrong_incident = 0;      ///< the newest incident that was none
    Condition found = Condition::stalled;  ///< what was last found to be wrong, whatever was done about it
    bool frozen = false;                   ///< nothing is done to it
    bool dismissed = false;                ///< nothing is done or said about it any more

    [[nodiscard]] bool snoozed_at(WallTime now) const noexcept {
        return dismissed || (snoozed_until && now < *snoozed_until);
    }
    [[nodiscard]] bool frozen_at(WallTime now) const noexcept {
        return frozen && (!frozen_until || now < *frozen_until);
    }

    /// From now on nothing is kept off the run that `other` does not keep off, and the reverse.
    [[nodiscard]] bool comes_to(const OperatorMarks& other, WallTime now) const noexcept {
        const bool same = frozen_at(now) == other.frozen_at(now) && snoozed_at(now) == other.snoozed_at(now);
        const bool until = dismissed || !snoozed_at(now) || snoozed_until == other.snoozed_until;
        return same && dismissed == other.dismissed && until && (!frozen_at(now) || frozen_until == other.frozen_until);
    }

    void archive(auto& a) { a(snoozed_until, frozen_until, wrong, wrong_incident, found, frozen, dismissed); }
};

/// Deeds and words are kept off the run from then on.
[[nodiscard]] constexpr bool keeps_off(Verb verb) noexcept {
    return verb == Verb::snooze || verb == Verb::resume_watch || verb == Verb::dismiss;
}

/// Whether the run has an owner who alone may say this about it, and this is somebody else.
[[nodiscard]] inline bool not_of_owner(const std::string& owner, Verb verb, std::string_view by) {
    return keeps_off(verb) && !owner.empty() && owner != by;
}

/// A source that is polled for a run, and how far it was read.
struct RunSource {
    SourceRef ref;
    std::string cursor;
    bool in_group = false;                ///< its class has a source for all its runs
    SmallOptional<Elapsed> lost_since{};  ///< polls fail since then: nothing is known of the time since
    Duration lost_told{};                 ///< how long that had lasted when it was said last

    [[nodiscard]] bool is_polled() const noexcept { return in_group || ref.present(); }
    [[nodiscard]] bool is_readable() const noexcept { return is_polled() && !lost_since; }
};

}  // namespace heeler::inline HEELER_ABI::detail
