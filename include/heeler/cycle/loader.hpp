// Takes in what the store holds for this watchdog: at its start or, among several, under its lease, again and again.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/incident.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/time.hpp>
#include <heeler/cycle/sources.hpp>
#include <heeler/effects/courier.hpp>
#include <heeler/effects/queues.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// May be called from any thread, as often as one likes: what is loaded is not loaded again.
class Loader {
public:
    Loader(Ledger& ledger, Registry& registry, Queues& queues, const EngineSettings& settings, HeldLease& held_lease,
           const GroupSources& sources, Courier& courier)
        : ledger_{ledger},
          registry_{registry},
          queues_{queues},
          settings_{settings},
          held_lease_{held_lease},
          sources_{sources},
          courier_{courier} {}

    /// False while the store cannot be read.
    bool run(Instant now, CycleReport& report) {
        const std::lock_guard guard{lock_};
        report.absorb(std::exchange(unheard_, {}));
        return load(now, report);
    }

    /// The same for callers without a report: what is wrong with a run is said in the next cycle.
    bool run(Instant now) {
        const std::lock_guard guard{lock_};
        CycleReport found;
        const bool readable = load(now, found);
        if (readable) unheard_.absorb(std::move(found));
        return readable;
    }

    /// Takes one run that no other watchdog holds, because a host here registers it again.
    [[nodiscard]] bool claim(std::string_view run, Instant now) {
        const std::lock_guard guard{lock_};
        if (held_lease_.alone() || !held_lease_.holds(now.elapsed)) return false;
        CycleReport found;
        Claim one;
        one.run = run;
        (void)take_claimed(std::move(one), now, found);
        unheard_.absorb(std::move(found));
        return registry_.find(run).has_value();
    }

    /// Decisions that can be carried out now. One that cannot be read is named once and stays open.
    void sort_out(List<DecisionRow>& decisions, Instant now, CycleReport& report) {
        detail::drop_if(decisions, [&](const DecisionRow& decision) {
            if (decision.damage.empty())
                return is_elsewhere(decision.run, now) || ledger_.is_put_off(decision.run, now);
            const std::lock_guard guard{lock_};
            say({{decision.run, decision.damage}}, report);
            return true;
        });
    }

    /// Whether the run is one for later, or for others: its class is not defined yet, it cannot be read, or another
    /// watchdog holds it.
    [[nodiscard]] bool is_elsewhere(const std::string& run, Instant now) {
        if (run.empty() || registry_.find(run)) return false;
        const std::lock_guard guard{lock_};
        const auto is_it = [&](const StoredRun& stored) { return stored.row.id == run; };
        if (detail::any_of(strangers_, is_it) || unreadable_.contains(run)) return true;
        if (held_lease_.alone()) return false;
        const auto known = ledger_.history(now, run);
        return !known || (known->row && !is_terminal(known->row->state));
    }

private:
    bool load(Instant now, CycleReport& report) {
        if (!held_lease_.alone()) return hold(now, report);
        if (const auto alone = ledger_.stay_alone(now); !alone) {
            report.error("lease", {}, alone.error());
            if (loaded_) disown_all("another watchdog without a name worked on the store", now, report);
            loaded_ = false;
            return false;
        }
        if (!loaded_) {
            auto snapshot = ledger_.load(now);
            if (!snapshot) {
                report.error("load", {}, snapshot.error());
                return false;
            }
            loaded_ = true;
            strangers_ = std::move(snapshot->runs);
            for (const MuteRow& mute : snapshot->mutes) registry_.mute(mute.class_name, mute.identity);
            say(snapshot->damaged, report);
        }
        take_in_all(now, report);
        read_again(now, report);
        return true;
    }

    /// Renews the lease when that is due, and then looks for runs that it may take. False without a lease that can be
    /// relied upon: nothing is judged then.
    bool hold(Instant now, CycleReport& report) {
        if (held_lease_.is_due(now.elapsed)) {
            const auto lost = ledger_.renew(settings_.holder, settings_.lease, now);
            if (!lost) report.error("lease", {}, lost.error());
            if (lost && *lost)
                disown_all("the lease of `" + text::sanitise(settings_.holder, 128) + "` ran out and was taken away",
                           now, report);
        }
        if (!held_lease_.holds(now.elapsed)) return false;
        if (now.elapsed < claim_at_) return true;
        Claim claim;
        claim.most = settings_.claim_runs;
        for (const auto& rules : registry_.classes()) {
            const std::string& name = rules->rules.name;
            (sources_.watches(name) ? claim.classes : claim.own_classes).push_back(name);
        }
        const bool more = take_claimed(std::move(claim), now, report);
        claim_at_ = more ? now.elapsed : now.elapsed + settings_.flush_every;
        read_again(now, report);
        return held_lease_.holds(now.elapsed);
    }

