// Takes in what the sources of classes list: a name that is new begins a run, one that is missing ends its run.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/time.hpp>
#include <heeler/cycle/next_look.hpp>
#include <heeler/cycle/sources.hpp>
#include <heeler/cycle/whole_classes.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/storage/name_ids.hpp>
#include <heeler/text/fingerprint.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What a list says in the words of `ListsRuns`. From the thread that ticks, but for `next`.
///
/// Nothing is kept of a name that is not listed any more: the store knows which of its ids are taken, and whether it
/// was missing since. So memory grows with the longest list, not with the number of names that there ever were.
class ListedRuns {
public:
    ListedRuns(const GroupSources& sources, Registry& registry, Ledger& ledger)
        : sources_{sources}, registry_{registry}, ledger_{ledger}, ids_{registry, ledger} {}

    /// Asks the lists of the classes whose runs are about to be judged, or whose period is over; or all. What began or
    /// is missing is added to `runs`: it is to be looked at in this cycle, which is one of `whole` classes.
    void refresh(std::vector<RunHandle>& runs, bool all, const WholeClasses& whole, Instant now, CycleReport& report) {
        for (const auto& [name, source] : sources_.all()) {
            const auto rules = source.lists() ? registry_.find_class(name) : nullptr;
            if (!rules || !(all || now.elapsed >= planned(name, now) || is_judged(runs, name, now))) continue;
            plan(*rules, now);
            Round round{*rules, states_[name], now, report, runs};
            round.whole = whole.is_now(name);
            refresh(round, source);
        }
    }

    /// Ends the runs that were found missing, after what their source knew of them was heard.
    void drop_missing(Instant now, CycleReport& report) {
        for (const RunHandle handle : std::exchange(missing_, {})) {
            with(handle, [&](WatchedRun& watched) {
                AuditRow row = vanished(std::string{watched.run.id}, now);
                report.events.push_back(AuditEvent{row});
                watched.unsaved.edit().audit.push_back(std::move(row));
                if (!is_terminal(watched.run.state)) Folder{watched, now}.finish(RunState::cancelled);
                watched.dirty = true;
                registry_.table().close(handle, now.elapsed);
            });
        }
    }

    /// What is to be put on record about runs that are over.
    [[nodiscard]] List<AuditRow> take_audit() { return std::exchange(audit_, {}); }

    /// When to ask a list again, even if there is no run. Any thread.
    [[nodiscard]] std::optional<Elapsed> next(Instant now) const {
        std::optional<Elapsed> next;
        for (const auto& [name, source] : sources_.all())
            if (source.lists() && registry_.find_class(name)) next = earlier(next, planned(name, now));
        return next;
    }

private:
    static constexpr Duration ask_again_after = std::chrono::minutes{5};
    static constexpr std::size_t most_told = 16;  ///< refusals of one list
    /// A cycle must end before a lease does, and a name that is somebody else's costs questions to the store. Of one
    /// list so many names are begun at once; after a commit in which so many turned out to be in use no more are; and
    /// so many of these are looked into. The others wait for the next lists.
    static constexpr std::size_t most_begun = 1024, most_in_use = 128, most_asked = 128;

    /// A name that is listed.
    struct Known {
        std::string id{};        ///< of its run, which may be over
        WallTime seen{};         ///< when that run was watched last
        bool elsewhere = false;  ///< somebody else watches it, or nobody has asked yet
        Elapsed ask_again{};     ///< where it is elsewhere
    };

    /// What is kept of a class between two of its lists.
    struct State {
        NameMap<Known> known{};
        NameMap<bool> refused{};  ///< names that cannot be runs, by what was said of them: each is told once
        std::optional<WallTime> began{};
        bool lost = false;  ///< it could not be read the last time
    };

    struct Live {
        RunHandle handle{};
        std::string id{};
        bool listed = false;  ///< before
    };

