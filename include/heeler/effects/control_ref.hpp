// Asks an agent control, whatever its type, for the verbs that it has; what it lacks is answered with `unsupported`.
#pragma once

#include <concepts>
#include <exception>
#include <string>
#include <string_view>

#include <heeler/core/action.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline v0 {

/// A reference to an agent control of any type. Its verbs are looked up at compile time, where it is made; the control
/// must outlive it. Verbs are called from the thread that delivers, one at a time. What a control throws is a failure.
class ControlRef {
public:
    ControlRef() = default;

    template <class Control>
    explicit ControlRef(Control& control)
        : control_{&control},
          act_{&ask<Control>},
          find_{&look<Control>},
          prove_{&prove<Control>},
          repeatable_{&can_repeat<Control>} {}

    [[nodiscard]] bool present() const noexcept { return control_ != nullptr; }

    [[nodiscard]] Result<ActionDone> act(ActionKind kind, const ActionRequest& request) const {
        if (!present()) return fail(ErrorCode::unsupported, "no agent control was given to the watchdog");
        return act_(control_, kind, request);
    }

    /// Whether the action with this key took effect; `unsupported` if the control cannot look.
    [[nodiscard]] Result<Found> find(std::string_view key) const {
        if (!present()) return fail(ErrorCode::unsupported, "no agent control was given to the watchdog");
        return find_(control_, key);
    }

    /// Whether the run's agent is seen to have stopped; `unsupported` if the control cannot look.
    [[nodiscard]] Result<StopProof> prove_stopped(std::string_view run) const {
        if (!present()) return fail(ErrorCode::unsupported, "no agent control was given to the watchdog");
        return prove_(control_, run);
    }

    /// Whether a repeated key is harmless.
    [[nodiscard]] bool idempotent() const { return present() && repeatable_(control_); }

private:
    template <class Ask>
    static auto guarded(Ask&& ask_it) -> decltype(ask_it()) {
        try {
            return ask_it();
        } catch (const std::exception& error) {
            return fail(ErrorCode::failed, std::string{"the agent control threw: "} + error.what());
        } catch (...) {
            return fail(ErrorCode::failed, "the agent control threw something that is no std::exception");
        }
    }

    static tl::unexpected<Error> lacks(std::string_view verb) {
        return fail(ErrorCode::unsupported, "the agent control has no verb `" + std::string{verb} + "`");
    }

    template <class Control>
    static Result<ActionDone> ask(void* self, ActionKind kind, const ActionRequest& request) {
        auto& control = *static_cast<Control*>(self);
        return guarded([&]() -> Result<ActionDone> {
            switch (kind) {
                case ActionKind::nudge:
                case ActionKind::break_pattern:
                case ActionKind::steer:
                    if constexpr (requires { control.inject(request); })
                        return control.inject(request);
                    else
                        return lacks("inject");
                case ActionKind::pause:
                    if constexpr (requires { control.pause(request); })
                        return control.pause(request);
                    else
                        return lacks("pause");
                case ActionKind::resume:
                    if constexpr (requires { control.resume(request); })
                        return control.resume(request);
                    else
                        return lacks("resume");
                case ActionKind::isolate:
                    if constexpr (requires { control.isolate(request); })
                        return control.isolate(request);
                    else
                        return lacks("isolate");
                case ActionKind::snapshot:
                    if constexpr (requires { control.snapshot(request); })
                        return control.snapshot(request);
                    else
                        return lacks("snapshot");
                case ActionKind::terminate:
                    if constexpr (requires { control.terminate(request); })
                        return control.terminate(request);
                    else
                        return lacks("terminate");
                case ActionKind::spawn:
                    if constexpr (requires { control.spawn(request); })
                        return control.spawn(request);
                    else
                        return lacks("spawn");
                case ActionKind::abandon:
                case ActionKind::mark_failed:
                    if constexpr (requires { control.retire(request, RunState::failed); })
                        return control.retire(request,
                                              kind == ActionKind::abandon ? RunState::abandoned : RunState::failed);
                    else
                        return lacks("retire");
                case ActionKind::escalate:
                case ActionKind::file_issue:
                    break;
            }
            return lacks(name_of(kind));
        });
    }

    template <class Control>
    static Result<Found> look(void* self, std::string_view key) {
        auto& control = *static_cast<Control*>(self);
        if constexpr (requires { control.find(key); })
            return guarded([&]() -> Result<Found> { return control.find(key); });
        else
            return lacks("find");
    }

    template <class Control>
    static Result<StopProof> prove(void* self, std::string_view run) {
        auto& control = *static_cast<Control*>(self);
        if constexpr (requires { control.prove_stopped(run); })
            return guarded([&]() -> Result<StopProof> { return control.prove_stopped(run); });
        else
            return lacks("prove_stopped");
    }

    template <class Control>
    static bool can_repeat(void* self) {
        auto& control = *static_cast<Control*>(self);
        if constexpr (requires {
                          { control.idempotent() } -> std::convertible_to<bool>;
                      })
            return control.idempotent();
        else if constexpr (requires {
                               { Control::idempotent } -> std::convertible_to<bool>;
                           })
            return Control::idempotent;
        else
            return false;
    }

    void* control_ = nullptr;
    Result<ActionDone> (*act_)(void*, ActionKind, const ActionRequest&) = nullptr;
    Result<Found> (*find_)(void*, std::string_view) = nullptr;
    Result<StopProof> (*prove_)(void*, std::string_view) = nullptr;
    bool (*repeatable_)(void*) = nullptr;
};

/// How an answer of an agent control counts.
[[nodiscard]] inline ActionOutcome outcome_of(const Result<ActionDone>& answer) noexcept {
    if (answer) return ActionOutcome::done;
    switch (answer.error().code) {
        case ErrorCode::rejected:
            return ActionOutcome::rejected;
        case ErrorCode::unsupported:
            return ActionOutcome::unsupported;
        case ErrorCode::timed_out:
            return ActionOutcome::unknown;
        case ErrorCode::ended:
            return ActionOutcome::ended;
        default:
            return ActionOutcome::failed;
    }
}

}  // namespace heeler::inline v0
