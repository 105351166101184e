// Takes in what sources have found: outside the runs' locks it reads, under them it folds.
#pragma once

#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/cycle/sources.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/settings/validate.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// From the thread that ticks. The cursor is stored with the memory that it produced: after a crash both are as old.
class SourceReader {
public:
    SourceReader(const GroupSources& sources, RunTable<WatchedRun>& table, ClockPort& clock)
        : sources_{sources}, table_{table}, clock_{clock} {}

    /// Polls a run's own source until it has nothing more, at most `most_polls` times: the rest comes in the next
    /// cycle.
    void read(RunHandle handle, WatchedRun& watched, Instant now, CycleReport& report) {
        for (int polls = 0; polls < most_polls; ++polls) {
            SourceRef source;
            std::string cursor;
            {
                const std::lock_guard guard{watched.lock};
                if (!is_read(handle, watched) || !watched.source || !watched.source->ref.present()) return;
                source = watched.source->ref;
                cursor = watched.source->cursor;
            }
            auto polled = source.poll(cursor);
            if (!take(handle, watched, polled, answered(now), report)) return;
        }
    }

    /// Polls the classes' sources for those of the runs that are about to be judged, or for all of them.
    void read_groups(const std::vector<RunHandle>& runs, bool all, Instant now, CycleReport& report) {
        for (const auto& [class_name, source] : sources_.all()) {
            Asked asked;
            for (const RunHandle handle : runs) ask_for(handle, class_name, all, now, asked);
            for (int polls = 0; polls < most_polls && !asked.cursors.empty(); ++polls)
                asked = read_group(source, asked, now, report);
        }
    }

private:
    static constexpr int most_polls = 16;

    struct Asked {
        std::vector<RunCursor> cursors;
        NameMap<RunHandle> handles;
    };

    /// Ages that a source tells are those of its answer, however long the cycle has gone on and waited for it.
    [[nodiscard]] Instant answered(Instant asked) {
        const Instant now = clock_.now();
        return now.elapsed > asked.elapsed ? now : asked;
    }

    /// Under the run's lock.
    [[nodiscard]] bool is_read(RunHandle handle, const WatchedRun& watched) const {
        return table_.current(handle) && !is_terminal(watched.run.state);
    }

    void ask_for(RunHandle handle, const std::string& class_name, bool all, Instant now, Asked& asked) const {
        WatchedRun* watched = table_.find(handle);
        if (watched == nullptr) return;
        const std::lock_guard guard{watched->lock};
        if (!is_read(handle, *watched) || watched->rules().name != class_name) return;
        if (!all && now.elapsed < watched->next_cycle) return;
        RunSource& source = watched->source.edit();
        if (source.ref.present()) return;  // a source of its own comes first
        source.in_group = true;
        asked.cursors.push_back({std::string{watched->run.id}, source.cursor, std::string{watched->spec.name()}});
        asked.handles.emplace(watched->run.id, handle);
    }

    /// Answers the runs of which there is more.
    [[nodiscard]] Asked read_group(const GroupSourceRef& source, const Asked& asked, Instant now, CycleReport& report) {
        Asked more;
        auto polled = source.poll(asked.cursors);
        now = answered(now);
        if (!polled) {
            bool told = false;
            for (const auto& [run, handle] : asked.handles)
                if (WatchedRun* watched = table_.find(handle)) {
                    const std::lock_guard guard{watched->lock};
                    told |= table_.current(handle) && watched->lose(now.elapsed);
                }
            if (told) report.error("source", {}, polled.error());
            return more;
        }
        NameMap<bool> heard;
        for (PolledRun& one : *polled) {
            const auto handle = asked.handles.find(one.run);
            if (handle == asked.handles.end()) continue;
            heard[one.run] = true;
            WatchedRun* watched = table_.find(handle->second);
            if (watched == nullptr || !take(handle->second, *watched, one.found, now, report)) continue;
            ask_for(handle->second, watched->rules().name, true, now, more);
        }
        for (const auto& [run, handle] : asked.handles)
            if (WatchedRun* watched = heard.contains(run) ? nullptr : table_.find(handle)) {
                const std::lock_guard guard{watched->lock};
                if (table_.current(handle) && watched->source) find_again(*watched, now);
            }
        return more;
    }

