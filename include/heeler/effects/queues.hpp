// What waits to be carried out: rungs, alerts, and runs whose rung is done. Shared by the cycle and the deliverer.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/alert/group.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/run.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/settings/ready_class.hpp>
#include <heeler/text/append.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// One rung to carry out, in its own order, but that people are told last.
struct RungJob {
    RunHandle handle;
    WatchedRun* watched = nullptr;
    List<Action> actions;
    bool may_have_happened = false;    ///< the next of them: it is looked up, not simply asked for
    bool asked = false;                ///< it was asked for here, without an answer
    bool waits = false;                ///< for its turn, and that is on record
    std::uint8_t looks = 0;            ///< how often it was looked up in vain
    Elapsed due = Elapsed::min();      ///< not before
    Shared<const ReadyClass> rules{};  ///< of its run, set when it is added

    /// What is done next of the actions before `end`; `end`: nothing.
    [[nodiscard]] std::size_t next(std::size_t end) const noexcept {
        std::size_t escalation = end;
        for (std::size_t at = 0; at < end; ++at) {
            if (actions[at].outcome != ActionOutcome::intended) continue;
            if (actions[at].kind != ActionKind::escalate) return at;
            escalation = detail::min_of(escalation, at);
        }
        return escalation;
    }

    /// Whether an escalation that stands before it is done after it.
    [[nodiscard]] bool overtakes(std::size_t at) const noexcept {
        if (actions[at].kind == ActionKind::escalate) return false;
        for (std::size_t before = 0; before < at; ++before)
            if (actions[before].outcome == ActionOutcome::intended) return true;
        return false;
    }
};

/// One alert to send.
struct AlertJob {
    RunHandle handle;
    WatchedRun* watched = nullptr;
    AlertRow row;
    Shared<const ReadyClass> rules{};  ///< of its run, set when it is added
    std::string group{};               ///< it is told with others of this group; empty: by itself
    WallTime due{};                    ///< set when it is added
    Duration wait{};                   ///< until it is tried again; else set when it is added
    std::optional<WallTime> owed{};    ///< since when people could have it; set when it is added
    std::uint64_t number = 0;          ///< in which order they came; set when it is added
    bool follows = false;              ///< another one speaks for it
    bool under_way = false;            ///< the notifier has begun to send it

    /// The row waits to be stored with its run; `later`: with the run's next commit, whatever else happens to it.
    void keep_row(bool later) const {
        const std::lock_guard guard{watched->lock};
        watched->unsaved.edit().alerts.push_back(row);
        watched->dirty |= later;
    }
    [[nodiscard]] bool begun() const noexcept { return under_way || row.attempts > 0; }
    [[nodiscard]] Fate fate(Fate::What what, std::uint64_t silence = 0) const {
        return {what, row.alert.key, row.alert.kind, row.alert.at, silence};
    }
    void note(Fate::What what, std::uint64_t silence = 0) const {
        const std::lock_guard guard{watched->lock};
        watched->note(fate(what, silence));
    }

    /// A due time that lies further away than any wait is one of before the clock was set.
    [[nodiscard]] bool waits(WallTime now) const noexcept {
        return due > now && due - now <= detail::max_of(wait, group_wait());
    }

private:
    [[nodiscard]] Duration group_wait() const noexcept {
        if (group.empty()) return {};
        return rules->rules.alerts.outbox.group_wait + rules->rules.alerts.outbox.group_interval;
    }
};

/// Alerts that one and the same alert speaks for: they wait for what becomes of it.
struct SpokenFor {
    List<AlertJob> jobs{};
    Elapsed due = Elapsed::min();  ///< when to look
};

/// An alert of this run, with the group that it belongs to. Under the run's lock.
[[nodiscard]] inline AlertJob alert_job(RunHandle handle, WatchedRun& watched, AlertRow row) {
    AlertJob job{handle, &watched, std::move(row), watched.of_class()};
    const RunClass& rules = watched.rules();
    const Alert& alert = job.row.alert;
    job.follows = follows(job.row);
    if (job.follows || !rules.alerts.outbox.groups() || rules.mode == Mode::shadow ||
        alert.severity == Severity::critical || job.row.attempts > 0 || job.row.how == AlertRow::How::alone ||
        speaks_for_others(alert))
        return job;
    const std::string_view parent = watched.spec.parent(), first = watched.run.children->first;
    job.group =
        text::concat(rules.name, "\n", alert.to, "\n", alert.kind, "\n", watched.verdict->incident.condition.key(),
                     "\n", parent.empty() || first.empty() ? parent : first, "\n", name_of(alert.severity));
    for (const std::string& tag : alert.tags) text::append(job.group, "\n", tag);  // it may go elsewhere by them
    return job;
}

