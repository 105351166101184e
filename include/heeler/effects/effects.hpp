// Carries out one action outside the watchdog: through the agent control, or through the sink of issues.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include <heeler/core/min_max.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/effects/control_ref.hpp>
#include <heeler/effects/issue_ref.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// In whose name something is asked, and how new its knowledge of the run is.
struct Asker {
    std::string name;
    std::uint64_t fence = 0;
    Duration silent{};  ///< see `ActionRequest`
};

/// From the thread that delivers; who acts is set by any. The outcome and a note are written into the action.
class Effects {
public:
    void control(ControlRef control) {
        const std::lock_guard guard{lock_};
        control_ = control;
    }
    /// Who acts on the runs of one class; nobody: the agent control of all.
    void control(std::string class_name, ControlRef control) {
        const std::lock_guard guard{lock_};
        if (control.present())
            own_[std::move(class_name)] = control;
        else
            own_.erase(class_name);
    }
    [[nodiscard]] ControlRef control_of(std::string_view class_name) const {
        const std::lock_guard guard{lock_};
        const auto own = own_.find(class_name);
        return own == own_.end() ? control_ : own->second;
    }
    void issues(IssueRef sink) noexcept { issues_ = sink; }

    void ask(WatchedRun& watched, Action& action, const Asker& asker, bool repeated = false) {
        if (action.kind == ActionKind::file_issue) return file_issue(watched, action);
        if (action.kind == ActionKind::spawn && !may_spawn(watched, action))
            return static_cast<void>(action.outcome = ActionOutcome::blocked);
        const auto answer = control_for(watched).act(action.kind, request(watched, action, asker, repeated));
        action.outcome = outcome_of(answer);
        action.outcome_from = OutcomeFrom::answer;
        action.note = text::evidence_text(answer ? answer->note : answer.error().message);
    }

    /// It may have happened: done if it can be found; asked again if it is certain that it was not, or if that is
    /// harmless. False: nobody can tell now, but perhaps later. `is_last`: what is absent now will stay so. Only what
    /// is `wanted` is asked again.
    [[nodiscard]] bool look_up(WatchedRun& watched, Action& action, const Asker& asker, bool is_last, bool wanted) {
        if (action.kind == ActionKind::file_issue) {
            if (wanted && issues_.idempotent()) return repeat(watched, action, asker);
            cannot_tell(action);
            return true;
        }
        const auto found = control_for(watched).find(action.key);
        if (found && *found == Found::found) {
            action.outcome = ActionOutcome::done;
            action.outcome_from = OutcomeFrom::look_up;
            action.note = "found when it was looked up";
            return true;
        }
        const bool absent = found && *found == Found::absent;
        if (absent && is_last) {
            action.outcome = ActionOutcome::intended;
            if (wanted) ask(watched, action, asker);
            if (action.outcome == ActionOutcome::intended) action.outcome_from = OutcomeFrom::look_up;  // not begun
            return action.outcome != ActionOutcome::unknown;
        }
        if (wanted && control_for(watched).idempotent()) return repeat(watched, action, asker);
        cannot_tell(action);
        return !found && found.error().code == ErrorCode::unsupported;
    }

    /// It is known that it was not done.
    [[nodiscard]] bool is_absent(const WatchedRun& watched, const Action& action) const {
        const auto found = control_for(watched).find(action.key);
        return found && *found == Found::absent;
    }

    /// The run is given up: only records change. An agent control that keeps some of its own (`retire`) is told.
    void retire(WatchedRun& watched, Action& action, const Asker& asker) {
        action.outcome = ActionOutcome::done;
        action.note = "the run may still be running; it is no longer watched";
        const auto told = control_for(watched).act(action.kind, request(watched, action, asker));
        if (!told && told.error().code != ErrorCode::unsupported)
            action.note += " (the agent control was not told: " + text::evidence_text(told.error().message) + ")";
    }

private:
    static void cannot_tell(Action& action) {
        action.outcome = ActionOutcome::unknown;
        if (action.note.empty()) action.note = "a restart came between the intent and its outcome, and nobody can tell";
    }

    void file_issue(WatchedRun& watched, Action& action) {
        const std::string& stored = action.text;  // title, empty line, body: two fields in one column, as in a mail
        const std::size_t end = detail::min_of(stored.find('\n'), stored.size());
        const std::size_t body = detail::min_of(stored.find_first_not_of('\n', end), stored.size());
        Issue issue{action.key, stored.substr(0, end), stored.substr(body), {}};
        {
            const std::lock_guard guard{watched.lock};
            const RunSpec spec = watched.spec.decoded();
            issue.run = {text::shown_name(spec.id, 256), text::shown_name(spec.name, 256),
                         text::sanitise(spec.work_item, 1024), text::sanitise(spec.project, 256)};
        }
        const auto answer = issues_.file(issue);
        action.outcome = outcome_of(answer);
        if (action.outcome == ActionOutcome::unknown && !is_undecided(answer.error().code))
            action.outcome = ActionOutcome::failed;
        action.note = text::evidence_text(answer ? answer->note : answer.error().message);
    }

    /// The tracker may have the issue all the same, or take it later.
    [[nodiscard]] static bool is_undecided(ErrorCode code) noexcept {
        return code == ErrorCode::timed_out || code == ErrorCode::delivery_failed;
    }

    [[nodiscard]] ControlRef control_for(const WatchedRun& watched) const { return control_of(watched.rules().name); }

    [[nodiscard]] static ActionRequest request(const WatchedRun& watched, const Action& action, const Asker& asker,
                                               bool repeated = false) {
        return {watched.run.id, action.key, action.text,  action.attempt,          asker.name,
                asker.fence,    repeated,   asker.silent, message_of(action.kind), boundary_of(action.kind)};
    }

    /// That this request did nothing says nothing of the first one.
    [[nodiscard]] bool repeat(WatchedRun& watched, Action& action, const Asker& asker) {
        ask(watched, action, asker, true);
        if (action.outcome == ActionOutcome::done || action.outcome == ActionOutcome::ended ||
            action.outcome == ActionOutcome::intended)
            return true;
        action.outcome = ActionOutcome::unknown;
        return false;
    }

    /// Two agents on one task are worse than none: where the class wants proof, somebody must have seen the stop.
    [[nodiscard]] bool may_spawn(WatchedRun& watched, Action& action) const {
        if (watched.rules().stop_proof != StopProofNeeded::proved) return true;
        const auto proof = control_for(watched).prove_stopped(watched.run.id);
        if (proof && *proof == StopProof::stopped) return true;
        action.note = text::evidence_text(
            proof ? *proof == StopProof::running ? "the agent still runs" : "nobody can tell whether the agent stopped"
                  : proof.error().message);
        return false;
    }

    mutable std::mutex lock_;
    ControlRef control_;
    NameMap<ControlRef> own_;  ///< by class
    IssueRef issues_;
};

}  // namespace heeler::inline HEELER_ABI::detail
