// Who is watched: run classes by name, runs by id and by handle.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/run/run_index.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/settings/validate.hpp>

namespace heeler::inline v0 {

/// May be called from any thread.
template <class Detectors>
class Registry {
public:
    using Cell = RunCell<Detectors>;
    using Class = CompiledClass<Detectors>;

    [[nodiscard]] Result<void> define(RunClass rules) {
        if (auto good = check_class(rules); !good) return good;
        if (auto good = Detectors::validate(Detectors::settings_of(rules)); !good)
            return fail(good.error().code, "run class `" + rules.name + "`: " + good.error().message);
        auto ladder = RecoveryLadder::make(rules.ladder);
        if (!ladder) return fail(ladder.error().code, "run class `" + rules.name + "`: " + ladder.error().message);
        std::string name = rules.name;
        std::shared_ptr<const Class> before;
        {
            const std::lock_guard guard{lock_};
            auto compiled = std::make_shared<const Class>(std::move(rules), *std::move(ladder), mutes_of(name));
            before = std::exchange(classes_[std::move(name)], std::move(compiled));
        }
        if (before) {
            before->replaced.store(true, std::memory_order_relaxed);
            replaced_.store(true, std::memory_order_release);
        }
        return {};
    }

    /// Gives a run the newest settings of its class, unless an incident is open: that one keeps what it began with.
    /// Under the cell's lock.
    void renew(Cell& cell, Instant now) const {
        if (!cell.rules->replaced.load(std::memory_order_relaxed)) return;
        if (cell.incident.open() || cell.rung_busy || !cell.rung.empty()) return;
        auto newest = find_class(cell.rules->rules.name);
        if (!newest) return;
        cell.rules = std::move(newest);
        cell.run.interval = cell.rules->rules.interval.interval_for(cell.run.expected);
        const Duration next_sample = cell.run.working(now.elapsed) + cell.run.interval;
        cell.sampling.next = std::min(cell.sampling.next, next_sample);
        cell.next_cycle = std::min(cell.next_cycle, cycle_after(cell, now));
    }

    /// After classes were replaced, every run is looked at, whatever its old settings asked for.
    void look_at_replaced(Instant now) {
        if (!replaced_.exchange(false, std::memory_order_acquire)) return;
        for (const RunHandle handle : table_.all()) table_.sooner(handle.index, now.elapsed);
    }

    /// A loop that is none, for all runs of the class.
    void mute(const std::string& class_name, std::uint64_t identity) {
        const std::lock_guard guard{lock_};
        mutes_of(class_name)->add(identity);
    }

    [[nodiscard]] std::shared_ptr<const Class> find_class(std::string_view name) const {
        const std::lock_guard guard{lock_};
        const auto it = classes_.find(name);
        return it == classes_.end() ? nullptr : it->second;
    }

    [[nodiscard]] std::vector<std::shared_ptr<const Class>> classes() const {
        std::vector<std::shared_ptr<const Class>> all;
        const std::lock_guard guard{lock_};
        for (const auto& [name, rules] : classes_) all.push_back(rules);
        return all;
    }

    /// A new run. It is watched from now on, but not stored yet.
    [[nodiscard]] Result<RunHandle> add(RunSpec spec, std::string_view class_name, Instant now) {
        if (auto good = check_spec(spec); !good) return tl::unexpected<Error>(good.error());
        auto rules = find_class(class_name);
        if (!rules)
            return fail(ErrorCode::invalid_argument,
                        "no run class `" + sanitise(class_name, 80) + "` is defined; call define() first");
        return take_in(spec.id, [&](Cell& cell) { fill(cell, spec, std::move(rules), now); });
    }

    /// A run that the store holds, of a class that is defined. `polled`: a source knows what it did meanwhile.
    [[nodiscard]] Result<RunHandle> adopt(const StoredRun& stored, bool polled, Instant now) {
        auto rules = find_class(stored.row.class_name);
        bool readable = true;
        auto handle = take_in(stored.row.id,
                              [&](Cell& cell) { readable = restore(cell, stored, std::move(rules), polled, now); });
        if (!handle || readable) return handle;
        drop(*handle);
        return fail(ErrorCode::corrupt, "the stored state of the run `" + sanitise(stored.row.id, 160) +
                                            "` cannot be read; it is left alone and not watched");
    }

