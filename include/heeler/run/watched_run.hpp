// Everything that the engine keeps of one run in memory: what was reported, what cycles made of it, and what waits to
// be stored.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/archive.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/seen_results.hpp>
#include <heeler/core/small_optional.hpp>
#include <heeler/detect/output_access_rule.hpp>
#include <heeler/run/detector_memory.hpp>
#include <heeler/run/run_lock.hpp>
#include <heeler/run/run_marks.hpp>
#include <heeler/run/spec_bytes.hpp>
#include <heeler/run/verdict.hpp>
#include <heeler/settings/ready_class.hpp>
#include <heeler/text/line_splitter.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What a run had done when its current interval began.
struct Baseline {
    SmallOptional<std::int64_t> reported;
    std::int64_t lines = 0;
    UsageTotals usage;

    friend bool operator==(const Baseline&, const Baseline&) = default;

    void archive(auto& a) { a(reported, lines, usage); }
};

/// Where the interval samples of a run stand.
struct Sampling {
    Duration next{};  ///< working clock
    OnDemand<Baseline> since;
    std::uint32_t number = 0;  ///< samples taken
    bool spoiled = false;      ///< part of the interval was unreadable or unwatched

    /// The next interval begins with what the run has done by now.
    void begin_at(const Run& run) {
        const Baseline now{run.reported_value, run.lines, *run.usage};
        if (*since != now) since.edit() = now;
    }

    void archive(auto& a) { a(next, since, number, spoiled); }
};

/// What is durable of a run's own notes.
struct Checkpoints {
    LastCheckpoint last;
    std::vector<std::int64_t> steps;  ///< that are completed, ascending, each once
    std::uint64_t count = 0;          ///< stored on its own

    void archive(auto& a) { a(last.text, last.step, last.at, last.reason, steps); }
};

/// Why a run is not watched at all.
enum class Skip : std::uint8_t { no, too_short, interactive, terminal, filtered, system, single_prompt };

[[nodiscard]] constexpr Skip last_value(Skip) noexcept { return Skip::single_prompt; }

[[nodiscard]] constexpr std::string_view name_of(Skip skip) noexcept {
    constexpr std::string_view names[] = {"no",       "short",  "interactive",  "terminal",
                                          "filtered", "system", "single_prompt"};
    return names[static_cast<std::size_t>(skip)];
}

/// What a status line said last, so that only changes are reported.
struct Shown {
    bool any = false;
    Status status = Status::healthy;
    Level level = Level::none;
    ConditionBits findings = 0;  ///< bit per condition

    void archive(auto& a) { a(any, status, level, findings); }
};

/// The run's life: hosts report it, and what a cycle does to a run changes it too.
struct Life {
    RunState state = RunState::running;
    SmallOptional<Elapsed> waiting_since;
    Duration waited{};
    SmallOptional<Elapsed> waits_until;
    bool paused_by_watchdog = false;

    friend bool operator==(const Life&, const Life&) = default;
};

/// Rows that wait for the next commit of their run.
struct Unsaved {
    static constexpr std::size_t most_each = 1024;  ///< while the store is down, the oldest are dropped beyond this

    List<CheckpointRow> checkpoints;
    List<Intervention> interventions;
    List<Action> actions;
    List<AlertRow> alerts;
    List<AuditRow> audit;

    [[nodiscard]] bool durable() const noexcept {
        return !checkpoints.empty() || !interventions.empty() || !actions.empty() || !alerts.empty();
    }
    [[nodiscard]] bool empty() const noexcept { return !durable() && audit.empty(); }

    /// Puts a copy in front of what the batch holds already.
    void copy_into(RunBatch& batch) const {
        put_before(batch.checkpoints, checkpoints);
        put_before(batch.interventions, interventions);
        put_before(batch.actions, actions);
        put_before(batch.alerts, alerts);
        put_before(batch.audit, audit);
    }

    /// Takes back what was not written; of too many rows of a kind the oldest go.
    void put_back(const Unsaved& earlier) {
        put_before(checkpoints, earlier.checkpoints);
        put_before(interventions, earlier.interventions);
        put_before(actions, earlier.actions);
        put_before(alerts, earlier.alerts);
        put_before(audit, earlier.audit);
    }

private:
    template <class Rows>
    static void put_before(Rows& rows, const Rows& earlier) {
        if (earlier.empty()) return;
        Rows all = earlier;
        append_all(all, rows);
        rows.swap(all);
        if (rows.size() > most_each) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(most_each));
    }
};