    /// True if there is more.
    bool take_claimed(Claim claim, Instant now, CycleReport& report) {
        auto claimed = ledger_.claim_runs(std::move(claim), now);
        if (!claimed) {
            report.error("claim", {}, claimed.error());
            return true;
        }
        for (const LostHolder& holder : claimed->lost) courier_.found(holder, now);
        for (const MuteRow& mute : claimed->mutes) registry_.mute(mute.class_name, mute.identity);
        for (StoredRun& run : claimed->runs) strangers_.push_back(std::move(run));
        say(claimed->damaged, report);
        take_in_all(now, report);
        return claimed->more;
    }

    /// Others may have acted on the runs meanwhile. Those that were never stored are still this watchdog's.
    void disown_all(const std::string& why, Instant now, CycleReport& report) {
        std::size_t count = 0;
        strangers_.clear();
        unreadable_.clear();
        for (const RunHandle handle : registry_.table().all()) count += registry_.disown(handle, now, false) ? 1 : 0;
        report.error("lease", {},
                     Error{ErrorCode::fenced, why + "; " + std::to_string(count) +
                                                  " runs are watched by others now, or wait to be registered again"});
    }

    void take_in_all(Instant now, CycleReport& report) {
        detail::drop_if(strangers_, [&](StoredRun& stored) { return take_in(stored, now, report); });
    }

    [[nodiscard]] bool is_news(const DamagedRow& row) {
        const std::string text = row.run + "\n" + row.what;
        const bool news = !detail::contains(said_, text);
        if (news) said_.push_back(text);
        return news;
    }

    /// Names each damaged row once, however often it is met.
    void say(const List<DamagedRow>& damaged, CycleReport& report) {
        for (const DamagedRow& row : damaged)
            if (is_news(row))
                report.error("load", row.run, Error{ErrorCode::corrupt, row.what + "; it is passed over"});
    }

    void say_forgotten(const std::string& run, CycleReport& report) {
        const DamagedRow row{run, "table 'run_parts', column 'bytes' of the part 'memory' cannot be read"};
        if (is_news(row))
            report.error("load", run,
                         Error{ErrorCode::corrupt, row.what + "; the run is watched, its detectors begin anew"});
    }

    /// Leaves a run alone that cannot be read, and looks at it again much later: somebody may have mended it.
    void leave_alone(const DamagedRow& row, Instant now, CycleReport& report) {
        unreadable_[row.run] = now.elapsed + read_again_after;
        if (!is_news(row)) return;
        report.error(
            "load", row.run,
            Error{ErrorCode::corrupt, "the stored state of the run `" + text::shown_name(row.run, 160) +
                                          "` cannot be read: " + row.what + "; it is left alone and not watched"});
    }

    void read_again(Instant now, CycleReport& report) {
        std::vector<std::string> due;
        for (const auto& [run, when] : unreadable_)
            if (!run.empty() && now.elapsed >= when) due.push_back(run);
        detail::sort(due);
        for (const std::string& run : due) {
            auto found = ledger_.history(now, run);
            if (!found) {
                unreadable_[run] = now.elapsed + read_again_after;  // as bad as before, and that was said
            } else {
                unreadable_.erase(run);
                say(found->damaged, report);
                if (found->row && is_mine(*found->row) && !registry_.find(run)) strangers_.push_back(stored_of(*found));
            }
        }
        if (!due.empty()) take_in_all(now, report);
    }

    [[nodiscard]] bool is_mine(const RunRow& row) const {
        const Lease lease = held_lease_.lease();
        return held_lease_.alone() || (row.holder == lease.holder && row.epoch == lease.epoch);
    }

    /// What a snapshot would hold of the run.
    static StoredRun stored_of(History& found) {
        StoredRun stored;
        stored.row = *std::move(found.row);
        stored.interventions = std::move(found.interventions);
        stored.checkpoints = found.checkpoints.size();
        stored.actions = std::move(found.actions);
        for (AlertRow& alert : found.alerts)
            if (alert.state == AlertRow::State::pending) stored.pending.push_back(std::move(alert));
        return stored;
    }

    /// False: to be tried again in the next cycle.
    bool take_in(const StoredRun& stored, Instant now, CycleReport& report) {
        if (!stored.damage.empty()) {
            leave_alone({stored.row.id, stored.damage}, now, report);
            return true;
        }
        if (!registry_.find_class(stored.row.class_name)) {
            if (!detail::contains(told_, stored.row.class_name)) {
                told_.push_back(stored.row.class_name);
                report.error("load", stored.row.id,
                             Error{ErrorCode::invalid_argument, "the store holds runs of the class `" +
                                                                    text::sanitise(stored.row.class_name, 80) +
                                                                    "`, which is not defined; call define() first"});
            }
            return false;
        }
        const auto adopted = registry_.adopt(stored, sources_.watches(stored.row.class_name), now);
        if (!adopted && adopted.error().code == ErrorCode::corrupt) {
            leave_alone({stored.row.id, adopted.error().message}, now, report);
            return true;
        }
        if (!adopted && adopted.error().code == ErrorCode::busy) return false;
        if (!adopted) {
            report.error("load", stored.row.id, adopted.error());
            return true;
        }
        if (!adopted->remembers) say_forgotten(stored.row.id, report);
        const RunHandle handle = adopted->handle;
        WatchedRun& watched = *registry_.table().find(handle);
        const std::lock_guard guard{watched.lock};
        if (!stored.taken_from.empty() && stored.taken_from != settings_.holder)
            watched.rare.edit().locked_until = now.elapsed + settings_.lease + settings_.renew_every;
        watched.alerts_pending = static_cast<std::uint32_t>(stored.pending.size());
        for (const AlertRow& row : stored.pending) queues_.add(alert_job(handle, watched, row));
        List<Action> rung = open_rung(watched, stored.actions);
        // Those that are intended outside it were never handed over: their commit was taken for failed.
        for (Action action : stored.actions) {
            const auto is_it = [&](const Action& one) { return one.key == action.key; };
            if (action.outcome != ActionOutcome::intended || detail::any_of(rung, is_it)) continue;
            action.outcome = ActionOutcome::blocked;
            watched.unsaved.edit().actions.push_back(std::move(action));
        }
        if (rung.empty()) {
            forget_rung(watched, now);
            return true;
        }
        watched.rung_busy = true;
        RungJob job{handle, &watched, std::move(rung), true};
        job.rules = watched.of_class();
        queues_.add(std::move(job));
        return true;
    }

    /// The rung that was under way, as far as it came; also one that was carried out but not settled.
    [[nodiscard]] static List<Action> open_rung(const WatchedRun& watched, const List<Action>& actions) {
        List<Action> rung;
        for (const Action& action : actions)
            if (action.intervention == watched.verdict->incident.interventions) rung.push_back(action);
        const std::size_t open = detail::min_of<std::size_t>(watched.verdict->rung_open, rung.size());
        rung.erase(rung.begin(), rung.end() - static_cast<std::ptrdiff_t>(open));
        return rung;
    }

    /// A rung that was decided but whose intent never got durable was not begun: it is decided again.
    static void forget_rung(WatchedRun& watched, Instant now) {
        if (watched.verdict->rung_open == 0) return;
        watched.verdict.edit().rung_open = 0;
        Incident& incident = watched.verdict.edit().incident;
        if (!incident.open()) return;
        if (incident.attempts > 0) --incident.attempts;
        incident.phase = Phase::climbing;
        incident.verify_at = watched.run.working(now.elapsed);
    }

    static constexpr Duration read_again_after = std::chrono::minutes{5};

    Ledger& ledger_;
    Registry& registry_;
    Queues& queues_;
    const EngineSettings& settings_;
    HeldLease& held_lease_;
    const GroupSources& sources_;
    Courier& courier_;
    std::mutex lock_;
    bool loaded_ = false;
    Elapsed claim_at_ = Elapsed::min();  ///< when to look for runs that nobody holds
    CycleReport unheard_;                ///< what was found while nobody listened
    List<StoredRun> strangers_;          ///< stored runs whose class is not defined yet
    std::vector<std::string> told_;      ///< of these classes
    NameMap<Elapsed> unreadable_;        ///< runs that are left alone, and when to look at them again
    std::vector<std::string> said_;      ///< damage that was named: the run and what it is
};

}  // namespace heeler::inline HEELER_ABI::detail