    /// True if there is more.
    bool take(RunHandle handle, WatchedRun& watched, Result<Polled>& polled, Instant now, CycleReport& report) {
        const std::lock_guard guard{watched.lock};
        if (!table_.current(handle) || !watched.source) return false;
        if (!polled) {
            if (watched.lose(now.elapsed)) report.error("source", watched.run.id, polled.error());
            return false;
        }
        find_again(watched, now);
        for (const Error& problem : polled->problems) report.error("source", watched.run.id, problem);
        fold(handle, watched, *polled, now, report);
        return polled->more && !is_terminal(watched.run.state);
    }

    /// What its agent did meanwhile may never be told: whoever could not be read may not have been able to write.
    static void find_again(WatchedRun& watched, Instant now) {
        if (!watched.source->lost_since && !watched.rare->lost_since) return;
        watched.source.edit().lost_since.reset();
        watched.source.edit().lost_told = {};
        watched.rare.edit().lost_since.reset();
        watched.see_from(now.elapsed);
    }

    void fold(RunHandle handle, WatchedRun& watched, Polled& polled, Instant now, CycleReport& report) {
        if (is_undecided(watched, polled)) return;
        for (const SourceEvent& event : polled.events) {
            if (fence_off(watched, event.incarnation, now.wall)) continue;
            const WallTime at = event.age ? now.wall - detail::max_of(*event.age, Duration{})
                                          : detail::min_of(event.at.value_or(now.wall), now.wall);
            if (const Duration ahead = event.at.value_or(at) - now.wall; ahead.count() > sources_.ahead)
                sources_.ahead = ahead.count();
            Folder folder{watched, Instant{elapsed_at(now, at), at}};
            const bool folded = detail::survives(
                [&] { std::visit([&](const auto& what) { fold_one(watched, folder, what, at); }, event.what); });
            if (!folded)
                report.error("source", watched.run.id,
                             {ErrorCode::failed, "a detector threw at an event; it is passed over"});
            if (is_terminal(watched.run.state)) break;
        }
        anchor(watched.run, polled, now);
        take_history(watched, polled, now);
        for (Record& record : polled.records) {
            AuditRow row{now.wall, std::move(record.kind), std::string{watched.run.id}, std::move(record.body)};
            report.events.push_back(AuditEvent{row});
            watched.unsaved.edit().audit.push_back(std::move(row));
        }
        if (polled.events.empty() && watched.source->cursor == polled.cursor) return;
        watched.source.edit().cursor = std::move(polled.cursor);
        watched.fed = watched.dirty = true;
        if (is_terminal(watched.run.state)) table_.close(handle, now.elapsed);
    }

    /// An agent is about to be replaced, or keeps its run after all: what it left is taken in when that is known.
    static bool is_undecided(const WatchedRun& watched, const Polled& polled) {
        if (!watched.rung_busy) return false;
        return detail::any_of(polled.events, [&](const SourceEvent& event) {
            return event.incarnation != 0 && event.incarnation < watched.run.incarnation;
        });
    }

    /// What was stored by another host is off by as much as the two clocks differ. Time spent waiting is known here
    /// only.
    static void anchor(Run& run, const Polled& polled, Instant now) {
        if (!polled.checkpoint_age || run.waiting_since || run.waited != Duration{}) return;
        if (polled.incarnation != 0 && polled.incarnation != run.incarnation) return;
        run.checkpoint_base = run.working(now.elapsed) - detail::max_of(*polled.checkpoint_age, Duration{});
    }

    /// A run may be found long after it began. What it did before is no news to an incident that is open.
    static void take_history(WatchedRun& watched, const Polled& polled, Instant now) {
        Run& run = watched.run;
        const auto calls = static_cast<std::int64_t>(detail::min_of(polled.calls.value_or(0), std::uint64_t{1} << 61));
        if (calls > run.calls) {
            watched.rare.edit().earlier_calls += calls - run.calls;
            run.calls = calls;
        }
        if (!polled.began || *polled.began >= now.wall || (run.started && *run.started != Duration{})) return;
        const Duration began = elapsed_at(now, *polled.began) - run.origin;
        if (run.started && began >= Duration{}) return;
        if (run.checkpoint_base == run.started.value_or(Duration{})) run.checkpoint_base = began;
        run.started = began;
    }

    template <class What>
    static void fold_one(WatchedRun& watched, Folder& folder, const What& what, WallTime at) {
        if constexpr (std::is_same_v<What, CheckpointNote>)
            record(watched, folder, what, at);
        else if (is_sane(what))
            folder(what);
    }

    const GroupSources& sources_;
    RunTable<WatchedRun>& table_;
    ClockPort& clock_;
};

}  // namespace heeler::inline HEELER_ABI::detail
