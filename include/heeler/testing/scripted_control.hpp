// An agent control without an agent: it keeps what it is asked for and answers as told. For tests, replays, dry runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/action.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

/// How a verb is to answer.
enum class ControlAnswer : std::uint8_t {
    ok,
    fail,
    reject,            ///< the agent refused
    unsupported,       ///< the agent has no such verb
    timeout_but_done,  ///< it happened, but the answer never came
    ended,             ///< the run turned out to be over
};

inline constexpr std::array<std::string_view, 6> control_answer_names{
    "ok", "fail", "reject", "unsupported", "timeout_but_done", "ended"};

/// A handle on a shared script: copies share it, so a test keeps one and gives the other to the `Watchdog`. Every verb
/// answers `ok` at first; `find` and `prove_stopped` are unsupported. May be used from any thread.
class ScriptedControl {
public:
    /// One thing that was asked for, whatever was answered.
    struct Request {
        ControlVerb verb = ControlVerb::inject;
        std::string run;
        std::string key;
        std::string text;
        std::uint32_t attempt = 0;
        MessageKind message = MessageKind::reason;
        Boundary boundary = Boundary::now;
    };

    ScriptedControl() : state_{std::make_shared<State>()} {}

    /// How a verb answers from now on.
    void answer(ControlVerb verb, ControlAnswer with) {
        const std::lock_guard lock{state_->mutex};
        state_->answers[static_cast<std::size_t>(verb)] = with;
    }
    void answer_find(Result<Found> with) {
        const std::lock_guard lock{state_->mutex};
        state_->find = std::move(with);
    }
    void answer_prove_stopped(Result<StopProof> with) {
        const std::lock_guard lock{state_->mutex};
        state_->prove_stopped = std::move(with);
    }
    /// Whether a repeated key is harmless.
    void set_idempotent(bool idempotent) {
        const std::lock_guard lock{state_->mutex};
        state_->idempotent = idempotent;
    }

    [[nodiscard]] bool idempotent() const {
        const std::lock_guard lock{state_->mutex};
        return state_->idempotent;
    }
    [[nodiscard]] Result<ActionDone> inject(const ActionRequest& asked) { return act(ControlVerb::inject, asked); }
    [[nodiscard]] Result<ActionDone> pause(const ActionRequest& asked) { return act(ControlVerb::pause, asked); }
    [[nodiscard]] Result<ActionDone> resume(const ActionRequest& asked) { return act(ControlVerb::resume, asked); }
    [[nodiscard]] Result<ActionDone> isolate(const ActionRequest& asked) { return act(ControlVerb::isolate, asked); }
    [[nodiscard]] Result<ActionDone> snapshot(const ActionRequest& asked) { return act(ControlVerb::snapshot, asked); }
    [[nodiscard]] Result<ActionDone> terminate(const ActionRequest& asked) {
        return act(ControlVerb::terminate, asked);
    }
    [[nodiscard]] Result<ActionDone> spawn(const ActionRequest& asked) { return act(ControlVerb::spawn, asked); }
    [[nodiscard]] Result<Found> find(std::string_view) const {
        const std::lock_guard lock{state_->mutex};
        return state_->find;
    }
    [[nodiscard]] Result<StopProof> prove_stopped(std::string_view) const {
        const std::lock_guard lock{state_->mutex};
        return state_->prove_stopped;
    }

    /// Everything asked for, oldest first.
    [[nodiscard]] std::vector<Request> requests() const {
        const std::lock_guard lock{state_->mutex};
        return state_->requests;
    }

    void clear() {
        const std::lock_guard lock{state_->mutex};
        state_->requests.clear();
    }

private:
    struct State {
        std::mutex mutex;
        std::array<ControlAnswer, control_verb_names.size()> answers{};
        Result<Found> find = heeler::fail(ErrorCode::unsupported, "find: not in the script");
        Result<StopProof> prove_stopped = heeler::fail(ErrorCode::unsupported, "prove_stopped: not in the script");
        bool idempotent = false;
        std::vector<Request> requests;
    };

    Result<ActionDone> act(ControlVerb verb, const ActionRequest& asked) {
        const std::lock_guard lock{state_->mutex};
        state_->requests.push_back({verb, std::string{asked.run}, std::string{asked.key}, std::string{asked.text},
                                    asked.attempt, asked.message, asked.boundary});
        const ControlAnswer with = state_->answers[static_cast<std::size_t>(verb)];
        if (with == ControlAnswer::ok) return ActionDone{};
        constexpr std::array codes{ErrorCode::failed,      ErrorCode::failed,    ErrorCode::rejected,
                                   ErrorCode::unsupported, ErrorCode::timed_out, ErrorCode::ended};
        const auto index = static_cast<std::size_t>(with);
        return heeler::fail(codes[index], std::string{control_verb_names[static_cast<std::size_t>(verb)]} + ": " +
                                              std::string{control_answer_names[index]} + ", as scripted");
    }

    std::shared_ptr<State> state_;
};

}  // namespace heeler::inline HEELER_ABI