/// Thread-safe.
class Queues {
public:
    void add(RungJob job) {
        classify(job);
        const std::lock_guard guard{lock_};
        rungs_.push_back(std::move(job));
    }
    void add(AlertJob job) {
        classify(job);
        const std::lock_guard guard{lock_};
        put(std::move(job));
    }
    /// All that follows from one commit: nobody finds a part of it.
    void add(List<RungJob> rungs, List<AlertJob> alerts) {
        for (RungJob& job : rungs) classify(job);
        for (AlertJob& job : alerts) classify(job);
        const std::lock_guard guard{lock_};
        for (RungJob& job : rungs) rungs_.push_back(std::move(job));
        for (AlertJob& job : alerts) put(std::move(job));
    }
    /// They wait on.
    void add(SpokenFor those) {
        const std::lock_guard guard{lock_};
        SpokenFor& known = spoken_for_[lead_of(those.jobs.front().row)];
        known.due = those.due;
        for (AlertJob& job : those.jobs) known.jobs.push_back(std::move(job));
    }
    /// When the next rung or alert is due; absent: nothing waits.
    [[nodiscard]] std::optional<Elapsed> next(Instant now) const {
        const std::lock_guard guard{lock_};
        std::optional<Elapsed> earliest;
        const auto consider = [&](Elapsed due) {
            if (!earliest || due < *earliest) earliest = detail::max_of(due, now.elapsed);
        };
        for (const auto& job : rungs_) consider(job.due);
        for (const auto& job : alerts_) consider(job->waits(now.wall) ? elapsed_at(now, job->due) : now.elapsed);
        for (const auto& [lead, those] : spoken_for_) consider(those.due);
        return earliest;
    }

    /// Alerts that wait, and since when people could have the oldest of them.
    [[nodiscard]] std::pair<std::uint64_t, std::optional<WallTime>> waiting_alerts() const {
        const std::lock_guard guard{lock_};
        std::optional<WallTime> oldest;
        for (const auto& job : alerts_)
            if (!oldest || *job->owed < *oldest) oldest = job->owed;
        std::uint64_t count = alerts_.size();
        for (const auto& [lead, those] : spoken_for_) {
            count += those.jobs.size();
            for (const auto& job : those.jobs)
                if (!oldest || job.row.created_at < *oldest) oldest = job.row.created_at;
        }
        return {count, oldest};
    }

    /// How much is to be tried now for the runs of a class, and what may follow from what was tried.
    [[nodiscard]] std::uint64_t owed(std::string_view class_name, Instant now) const {
        const std::lock_guard guard{lock_};
        const auto of_class = [&](const auto& job) { return job.rules && job.rules->rules.name == class_name; };
        std::uint64_t count = settled_.size();
        for (const auto& job : rungs_) count += job.due <= now.elapsed && of_class(job) ? 1 : 0;
        for (const auto& job : alerts_) count += !job->waits(now.wall) && of_class(*job) ? 1 : 0;
        return count;
    }

    /// Runs whose rung has been carried out since the last call.
    [[nodiscard]] std::vector<RunHandle> take_settled() {
        const std::lock_guard guard{lock_};
        return std::exchange(settled_, {});
    }

    [[nodiscard]] bool has_settled() const {
        const std::lock_guard guard{lock_};
        return !settled_.empty();
    }

    /// The run's rung has been carried out (or is to be settled once more).
    void add_settled(RunHandle handle) {
        const std::lock_guard guard{lock_};
        settled_.push_back(handle);
    }

    [[nodiscard]] List<RungJob> take_due_rungs(Elapsed now) {
        List<RungJob> due, later;
        const std::lock_guard guard{lock_};
        for (auto& job : rungs_) (job.due <= now ? due : later).push_back(std::move(job));
        rungs_ = std::move(later);
        return due;
    }

    /// A clock that was set forward, or a machine that slept, makes no alert older: nobody tried it meanwhile.
    void follow_clock(Instant now) {
        const std::lock_guard guard{lock_};
        const Duration ahead = last_ ? now.wall - wall_at(*last_, now.elapsed) : Duration{};
        for (auto& job : alerts_)
            if (ahead > Duration{} && *job->owed < now.wall) job.edit().owed = min_of(*job->owed + ahead, now.wall);
        last_ = now;
    }

    /// Everything that waits is due now.
    void hasten() {
        const std::lock_guard guard{lock_};
        for (auto& job : rungs_) job.due = Elapsed::min();
    }

    /// Due alerts that no waiting rung will send itself, in the order in which they were made.
    [[nodiscard]] List<AlertJob> take_due_alerts(Instant now) {
        List<AlertJob> due;
        const std::lock_guard guard{lock_};
        const std::vector<std::string_view> rungs = keys_of_rungs();
        Alerts later;
        for (auto& job : alerts_) {
            const AlertRow& row = job->row;
            const bool of_rung =
                !row.action_key.empty() && row.attempts == 0 && is_in_sorted(rungs, std::string_view{row.action_key});
            if (job->waits(now.wall) || of_rung) {
                later.push_back(std::move(job));
            } else {
                forget_action(*job);
                due.push_back(job.take());
            }
        }
        alerts_ = std::move(later);
        for (const auto& job : due)
            if (!job.group.empty()) groups_.take(job.group);
        return due;
    }