/// What few runs have: one pointer for all of it until one does.
struct RareFacts {
    OnDemand<List<HeartbeatRow>> heartbeats;  ///< the newest; what is older is on record
    OnDemand<Fates> fates;                    ///< of alerts: written by deliveries, taken in by the next cycle
    OnDemand<List<Action>> rung;              ///< that was carried out and is not settled yet; not saved
    SmallOptional<Elapsed> waits_until;       ///< a rate limit that ends by itself
    SmallOptional<Elapsed> held_until;        ///< not saved
    SmallOptional<Elapsed> locked_until;      ///< taken over: nobody is ended or replaced before; not saved
    SmallOptional<Elapsed> lost_since;        ///< its source; of one that is not attached again, too
    SmallOptional<Duration> credited;         ///< the progress up to which those above it have theirs
    SmallOptional<Duration> rate_limited_at;  ///< working clock: when it said so last
    std::int64_t earlier_calls = 0;           ///< of `run.calls`: a source found them, long after they were made
    std::uint32_t fenced_told = 0;            ///< the newest incarnation whose late reports are on record
    std::uint32_t debounced = 0;              ///< cycles in a row with a finding
    SmallOptional<Duration> debounced_at;     ///< working clock: the last of them
    std::uint32_t held_starts = 0;            ///< of watchdogs in a row, none of which lived to judge it
    std::uint32_t basis = 0;     ///< raised when another watchdog's or process's version takes its place; not saved
    bool held_by_start = false;  ///< why `held_until` is set: nobody watched it before; else a clock was set; not saved

    /// Something of it is saved.
    [[nodiscard]] bool says_something() const noexcept {
        return heartbeats || fates || waits_until || earlier_calls != 0 || fenced_told != 0 || debounced != 0 ||
               held_starts != 0 || lost_since || credited || rate_limited_at;
    }
};

/// What is kept of one run: facts that are folded from reports, the verdict, and how both stand to the store.
struct RunMemory {
    static constexpr std::uint8_t facts_layout = 1;   ///< raised with each change of what is saved, and in which order
    static constexpr std::uint8_t memory_layout = 1;  ///< likewise; what detectors save has layouts of its own
    /// Rows of the heartbeat log in memory; and where the older ones go on record, in each record, of which memory has
    /// twice as many.
    static constexpr std::size_t most_heartbeats = 64, heartbeats_per_record = 8;

    // --- facts: written by `observe`, by sources, and by what a cycle samples ---
    Run run;
    Sampling sampling;
    DetectorMemory detectors;  ///< knows the run's class
    OnDemand<text::LineSplitter> lines;
    OnDemand<SeenResults> results;
    OnDemand<Checkpoints> checkpoints;
    OnDemand<RareFacts> rare;

    // --- the verdict: written by cycles ---
    Shown shown;
    OnDemand<Verdict> verdict;

    // --- not saved with the facts ---
    WallTime created_at{};
    SpecBytes spec;              ///< holds the text of `run.id`
    OnDemand<RunSource> source;  ///< the cursor is saved with the memory
    OnDemand<Unsaved> unsaved;
    Elapsed next_cycle = Elapsed::max();
    Elapsed last_flush{};
    Elapsed last_memory{};
    std::uint64_t version = 0;         ///< in the store; 0: not stored yet
    std::uint32_t generation = 0;      ///< of the handle; 0: nobody lives here
    std::uint32_t alerts_pending = 0;  ///< in the outbox
    std::uint32_t watermark = 0;       ///< of the verdict, up to which the detectors have begun anew; saved with them
    std::uint32_t acted = 0;           ///< rungs whose outcomes the detectors know, by `Verdict::settled`; likewise
    Skip skip = Skip::no;              ///< saved
    bool listed = false;               ///< by its class's source, once; or the store held it: a list ends it
    bool spec_stored = false;
    bool dirty = false;       ///< something was folded since the last cycle
    bool fed = false;         ///< a source's cursor moved: the memory is written with the next commit
    bool state_told = false;  ///< a state was reported since the last commit
    bool unjudged = false;    ///< likewise since the last judgement
    bool put_off = false;     ///< it would be found to stand still, had the watchdog not been away
    bool rung_busy = false;   ///< actions of the rung are with the deliverer
    bool called_off = false;  ///< and those that were not begun are for nothing
    bool disowned = false;    ///< another watchdog holds it now: nothing of it is written or done here any more

    [[nodiscard]] const Shared<const ReadyClass>& of_class() const noexcept { return detectors.of_class(); }
    [[nodiscard]] const RunClass& rules() const noexcept { return of_class()->rules; }

    /// What became of an alert about the run.
    void note(Fate fate) { rare.edit().fates.edit().add(std::move(fate)); }

    /// What `ask(run)` answers when what became of its alerts is taken in. That changes nothing.
    template <class Ask>
    [[nodiscard]] auto as_told(Ask&& ask) {
        if (rare->fates->empty()) return ask(*this);
        OnDemand<Verdict> before = verdict;
        take_in(*rare->fates);
        auto answer = ask(*this);
        verdict = std::move(before);
        return answer;
    }

