// Who is watched: run classes by name, runs by id and by handle.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/run/action_turns.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/rejoin.hpp>
#include <heeler/run/run_index.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/settings/ready_class.hpp>
#include <heeler/settings/validate.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// May be called from any thread.
class Registry {
public:
    explicit Registry(RunTable<WatchedRun>& table) : table_{table} {}

    [[nodiscard]] Result<void> define(RunClass rules, Instant now, std::string version = {}) {
        if (auto good = ReadyClass::check(rules); !good)
            return fail(good.error().code,
                        "run class `" + text::sanitise(rules.name, 80) + "`: " + std::move(good.error().message));
        std::string name = rules.name;
        Shared<const ReadyClass> before;
        {
            const std::lock_guard guard{lock_};
            auto& known = classes_[name];
            auto compiled = Shared<const ReadyClass>::make(std::move(rules), mutes_[name],
                                                           known ? known->defined : now.elapsed, std::move(version));
            if (known) compiled->origin.store(known->origin.load(std::memory_order_relaxed));
            if (compiled->rules.schedule.together) any_together_.store(true, std::memory_order_release);
            if (compiled->loop != nullptr) reads_loops_.store(true, std::memory_order_release);
            before = std::exchange(known, std::move(compiled));
        }
        if (before) {
            before->replaced.store(true, std::memory_order_relaxed);
            replaced_.store(true, std::memory_order_release);
        }
        return {};
    }

    /// Gives a run the newest settings of its class, unless an incident is open: that one keeps what it began with, but
    /// for one that a higher cap on what it spends may end. Under the run's lock.
    void renew(WatchedRun& watched, Instant now) const {
        if (!watched.of_class()->replaced.load(std::memory_order_relaxed)) return;
        const bool keeps = watched.verdict->incident.open() && !watched.run.spend->is_over();
        if (keeps || watched.rung_busy || !watched.rare->rung->empty()) return;
        auto newest = find_class(watched.rules().name);
        if (!newest) return;
        watched.change_class(std::move(newest), now);
        watched.run.interval = watched.rules().interval.interval_for(watched.run.expected);
        const Duration next_sample = watched.run.working(now.elapsed) + watched.run.interval;
        watched.sampling.next = detail::min_of(watched.sampling.next, next_sample);
        watched.next_cycle = detail::min_of(watched.next_cycle, cycle_after(watched, now));
    }

    /// After classes were replaced, every run is looked at, whatever its old settings asked for.
    void look_at_replaced(Instant now) {
        if (!replaced_.exchange(false, std::memory_order_acquire)) return;
        for (const RunHandle handle : table_.all()) table_.sooner(handle.index, now.elapsed);
    }

    /// A loop that is none, for all runs of the class.
    void mute(const std::string& class_name, std::uint64_t identity) {
        const std::lock_guard guard{lock_};
        mutes_[class_name].add(identity);
    }

    /// Whether a class has a detector that reads calls and results for itself.
    [[nodiscard]] bool reads_loops() const noexcept { return reads_loops_.load(std::memory_order_acquire); }

    [[nodiscard]] Shared<const ReadyClass> find_class(std::string_view name) const {
        const std::lock_guard guard{lock_};
        const auto it = classes_.find(name);
        return it == classes_.end() ? Shared<const ReadyClass>{} : it->second;
    }

    [[nodiscard]] List<Shared<const ReadyClass>> classes() const {
        List<Shared<const ReadyClass>> all;
        {
            const std::lock_guard guard{lock_};
            for (const auto& [name, rules] : classes_) all.push_back(rules);
        }
        detail::sort(all, [](const auto& a, const auto& b) { return a->rules.name < b->rules.name; });
        return all;
    }

    /// Whether the runs of a class are looked at together (`Schedule::together`).
    [[nodiscard]] bool any_together() const noexcept { return any_together_.load(std::memory_order_acquire); }

    /// A new run. It is watched from now on, but not stored yet.
    [[nodiscard]] Result<RunHandle> add(RunSpec spec, std::string_view class_name, Instant now) {
        if (auto good = check_spec(spec); !good) return tl::unexpected<Error>(good.error());
        auto rules = find_class(class_name);
        if (!rules)
            return detail::invalid("no run class `" + text::sanitise(class_name, 80) +
                                   "` is defined; call define() first");
        return take_in(spec.id, [&](WatchedRun& watched) { fill(watched, spec, std::move(rules), now); });
    }

    struct Adopted {
        RunHandle handle{};
        bool remembers = true;  ///< false: what its detectors saw is lost, and they begin anew
    };

