// Asks an agent control, whatever its type, for the verbs that it has; what it lacks is answered with `unsupported`.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include <heeler/core/action.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

// A member of the name, whatever its type; and one that is what the engine calls.
#define HEELER_VERB(verb, Answer, Argument)                         \
    template <class T>                                              \
    concept Names_##verb = requires {                               \
        &T::verb;                                                   \
    };                                                              \
    template <class T>                                              \
    concept Has_##verb = requires(T & control, Argument argument) { \
        { control.verb(argument) } -> std::same_as<Result<Answer>>; \
    };
HEELER_VERB(inject, ActionDone, const ActionRequest&)
HEELER_VERB(pause, ActionDone, const ActionRequest&)
HEELER_VERB(resume, ActionDone, const ActionRequest&)
HEELER_VERB(isolate, ActionDone, const ActionRequest&)
HEELER_VERB(snapshot, ActionDone, const ActionRequest&)
HEELER_VERB(terminate, ActionDone, const ActionRequest&)
HEELER_VERB(spawn, ActionDone, const ActionRequest&)
HEELER_VERB(review, ActionDone, const ActionRequest&)
HEELER_VERB(wake, ActionDone, const ActionRequest&)
HEELER_VERB(block, ActionDone, const ActionRequest&)
HEELER_VERB(find, Found, std::string_view)
HEELER_VERB(prove_stopped, StopProof, std::string_view)
#undef HEELER_VERB

template <class T>
concept Names_retire = requires {
    &T::retire;
};
template <class T>
concept Has_retire = requires(T& control, const ActionRequest& asked) {
    { control.retire(asked, RunState::failed) } -> std::same_as<Result<ActionDone>>;
};

// What is written by mistake for one of them.
template <class T>
concept Names_misspelt_verb = requires {
    &T::Inject;
}
|| requires { &T::injection; }
|| requires { &T::injct; }
|| requires { &T::inejct; }
|| requires { &T::Pause; }
|| requires { &T::puase; }
|| requires { &T::suspend; }
|| requires { &T::Resume; }
|| requires { &T::resmue; }
|| requires { &T::Isolate; }
|| requires { &T::Snapshot; }
|| requires { &T::snap_shot; }
|| requires { &T::snapShot; }
|| requires { &T::snaphot; }
|| requires { &T::Terminate; }
|| requires { &T::terminat; }
|| requires { &T::terminte; }
|| requires { &T::termiante; }
|| requires { &T::kill; }
|| requires { &T::Spawn; }
|| requires { &T::spwan; }
|| requires { &T::Find; }
|| requires { &T::proveStopped; }
|| requires { &T::prove_stop; }
|| requires { &T::proof_stopped; }
|| requires { &T::Retire; };

}  // namespace detail

/// What a watchdog may do to agents: at least one of these verbs, with these signatures; what is absent makes its
/// action `unsupported`.
template <class T>
concept AgentControlLike = detail::Has_inject<T> || detail::Has_pause<T> || detail::Has_resume<T> ||
    detail::Has_isolate<T> || detail::Has_snapshot<T> || detail::Has_terminate<T> || detail::Has_spawn<T> ||
    detail::Has_find<T> || detail::Has_prove_stopped<T> || detail::Has_retire<T>;

template <class T>
consteval bool check_control() {
    using C = std::remove_reference_t<T>;
#define HEELER_VERB_CHECK(verb, Answer, Argument)                                                                  \
    static_assert(detail::Has_##verb<C> || !detail::Names_##verb<C>,                                               \
                  "heeler: the verb `" #verb "` of an AgentControl is `heeler::Result<heeler::" #Answer "> " #verb \
                  "(" Argument ")` (README: Write an agent control)")
    HEELER_VERB_CHECK(inject, ActionDone, "const heeler::ActionRequest&");
    HEELER_VERB_CHECK(pause, ActionDone, "const heeler::ActionRequest&");
    HEELER_VERB_CHECK(resume, ActionDone, "const heeler::ActionRequest&");
    HEELER_VERB_CHECK(isolate, ActionDone, "const heeler::ActionRequest&");
    HEELER_VERB_CHECK(snapshot, ActionDone, "const heeler::ActionRequest&");
    HEELER_VERB_CHECK(terminate, ActionDone, "const heeler::ActionRequest&");
    HEELER_VERB_CHECK(spawn, ActionDone, "const heeler::ActionRequest&");
    HEELER_VERB_CHECK(find, Found, "std::string_view key");
    HEELER_VERB_CHECK(prove_stopped, StopProof, "std::string_view run");
    HEELER_VERB_CHECK(retire, ActionDone, "const heeler::ActionRequest&, heeler::RunState");
#undef HEELER_VERB_CHECK
    static_assert(!detail::Names_misspelt_verb<C>,
                  "heeler: an AgentControl's verbs are `inject pause resume isolate snapshot terminate prove_stopped "
                  "spawn find retire`; one of this type's is misspelt (README: Write an agent control)");
    static_assert(AgentControlLike<C> || detail::Names_misspelt_verb<C>,
                  "heeler: an AgentControl needs at least one of the verbs `inject pause resume isolate snapshot "
                  "terminate prove_stopped spawn find retire` (README: Write an agent control)");
    return true;
}

