// Wraps an agent control so that a watchdog does little at once: so many actions in a while, and nobody is ended or
// replaced as long as many runs stand still together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/agent/control_around.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/duration.hpp>

namespace heeler::inline HEELER_ABI {

/// How much is done at once. To end or to replace an agent (`terminate`, `spawn`) cannot be undone; `inject`, `pause`,
/// `terminate` and `spawn` count as actions. Load balancers stop ejecting hosts when too many fail together; from there
/// is the idea, the figures are this library's own.
struct Restraints {
    std::size_t actions = 10;  ///< so many at most in `actions_within`; 0: any number
    Duration actions_within = std::chrono::minutes{1};
    std::size_t endings = 1;  ///< of these so many at most in `endings_within`; 0: any number
    Duration endings_within = std::chrono::seconds{10};
    /// So many runs, and this share of those that are watched, of which something is asked in `outage_within`: what
    /// they all need is gone, a provider or a network. 0 runs: never.
    std::size_t outage_runs = 5;
    double outage_share = 0.3;
    Duration outage_within = std::chrono::minutes{2};
    double over_share = 0.15;                        ///< it is over when fewer than this share were asked something
    Duration over_after = std::chrono::minutes{10};  ///< for so long
};

/// An agent control that answers `busy` to what would be too much at once, so that the watchdog asks again later, under
/// the same key, and uses up no attempt. During an outage people hear of each run, and it is nudged, paused or saved as
/// ever; to end and to replace it waits. What was counted is forgotten in a restart, so for its first `outage_within`
/// nobody is ended or replaced either. All other verbs are the inner control's own; it must outlive this. Verbs are
/// called from the thread that delivers, one at a time.
template <class Control, class Clock>
class RestrainedControl : public detail::ControlAround<Control> {
public:
    /// `watched`: how many runs are watched now. `says`: that an outage begins, and that it is over, in a sentence.
    RestrainedControl(Control& control, Clock clock, std::function<std::size_t()> watched, Restraints most = {},
                      std::function<void(const std::string&)> says = {})
        : detail::ControlAround<Control>{control},
          clock_{std::move(clock)},
          watched_{std::move(watched)},
          most_{most},
          says_{std::move(says)} {
        static_assert(check_clock<Clock>());
    }

    [[nodiscard]] Result<ActionDone> inject(const ActionRequest& asked) requires detail::Has_inject<Control> {
        return in_turn(asked, false, [&] { return control_->inject(asked); });
    }
    [[nodiscard]] Result<ActionDone> pause(const ActionRequest& asked) requires detail::Has_pause<Control> {
        return in_turn(asked, false, [&] { return control_->pause(asked); });
    }
    [[nodiscard]] Result<ActionDone> terminate(const ActionRequest& asked) requires detail::Has_terminate<Control> {
        return in_turn(asked, true, [&] { return control_->terminate(asked); });
    }
    [[nodiscard]] Result<ActionDone> spawn(const ActionRequest& asked) requires detail::Has_spawn<Control> {
        return in_turn(asked, true, [&] { return control_->spawn(asked); });
    }

    /// Many runs stand still together.
    [[nodiscard]] bool outage() const noexcept { return outage_; }

private:
    using detail::ControlAround<Control>::control_;

    template <class Act>
    [[nodiscard]] Result<ActionDone> in_turn(const ActionRequest& asked, bool ends, Act&& act) {
        const Elapsed now = clock_.now().elapsed;
        look(asked.run, now);
        if (ends && outage_)
            return fail(ErrorCode::busy, "many runs stand still together: nobody is ended or replaced until fewer do");
        if (ends && most_.outage_runs != 0 && now - since_ < most_.outage_within)
            return fail(ErrorCode::busy, "it is not known yet how many runs stand still: nobody is ended or replaced");
        if (is_full(actions_, most_.actions, most_.actions_within, now))
            return too_many(most_.actions, "actions", most_.actions_within);
        if (ends && is_full(endings_, most_.endings, most_.endings_within, now))
            return too_many(most_.endings, "runs are ended or replaced", most_.endings_within);
        actions_.push_back(now);
        if (ends) endings_.push_back(now);
        return act();
    }

    [[nodiscard]] static bool is_full(std::deque<Elapsed>& done, std::size_t most, Duration within, Elapsed now) {
        while (!done.empty() && now - done.front() >= within) done.pop_front();
        return most != 0 && done.size() >= most;
    }

    [[nodiscard]] static tl::unexpected<Error> too_many(std::size_t most, std::string_view what, Duration within) {
        return fail(ErrorCode::busy,
                    "at most " + std::to_string(most) + " " + std::string{what} + " within " + text::spoken(within));
    }

    /// Something is asked of one more run.
    void look(std::string_view run, Elapsed now) {
        std::erase_if(asked_,
                      [&](const Asked& each) { return each.run == run || now - each.at >= most_.outage_within; });
        if (outage_ && now - last_high_ >= most_.outage_within + most_.over_after) {
            outage_ = false;
            if (says_)
                says_("The runs that stood still together do no more: whoever still does may be ended or replaced");
        }
        asked_.push_back({std::string{run}, now});
        const std::size_t watched = std::max(watched_(), asked_.size());
        const double share = static_cast<double>(asked_.size()) / static_cast<double>(watched);
        if (share >= most_.over_share) last_high_ = now;
        if (outage_ || most_.outage_runs == 0 || asked_.size() < most_.outage_runs || share < most_.outage_share)
            return;
        outage_ = true;
        if (says_)
            says_(std::to_string(asked_.size()) + " of " + std::to_string(watched) +
                  " runs stand still together, within " + text::spoken(most_.outage_within) +
                  ": what they all need may be gone. None of them is ended or replaced meanwhile");
    }

    struct Asked {
        std::string run;
        Elapsed at;
    };

    Clock clock_;
    std::function<std::size_t()> watched_;
    Restraints most_;
    std::function<void(const std::string&)> says_;
    std::deque<Elapsed> actions_, endings_;
    std::vector<Asked> asked_;  ///< within the time that counts, each run once
    Elapsed since_ = clock_.now().elapsed;
    Elapsed last_high_{};  ///< when so many were asked something that an outage is not over
    bool outage_ = false;
};

}  // namespace heeler::inline HEELER_ABI