    /// Alerts that others speak for, where it is time to look what became of those.
    [[nodiscard]] List<SpokenFor> take_spoken_for(Elapsed now) {
        List<SpokenFor> due;
        const std::lock_guard guard{lock_};
        for (auto next = spoken_for_.begin(); next != spoken_for_.end();) {
            const auto at = next;
            ++next;
            if (at->second.due > now) continue;
            due.push_back(std::move(at->second));
            spoken_for_.erase(at);
        }
        detail::sort(due, [](const SpokenFor& a, const SpokenFor& b) {
            return lead_of(a.jobs.front().row) < lead_of(b.jobs.front().row);
        });
        return due;
    }

    /// The alerts of a group, if it is one, are told.
    void told(const AlertJob& job, WallTime now) {
        const std::lock_guard guard{lock_};
        if (!job.group.empty()) groups_.told(job.group, now, job.rules->rules.alerts.outbox);
    }

    /// The alert of this action, which stays where it is.
    [[nodiscard]] OnDemand<AlertJob> find_alert(const std::string& action_key) const {
        const std::lock_guard guard{lock_};
        const auto at = alert_of(action_key);
        return at == alerts_.end() ? OnDemand<AlertJob>{} : *at;
    }

    [[nodiscard]] bool take_alert(const std::string& action_key, AlertJob& found) {
        const std::lock_guard guard{lock_};
        const auto at = alert_of(action_key);
        if (at == alerts_.end()) return false;
        forget_action(**at);
        found = alerts_[static_cast<std::size_t>(at - alerts_.begin())].take();
        alerts_.erase(at);
        if (!found.group.empty() && !waits_in(found.group)) groups_.take(found.group);
        return true;
    }

private:
    /// A channel may ask for a day; of an alert that was tried before, whoever takes it over does not believe so much:
    /// the clock of the one that tried it may have been ahead.
    static constexpr Duration longest_left = std::chrono::hours{1};

    /// Names the alert that speaks for this one.
    [[nodiscard]] static std::string lead_of(const AlertRow& row) {
        return text::concat(row.with_key, "\n", row.with_run);
    }

    void put(AlertJob job) {
        if (job.follows) return spoken_for_[lead_of(job.row)].jobs.push_back(std::move(job));
        job.due = job.row.not_before;
        const bool is_taken_over = job.wait == Duration{} && job.row.attempts > 0;
        if (job.wait == Duration{}) job.wait = job.row.not_before - job.row.created_at;
        if (is_taken_over) job.wait = detail::min_of<Duration>(job.wait, longest_left);
        if (!job.group.empty())
            job.due =
                detail::max_of(job.due, groups_.join(job.group, job.row.created_at, job.rules->rules.alerts.outbox));
        if (!job.begun())
            job.owed = job.due;
        else if (!job.owed)
            job.owed = job.row.created_at;
        job.number = added_++;
        if (!job.row.action_key.empty()) by_action_[job.row.action_key].push_back(job.number);
        alerts_.emplace_back().edit() = std::move(job);
    }

    [[nodiscard]] bool waits_in(const std::string& group) const {
        for (const auto& waiting : alerts_)
            if (waiting->group == group) return true;
        return false;
    }

    template <class Job>
    static void classify(Job& job) {
        if (job.rules || job.watched == nullptr) return;
        const std::lock_guard guard{job.watched->lock};
        job.rules = job.watched->of_class();
    }

    /// Of the actions that wait, in order.
    [[nodiscard]] std::vector<std::string_view> keys_of_rungs() const {
        std::vector<std::string_view> keys;
        for (const auto& job : rungs_)
            for (const Action& action : job.actions) keys.push_back(action.key);
        detail::sort(keys);
        return keys;
    }

    using Alerts = List<OnDemand<AlertJob>>;  ///< in order of their numbers

    /// The first of an action.
    [[nodiscard]] Alerts::const_iterator alert_of(std::string_view action_key) const {
        const auto known = by_action_.find(action_key);
        if (known == by_action_.end()) return alerts_.end();
        const auto at = place_in_sorted(alerts_, known->second.front(),
                                        [](const auto& job, std::uint64_t number) { return job->number < number; });
        return alerts_.begin() + static_cast<std::ptrdiff_t>(at);
    }

    /// Of an alert that is about to be taken out.
    void forget_action(const AlertJob& job) {
        const auto known = by_action_.find(job.row.action_key);
        if (known == by_action_.end()) return;
        List<std::uint64_t>& numbers = known->second;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (numbers[i] != job.number) continue;
            numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        }
        if (numbers.empty()) by_action_.erase(known);
    }

    mutable std::mutex lock_;
    List<RungJob> rungs_;
    Alerts alerts_;
    NameMap<List<std::uint64_t>> by_action_;  ///< alerts that carry out an action, by its key: their numbers
    std::uint64_t added_ = 0;
    std::optional<Instant> last_;    ///< when the clock was followed last
    NameMap<SpokenFor> spoken_for_;  ///< by the alert that speaks for them
    AlertGroups groups_;
    std::vector<RunHandle> settled_;
};

}  // namespace heeler::inline HEELER_ABI::detail