namespace detail {

/// A reference to an agent control of any type. Its verbs are looked up at compile time, where it is made; the control
/// must outlive it. Verbs are called from the thread that delivers, one at a time.
class ControlRef {
public:
    ControlRef() = default;

    template <class Control>
    explicit ControlRef(Control& control)
        : control_{&control},
          act_{&ask<Control>},
          find_{&look<Control>},
          prove_{&prove<Control>},
          has_{&knows<Control>},
          repeatable_{&can_repeat<Control>} {}

    [[nodiscard]] bool present() const noexcept { return control_ != nullptr; }

    /// Whether the control has the verb of an action; what it answers is another matter.
    [[nodiscard]] bool has(ActionKind kind) const { return present() && has_(kind); }

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
        return detail::guarded(ErrorCode::failed, "the agent control", ask_it);
    }

    static tl::unexpected<Error> lacks(std::string_view verb) {
        return fail(ErrorCode::unsupported, "the agent control has no verb `" + std::string{verb} + "`");
    }

    template <class Control>
    static bool knows(ActionKind kind) {
        if (is_injection(kind)) return detail::Has_inject<Control>;
        if (kind == ActionKind::pause) return detail::Has_pause<Control>;
        if (kind == ActionKind::isolate) return detail::Has_isolate<Control>;
        if (kind == ActionKind::snapshot) return detail::Has_snapshot<Control>;
        if (kind == ActionKind::terminate) return detail::Has_terminate<Control>;
        return kind == ActionKind::spawn && detail::Has_spawn<Control>;
    }

    template <class Control>
    static Result<ActionDone> ask(void* self, ActionKind kind, const ActionRequest& request) {
        auto& control = *static_cast<Control*>(self);
        const auto call = [&]() -> Result<ActionDone> {
            switch (kind) {
                case ActionKind::nudge:
                case ActionKind::break_pattern:
                case ActionKind::steer:
                    if constexpr (detail::Has_inject<Control>)
                        return control.inject(request);
                    else
                        return lacks("inject");
                case ActionKind::pause:
                    if constexpr (detail::Has_pause<Control>)
                        return control.pause(request);
                    else
                        return lacks("pause");
                case ActionKind::resume:
                    if constexpr (detail::Has_resume<Control>)
                        return control.resume(request);
                    else
                        return lacks("resume");
                case ActionKind::isolate:
                    if constexpr (detail::Has_isolate<Control>)
                        return control.isolate(request);
                    else
                        return lacks("isolate");
                case ActionKind::snapshot:
                    if constexpr (detail::Has_snapshot<Control>)
                        return control.snapshot(request);
                    else
                        return lacks("snapshot");
                case ActionKind::terminate:
                    if constexpr (detail::Has_terminate<Control>)
                        return control.terminate(request);
                    else
                        return lacks("terminate");
                case ActionKind::spawn:
                    if constexpr (detail::Has_spawn<Control>)
                        return control.spawn(request);
                    else
                        return lacks("spawn");
                case ActionKind::abandon:
                case ActionKind::mark_failed:
                    if constexpr (detail::Has_retire<Control>)
                        return control.retire(request,
                                              kind == ActionKind::abandon ? RunState::abandoned : RunState::failed);
                    else
                        return lacks("retire");
                case ActionKind::review:
                    if constexpr (detail::Has_review<Control>)
                        return control.review(request);
                    else
                        return lacks("review");
                case ActionKind::wake:
                    if constexpr (detail::Has_wake<Control>)
                        return control.wake(request);
                    else
                        return lacks("wake");
                case ActionKind::block:
                    if constexpr (detail::Has_block<Control>)
                        return control.block(request);
                    else
                        return lacks("block");
                case ActionKind::escalate:
                case ActionKind::file_issue:
                case ActionKind::clear:
                    break;
            }
            return lacks(name_of(kind));
        };
        return detail::guarded(ErrorCode::timed_out, "the agent control", call);  // who knows how far it came
    }

    template <class Control>
    static Result<Found> look(void* self, std::string_view key) {
        auto& control = *static_cast<Control*>(self);
        if constexpr (detail::Has_find<Control>)
            return guarded([&]() -> Result<Found> { return control.find(key); });
        else
            return lacks("find");
    }

    template <class Control>
    static Result<StopProof> prove(void* self, std::string_view run) {
        auto& control = *static_cast<Control*>(self);
        if constexpr (detail::Has_prove_stopped<Control>)
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
    bool (*has_)(ActionKind) = nullptr;
    bool (*repeatable_)(void*) = nullptr;
};

[[nodiscard]] inline ActionOutcome outcome_of(const Result<ActionDone>& answer) noexcept {
    return answer ? ActionOutcome::done : heeler::outcome_of(answer.error().code);
}

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI
