// The settings of a class of runs: schedule, detectors, ladder, alerts. Plain values; a preset is a function that
// returns one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/action.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/callback.hpp>
#include <heeler/core/detector.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/kept.hpp>
#include <heeler/core/ladder.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/run_filter.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

using namespace std::chrono_literals;

/// When the runs of a class are looked at.
struct Schedule {
    /// Between two cycles. Zero: each run's own interval. 1 s to 24 h otherwise.
    Duration period{};
    /// At wall-clock multiples of the period (:00, :15, ...) instead of counting from the registration, and at no other
    /// moment, whatever age is passed between two of them.
    bool aligned = false;
    /// The first cycle at the registration instead of one period later.
    bool immediate = false;
    /// All runs of the class at one moment, counted from when the class was defined, also while there are none: what
    /// follows a cycle as a whole (`ContextSettings`) needs one. Needs a period.
    bool together = false;
};

/// How the interval of a run follows from its expected duration (the long-run skill: 60 s short, 300 s long or
/// unknown).
struct IntervalSettings {
    Duration short_task = 60s;
    Duration long_task = 300s;
    Duration short_until = 1800s;     ///< expected durations up to this are short
    std::optional<Duration> fixed{};  ///< the same for every run, whatever it expects
    /// Whether the store keeps what came of all of them, about 40 bytes each, for the report; else it is of the newest.
    bool on_record = false;

    [[nodiscard]] Duration interval_for(const std::optional<Duration>& expected) const noexcept {
        if (fixed) return *fixed;
        return expected && *expected <= short_until ? short_task : long_task;
    }
};

/// Which runs are not worth watching, or must not be.
struct ApplicabilitySettings {
    Duration shortest = 60s;  ///< runs that expect to take less are skipped
    bool skip_interactive = true;
    /// Which of those that a source lists are watched. Of runs that a host registers itself, those with tags or, if
    /// there is a pattern, all are held to it. Absent: everything is watched.
    std::optional<RunFilter> filter{};
    bool skip_single_prompt = true;
};

/// What must be certain of the last agent before a continuation is started. Two agents on one task are worse than none.
enum class StopProofNeeded : std::uint8_t {
    proved,    ///< the agent control has seen that it stopped; else nobody is started and a person is asked
    fenced,    ///< its incarnation is raised in the store first: what it still reports or writes is refused
    presumed,  ///< silence is the only evidence
};

[[nodiscard]] constexpr std::string_view name_of(StopProofNeeded proof) noexcept {
    constexpr std::string_view names[] = {"proved", "fenced", "presumed"};
    return names[static_cast<std::size_t>(proof)];
}

/// When runs of one watchdog that begin to stand still are one incident, about what all of them need.
struct MassStallSettings {
    std::uint32_t runs = 0;                     ///< so many at least, and this share of all; 0: never
    double share = 0.3;                         ///< 0.01 to 1
    Duration within = std::chrono::minutes{2};  ///< 1 s to 1 h; nobody is ended or replaced so soon after a start
    double over_share = 0.15;  ///< it is over when fewer than this share stand still, or one alone; 0.01 to `share`
    Duration over_after = std::chrono::minutes{10};  ///< for so long; 1 s to 24 h
};

/// How often an agent is nudged. Beyond that the ladder goes on as if a nudge had not helped: the next rung is taken.
struct NudgeLimits {
    std::uint32_t per_incident = 0;  ///< 0: any number
    std::uint32_t in_row =
        0;             ///< in a run's life, until it was without an incident for `forgotten_after`; 0: any number
    Duration apart{};  ///< one that would come sooner waits so long, and people are told; at most 24 h
    Duration forgotten_after = std::chrono::minutes{30};
};

/// How often fresh agents are started for one piece of work before a person must look at it: a run, and those that it
/// goes on with (`RunSpec::continues`). Who is started because the last agent hit a rate limit, ran out of something or
/// was interrupted by a person does not count.
struct RestartIntensity {
    std::uint32_t most = 0;  ///< 0: they are not counted
    Duration within = 24h;   ///< 1 min to 365 days
};

/// What holds back everything that a ladder wants to do.
struct ActionLimits {
    MassStallSettings mass_stall{};
    NudgeLimits nudges{};
    /// Rungs that reach an agent, within a minute and in all runs of the watchdog whose class bounds them. Those beyond
    /// wait for their turn, whoever has waited longest first, and are decided anew then; people learn of each incident
    /// at once. 0: any number.
    std::uint32_t per_minute = 0;
    /// An agent is ended or replaced so long after another one was, or after a start of the watchdog; at most 24 h.
    Duration endings_apart{};
    /// One more start than this within its time, and the run is POISONED: nobody is started any more, until an operator
    /// says `resume`.
    RestartIntensity restarts{};
    std::uint32_t debounce = 1;  ///< cycles in a row with a finding before anything is done; 1 to 1000
    std::optional<std::uint32_t> rungs_per_tick{};         ///< 0: nothing is ever done, and people are told
    std::optional<std::uint32_t> rungs_per_run_per_day{};  ///< likewise
};

