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
    bool acknowledged = false;             ///< somebody is on the incident that is open: it is not said again
    bool dismissed = false;                ///< nothing is done or said about it any more

    [[nodiscard]] bool quiet_at(WallTime now) const noexcept {
        return dismissed || (snoozed_until && now < *snoozed_until);
    }
    [[nodiscard]] bool frozen_at(WallTime now) const noexcept {
        return frozen && (!frozen_until || now < *frozen_until);
    }

    template <class A>
    void archive(A& a) {
        a(snoozed_until, frozen_until, wrong, wrong_incident, found, frozen, acknowledged, dismissed);
    }
};

/// Whether the run has an owner who alone may say this about it, and this is somebody else.
[[nodiscard]] inline bool not_of_owner(const std::string& owner, Verb verb, std::string_view by) {
    const bool of_owner = verb == Verb::snooze || verb == Verb::resume_watch || verb == Verb::dismiss;
    return of_owner && !owner.empty() && owner != by;
}

/// Whether people know that the run's incident began.
enum class Beginning : std::uint8_t {
    known,       ///< or there is none
    on_its_way,  ///< the alert that says so is the first about it
    kept_back,   ///< it was not told, because of trouble above the run; it is when that is over
    unsaid,      ///< it was not told: nothing is to be done, or it is silenced
};

[[nodiscard]] constexpr Beginning last_value(Beginning) noexcept { return Beginning::unsaid; }

/// What was sent about a run and when, so that it is not sent again too soon.
struct SentMarks {
    std::optional<WallTime> alerted;
    std::vector<SentSteer> steered;
    bool hold_told = false;  ///< it is on record that the next alert is held back
    bool end_told = false;   ///< the newest alert says that the run is given up
    Beginning begin = Beginning::known;
    ConditionBits fresh = 0;  ///< edges of which the newest alert is the first, a bit each

    template <class A>
    void archive(A& a) {
        a(alerted, steered, hold_told, end_told, begin, fresh);
    }
};

/// How far the escalation of an incident has got, where the class has levels.
struct ChainMarks {
    std::optional<Elapsed> next;  ///< the next level is told then; while it is acknowledged: when that is over
    std::uint32_t incident = 0;   ///< whose escalation it is
    std::uint32_t told = 0;       ///< levels of it
    std::uint32_t steps = 0;      ///< levels told in the run's life: they name the alerts
    std::string by{};             ///< who has acknowledged it

    template <class A>
    void archive(A& a) {
        a(next, incident, told, steps, by);
    }
};

/// What people were not told because of a silence: when that is over they are, once, of what goes on then.
struct UnheardMarks {
    std::uint64_t silence = 0;   ///< the newest that swallowed an alert of it; 0: none did
    std::uint32_t incident = 0;  ///< that `began` and `escalated` are about
    ConditionBits edges = 0;     ///< conditions with alerts of their own, a bit each
    bool began = false;          ///< the incident
    bool escalated = false;      ///< it needs a person

    void add(const UnheardMarks& more) noexcept {
        const bool same = incident == more.incident;
        *this = {more.silence, more.incident, edges | more.edges, more.began || (same && began),
                 more.escalated || (same && escalated)};
    }

    friend bool operator==(const UnheardMarks&, const UnheardMarks&) = default;

    template <class A>
    void archive(A& a) {
        a(silence, incident, edges, began, escalated);
    }
};

/// What became of an alert: stored with its row, and taken in by the run's next cycle before it decides.
struct Fate {
    enum class What : std::uint8_t {
        delivered,
        dead,       ///< nobody has it
        kept_back,  ///< trouble above the run speaks for it
        unsaid,     ///< it was left out: nothing is to be done, or everything is frozen
        silenced,
    };
    friend constexpr What last_value(What) noexcept { return What::silenced; }

    What what = What::delivered;
    std::string key{};  ///< of the alert, and its kind and moment
    std::string kind{};
    WallTime at{};
    std::uint64_t silence = 0;  ///< by which it was swallowed

    [[nodiscard]] bool is(AlertKind known) const noexcept { return kind == name_of(known); }

    template <class A>
    void archive(A& a) {
        a(what, key, kind, at, silence);
    }
};

/// Found of a run that waits, too: it says nothing bad, and does not go by the run's age.
[[nodiscard]] constexpr bool holds_in_waits(const Condition& condition) noexcept {
    return !condition.opens_incident() && !(condition == Condition::silent || condition == Condition::overdue);
}

/// People were told that this began; `at` of the newest alert about it.
struct SentEdge {
    Condition condition = Condition::needs_input;
    WallTime at{};

    template <class A>
    void archive(A& a) {
        a(condition, at);
    }
};

/// A source that is polled for a run, and how far it was read.
struct Feed {
    SourceRef source;
    std::string cursor;
    bool in_group = false;                ///< its class has a source for all its runs
    SmallOptional<Elapsed> lost_since{};  ///< polls fail since then: nothing is known of the time since
    Duration lost_told{};                 ///< how long that had lasted when it was said last

    [[nodiscard]] bool is_polled() const noexcept { return in_group || source.present(); }
};

}  // namespace heeler::inline HEELER_ABI::detail