    void take_in(const Fates& these) {
        Verdict& known = verdict.edit();
        these.each([&](const Fate& fate) { known.told.take_in(fate, known.incident, rules().alerts); });
    }

    /// It has an open incident that people know of, or are about to be told of. One that they have dismissed may stay
    /// open for ever, and nobody would say when it ends.
    [[nodiscard]] bool trouble_is_known() const noexcept {
        const Incident& incident = verdict->incident;
        const Told& told = verdict->told;
        if (!incident.open() || !told.incident || verdict->marks.dismissed) return false;
        return !told.nobody_knows() && rules().mode != Mode::shadow;
    }

    /// One alert fewer is in the outbox.
    void settle_alert() noexcept {
        if (alerts_pending > 0) --alerts_pending;
    }
    /// The run is over, and nothing is left that the words about it wait for: they come with its next cycle.
    [[nodiscard]] bool end_follows() {
        return alerts_pending == 0 && as_told([](const RunMemory& known) { return known.verdict->told.end_waits; });
    }

    /// What the run did before was not seen: its ages count from here.
    void see_from(Elapsed now) {
        if (is_terminal(run.state)) return;
        run.seen_from = run.working(now);
        auto& gaps = run.excuses.edit().gaps;
        if (gaps.size() >= Run::most_gaps) gaps.erase(gaps.begin());
        gaps.push_back(*run.seen_from);
        dirty = true;
    }

    /// It has made progress that those above it were not credited for yet. While it is found to repeat itself, it makes
    /// none.
    [[nodiscard]] bool owes_credit() const noexcept {
        if (verdict->incident.open() && verdict->repeated_by != 0) return false;
        return run.has_parent && run.last_progress && run.last_progress != rare->credited;
    }
    /// There is nothing to be credited any more.
    void settle_credit() {
        if (run.has_parent) rare.edit().credited = run.last_progress;
    }

    /// A run below it made progress. The working clock of one that waits for its children stands, and so the wait
    /// counts from there; who waits for something else, or is paused, gains nothing: false.
    bool advance(Elapsed when) {
        if ((run.state != RunState::running && run.state != RunState::waiting_child) || when < run.origin) return false;
        const SmallOptional<Duration> at = detail::max_of(run.working(when), Duration{});
        run.last_activity = detail::max_of(run.last_activity, at);
        run.last_progress = detail::max_of(run.last_progress, at);
        run.children.edit().progress = detail::max_of(run.children->progress, SmallOptional<Elapsed>{when});
        unjudged = unjudged || (run.waiting_since && shown.findings != 0);
        return true;
    }

    /// Output that cannot be read is judged at once, where that is a condition; an aligned schedule keeps its grid.
    void hurry(Elapsed now) {
        if (run.output_readable || rules().schedule.aligned) return;
        if (rules().detectors.find<OutputAccessRule>() != nullptr) next_cycle = detail::min_of(next_cycle, now);
    }

    /// Its source fails. True if that is news. One that failed before a restart has been lost since then.
    bool lose(Elapsed now) {
        sampling.spoiled = true;
        if (source->lost_since) return false;
        if (!rare->lost_since) rare.edit().lost_since = now;
        source.edit().lost_since = rare->lost_since;
        return dirty = true;
    }

    /// Since when nothing of it can be read; absent: it can. Of what it wrote the open incident says since when.
    [[nodiscard]] SmallOptional<Elapsed> unobservable_since() const noexcept {
        const Incident& incident = verdict->incident;
        const bool unread = incident.open() && incident.condition == Condition::no_output_access;
        if (rare->lost_since || !unread) return rare->lost_since;
        return run.origin + run.waited + incident.opened;
    }

    /// What the store keeps beside the facts.
    void stored_besides(std::uint64_t checkpoints_written, std::optional<WallTime> ended_at,
                        const List<Intervention>& interventions) {
        if (checkpoints_written > 0) checkpoints.edit().count = checkpoints_written;
        if (!ended_at && interventions.empty()) return;
        verdict.edit().ended_at = ended_at;
        verdict.edit().interventions = interventions;
    }

    /// The detectors have not begun anew yet, as was decided.
    [[nodiscard]] bool begins_anew() const noexcept { return watermark != verdict->watermark; }

    /// Lines and calls that were counted as they came.
    [[nodiscard]] std::uint64_t items() const noexcept {
        return static_cast<std::uint64_t>(run.lines + run.calls - rare->earlier_calls);
    }