/// How much time a run is given for what takes long (`Expect`), from progress to progress. Nothing more is taken then.
struct ExpectSettings {
    std::uint32_t most = 3;  ///< times; 0: never
    Duration total = 2h;     ///< in all; 0 to 10 years
};

/// How alerts are tried again.
struct OutboxSettings {
    Duration first_retry = 1s;
    Duration longest_retry = 300s;  ///< doubles from the first up to this
    Duration give_up_after = 24h;   ///< then the alert becomes a dead letter, visibly
    bool retry = true;              ///< false: one attempt, and a failed one uses up the cooldown
    /// So many more attempts within the same delivery, or when the channel says, and then none (the worker monitor); 0
    /// to 100. Absent: as above.
    std::optional<std::uint32_t> at_once{};
    /// Any part of the wait may be enough, by the alert's key and the attempt: what failed together does not come back
    /// together, and what is replayed waits as it did.
    bool jitter = false;
    /// Alerts of one cause, about runs of one parent with the same tags, are told as one message, so long after the
    /// first of them. Critical ones do not wait. Zero: at once, with those of the same cycle.
    Duration group_wait{};
    Duration group_interval{};  ///< from one such message to the next. Both zero: each alert is a message of its own
    /// What begins with a run (`run.unhealthy`, unless it is critical) is not told while people know of an open
    /// incident of its parent, or of one further up, that is watched here; it is on record why. Told once when that is
    /// over.
    bool inhibit = false;

    [[nodiscard]] bool groups() const noexcept { return group_wait > Duration{} || group_interval > Duration{}; }
};

/// An alert of its own for a condition: one each time it begins to be found, whatever the ladder does about it, and
/// also while the run waits. None for unhealth that is only worth showing (`Level::watch`).
struct ConditionAlert {
    Condition condition = Condition::needs_input;
    std::string kind{name_of(AlertKind::worker_needs_input)};
    bool repeated = false;  ///< and again every `renotify_every` while it lasts
    std::string over{};     ///< kind of one when it is over, for those who were told; empty: none
};

/// Of a silence that nothing is done about.
[[nodiscard]] inline ConditionAlert silence_alert() {
    return {Condition::silent, std::string{name_of(AlertKind::unhealthy)}, true,
            std::string{name_of(AlertKind::recovered)}};
}

/// Of a run of which nothing can be read for a long time, and when that is over.
[[nodiscard]] inline ConditionAlert loss_alert() {
    return {Condition::unobservable, std::string{name_of(AlertKind::unobservable)}, false,
            std::string{name_of(AlertKind::observable)}};
}

/// Of a run that begins to wait for a person; again after a time, and then as an escalation, where `NeedsInput` finds
/// that.
[[nodiscard]] inline List<ConditionAlert> own_alerts() {
    return {loss_alert(),
            {Condition::left_waiting, std::string{name_of(AlertKind::escalation)}},
            {Condition::unanswered},
            {},
            silence_alert(),
            {Condition::flapping, std::string{name_of(AlertKind::flapping)}, false,
             std::string{name_of(AlertKind::steady)}}};
}

/// Who is told at one level of an escalation.
enum class EscalationTarget : std::uint8_t {
    parent,  ///< the run's parent (`RunSpec::parent`); without one as `origin`
    origin,  ///< where all alerts about the run go (`RunSpec::origin`); without one as `people`
    people,  ///< the level's own route; without one the class's `alerts_to`
};

[[nodiscard]] constexpr std::string_view name_of(EscalationTarget whom) noexcept {
    constexpr std::string_view names[] = {"parent", "origin", "people"};
    return names[static_cast<std::size_t>(whom)];
}

struct EscalationLevel {
    EscalationTarget whom = EscalationTarget::people;
    Duration after{};     ///< told so long after the level before, if nobody has said `ack`; of the first level zero
    std::string route{};  ///< of `people`
};

/// The run's parent, 15 minutes later where its alerts go, and 15 minutes after that its people.
[[nodiscard]] inline List<EscalationLevel> three_levels() {
    constexpr Duration wait = std::chrono::minutes{15};
    return {
        {EscalationTarget::parent, {}, {}}, {EscalationTarget::origin, wait, {}}, {EscalationTarget::people, wait, {}}};
}

