// An agent control with threads of its own and a time limit, so that one agent which does not answer holds up nobody.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <heeler/core/action.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/callback.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>

namespace heeler::inline HEELER_ABI {

struct ControlPatience {
    Duration limit = std::chrono::seconds{10};  ///< so long a verb is waited for
    std::size_t hanging = 8;  ///< while so many calls are not over, nothing new is begun (`busy`); at least 1
    Duration at_end = std::chrono::seconds{2};  ///< the destructor waits so long for calls that are not over
};

/// Goes around an agent control whose verbs may hang: a socket without a time limit, a container that does not stop.
/// What takes longer than `limit` is `timed_out`, which a watchdog looks up with `find`; this answers it itself once
/// the call is over, and `unknown` before. Meanwhile nothing more is done to that run (`failed`: its ladder goes on to
/// people), and the others are as ever. Each call has a thread of its own: the inner control is called beside calls
/// that hang, about other runs, and asked for `find` and `prove_stopped`. A call that never ends cannot be ended: its
/// thread, and the control with it, outlive this object then. Verbs are called from the thread that delivers, one at a
/// time.
template <class Control>
class ControlInBackground {
    using Done = Result<ActionDone>;

public:
    explicit ControlInBackground(std::shared_ptr<Control> control, ControlPatience patience = {})
        : patience_{patience}, state_{std::make_shared<State>(std::move(control))} {
        static_assert(check_control<Control>());
    }
    ControlInBackground(const ControlInBackground&) = delete;
    ControlInBackground& operator=(const ControlInBackground&) = delete;
    ~ControlInBackground() {
        std::unique_lock one{state_->lock};
        state_->changed.wait_for(one, patience_.at_end, [this] { return state_->running == 0; });
    }

    [[nodiscard]] Done inject(const ActionRequest& asked) requires detail::Has_inject<Control> {
        return act(asked, [](Control& control, const ActionRequest& request) { return control.inject(request); });
    }
    [[nodiscard]] Done pause(const ActionRequest& asked) requires detail::Has_pause<Control> {
        return act(asked, [](Control& control, const ActionRequest& request) { return control.pause(request); });
    }
    [[nodiscard]] Done resume(const ActionRequest& asked) requires detail::Has_resume<Control> {
        return act(asked, [](Control& control, const ActionRequest& request) { return control.resume(request); });
    }
    [[nodiscard]] Done isolate(const ActionRequest& asked) requires detail::Has_isolate<Control> {
        return act(asked, [](Control& control, const ActionRequest& request) { return control.isolate(request); });
    }
    [[nodiscard]] Done snapshot(const ActionRequest& asked) requires detail::Has_snapshot<Control> {
        return act(asked, [](Control& control, const ActionRequest& request) { return control.snapshot(request); });
    }
    [[nodiscard]] Done terminate(const ActionRequest& asked) requires detail::Has_terminate<Control> {
        return act(asked, [](Control& control, const ActionRequest& request) { return control.terminate(request); });
    }
    [[nodiscard]] Done spawn(const ActionRequest& asked) requires detail::Has_spawn<Control> {
        return act(asked, [](Control& control, const ActionRequest& request) { return control.spawn(request); });
    }
    [[nodiscard]] Done retire(const ActionRequest& asked, RunState how) requires detail::Has_retire<Control> {
        return act(asked,
                   [how](Control& control, const ActionRequest& request) { return control.retire(request, how); });
    }

    /// What became of a call that took too long; of what was asked before a restart the inner control is asked.
    [[nodiscard]] Result<Found> find(std::string_view key) {
        {
            const std::lock_guard one{state_->lock};
            const auto late = state_->calls.find(key);
            if (late != state_->calls.end()) {
                const std::optional<Done>& answer = late->second.answer;
                if (!answer) return Found::unknown;
                if (*answer) return Found::found;
                if (outcome_of(answer->error().code) != ActionOutcome::unknown) return Found::absent;
            }
        }
        if constexpr (detail::Has_find<Control>)
            return ask<Found>(text::concat("find ", key), Found::unknown,
                              [key = std::string{key}](Control& control) { return control.find(key); });
        else
            return Found::unknown;
    }
    [[nodiscard]] Result<StopProof> prove_stopped(std::string_view run) requires detail::Has_prove_stopped<Control> {
        return ask<StopProof>(text::concat("prove_stopped ", run), StopProof::unknown,
                              [run = std::string{run}](Control& control) { return control.prove_stopped(run); });
    }
    [[nodiscard]] bool idempotent() const { return detail::is_idempotent(*state_->control); }