    [[nodiscard]] std::optional<RunHandle> find(std::string_view id) const { return index_.find(id); }

    /// Forgets a run. Handles to it answer `ended` from now on. Call it without the cell's lock.
    void drop(RunHandle handle) {
        Cell* cell = table_.find(handle);
        if (cell == nullptr) return;
        const std::lock_guard guard{cell->lock};
        if (!table_.current(handle)) return;
        if (!cell->disowned) index_.remove(cell->run.id);
        table_.remove(handle);
        cell->clear();
    }

    /// Another watchdog holds the run now. Its slot is kept until what is under way for it has come back.
    void disown(RunHandle handle, Instant now) {
        Cell* cell = table_.find(handle);
        if (cell == nullptr) return;
        const std::lock_guard guard{cell->lock};
        if (!table_.current(handle) || std::exchange(cell->disowned, true)) return;
        index_.remove(cell->run.id);
        cell->unsaved = {};
        table_.close(handle, now.elapsed);
    }

    /// The runs among them that are still known, by id.
    [[nodiscard]] std::vector<RunHandle> in_order_of_ids(const std::vector<RunHandle>& handles) {
        std::vector<std::pair<std::string, RunHandle>> named;
        for (const RunHandle handle : handles) {
            Cell* cell = table_.find(handle);
            if (cell == nullptr) continue;
            const std::lock_guard guard{cell->lock};
            if (table_.current(handle)) named.emplace_back(cell->run.id, handle);
        }
        std::sort(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<RunHandle> ordered;
        for (const auto& [id, handle] : named) ordered.push_back(handle);
        return ordered;
    }

    [[nodiscard]] RunTable<Cell>& table() noexcept { return table_; }

private:
    /// Under the lock.
    std::shared_ptr<Mutes>& mutes_of(const std::string& class_name) {
        auto& muted = mutes_[class_name];
        if (!muted) muted = std::make_shared<Mutes>();
        return muted;
    }

    template <class Fill>
    [[nodiscard]] Result<RunHandle> take_in(const std::string& id, Fill&& fill_in) {
        const std::lock_guard adding{adding_};
        if (index_.find(id))
            return fail(ErrorCode::duplicate, "a run with the id `" + sanitise(id, 160) +
                                                  "` is registered already; choose another id, or find() it");
        const auto handle = table_.add();
        if (!handle)
            return fail(ErrorCode::full, "4,194,304 runs are registered, which is the limit; finish some first");
        Cell& cell = *table_.find(*handle);
        {
            const std::lock_guard guard{cell.lock};
            fill_in(cell);
            cell.generation = handle->generation;
            table_.look_at(handle->index, cell.next_cycle);
        }
        (void)index_.add(id, *handle);  // nobody else adds, and it was absent above
        return *handle;
    }

    static void fill(Cell& cell, RunSpec& spec, std::shared_ptr<const Class> rules, Instant now) {
        Run& run = cell.run;
        run.id = spec.id;
        run.expected = spec.expected;
        run.timeout = spec.timeout;
        run.metric = spec.metric;
        run.shared_run = !spec.shared_run.empty();
        run.origin = now.elapsed;
        run.interval = rules->rules.interval.interval_for(spec.expected);
        if (!spec.start_unknown) run.started = spec.started_at ? *spec.started_at - now.wall : Duration{};
        run.checkpoint_base = run.started.value_or(Duration{});
        cell.created_at = spec.created_at.value_or(now.wall);
        cell.skip = skip_reason(spec, *rules);
        cell.sampling.next = run.interval;
        cell.sampling.value = run.metric_value();
        cell.rules = std::move(rules);
        cell.next_cycle = first_cycle(cell, now);
        cell.last_flush = cell.last_memory = now.elapsed;
        ArchiveWriter writer{Instant{}};
        archive_spec(writer, spec);
        cell.spec = writer.take();
    }

    static Skip skip_reason(const RunSpec& spec, const Class& rules) noexcept {
        const ApplicabilitySettings& settings = rules.rules.applicability;
        if (settings.skip_interactive && spec.interactive) return Skip::interactive;
        if (spec.expected && *spec.expected < settings.shortest) return Skip::too_short;
        return Skip::no;
    }

    static bool restore(Cell& cell, const StoredRun& stored, std::shared_ptr<const Class> rules, bool polled,
                        Instant now) {
        ArchiveReader facts{stored.row.facts, now};
        cell.archive_facts(facts);
        if (stored.row.memory) {
            ArchiveReader memory{*stored.row.memory, now};
            cell.archive_memory(memory);
            if (!memory.ok() || !memory.at_end()) {
                cell.memories = {};
                cell.lines = {};
                cell.results = {};
            }
        }
        cell.run.id = stored.row.id;
        cell.spec = stored.row.spec.value_or(std::string{});
        cell.spec_stored = true;
        cell.version = stored.row.version;
        cell.created_at = stored.row.created_at;
        cell.ended_at = stored.row.ended_at;
        cell.checkpoints = stored.checkpoints;
        cell.interventions = stored.interventions;
        cell.rules = std::move(rules);
        const Elapsed sample_due = cell.run.origin + cell.run.waited + cell.sampling.next;
        const bool overdue = !cell.run.waiting_since && sample_due <= now.elapsed;
        // A run that was never looked at still waits for its first cycle.
        cell.next_cycle = overdue ? now.elapsed : cell.shown.any ? cycle_after(cell, now) : first_cycle(cell, now);
        if (cell.incident.phase == Phase::waiting && cell.incident.hold_until)  // a retry that was planned
            cell.next_cycle = std::min(cell.next_cycle, *cell.incident.hold_until);
        cell.last_flush = cell.last_memory = now.elapsed;
        const Duration down = now.wall - stored.row.updated_at;
        if (!polled && down > 3 * period_of(cell)) cell.held_until = now.elapsed + grace_of(cell);
        RunSpec spec;
        ArchiveReader texts{cell.spec, Instant{}};
        archive_spec(texts, spec);
        return facts.ok() && facts.at_end() && !cell.spec.empty() && texts.ok() && texts.at_end();
    }

public:
    [[nodiscard]] static Duration period_of(const Cell& cell) noexcept {
        const Duration set = cell.rules->rules.schedule.period;
        return set > Duration{} ? set : cell.run.interval;
    }
    [[nodiscard]] static Duration grace_of(const Cell& cell) noexcept {
        const Duration set = cell.rules->rules.grace;
        return set > Duration{} ? set : cell.run.interval;
    }

    /// The cycle after `now` on the run's own grid, or on the wall clock's.
    [[nodiscard]] static Elapsed cycle_after(const Cell& cell, Instant now) noexcept {
        const Duration period = period_of(cell);
        if (cell.rules->rules.schedule.aligned) {
            const auto passed = now.wall.time_since_epoch() / period;
            return elapsed_at(now, WallTime{(passed + 1) * period});
        }
        const auto passed = (now.elapsed - cell.run.origin) / period;
        return cell.run.origin + (passed + 1) * period;
    }

private:
    [[nodiscard]] static Elapsed first_cycle(const Cell& cell, Instant now) noexcept {
        return cell.rules->rules.schedule.immediate ? now.elapsed : cycle_after(cell, now);
    }

    mutable std::mutex lock_;
    std::mutex adding_;
    std::map<std::string, std::shared_ptr<const Class>, std::less<>> classes_;
    std::map<std::string, std::shared_ptr<Mutes>> mutes_;
    std::atomic<bool> replaced_{false};
    RunTable<Cell> table_;
    RunIndex index_;
};

}  // namespace heeler::inline v0
