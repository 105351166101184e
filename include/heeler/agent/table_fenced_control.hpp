// Wraps an agent control so that a continuation is started only after the run was claimed in the table of its agents.
#pragma once

#include <string>
#include <string_view>

#include <heeler/agent/sql/agent_claim.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/agent_control.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

/// An agent control whose `spawn` first raises the run's attempt in `Table` (`SqliteAgentTable`, `PostgresAgentTable`):
/// the agent that is replaced changes 0 rows from then on. If something moved since the verdict, nobody is started. The
/// new agent's statements are appended to its brief. A spawn that certainly started nobody gives the run back; a run
/// that is terminated or given up has its row retired. All other verbs are the inner control's own; it and the table
/// must outlive this.
template <class Table, class Control>
class TableFencedControl {
public:
    TableFencedControl(Table& table, Control& control) : table_{&table}, control_{&control} {
        static_assert(check_control<Control>());
    }

    /// `rejected`: something moved. `ended`: the run is completed. `busy`: the table did not answer, so nobody was
    /// started; asked again under the same key, it says what became of the claim. `timed_out`: an agent may have been
    /// started, by this call or by another watchdog that claimed under the same key. Otherwise what the inner control
    /// answers; the run is given back only where that is certainly nothing.
    [[nodiscard]] Result<ActionDone> spawn(const ActionRequest& asked) requires detail::Has_spawn<Control> {
        const auto ticket = table_->claim(asked, idempotent());
        if (!ticket) return tl::unexpected<Error>(unclaimed(ticket.error()));
        const std::string text = std::string{asked.text} + "\n" + table_->prompt(*ticket);
        ActionRequest request = asked;
        request.text = text;
        auto answer =
            detail::guarded(ErrorCode::timed_out, "the agent control", [&] { return control_->spawn(request); });
        if (answer || !says_nothing_happened(answer.error().code)) return answer;
        if (asked.repeated) return fail(ErrorCode::timed_out, answer.error().message);
        const auto released = table_->release(asked.run, asked.key, asked.asker);
        if (!released) answer.error().message += " (and not given back: " + released.error().message + ")";
        if (released && !*released)
            return fail(ErrorCode::timed_out,
                        answer.error().message + " (but an agent works, or may be started by another watchdog)");
        return answer;
    }

    [[nodiscard]] Result<ActionDone> terminate(const ActionRequest& asked) requires detail::Has_terminate<Control> {
        auto answer = control_->terminate(asked);
        if (!answer) return answer;
        if (const auto retired = table_->retire(asked.run, RunState::terminated, asked.fence); !retired)
            answer->note += " (its row was not retired: " + retired.error().message + ")";
        return answer;
    }

    /// The watchdog gave the run up: its agents' statements change 0 rows from now on.
    [[nodiscard]] Result<ActionDone> retire(const ActionRequest& asked, RunState how) {
        if (const auto retired = table_->retire(asked.run, how, asked.fence); !retired)
            return tl::unexpected<Error>(retired.error());
        if constexpr (detail::Has_retire<Control>)
            return control_->retire(asked, how);
        else
            return ActionDone{};
    }

    [[nodiscard]] Result<ActionDone> inject(const ActionRequest& asked) requires detail::Has_inject<Control> {
        return control_->inject(asked);
    }

    [[nodiscard]] Result<ActionDone> pause(const ActionRequest& asked) requires detail::Has_pause<Control> {
        return control_->pause(asked);
    }

    [[nodiscard]] Result<ActionDone> resume(const ActionRequest& asked) requires detail::Has_resume<Control> {
        return control_->resume(asked);
    }

    [[nodiscard]] Result<ActionDone> isolate(const ActionRequest& asked) requires detail::Has_isolate<Control> {
        return control_->isolate(asked);
    }

    [[nodiscard]] Result<ActionDone> snapshot(const ActionRequest& asked) requires detail::Has_snapshot<Control> {
        return control_->snapshot(asked);
    }

    /// What was never claimed was never started. What somebody else claimed, and the inner control does not find, may
    /// be started yet.
    [[nodiscard]] Result<Found> find(std::string_view key) {
        Result<Found> inner = Found::unknown;
        if constexpr (detail::Has_find<Control>) inner = control_->find(key);
        if (inner && *inner == Found::found) return inner;
        const auto claimer = table_->claimer(key);
        if (!claimer) return tl::unexpected<Error>(claimer.error());
        if (*claimer == AgentClaimer::nobody) return Found::absent;
        return *claimer == AgentClaimer::we ? inner : Found::unknown;
    }

    [[nodiscard]] Result<StopProof> prove_stopped(std::string_view run) requires detail::Has_prove_stopped<Control> {
        return control_->prove_stopped(run);
    }

    /// A claim under the same key is harmless; the rest is the inner control's word.
    [[nodiscard]] bool idempotent() const { return detail::is_idempotent(*control_); }

private:
    [[nodiscard]] static bool says_nothing_happened(ErrorCode code) noexcept {
        const ActionOutcome outcome = outcome_of(code);
        return outcome != ActionOutcome::unknown && outcome != ActionOutcome::intended;
    }

    /// Only an answer that came from the row says what became of a claim.
    [[nodiscard]] static Error unclaimed(Error error) {
        if (error.code == ErrorCode::unknown_run) error.code = ErrorCode::rejected;
        const bool from_row =
            says_nothing_happened(error.code) || error.code == ErrorCode::timed_out || error.code == ErrorCode::fenced;
        if (!from_row) error.code = ErrorCode::busy;
        return error;
    }

    Table* table_;
    Control* control_;
};

}  // namespace heeler::inline HEELER_ABI