    /// What stopped its agent was a rate limit or a person, and it has not worked since: that it has to be replaced
    /// counts against nobody.
    [[nodiscard]] bool was_stopped_from_outside() const noexcept {
        const LastCheckpoint& last = checkpoints->last;
        const auto person = last.reason == CheckpointReason::user_interrupt ? last.at : std::nullopt;
        const auto stopped = detail::max_of(rare->rate_limited_at, SmallOptional<Duration>{person});
        return stopped && stopped >= run.last_progress;
    }

    /// The wait that goes on ends by itself then; absent: it does not.
    void wait_until(SmallOptional<Elapsed> end) {
        if (end != rare->waits_until) rare.edit().waits_until = end;
    }

    [[nodiscard]] Life life() const {
        return {run.state, run.waiting_since, run.waited, rare->waits_until, run.paused_by_watchdog};
    }
    void live(const Life& life) {
        run.state = life.state;
        run.waiting_since = life.waiting_since;
        run.waited = life.waited;
        wait_until(life.waits_until);
        run.paused_by_watchdog = life.paused_by_watchdog;
    }

    template <class A>
    void archive_facts(A& a) {
        std::uint8_t layout = facts_layout;
        a(layout);
        if (a.is_loading() && layout != facts_layout) return a.refuse();
        UsageTotals usage = *run.usage;
        a(run.expected, run.timeout, run.interval, run.origin, run.waited, run.waiting_since, run.started,
          run.last_alive, run.last_activity, run.last_progress, run.last_gain, run.seen_from, run.checkpoint_base,
          run.last_sign, run.reported_value, run.observations, run.lines, run.calls, run.open_calls, usage, run.attempt,
          run.incarnation, run.state, run.metric, run.shared_run, run.output_readable, run.paused_by_watchdog,
          run.words, run.children, run.spend);
        if (usage != *run.usage) run.usage.edit() = usage;
        RareFacts nothing;
        RareFacts& more = rare ? rare.edit() : nothing;
        a(run.excuses, more.held_starts, sampling, shown, verdict, checkpoints, more.heartbeats, more.debounced,
          more.debounced_at, skip, more.waits_until, more.fenced_told, more.earlier_calls, more.fates, more.lost_since,
          more.credited, more.rate_limited_at);
        if (!a.is_loading()) return;
        if (run.usage) run.spend.edit().counted = usage;
        if (nothing.says_something()) rare.edit() = std::move(nothing);
    }

    /// False if they cannot be read. Whoever wrote them may have had a clock that is far ahead: what it saw lies in no
    /// future. Clocks that differ by less are judged as they are, so that going there and back adds nothing.
    [[nodiscard]] bool load_facts(std::string_view bytes, Instant now, Duration ahead = {}) {
        ArchiveReader facts{bytes, {now.elapsed, now.wall + ahead}};
        archive_facts(facts);
        if (!facts.ok() || !facts.at_end()) return false;
        const Duration newest = detail::max_of(run.last_alive.value_or(Duration{}), run.seen_from.value_or(Duration{}));
        const Duration more = (run.waiting_since ? *run.waiting_since : run.origin + run.waited + newest) - now.elapsed;
        return ahead > Duration{} || more <= std::chrono::minutes{15} || load_facts(bytes, now, more);
    }

    [[nodiscard]] std::string saved_memory(Instant now) {
        ArchiveWriter to{now};
        std::uint8_t layout = memory_layout;
        std::string cursor = source ? source->cursor : std::string{};
        to(layout, cursor, lines, results, watermark, acted);
        detectors.save(to, now);
        return to.take();
    }

    /// False if it cannot be read: the detectors begin anew then, and so does the reading of a source.
    bool load_memory(const std::string& bytes, Instant now) {
        ArchiveReader from{bytes, now};
        std::uint8_t layout = 0;
        std::string cursor;
        from(layout);
        if (layout != memory_layout) from.refuse();
        from(cursor, lines, results, watermark, acted);
        detectors.load(from, now);
        if (!from.ok() || !from.at_end()) {
            lines.reset();
            results.reset();
            detectors = DetectorMemory{of_class()};
            watermark = verdict->watermark;
            return false;
        }
        if (!source && cursor.empty()) return true;
        source.edit().cursor = std::move(cursor);
        return true;
    }

    /// Changes the class over. What detectors of the old one remember goes to those of the same kind.
    void change_class(Shared<const ReadyClass> newest, Instant now) {
        ArchiveWriter old{now};
        detectors.save(old, now);
        DetectorMemory fresh{std::move(newest)};
        ArchiveReader from{old.bytes(), now};
        fresh.load(from, now);
        detectors = std::move(fresh);
    }
};

/// One run in memory. `lock` guards all of it; it is held for a fold or a judgement only, never during I/O.
struct WatchedRun : RunMemory {
    RunLock lock;

    void clear() { static_cast<RunMemory&>(*this) = RunMemory{}; }
};

}  // namespace heeler::inline HEELER_ABI::detail
