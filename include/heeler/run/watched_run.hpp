// Everything that the engine keeps of one run in memory, and how it is saved and loaded.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <heeler/core/archive.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/events.hpp>
#include <heeler/run/run_marks.hpp>
#include <heeler/run/seen_results.hpp>
#include <heeler/recover/recovery_ladder.hpp>
#include <heeler/text/line_splitter.hpp>

namespace heeler::inline v0 {

/// A run class that was checked, with its detectors' settings looked up once.
template <class Detectors>
struct CompiledClass {
    RunClass rules;
    RecoveryLadder ladder;
    typename Detectors::Settings settings;
    std::uint64_t enough_items = 0;
    std::shared_ptr<Mutes> mutes;
    mutable std::atomic<bool> replaced{false};  ///< runs without an open incident change over to the newer one

    CompiledClass(RunClass checked, RecoveryLadder climbed, std::shared_ptr<Mutes> muted)
        : rules{std::move(checked)},
          ladder{std::move(climbed)},
          settings{Detectors::settings_of(rules)},
          enough_items{Detectors::enough_items(settings)},
          mutes{std::move(muted)} {}
    CompiledClass(const CompiledClass&) = delete;
    CompiledClass& operator=(const CompiledClass&) = delete;
};

/// Where the interval samples of a run stand.
struct Sampling {
    Duration next{};           ///< working clock
    std::uint32_t number = 0;  ///< samples taken
    std::optional<std::int64_t> value;
    std::int64_t lines = 0;
    UsageTotals usage;
    bool spoiled = false;  ///< part of the interval was unreadable or unwatched
};

/// What a status line said last, so that only changes are reported.
struct Shown {
    bool any = false;
    Status status = Status::healthy;
    Level level = Level::none;
    std::uint32_t findings = 0;  ///< bit per condition
};

/// Why a run is not watched at all.
enum class Skip : std::uint8_t { no, too_short, interactive, terminal };

[[nodiscard]] constexpr std::string_view name_of(Skip skip) noexcept {
    constexpr std::string_view names[] = {"no", "short", "interactive", "terminal"};
    return names[static_cast<std::size_t>(skip)];
}

/// Rows that wait for the next commit of their run.
struct Unsaved {
    static constexpr std::size_t most_each = 1024;  ///< while the store is down, the oldest are dropped beyond this

    std::vector<CheckpointRow> checkpoints;
    std::vector<Intervention> interventions;
    std::vector<Action> actions;
    std::vector<AlertRow> alerts;
    std::vector<AuditRow> audit;

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
        rows.insert(rows.begin(), earlier.begin(), earlier.end());
        if (rows.size() > most_each) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(most_each));
    }
};

/// Conditions in the order in which they were first seen, four bits each.
struct ConditionsSeen {
    std::uint64_t packed = 0;

    [[nodiscard]] bool has(Condition condition) const noexcept {
        for (std::uint64_t rest = packed; rest != 0; rest >>= 4)
            if ((rest & 15u) == static_cast<std::uint64_t>(condition) + 1) return true;
        return false;
    }
    void add(Condition condition) noexcept {
        if (has(condition)) return;
        unsigned shift = 0;
        while ((packed >> shift) != 0) shift += 4;
        packed |= (static_cast<std::uint64_t>(condition) + 1) << shift;
    }
};

/// What is kept of one run.
template <class Detectors>
struct RunMemory {
    std::shared_ptr<const CompiledClass<Detectors>> rules;
    Run run;
    LastCheckpoint checkpoint;
    Incident incident;
    Sampling sampling;
    Shown shown;
    typename Detectors::Memories memories;
    LineSplitter lines;
    SeenResults results;
    std::vector<HeartbeatRow> heartbeats;     ///< the newest `most_heartbeats`
    std::vector<Action> rung;                 ///< the rung that was carried out and is not settled yet
    std::vector<Intervention> interventions;  ///< the newest `most_interventions`
    ConditionsSeen conditions_seen;           ///< in the order in which they came
    std::uint32_t notes_given = 0;            ///< hash bits of not-evaluable kinds that were reported
    std::uint32_t debounced = 0;              ///< cycles in a row with a finding
    std::uint32_t rungs_today = 0;
    std::int64_t rung_day = 0;
    std::uint64_t checkpoints = 0;
    std::vector<std::int64_t> steps;  ///< that are completed, ascending, each once
    std::uint32_t rung_open = 0;      ///< actions of the rung that is under way, until it is settled
    bool alert_dead = false;          ///< nobody learned that the incident began
    Skip skip = Skip::no;
    OperatorMarks marks;
    SentMarks sent;
    std::uint32_t fenced_told = 0;    ///< the newest incarnation whose late reports are on record
    std::uint64_t loop_identity = 0;  ///< of the newest finding that has one
    std::unique_ptr<Feed> feed;       ///< the cursor is saved with the memory

