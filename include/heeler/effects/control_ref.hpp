// Asks an agent control, whatever its type, for the verbs that it has; what it lacks is answered with `unsupported`.
#pragma once

#include <string>
#include <string_view>

#include <heeler/core/action.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What carries out an action, by its name and in the table of a control.
struct VerbOfAction {
    std::string_view name;
    ControlCall ControlVerbs::*call = nullptr;  ///< null: nothing that only asks
};

[[nodiscard]] constexpr VerbOfAction verb_of(ActionKind kind) noexcept {
    if (is_injection(kind)) return {"inject", &ControlVerbs::inject};
    if (is_record_only(kind)) return {"retire"};
    if (kind == ActionKind::pause) return {"pause", &ControlVerbs::pause};
    if (kind == ActionKind::resume) return {"resume", &ControlVerbs::resume};
    if (kind == ActionKind::isolate) return {"isolate", &ControlVerbs::isolate};
    if (kind == ActionKind::snapshot) return {"snapshot", &ControlVerbs::snapshot};
    if (kind == ActionKind::terminate) return {"terminate", &ControlVerbs::terminate};
    if (kind == ActionKind::spawn) return {"spawn", &ControlVerbs::spawn};
    if (kind == ActionKind::review) return {"review", &ControlVerbs::review};
    if (kind == ActionKind::wake) return {"wake", &ControlVerbs::wake};
    if (kind == ActionKind::block) return {"block", &ControlVerbs::block};
    return {name_of(kind)};
}

/// A reference to an agent control of any type. Its verbs are looked up at compile time, where it is made; the control
/// must outlive it. Verbs are called from the thread that delivers, one at a time.
class ControlRef {
public:
    ControlRef() = default;

    template <class Control>
    explicit ControlRef(Control& control) : control_{&control}, verbs_{&control_verbs<Control>} {}

    [[nodiscard]] bool present() const noexcept { return control_ != nullptr; }

    /// Whether the control has the verb of an action; what it answers is another matter.
    [[nodiscard]] bool has(ActionKind kind) const {
        const auto call = verb_of(kind).call;
        return present() && call != nullptr && verbs_->*call != nullptr;
    }

    [[nodiscard]] Result<ActionDone> act(ActionKind kind, const ActionRequest& request) const {
        if (!present()) return absent();
        const auto call = [&]() -> Result<ActionDone> {
            if (has(kind)) return (verbs_->*verb_of(kind).call)(control_, request);
            const bool retires = kind == ActionKind::abandon || kind == ActionKind::mark_failed;
            if (!retires || verbs_->retire == nullptr) return lacks(verb_of(kind).name);
            return verbs_->retire(control_, request,
                                  kind == ActionKind::abandon ? RunState::abandoned : RunState::failed);
        };
        return detail::guarded(ErrorCode::timed_out, "the agent control", call);  // who knows how far it came
    }

    /// Whether the action with this key took effect; `unsupported` if the control cannot look.
    [[nodiscard]] Result<Found> find(std::string_view key) const {
        if (!present()) return absent();
        if (verbs_->find == nullptr) return lacks("find");
        return detail::guarded(ErrorCode::failed, "the agent control", [&] { return verbs_->find(control_, key); });
    }

    /// Whether the run's agent is seen to have stopped; `unsupported` if the control cannot look.
    [[nodiscard]] Result<StopProof> prove_stopped(std::string_view run) const {
        if (!present()) return absent();
        if (verbs_->prove_stopped == nullptr) return lacks("prove_stopped");
        return detail::guarded(ErrorCode::failed, "the agent control",
                               [&] { return verbs_->prove_stopped(control_, run); });
    }

    /// Whether a repeated key is harmless.
    [[nodiscard]] bool idempotent() const { return present() && verbs_->idempotent(control_); }

private:
    static tl::unexpected<Error> absent() {
        return fail(ErrorCode::unsupported, "no agent control was given to the watchdog");
    }
    static tl::unexpected<Error> lacks(std::string_view verb) {
        return fail(ErrorCode::unsupported, "the agent control has no verb `" + std::string{verb} + "`");
    }

    void* control_ = nullptr;
    const ControlVerbs* verbs_ = nullptr;
};

[[nodiscard]] inline ActionOutcome outcome_of(const Result<ActionDone>& answer) noexcept {
    return answer ? ActionOutcome::done : heeler::outcome_of(answer.error().code);
}

}  // namespace heeler::inline HEELER_ABI::detail