    /// One list, as it is taken in.
    struct Round {
        const ReadyClass& rules;
        State& state;
        Instant now;
        CycleReport& report;
        std::vector<RunHandle>& touched;
        bool whole = false;    ///< all runs of the class are judged in this cycle
        NameMap<Live> live{};  ///< runs of the class, by name
        NameMap<Known> known{};
        NameMap<bool> refused{};
        std::size_t untold = 0;
        Elapsed turn{};                ///< who was to be asked again by then is
        std::size_t tried = 0;         ///< names of others that are begun again, to see whether they still are
        std::size_t in_use = 0;        ///< names whose id is
        std::size_t asked = 0;         ///< names about which the store was asked
        List<Change> changes{};        ///< runs that begin
        std::vector<RunSpec> taken{};  ///< names whose id is in use

        void add(RunHandle handle, WatchedRun& watched) {
            changes.emplace_back();
            changes.back().handle = handle;
            changes.back().watched = &watched;
        }
    };

    void refresh(Round& round, const GroupSourceRef& source) {
        State& state = round.state;
        auto list = source.list();
        if (!list) {
            if (!std::exchange(state.lost, true)) round.report.error("list", {}, list.error());
            return;
        }
        state.lost = false;
        if (!state.began) state.began = round.now.wall;
        round.turn = turn(state, round.now);
        find_live(round);
        for (RunSpec& spec : *list) {
            take(round, std::move(spec));
            if (round.changes.size() >= most_begun) store(round);
        }
        miss(round);
        store(round);
        for (RunSpec& spec : std::exchange(round.taken, {})) return_as_new(round, std::move(spec));
        store(round);
        for (const RunSpec& spec : round.taken) round.known.erase(spec.name);  // somebody was faster: the next list
        if (round.untold > 0)
            round.report.error("list", {},
                               {ErrorCode::invalid_argument,
                                std::to_string(round.untold) + " more names of the list cannot be watched"});
        state.known = std::move(round.known);
        state.refused = std::move(round.refused);
    }

    void find_live(Round& round) {
        for (const RunHandle handle : registry_.table().all()) {
            with(handle, [&](WatchedRun& watched) {
                if (is_terminal(watched.run.state) || watched.rules().name != round.rules.rules.name) return;
                round.live.emplace(watched.spec.name(), Live{handle, std::string{watched.run.id}, watched.listed});
                if (watched.listed && watched.version == 0) round.add(handle, watched);
            });
        }
    }

    void take(Round& round, RunSpec spec) {
        if (spec.name.empty()) spec.name = spec.id;
        const auto& filter = round.rules.rules.applicability.filter;
        const auto live = round.live.find(spec.name);
        if (live != round.live.end()) {
            if (!filter || filter->keeps(spec)) go_on(round, spec, live->second);
            return;
        }
        if (filter && !filter->admits(spec)) return;
        if (const auto good = check(spec); !good) return refuse(round, spec, good.error());
        if (round.known.contains(spec.name)) return refuse(round, spec, listed_twice(spec));
        const auto before = round.state.known.find(spec.name);
        const bool waits = round.in_use >= most_in_use;
        if (before != round.state.known.end() && (waits || stays_away(round, before->second, spec)))
            round.known.emplace(before->first, before->second);
        else if (!waits)
            begin(round, std::move(spec));
    }

    void go_on(Round& round, const RunSpec& spec, const Live& live) {
        if (!round.known.emplace(spec.name, Known{live.id, round.now.wall, false, {}}))
            return refuse(round, spec, listed_twice(spec));
        if (!live.listed) with(live.handle, [](WatchedRun& watched) { watched.listed = true; });
    }

    [[nodiscard]] static Error listed_twice(const RunSpec& spec) {
        return {ErrorCode::duplicate,
                "`" + text::shown_name(spec.name, 160) + "` is listed twice; the first one counts"};
    }

    /// Until when names that are elsewhere may be asked about in this list: those who have waited longest come first.
    [[nodiscard]] static Elapsed turn(const State& state, Instant now) {
        List<Elapsed> due;
        for (const auto& [name, known] : state.known)
            if (known.elsewhere && known.ask_again <= now.elapsed) due.push_back(known.ask_again);
        if (due.size() <= most_asked) return now.elapsed;
        detail::sort(due);
        return due[most_asked - 1];
    }

    /// Whether the run of a name that is still listed is over, or somebody else's.
    static bool stays_away(Round& round, const Known& known, const RunSpec& spec) {
        if (!known.elsewhere) return !spec.started_at || *spec.started_at <= known.seen;
        if (known.ask_again > round.turn || round.tried == most_asked) return true;
        ++round.tried;
        return false;
    }

