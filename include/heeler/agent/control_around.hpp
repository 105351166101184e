// What goes around an agent control: it has the verbs of the inner one.
#pragma once

#include <string_view>

#include <heeler/core/action.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Passes each verb on. What derives from it declares those that it changes, with the same requirement.
template <class Control>
class ControlAround {
public:
    explicit ControlAround(Control& control) : control_{&control} { static_assert(check_control<Control>()); }

    [[nodiscard]] Result<ActionDone> inject(const ActionRequest& asked) requires Has_inject<Control> {
        return control_->inject(asked);
    }
    [[nodiscard]] Result<ActionDone> pause(const ActionRequest& asked) requires Has_pause<Control> {
        return control_->pause(asked);
    }
    [[nodiscard]] Result<ActionDone> resume(const ActionRequest& asked) requires Has_resume<Control> {
        return control_->resume(asked);
    }
    [[nodiscard]] Result<ActionDone> isolate(const ActionRequest& asked) requires Has_isolate<Control> {
        return control_->isolate(asked);
    }
    [[nodiscard]] Result<ActionDone> snapshot(const ActionRequest& asked) requires Has_snapshot<Control> {
        return control_->snapshot(asked);
    }
    [[nodiscard]] Result<ActionDone> terminate(const ActionRequest& asked) requires Has_terminate<Control> {
        return control_->terminate(asked);
    }
    [[nodiscard]] Result<ActionDone> spawn(const ActionRequest& asked) requires Has_spawn<Control> {
        return control_->spawn(asked);
    }
    [[nodiscard]] Result<ActionDone> retire(const ActionRequest& asked, RunState how) requires Has_retire<Control> {
        return control_->retire(asked, how);
    }
    [[nodiscard]] Result<Found> find(std::string_view key) requires Has_find<Control> { return control_->find(key); }
    [[nodiscard]] Result<StopProof> prove_stopped(std::string_view run) requires Has_prove_stopped<Control> {
        return control_->prove_stopped(run);
    }
    [[nodiscard]] bool idempotent() const { return is_idempotent(*control_); }

protected:
    Control* control_;
};

}  // namespace heeler::inline HEELER_ABI::detail