    /// A run that the store holds, of a class that is defined; `corrupt` and where, if what is stored of it cannot be
    /// read. `polled`: a source knows what it did meanwhile. A host that registered it while nobody could ask the store
    /// keeps its handle, and what it reported counts.
    [[nodiscard]] Result<Adopted> adopt(const StoredRun& stored, bool polled, Instant now) {
        std::string_view damage;
        bool remembers = false;
        const auto fill_in = [&](WatchedRun& watched) {
            damage = restore(watched, stored, find_class(stored.row.class_name), polled, now);
            remembers = stored.row.memory && watched.load_memory(*stored.row.memory, now);
            if (!stored.row.memory) watched.watermark = watched.verdict->watermark;
            Folder{watched, now}.begin_anew();
            return damage.empty();
        };
        const auto known = fill_known(stored.row.id, fill_in, now);
        if (!known) return tl::unexpected<Error>(known.error());
        const auto handle = *known ? Result<RunHandle>{**known} : take_in(stored.row.id, fill_in);
        if (!handle) return tl::unexpected<Error>(handle.error());
        if (damage.empty()) return Adopted{*handle, remembers};
        drop(*handle);
        return fail(ErrorCode::corrupt, std::string{damage});
    }

    [[nodiscard]] std::optional<RunHandle> find(std::string_view id) const { return index_.find(id); }

    /// Forgets a run. Handles to it answer `ended` from now on. Call it without the run's lock.
    void drop(RunHandle handle) {
        WatchedRun* watched = table_.find(handle);
        if (watched == nullptr) return;
        const std::lock_guard guard{watched->lock};
        if (!table_.current(handle)) return;
        if (!watched->disowned) index_.remove(watched->run.id);
        count_child(*watched, -1);
        table_.remove(handle, watched->disowned);
        watched->clear();
    }

    /// The same, unless it is a run by now that the store held: false then.
    bool drop_new(RunHandle handle) {
        if (WatchedRun* watched = table_.find(handle); watched != nullptr) {
            const std::lock_guard guard{watched->lock};
            if (table_.current(handle) && watched->listed) return false;
        }
        drop(handle);
        return true;
    }

    /// Another watchdog holds the run now; one that was never stored only `if_new`. Its slot is kept until what is
    /// under way for it has come back. False if nothing changes.
    bool disown(RunHandle handle, Instant now, bool if_new = true) {
        WatchedRun* watched = table_.find(handle);
        if (watched == nullptr) return false;
        const std::lock_guard guard{watched->lock};
        if (!table_.current(handle) || (watched->version == 0 && !if_new)) return false;
        if (std::exchange(watched->disowned, true)) return false;
        index_.remove(watched->run.id);
        watched->unsaved = {};
        table_.close(handle, now.elapsed);
        return true;
    }

    /// Whether a run has children that are watched here and not forgotten yet. Without an id: whether any has.
    [[nodiscard]] bool has_children(std::string_view id = {}) const {
        const std::lock_guard guard{lock_};
        return id.empty() ? !children_.empty() : children_.contains(id);
    }

    /// The runs among them that are still known, by id, each once.
    [[nodiscard]] std::vector<RunHandle> in_order_of_ids(const std::vector<RunHandle>& handles) {
        List<std::pair<std::string, RunHandle>> named;
        for (const RunHandle handle : handles) {
            WatchedRun* watched = table_.find(handle);
            if (watched == nullptr) continue;
            const std::lock_guard guard{watched->lock};
            if (table_.current(handle)) named.emplace_back(watched->run.id, handle);
        }
        detail::sort(named, [](const auto& a, const auto& b) {
            return std::tie(a.first, a.second.index) < std::tie(b.first, b.second.index);
        });
        std::vector<RunHandle> ordered;
        for (const auto& [id, handle] : named)
            if (ordered.empty() || ordered.back() != handle) ordered.push_back(handle);
        return ordered;
    }

    [[nodiscard]] RunTable<WatchedRun>& table() noexcept { return table_; }
    [[nodiscard]] ActionTurns& turns() noexcept { return turns_; }

private:
    template <class Fill>
    [[nodiscard]] Result<RunHandle> take_in(const std::string& id, Fill&& fill_in) {
        const std::lock_guard adding{adding_};
        if (index_.find(id))
            return fail(ErrorCode::duplicate, "a run with the id `" + text::shown_name(id, 160) +
                                                  "` is registered already; choose another id, or find() it");
        const auto handle = table_.add([&](WatchedRun& fresh, RunHandle as) {
            const std::lock_guard guard{fresh.lock};
            fill_in(fresh);
            fresh.generation = as.generation;
        });
        if (!handle)
            return fail(ErrorCode::full, "4,194,304 runs are registered, which is the limit; finish some first");
        WatchedRun& watched = *table_.find(*handle);
        {
            const std::lock_guard guard{watched.lock};
            count_child(watched, 1);
            table_.show(*handle, watched.shown.status);
            table_.look_at(handle->index, watched.next_cycle);
        }
        (void)index_.add(id, *handle);  // nobody else adds, and it was absent above
        return *handle;
    }

