// Wraps an agent control so that a watchdog does little at once: so many actions in a while, and fewer of those that
// end an agent.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/agent/control_around.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/incident.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/duration.hpp>

namespace heeler::inline HEELER_ABI {

/// How much is done at once. To end or to replace an agent (`terminate`, `spawn`) cannot be undone; `inject`, `pause`,
/// `resume`, `terminate` and `spawn` count as actions.
struct Restraints {
    std::size_t actions = 10;  ///< so many at most in `actions_within`; 0: any number
    Duration actions_within = std::chrono::minutes{1};
    std::size_t endings = 1;  ///< of these so many at most in `endings_within`; 0: any number
    Duration endings_within = std::chrono::seconds{10};
};

/// An agent control that answers `busy` to what would be too much at once, so that the watchdog asks again later, under
/// the same key, and uses up no attempt. That it is made counts as an ending: a restart ends nobody sooner, and
/// with `recall` nudges nobody sooner either. All other verbs are the inner control's own; it must outlive this. Verbs
/// are called from the thread that delivers, one at a time. That many runs stand still together the watchdog itself
/// sees (`MassStallSettings`).
template <class Control, class Clock>
class RestrainedControl : public detail::ControlAround<Control> {
public:
    RestrainedControl(Control& control, Clock clock, Restraints most = {})
        : detail::ControlAround<Control>{control}, clock_{std::move(clock)}, most_{most} {
        static_assert(check_clock<Clock>());
        endings_.push_back(clock_.now().elapsed);
    }

    /// Counts what a watchdog did shortly before, by what its store holds of runs that go on: who is started again and
    /// again does not more at once than who is not. Before it is attached. A rung counts once; of one whose outcome is
    /// not known it is taken to have been done.
    void recall(const Snapshot& stored) {
        const Instant now = clock_.now();
        for (const StoredRun& run : stored.runs)
            for (const Intervention& each : run.interventions) {
                const Duration ago = detail::max_of(Duration{}, now.wall - each.at);
                if (counts(each) && ago < most_.actions_within) actions_.push_back(now.elapsed - ago);
            }
        detail::sort(actions_, [](Elapsed a, Elapsed b) { return a < b; });
    }

    [[nodiscard]] Result<ActionDone> inject(const ActionRequest& asked) requires detail::Has_inject<Control> {
        return in_turn(false, [&] { return control_->inject(asked); });
    }
    [[nodiscard]] Result<ActionDone> pause(const ActionRequest& asked) requires detail::Has_pause<Control> {
        return in_turn(false, [&] { return control_->pause(asked); });
    }
    [[nodiscard]] Result<ActionDone> resume(const ActionRequest& asked) requires detail::Has_resume<Control> {
        return in_turn(false, [&] { return control_->resume(asked); });
    }
    [[nodiscard]] Result<ActionDone> terminate(const ActionRequest& asked) requires detail::Has_terminate<Control> {
        return in_turn(true, [&] { return control_->terminate(asked); });
    }
    [[nodiscard]] Result<ActionDone> spawn(const ActionRequest& asked) requires detail::Has_spawn<Control> {
        return in_turn(true, [&] { return control_->spawn(asked); });
    }

private:
    using detail::ControlAround<Control>::control_;

    template <class Act>
    [[nodiscard]] Result<ActionDone> in_turn(bool ends, Act&& act) {
        const Elapsed now = clock_.now().elapsed;
        if (is_full(actions_, most_.actions, most_.actions_within, now))
            return too_many(most_.actions, "actions", most_.actions_within);
        if (ends && is_full(endings_, most_.endings, most_.endings_within, now))
            return too_many(most_.endings, "runs are ended or replaced", most_.endings_within);
        actions_.push_back(now);
        if (ends) endings_.push_back(now);
        return act();
    }

    [[nodiscard]] static bool counts(const Intervention& rung) noexcept {
        const bool asked = is_injection(rung.action) || rung.action == ActionKind::pause ||
                           rung.action == ActionKind::resume || rung.action == ActionKind::terminate ||
                           rung.action == ActionKind::spawn;
        return asked && rung.outcome != InterventionOutcome::skipped &&
               rung.outcome != InterventionOutcome::unsupported;
    }

    [[nodiscard]] static bool is_full(std::deque<Elapsed>& done, std::size_t most, Duration within, Elapsed now) {
        while (!done.empty() && now - done.front() >= within) done.pop_front();
        return most != 0 && done.size() >= most;
    }

    [[nodiscard]] static tl::unexpected<Error> too_many(std::size_t most, std::string_view what, Duration within) {
        return fail(ErrorCode::busy,
                    "at most " + std::to_string(most) + " " + std::string{what} + " within " + text::spoken(within));
    }

    Clock clock_;
    Restraints most_;
    std::deque<Elapsed> actions_, endings_;
};

}  // namespace heeler::inline HEELER_ABI
