// A run: what the host says about it at registration, and what is known of it now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/delegate_contract.hpp>
#include <heeler/core/excuses.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/core/small_optional.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// What counts as progress of a run.
enum class MetricKind : std::uint8_t {
    output_lines,  ///< finished lines of output (the default)
    reported,      ///< the values of the host's `Progress` reports
    undefined,     ///< nothing measurable: the wall-clock fallback decides
};

[[nodiscard]] constexpr MetricKind last_value(MetricKind) noexcept { return MetricKind::undefined; }

/// Bytes of a work item.
inline constexpr std::size_t longest_work_item = 262'144;

/// What a host says about a run when it registers it.
struct RunSpec {
    std::string id{};         ///< 1 to 128 bytes of UTF-8 without control characters; empty: `name`
    std::string name{};       ///< for people; empty: `id`
    std::string task{};       ///< the goal, as the nudge restates it
    std::string work_item{};  ///< at most `longest_work_item` bytes: a brief has all of it. Of more, name the file
    std::optional<Duration> expected{};  ///< how long the run should take
    std::optional<Duration> timeout{};   ///< a hard limit
    std::vector<std::int64_t> plan{};    ///< step numbers
    std::vector<std::string> tags{};
    std::vector<std::string>
        shared_run{};  ///< other agents in the same run: the run is isolated before any intervention
    std::string parent{};
    MetricKind metric = MetricKind::output_lines;
    std::string metric_name{};  ///< what `reported` measures, for people
    std::string project{};
    std::string origin{};                        ///< the chat or route that alerts go to
    std::string owner{};                         ///< who alone may snooze, continue or dismiss it; empty: anybody
    bool interactive = false;                    ///< a person guides each step: not watched
    bool single_prompt = false;                  ///< one prompt, one answer, nothing in between: not watched
    std::optional<WallTime> created_at{};        ///< default: when it is registered
    std::optional<WallTime> started_at{};        ///< default: when it is registered
    std::optional<DelegateContract> contract{};  ///< what the run was handed; must be complete if it is given
    bool start_unknown = false;                  ///< nobody knows when it started: rules about its age say so
    /// The run whose work it takes up under an id of its own: fresh agents are counted for both
    /// (`ActionLimits::restarts`), and time (`RunTimeout`). Empty: none. Of a run that nobody knows any more nothing is
    /// counted.
    std::string continues{};

    /// What counts as its progress, in words.
    [[nodiscard]] std::string_view metric_words() const noexcept {
        constexpr std::string_view names[] = {"output lines", "reported", "none"};
        if (metric == MetricKind::reported && !metric_name.empty()) return metric_name;
        return names[static_cast<std::size_t>(metric)];
    }
};

/// A reference to a registered run: an index plus a generation. Copy it freely; a stale one answers `ended`.
struct RunHandle {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;

    friend constexpr bool operator==(RunHandle, RunHandle) noexcept = default;
};

/// Totals of what a run consumed.
struct UsageTotals {
    std::int64_t tokens_in = 0;
    std::int64_t tokens_out = 0;
    std::int64_t api_calls = 0;
    std::int64_t bytes_written = 0;
    double cost_usd = 0;

    friend bool operator==(const UsageTotals&, const UsageTotals&) = default;
};

/// What the run said of itself last (`StateChange`). Text of the agent, cut to fit.
struct RunWords {
    static constexpr std::size_t longest = 512;  ///< bytes of each

    std::string reported{};
    std::string prompt{};
    std::string outcome{};

    friend bool operator==(const RunWords&, const RunWords&) = default;

    void archive(auto& a) { a(reported, prompt, outcome); }
};

/// What the runs below a run have told, as far as this watchdog watches them; and its lineage: the work that it is a
/// part of, because it goes on with another run or stands below one.
struct RunsBelow {
    SmallOptional<Elapsed> progress{};  ///< of any descendant, or of a child that its host watches (`SignOfLife`)
    SmallOptional<Elapsed> last_end{};  ///< when a child was over last
    std::uint64_t told = 0;             ///< the most of `SignOfLife::progress`
    bool left = false;                  ///< there may be one that is not over; not stored
    std::string first{};                ///< run of its lineage; empty: this one, as far as is known
    Duration lasted{};                  ///< the lineage, when this run began; and what this one waited for runs below

    /// What another watchdog, or the host meanwhile, was told of the same.
    void take(const RunsBelow& more) {
        progress = detail::max_of(progress, more.progress);
        last_end = detail::max_of(last_end, more.last_end);
        told = detail::max_of(told, more.told);
    }

    void archive(auto& a) { a(progress, last_end, told, first, lasted); }
};

/// How a run stands to the caps on what it, and others, may spend (`SpendCap`).
struct RunSpend {
    UsageTotals counted{};            ///< the ledger has it; as it is stored, all of it
    std::int64_t spent = 0, cap = 0;  ///< of the sum that is nearest to its cap
    std::uint8_t of = 0;              ///< which sum; 0: nobody counts
    /// An operator gave it to this run (`Verb::limit`), in the place of what its class has; 0: that of its class.
    std::int64_t own_tokens = 0, own_micro_usd = 0;

    static constexpr std::string_view budget_kind = "token_budget", cap_kind = "spend";  ///< who looks at it
    static constexpr std::int64_t most_tokens = std::int64_t{1} << 50, most_micro_usd = 1'000'000'000'000'000;

    [[nodiscard]] bool is_over() const noexcept { return cap > 0 && spent >= cap; }
    void archive(auto& a) { a(spent, cap, of, own_tokens, own_micro_usd); }
};