    // --- not saved with the facts ---
    WallTime created_at{};
    std::optional<WallTime> ended_at;
    std::string spec;                  ///< encoded `RunSpec`
    std::uint32_t generation = 0;      ///< of the handle; 0: nobody lives here
    std::uint32_t alerts_pending = 0;  ///< in the outbox
    std::uint64_t version = 0;         ///< in the store; 0: not stored yet
    bool spec_stored = false;
    bool dirty = false;       ///< something was folded since the last cycle
    bool fed = false;         ///< a source's cursor moved: the memory is written with the next commit
    bool state_told = false;  ///< a state was reported since the last commit
    bool rung_busy = false;   ///< actions of the rung are with the deliverer
    bool disowned = false;    ///< another watchdog holds it now: nothing of it is written or done here any more
    std::optional<Elapsed> held_until;
    std::optional<Elapsed> waits_until;  ///< a rate limit that ends by itself
    Elapsed next_cycle{};
    Elapsed awaited{};  ///< when the run was to be looked at next: later than that is late
    Elapsed last_flush{};
    Elapsed last_memory{};
    Unsaved unsaved;

    static constexpr std::uint8_t facts_layout = 2;  ///< raised with each change of what is saved, and in which order
    static constexpr std::size_t most_heartbeats = 64;
    static constexpr std::size_t most_interventions = 64;

    [[nodiscard]] static std::uint32_t note_bit(std::string_view detector) noexcept {
        return 1u << (fingerprint_text(detector) % 32);
    }
    template <class Findings>
    [[nodiscard]] bool has_new(const Findings& notes) const noexcept {
        for (const Finding& note : notes)
            if ((notes_given & note_bit(note.kind)) == 0) return true;
        return false;
    }

    template <class A>
    void archive_facts(A& a) {
        std::uint8_t layout = facts_layout;
        a(layout);
        if constexpr (A::is_loading)
            if (layout != facts_layout) return a.refuse();
        a(run.id, run.expected, run.timeout, run.interval, run.origin, run.waited, run.waiting_since, run.started,
          run.last_alive, run.last_activity, run.last_progress, run.checkpoint_base, run.last_sign, run.reported_value,
          run.observations, run.lines, run.calls, run.open_calls, run.usage, run.attempt, run.incarnation, run.state,
          run.metric, run.shared_run, run.output_readable, run.paused_by_watchdog);
        a(checkpoint.text, checkpoint.step, checkpoint.at, checkpoint.reason);
        archive_incident(a);
        a(sampling.next, sampling.number, sampling.value, sampling.lines, sampling.usage, sampling.spoiled, shown);
        a(conditions_seen, notes_given, debounced, rungs_today, rung_day, rung_open, alert_dead, skip, waits_until);
        a(marks, sent, fenced_told, loop_identity, heartbeats, steps);
    }

    template <class A>
    void archive_memory(A& a) {
        Detectors::archive(a, memories);
        a(lines, results);
        std::string cursor = feed ? feed->cursor : std::string{};
        a(cursor);
        if (!A::is_loading || (!feed && cursor.empty())) return;
        if (!feed) feed = std::make_unique<Feed>();
        feed->cursor = std::move(cursor);
    }

private:
    template <class A>
    void archive_incident(A& a) {
        a(incident.number, incident.phase, incident.condition, incident.attempts, incident.unclear,
          incident.interventions, incident.opened, incident.acted, incident.verify_at, incident.closed_at,
          incident.hold_until, incident.value_then, incident.items_then, incident.nudge_confirmed, incident.isolated,
          incident.escalated, incident.alerted);
    }
};

/// One run in memory. `lock` guards all of it; it is held for a fold or a judgement only, never during I/O.
template <class Detectors>
struct RunCell : RunMemory<Detectors> {
    std::mutex lock;

    [[nodiscard]] bool is_busy() {
        const std::lock_guard guard{lock};
        return this->rung_busy;
    }
    void clear() { static_cast<RunMemory<Detectors>&>(*this) = RunMemory<Detectors>{}; }
};

/// `RunSpec` as bytes; the host's long texts live in the store, and encoded once in memory.
template <class A>
void archive_spec(A& a, RunSpec& spec) {
    a(spec.id, spec.name, spec.task, spec.work_item, spec.expected, spec.timeout, spec.plan, spec.tags, spec.shared_run,
      spec.parent, spec.metric, spec.metric_name, spec.project, spec.origin, spec.interactive, spec.created_at,
      spec.started_at, spec.start_unknown, spec.contract);
}

[[nodiscard]] inline RunSpec spec_from(const std::string& bytes) {
    RunSpec spec;
    ArchiveReader reader{bytes, Instant{}};
    archive_spec(reader, spec);
    return spec;
}

}  // namespace heeler::inline v0