    /// Ids are the watchdog's, so that a name can return.
    [[nodiscard]] static Result<void> check(RunSpec& spec) {
        if (!spec.id.empty() && spec.id != spec.name)
            return fail(ErrorCode::invalid_argument,
                        "the run `" + text::shown_name(spec.name, 160) + "` is listed with an id of its own, `" +
                            text::shown_name(spec.id, 160) + "`: leave it out, a list knows runs by their names");
        spec.id = spec.name;
        return check_spec(spec);
    }

    /// Says once, as long as it is listed, why a name cannot be watched.
    static void refuse(Round& round, const RunSpec& spec, Error why) {
        const std::string print = std::to_string(text::fingerprint_text(spec.name + "\n" + why.message));
        if (!round.refused.emplace(print, true) || round.state.refused.contains(print)) return;
        if (round.refused.size() > most_told)
            ++round.untold;
        else
            round.report.error("list", {}, std::move(why));
    }

    /// What was listed and is not: a run that is over is on record as missing, the others end in this cycle.
    void miss(Round& round) {
        for (const auto& [name, live] : round.live) {
            if (!live.listed || round.known.contains(name)) continue;
            with(live.handle, [&](WatchedRun& watched) {
                watched.next_cycle = round.now.elapsed;  // its source is asked for the last time
            });
            missing_.push_back(live.handle);
            round.touched.push_back(live.handle);
        }
        for (const auto& [name, before] : round.state.known) {
            if (round.known.contains(name) || round.live.contains(name)) continue;
            if (before.elsewhere && round.asked == most_asked) {
                round.known.emplace(name, before);
                continue;
            }
            if (before.elsewhere) ++round.asked;
            if (before.elsewhere && !is_over(before.id, round.now)) continue;  // whoever watches it says so
            AuditRow row = vanished(before.id, round.now);
            round.report.events.push_back(AuditEvent{row});
            audit_.push_back(std::move(row));
        }
    }

    void begin(Round& round, RunSpec spec) {
        round.known[spec.name] = {spec.id, round.now.wall, false, {}};
        const auto handle = registry_.add(spec, round.rules.rules.name, round.now);
        if (!handle && handle.error().code == ErrorCode::duplicate) return round.taken.push_back(std::move(spec));
        if (!handle) {
            round.known.erase(spec.name);
            return refuse(round, spec, handle.error());
        }
        with(*handle, [&](WatchedRun& watched) {
            watched.listed = watched.run.found = true;
            if (round.whole) watched.next_cycle = round.now.elapsed;  // the first poll is the baseline
            round.add(*handle, watched);
        });
    }

    /// Stores the runs that begin. Those whose id is in use are no runs; while the store fails they are watched in
    /// memory, and stored with a later list.
    void store(Round& round) {
        List<Change> changes = std::exchange(round.changes, {});
        if (changes.empty()) return;
        if (auto error = ledger_.commit(changes, {}, round.now)) round.report.error("commit", {}, *std::move(error));
        for (const Change& change : changes) {
            bool in_use = false;
            with(change.handle, [&](WatchedRun& watched) {
                if (change.fault && !change.put_off)
                    round.report.error("commit", watched.run.id, {change.fault->code, change.fault->message});
                in_use = change.conflict && watched.version == 0;
                if (in_use) round.taken.push_back(watched.spec.decoded());
            });
            if (in_use) {
                ++round.in_use;
                registry_.drop(change.handle);
            } else {
                round.touched.push_back(change.handle);
            }
        }
    }