/// What is known of a run, as detectors and the ladder see it.
///
/// All moments and ages are on the run's *working clock*: elapsed time since the origin, less the time spent in waiting
/// states, so that a wait never counts against a run and ages resume where they stood. `id` is valid while the run is.
struct Run {
    std::string_view id{};
    SmallOptional<Duration> expected{};
    SmallOptional<Duration> timeout{};
    Duration interval{};                     ///< of its schedule and its samples
    Elapsed origin{};                        ///< registration: 0 of the working clock
    Duration waited{};                       ///< spent waiting so far, without the wait that is going on
    SmallOptional<Elapsed> waiting_since{};  ///< set while the run waits
    SmallOptional<Duration> started{};       ///< absent: unknown
    SmallOptional<Duration> last_alive{};
    SmallOptional<Duration> last_activity{};    ///< its own, or the progress of a run below it
    SmallOptional<Duration> last_progress{};    ///< likewise
    SmallOptional<Duration> last_gain{};        ///< progress that is more than output: whoever loops prints as well
    SmallOptional<Duration> checkpoint_base{};  ///< the last checkpoint, else when the attempt began
    SmallOptional<Duration> last_sign{};        ///< of a second source (`SignOfLife`)
    SmallOptional<Duration> seen_from{};  ///< nobody saw it before: the watchdog, or what it learns from, was away
    OnDemand<Excuses> excuses{};
    SmallOptional<std::int64_t> reported_value{};
    std::uint64_t observations = 0;
    std::int64_t lines = 0;
    std::int64_t calls = 0;
    OnDemand<UsageTotals> usage{};
    OnDemand<RunSpend> spend{};
    OnDemand<RunWords> words{};
    OnDemand<RunsBelow> children{};
    std::uint32_t open_calls = 0;   ///< tool calls without a result
    std::uint32_t attempt = 1;      ///< 1 + continuations that were started, or may have been
    std::uint32_t incarnation = 1;  ///< what older ones report is fenced off
    RunState state = RunState::running;
    MetricKind metric = MetricKind::output_lines;
    bool shared_run = false;
    bool output_readable = true;
    bool paused_by_watchdog = false;  ///< or may be: nobody knows what came of it
    bool late = false;                ///< this cycle comes so late, or knows so little, that ages prove nothing
    bool source_lost = false;         ///< its source could not be read for an interval or longer
    bool found = false;               ///< a list brought it, and nobody knew it before; not stored
    bool has_parent = false;          ///< by its `RunSpec`
    bool traced = false;              ///< it was looked for among the runs above it; not stored

    [[nodiscard]] Duration working(Elapsed now) const noexcept {
        return (waiting_since ? *waiting_since : now) - origin - waited;
    }

    /// The watchdog has paused it, whatever it waits for besides.
    [[nodiscard]] bool waits_for_resume() const noexcept { return paused_by_watchdog && waiting_since; }

    /// How long the work that it is a part of has lasted. Of waits only those for runs below count.
    [[nodiscard]] Duration lineage_age(Elapsed now) const noexcept {
        const Duration worked = state == RunState::waiting_child ? now - origin - waited : working(now);
        return worked - started.value_or(Duration{}) + children->lasted;
    }

    /// Age of a moment of the working clock; absent moments have no age.
    [[nodiscard]] std::optional<Duration> age(SmallOptional<Duration> moment, Elapsed now) const noexcept {
        if (!moment) return std::nullopt;
        return working(now) - *moment;
    }

    /// Of so many gaps since a sign of the run no more is made of another: a watchdog that is away again and again
    /// would else never judge it.
    static constexpr std::size_t most_gaps = 8;

    /// When the last gap ended, as far as that counts for what was last seen at that moment.
    [[nodiscard]] SmallOptional<Duration> watched_since(Duration moment) const noexcept {
        const bool away_too_often = excuses->gaps.size() >= most_gaps && excuses->gaps.front() > moment;
        return away_too_often ? SmallOptional<Duration>{} : seen_from;
    }

    /// How long nothing was seen since that moment, as far as somebody looked: what a limit of liveness or progress is
    /// compared with before anything is said or done. Limits that were set absolutely go by the plain age.
    [[nodiscard]] Duration unseen_for(Duration moment, Elapsed now) const noexcept {
        const auto since = watched_since(moment);
        return working(now) - (since && *since > moment ? *since : moment);
    }

    /// Ages of activity, of progress and of checkpoints count from here: not from before the end of what was said to
    /// take long.
    [[nodiscard]] SmallOptional<Duration> excused(SmallOptional<Duration> moment) const noexcept {
        return moment && moment < excuses->until ? excuses->until : moment;
    }

    /// Since the last gap, and since the end of what was said to take long, somebody has looked for less than this
    /// limit: what was last seen at that moment, before it, proves nothing yet.
    [[nodiscard]] bool watched_less_than(Duration limit, Duration moment, Elapsed now) const noexcept {
        const auto since = detail::max_of(watched_since(moment), excuses->until);
        return since && working(now) - *since < limit;
    }

    /// The progress metric's value; absent while there is none.
    [[nodiscard]] std::optional<std::int64_t> metric_value() const noexcept {
        if (metric == MetricKind::output_lines) return lines;
        if (metric == MetricKind::reported) return reported_value;
        return std::nullopt;
    }
};

/// The newest checkpoint of a run.
struct LastCheckpoint {
    std::string text{};
    std::optional<std::int64_t> step{};
    std::optional<Duration> at{};  ///< working clock; absent: none yet
    CheckpointReason reason = CheckpointReason::scheduled;
};

}  // namespace heeler::inline HEELER_ABI