/// How an escalation goes on while nobody says to be on it.
struct EscalationSettings {
    /// In order, at most 16. Empty: it is told once, where all alerts about the run go.
    List<EscalationLevel> levels{};
    /// An acknowledgement holds for so long; if the incident still is open then, the level that was told last is told
    /// again. Zero: as long as the incident.
    Duration ack_lasts{};
    /// Without levels: of a run that has a parent, that one is told first, and 15 minutes later, unless somebody says
    /// `ack`, where all alerts about the run go.
    bool parent_first = false;

    /// Of one run.
    [[nodiscard]] const List<EscalationLevel>& levels_of(bool has_parent) const {
        static const List<EscalationLevel> parent_then_origin{{EscalationTarget::parent, {}, {}},
                                                              {EscalationTarget::origin, std::chrono::minutes{15}, {}}};
        return parent_first && has_parent && levels.empty() ? parent_then_origin : levels;
    }
};

/// What people are told about the runs of a class, and how.
struct AlertSettings {
    bool tell_people = true;  ///< one alert when an incident begins, one message when it ends
    /// After an alert about trouble of a run no other one follows for so long; zero: none is held back. Ends, runs that
    /// are given up, escalations and waits for a person are always told.
    Duration cooldown{};
    Duration renotify_every{};  ///< repeated while the incident lasts; zero: not
    /// A source that cannot be read for so long is told of once, and once when it can be; zero: it is only shown.
    Duration unobservable_after{};
    /// While one is found those behind it are not told: who is done is not called stuck. By default people are told
    /// once when a run begins to wait for them, of a silence that nothing is done about, and of a run that flaps. One
    /// of the kind `escalation` is critical, and goes to the last level of `escalation`.
    List<ConditionAlert> conditions = own_alerts();
    /// Incidents of a run that come and go are told once: a state of it that lasts counts once in so long, as one of
    /// the newest 21 of which 30 % differed from the one before. Zero: never; else 1 s to 24 h.
    Duration flapping_every{};
    std::string to{};  ///< route of alerts about runs that have no `origin`
    EscalationSettings escalation{};
    OutboxSettings outbox{};
    /// What alerts print before an operator's verb. Empty: `heeler-ctl` on the store, if that says where it is; else no
    /// command.
    std::string operate{};
};

/// Whether a monitor's own context is cleared after each cycle of a class (the worker monitor): when all its runs were
/// judged, that is stored, and every alert of the cycle was sent or given up. Needs `Schedule::together`, and
/// `Watchdog::attach`.
struct ContextSettings {
    bool auto_clear = false;
    bool clear_on_error = true;     ///< also after a cycle in which somebody could not be told
    std::uint64_t clear_above = 0;  ///< only a context of a size above this, where it tells its size
};

enum class Mode : std::uint8_t {
    active,
    shadow,  ///< everything is decided and recorded, nothing is touched or sent
};

/// What a prompt is made of. Text of the agent is in `checkpoint` only.
struct PromptFacts {
    std::string_view run{};
    std::string_view goal{};
    std::string_view scope{};            ///< of the delegation contract; empty: none
    std::string_view stop_conditions{};  ///< likewise
    Condition condition = Condition::stalled;
    std::string_view evidence{};  ///< rule and numbers, one line
    Duration elapsed{};
    std::string_view checkpoint{};  ///< last successful checkpoint, as quoted lines; empty: none
    std::optional<std::int64_t> step{};
    std::string_view metric{};  ///< what counts as progress
    std::optional<std::int64_t> value{};
    std::uint32_t attempt = 1;
    std::uint32_t max_attempts = 2;
};

/// What a continuation is told of the run that it takes up. Texts of the agent are quoted lines already.
struct BriefFacts {
    std::string_view name{};
    std::string_view work_item{};  ///< the whole original work item, or the task
    std::string_view scope{};      ///< of the delegation contract; empty: none
    std::optional<WallTime> checkpoint_at{};
    std::string_view last_step{};  ///< empty: no checkpoint was written
    std::vector<std::int64_t> completed{};
    std::vector<std::int64_t> remaining{};
    std::uint32_t attempt = 2;  ///< of the one who reads this
    std::uint32_t incarnation = 2;
    Duration checkpoint_every = 600s;  ///< what is in force: of the class's source, else half the age that it acts on
    bool planned = false;              ///< the run has a plan; without one nobody knows what remains
};

/// The texts that a run is sent. An empty function stands for the library's own text.
struct PromptSettings {
    Callback<std::string(const PromptFacts&)> nudge{};
    Callback<std::string(const PromptFacts&)> break_pattern{};
    Callback<std::string(const PromptFacts&)> summary{};
    Callback<std::string(const PromptFacts&)> steer{};
    Callback<std::string(const BriefFacts&)> brief{};
    /// The findings in words, one text each, in the order in which people are to read them.
    Callback<std::vector<std::string>(const List<Finding>&, const Run&)> issues{};
    /// Without `issues`: findings read as their detectors put them (`words`), in the order of the class. Else rule and
    /// numbers, worst first.
    bool detectors_words = false;
    /// The last touch to an alert about a run that was working for so long: details, another summary.
    Callback<void(Alert&, const Run&, Duration)> alert{};
    bool quote_agent_text = true;
};