    /// Puts what is stored in the place of what was registered, and never stored, under the id; absent: nothing was.
    template <class Fill>
    [[nodiscard]] Result<std::optional<RunHandle>> fill_known(std::string_view id, Fill&& fill_in, Instant now) {
        const auto handle = index_.find(id);
        WatchedRun* const watched = handle ? table_.find(*handle) : nullptr;
        if (watched == nullptr) return std::nullopt;
        const std::lock_guard guard{watched->lock};
        if (!table_.current(*handle) || watched->disowned || watched->version != 0) return std::nullopt;
        RunMemory told = std::exchange(static_cast<RunMemory&>(*watched), RunMemory{});
        const bool whole = fill_in(*watched);
        count_child(told, -1);
        count_child(*watched, 1);
        watched->generation = handle->generation;
        watched->rare.edit().basis = told.rare->basis + 1;
        if (whole) rejoin(*watched, told, now);
        table_.show(*handle, watched->shown.status);
        table_.look_at(handle->index, now.elapsed);
        return handle;
    }

    /// The run's parent has one child more, or one fewer.
    void count_child(const RunMemory& run, int more) {
        if (!run.run.has_parent) return;
        const std::lock_guard guard{lock_};
        const std::string_view parent = run.spec.parent();
        if ((children_[parent] += static_cast<std::uint32_t>(more)) == 0) children_.erase(parent);
    }

    /// What is stored of a run for as long as it is on record.
    static void take_secrets_out(RunSpec& spec) {
        spec.task = text::redact(spec.task);
        spec.work_item = text::redact(spec.work_item);
        if (!spec.contract) return;
        for (std::string* text : {&spec.contract->scope, &spec.contract->surfaces, &spec.contract->artefact,
                                  &spec.contract->stop_conditions, &spec.contract->rejoin_trigger})
            *text = text::redact(*text);
    }

    static void fill(WatchedRun& watched, RunSpec& spec, Shared<const ReadyClass> rules, Instant now) {
        Run& run = watched.run;
        take_secrets_out(spec);
        ArchiveWriter writer{Instant{}};
        archive_spec(writer, spec);
        watched.spec = SpecBytes{writer.bytes()};
        watched.run.has_parent = !spec.parent.empty();
        run.id = watched.spec.id();
        run.expected = spec.expected;
        run.timeout = spec.timeout;
        run.metric = spec.metric;
        run.shared_run = !spec.shared_run.empty();
        run.origin = now.elapsed;
        run.interval = rules->rules.interval.interval_for(spec.expected);
        if (!spec.start_unknown) run.started = spec.started_at ? *spec.started_at - now.wall : Duration{};
        run.checkpoint_base = run.started.value_or(Duration{});
        watched.created_at = spec.created_at.value_or(now.wall);
        watched.skip = skip_reason(spec, *rules);
        watched.sampling.next = run.interval;
        watched.detectors = DetectorMemory{std::move(rules)};
        watched.next_cycle = first_cycle(watched, now);
        watched.last_flush = watched.last_memory = now.elapsed;
    }

    static Skip skip_reason(const RunSpec& spec, const ReadyClass& rules) noexcept {
        const ApplicabilitySettings& settings = rules.rules.applicability;
        if (settings.skip_interactive && spec.interactive) return Skip::interactive;
        if (settings.skip_single_prompt && spec.single_prompt) return Skip::single_prompt;
        if (spec.expected && *spec.expected < settings.shortest) return Skip::too_short;
        if (!settings.filter || settings.filter->keeps(spec)) return Skip::no;
        return settings.filter->excludes(spec) ? Skip::system : Skip::filtered;
    }

    /// Answers where something is that cannot be read, or nothing. Of what cannot be read nothing is taken into
    /// account.
    std::string_view restore(WatchedRun& watched, const StoredRun& stored, Shared<const ReadyClass> rules, bool polled,
                             Instant now) {
        const bool whole = watched.load_facts(stored.row.facts, now);
        watched.detectors = DetectorMemory{std::move(rules)};
        watched.spec = SpecBytes{stored.row.spec.value_or(std::string{})};
        RunSpec spec;
        const std::string stored_texts = watched.spec.bytes();
        ArchiveReader texts{stored_texts, Instant{}};
        archive_spec(texts, spec);
        watched.run.id = stored.row.id;  // by which it is dropped
        if (!whole || period_of(watched) <= Duration{}) return "table 'runs', column 'facts' is damaged";
        if (!texts.ok() || !texts.at_end() || spec.id != stored.row.id)
            return "table 'run_parts', column 'bytes' of the part 'spec' is damaged";
        watched.run.id = watched.spec.id();
        watched.run.has_parent = !spec.parent.empty();
        if (watched.verdict->told.levels->next)
            watched.verdict.edit().told.trim_levels(watched.rules().alerts.escalation, watched.run.has_parent,
                                                    now.elapsed);
        watched.spec_stored = watched.listed = true;
        watched.version = stored.row.version;
        watched.created_at = stored.row.created_at;
        watched.stored_besides(stored.checkpoints, stored.row.ended_at, stored.interventions);
        if (watched.rules().rungs_a_minute() != 0)
            for (const Intervention& each : stored.interventions)
                if (rung::touches(each.action) && each.outcome != InterventionOutcome::skipped)
                    turns_.count(now.elapsed - max_of(Duration{}, now.wall - each.at));
        auto& class_origin = watched.of_class()->origin;
        if (watched.run.origin < class_origin.load(std::memory_order_relaxed)) class_origin.store(watched.run.origin);
        const Elapsed sample_due = watched.run.origin + watched.run.waited + watched.sampling.next;
        // It was due in the cycle after that moment, which may be still to come.
        const bool overdue = !watched.run.waiting_since && cycle_from(watched, {sample_due, now.wall}) <= now.elapsed;
        // A run that was never looked at still waits for its first cycle.
        watched.next_cycle = watched.shown.any ? cycle_after(watched, now) : first_cycle(watched, now);
        if (overdue) watched.next_cycle = watched.rules().schedule.aligned ? cycle_from(watched, now) : now.elapsed;
        watched.hurry(now.elapsed);
        if (watched.verdict->incident.phase == Phase::waiting &&
            watched.verdict->incident.hold_until)  // a retry that was planned
            watched.next_cycle = detail::min_of(watched.next_cycle, *watched.verdict->incident.hold_until);
        watched.unjudged = watched.run.waiting_since.has_value();
        watched.last_flush = watched.last_memory = now.elapsed;
        const Duration down = now.wall - stored.row.updated_at;
        // One that is started again and again judges in the end, however short it lives.
        if (!polled && down > 3 * period_of(watched) && watched.rare->held_starts < Run::most_gaps) {
            RareFacts& held = watched.rare.edit();
            held.held_by_start = true;
            held.held_until = now.elapsed + grace_of(watched);
            ++held.held_starts;
            watched.dirty = true;
            watched.last_flush = Elapsed::min();  // stored with the first cycle
            // A run that nothing happens to is written once per interval.
            if (down > 2 * watched.run.interval) watched.see_from(now.elapsed);
        }
        return {};
    }

public:
    [[nodiscard]] static Duration period_of(const WatchedRun& watched) noexcept {
        const Duration set = watched.rules().schedule.period;
        return set > Duration{} ? set : watched.run.interval;
    }
    [[nodiscard]] static Duration grace_of(const WatchedRun& watched) noexcept {
        const Duration set = watched.rules().grace;
        return set > Duration{} ? set : watched.run.interval;
    }

    /// The cycle after `now` on the run's own grid, or on the wall clock's.
    [[nodiscard]] static Elapsed cycle_after(const WatchedRun& watched, Instant now) noexcept {
        const Duration period = period_of(watched);
        if (watched.rules().schedule.aligned) {
            const auto passed = now.wall.time_since_epoch() / period;
            return elapsed_at(now, WallTime{(passed + 1) * period});
        }
        if (watched.rules().schedule.together) return watched.of_class()->together_after(now.elapsed);
        const auto passed = (now.elapsed - watched.run.origin) / period;
        return watched.run.origin + (passed + 1) * period;
    }

private:
    /// The cycle at `now`, or the next one.
    [[nodiscard]] static Elapsed cycle_from(const WatchedRun& watched, Instant now) noexcept {
        return cycle_after(watched, {now.elapsed - Duration{1}, now.wall - Duration{1}});
    }

    [[nodiscard]] static Elapsed first_cycle(const WatchedRun& watched, Instant now) noexcept {
        return watched.rules().schedule.immediate ? now.elapsed : cycle_after(watched, now);
    }

    mutable std::mutex lock_;
    std::mutex adding_;
    NameMap<Shared<const ReadyClass>> classes_;
    NameMap<std::uint32_t> children_;  ///< how many a run has here, by its id
    NameMap<Mutes> mutes_;             ///< by class; those that are ready refer to them
    std::atomic<bool> replaced_{false};
    std::atomic<bool> any_together_{false};
    std::atomic<bool> reads_loops_{false};
    ActionTurns turns_;
    RunTable<WatchedRun>& table_;
    RunIndex index_;
};

}  // namespace heeler::inline HEELER_ABI::detail