    /// How many calls are not over.
    [[nodiscard]] std::size_t hanging() const {
        const std::lock_guard one{state_->lock};
        return state_->running;
    }

private:
    /// Something that was asked, and is not over, or was over too late.
    struct Call {
        std::string run{};
        std::chrono::steady_clock::time_point began{};
        std::optional<Done> answer{};
    };

    struct State {
        explicit State(std::shared_ptr<Control> made) : control{std::move(made)} {}

        std::mutex lock;
        std::condition_variable changed;
        const std::shared_ptr<Control> control;
        std::map<std::string, Call, std::less<>> calls{};  ///< by key
        std::size_t running = 0;                           ///< of them, that are not over
    };
    /// Of what was over too late, and may still be looked up, so much is kept.
    static constexpr std::size_t most_calls = 1024;

    template <class Verb>
    [[nodiscard]] Done act(const ActionRequest& asked, Verb verb) {
        return call(asked.key, asked.run,
                    [asked, verb, run = std::string{asked.run}, key = std::string{asked.key},
                     text = std::string{asked.text}, asker = std::string{asked.asker}](Control& control) {
                        ActionRequest own = asked;
                        own.run = run;
                        own.key = key;
                        own.text = text;
                        own.asker = asker;
                        return verb(control, own);
                    });
    }

    /// A question changes nothing: one that is answered too late is asked anew.
    template <class Answer, class Question>
    [[nodiscard]] Result<Answer> ask(const std::string& name, Answer otherwise, Question question) {
        const auto answer = std::make_shared<Result<Answer>>(otherwise);
        const Done over = call(name, name, [answer, question](Control& control) -> Done {
            *answer = question(control);
            return fail(ErrorCode::failed, "asked anew each time");
        });
        const bool in_time = !over && over.error().code == ErrorCode::failed;
        return in_time ? *answer : otherwise;
    }

    /// What came of it, if that is known within the limit.
    [[nodiscard]] Done call(std::string_view key, std::string_view run, Callback<Done(Control&)> what) {
        std::unique_lock one{state_->lock};
        auto mine = state_->calls.find(key);
        if (mine != state_->calls.end() && mine->second.answer) {
            if (*mine->second.answer) return *mine->second.answer;
            state_->calls.erase(mine);
            mine = state_->calls.end();
        }
        if (mine == state_->calls.end()) {
            if (auto begun = begin(key, run, std::move(what)); !begun) return tl::unexpected<Error>(begun.error());
            mine = state_->calls.find(key);
        }
        const bool is_over = state_->changed.wait_until(one, mine->second.began + patience_.limit,
                                                        [&] { return mine->second.answer.has_value(); });
        if (!is_over)
            return fail(ErrorCode::timed_out,
                        text::concat("no answer within ", text::spoken(patience_.limit), "; the call is not over"));
        Done answer = std::move(*mine->second.answer);
        state_->calls.erase(mine);
        return answer;
    }

    [[nodiscard]] Result<void> begin(std::string_view key, std::string_view run, Callback<Done(Control&)> what) {
        State& state = *state_;
        for (const auto& [other, each] : state.calls)
            if (!each.answer && each.run == run)
                return fail(ErrorCode::failed, text::concat("an earlier call about it, `", other, "`, is not over"));
        if (state.running >= std::max<std::size_t>(patience_.hanging, 1))
            return fail(ErrorCode::busy, text::concat(std::to_string(state.running), " calls are not over"));
        for (auto each = state.calls.begin(); state.calls.size() >= most_calls;)
            each = each->second.answer ? state.calls.erase(each) : std::next(each);
        std::thread{[state = state_, name = std::string{key}, what = std::move(what)] {
            Done answer =
                detail::guarded(ErrorCode::timed_out, "the agent control", [&] { return what(*state->control); });
            const std::lock_guard one{state->lock};
            state->calls[name].answer = std::move(answer);
            --state->running;
            state->changed.notify_all();
        }}.detach();
        state.calls[std::string{key}] = {std::string{run}, std::chrono::steady_clock::now(), std::nullopt};
        ++state.running;
        return {};
    }

    ControlPatience patience_;
    std::shared_ptr<State> state_;
};

}  // namespace heeler::inline HEELER_ABI