namespace detail {
/// `D::Settings`. What is no detector is told so here, before anything is made of its settings.
template <class D, bool = HasSettings<D>>
struct SettingsOf {
    static_assert(check_detector<D>());
    struct type {};
};
template <class D>
struct SettingsOf<D, true> {
    using type = typename D::Settings;
};
}  // namespace detail

/// The detectors that are on, with their settings, in the order in which they are asked. Each is found by its kind.
class DetectorSettings {
public:
    struct Entry {
        const DetectorOps* ops;
        detail::Kept settings;
    };

    /// A detector that is on already gets the new settings and keeps its place.
    template <class D>
    DetectorSettings& turn_on(typename detail::SettingsOf<D>::type settings = {}) {
        static_assert(check_detector<D>());
        if constexpr (DetectorLike<D>) {
            Entry entry{&detector_ops<D>, detail::Kept{std::move(settings)}};
            for (Entry& known : entries_)
                if (known.ops->kind == entry.ops->kind) {
                    known = std::move(entry);
                    return *this;
                }
            entries_.push_back(std::move(entry));
        }
        return *this;
    }
    template <class D>
    DetectorSettings& turn_off() {
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
            if (entry->ops->kind == D::kind) {
                entries_.erase(entry);
                break;
            }
        return *this;
    }
    /// The settings of a detector, or null if it is off.
    template <class D>
    [[nodiscard]] const typename D::Settings* find() const noexcept {
        for (const Entry& entry : entries_)
            if (entry.ops->kind == D::kind) return entry.settings.as<typename D::Settings>();
        return nullptr;
    }
    /// Shows the settings of the detector of this kind by their names; they may be changed. Not if it names none.
    void by_name(std::string_view kind, NamedSettings& named) {
        for (Entry& entry : entries_)
            if (entry.ops->kind == kind && entry.ops->by_name != nullptr)
                entry.ops->by_name(entry.settings.get(), named);
    }
    [[nodiscard]] std::vector<std::string_view> kinds() const {
        std::vector<std::string_view> names;
        for (const Entry& entry : entries_) names.push_back(entry.ops->kind);
        return names;
    }
    [[nodiscard]] const List<Entry>& entries() const noexcept { return entries_; }

private:
    List<Entry> entries_{};
};

/// Named settings of a kind of run.
struct RunClass {
    std::string name{};
    Schedule schedule{};
    IntervalSettings interval{};
    ApplicabilitySettings applicability{};
    DetectorSettings detectors{};
    Ladder ladder{};  ///< `RecoveryLadder`, `WatchLadder`, or one of your own; a class needs one
    ActionLimits limits{};
    ExpectSettings expect{};
    StopProofNeeded stop_proof = StopProofNeeded::proved;
    Duration verify_after{};  ///< from a rung to the look whether it helped; zero: one interval of the run
    AlertSettings alerts{};
    PromptSettings prompts{};
    Mode mode = Mode::active;
    Duration
        grace{};  ///< verdicts are held this long after a gap of the watchdog itself; zero: one interval of the run
    ContextSettings context{};
    /// True: the progress metric is one that grows, and only a value above all before it is progress (4, 5, 4, 5 is
    /// none). False: any change is, so that one may fall as well.
    bool metric_grows = false;
    bool completion_ends = true;      ///< false: a run that reports `completed` or `failed` waits for its next task
    bool conflict_fails_run = false;  ///< a run that the store refuses to write is marked failed, as a crash guard

    /// Between two looks at the run that is looked at most often.
    [[nodiscard]] Duration shortest_cycle() const noexcept {
        if (schedule.period > Duration{}) return schedule.period;
        return interval.fixed.value_or(interval.short_task < interval.long_task ? interval.short_task
                                                                                : interval.long_task);
    }
    /// How many rungs may reach an agent within a minute, 0: any number. In shadow mode none does.
    [[nodiscard]] std::uint32_t rungs_a_minute() const noexcept { return mode == Mode::shadow ? 0 : limits.per_minute; }
    /// A host that calls so seldom finds what it finds later than the class promises. Up to twice is no news.
    [[nodiscard]] bool needs_more_than(Duration called_every) const noexcept {
        return called_every > 2 * shortest_cycle();
    }
};

}  // namespace heeler::inline HEELER_ABI