    /// The id of the name is in use: by a run that is over, if the name was missing since; or else it is left alone.
    void return_as_new(Round& round, RunSpec spec) {
        if (round.asked == most_asked) {
            round.known[spec.name] = {spec.id, round.now.wall, true, round.now.elapsed};
            return;
        }
        ++round.asked;
        const auto last = ids_.last(spec.name, round.now);
        const std::string id = NameIds::id(spec.name, last.value_or(0));
        const auto found = last ? ledger_.history(round.now, id) : Result<History>{};
        const bool readable = found || found.error().code == ErrorCode::corrupt;
        const bool over = found && found->row && is_terminal(found->row->state);
        if (!last || !readable || is_ending(id, over)) {
            round.known.erase(spec.name);  // nobody can tell now: the next list
        } else if (*last != 0 && !over) {
            round.known[spec.name] = {id, round.now.wall, true, round.now.elapsed + ask_again_after};
        } else if (over && !has_returned(*found, spec)) {
            round.known[spec.name] = {id, round.now.wall, false, {}};
            say_over(round, *found);
        } else {
            spec.id = NameIds::id(spec.name, *last + 1);
            begin(round, std::move(spec));
        }
    }

    [[nodiscard]] static bool has_returned(const History& before, const RunSpec& spec) {
        if (before.row->name != spec.name) return true;
        if (spec.started_at && before.row->ended_at && *spec.started_at > *before.row->ended_at) return true;
        return detail::any_of(before.audit, [](const AuditRow& row) { return row.kind == vanished_record; });
    }

    /// That the run ended with an earlier watchdog is news.
    void say_over(Round& round, const History& before) {
        if (before.row->ended_at && *before.row->ended_at >= *round.state.began) return;
        AuditRow row{round.now.wall, "skip", before.row->id, R"({"reason":"terminal"})"};
        round.report.events.push_back(AuditEvent{row});
        audit_.push_back(std::move(row));
    }

    [[nodiscard]] bool is_over(const std::string& id, Instant now) {
        const auto found = ledger_.history(now, id);
        return found && found->row && is_terminal(found->row->state);
    }

    /// Whether it is over here, and the store does not know all of that yet.
    [[nodiscard]] bool is_ending(const std::string& id, bool over_in_store) {
        bool ending = false;
        if (const auto handle = registry_.find(id))
            with(*handle, [&](const WatchedRun& watched) {
                ending = is_terminal(watched.run.state) && (!over_in_store || !watched.unsaved->empty());
            });
        return ending;
    }

    /// Calls `use` with a run that is still this watchdog's, under its lock.
    template <class Use>
    void with(RunHandle handle, Use use) {
        WatchedRun* const watched = registry_.table().find(handle);
        if (watched == nullptr) return;
        const std::lock_guard guard{watched->lock};
        if (registry_.table().current(handle) && !watched->disowned) use(*watched);
    }

    [[nodiscard]] bool is_judged(const std::vector<RunHandle>& runs, const std::string& class_name, Instant now) {
        bool judged = false;
        for (const RunHandle handle : runs)
            with(handle, [&](const WatchedRun& watched) {
                judged |= !is_terminal(watched.run.state) && now.elapsed >= watched.next_cycle &&
                          watched.rules().name == class_name;
            });
        return judged;
    }

    [[nodiscard]] static AuditRow vanished(std::string run, Instant now) {
        return {now.wall, std::string{vanished_record}, std::move(run), R"({"reason":"it is not listed any more"})"};
    }

    /// Now, if it was never asked.
    [[nodiscard]] Elapsed planned(const std::string& class_name, Instant now) const {
        const std::lock_guard guard{lock_};
        const auto found = next_.find(class_name);
        return found == next_.end() ? now.elapsed : found->second;
    }

    void plan(const ReadyClass& rules, Instant now) {
        const Schedule& schedule = rules.rules.schedule;
        const Duration period =
            schedule.period > Duration{} ? schedule.period : rules.rules.interval.interval_for(std::nullopt);
        const auto passed = now.wall.time_since_epoch() / period;
        Elapsed next = now.elapsed + period;
        if (schedule.aligned) next = elapsed_at(now, WallTime{(passed + 1) * period});
        if (schedule.together) next = rules.together_after(now.elapsed);
        const std::lock_guard guard{lock_};
        next_[rules.rules.name] = next;
    }

    const GroupSources& sources_;
    Registry& registry_;
    Ledger& ledger_;
    NameIds ids_;
    NameMap<State> states_;
    std::vector<RunHandle> missing_;
    List<AuditRow> audit_;
    mutable std::mutex lock_;
    NameMap<Elapsed> next_;
};

}  // namespace heeler::inline HEELER_ABI::detail
