// Wraps an agent control so that a continuation is started only after the run was claimed in the table of its agents.
#pragma once

#include <string>
#include <string_view>

#include <heeler/agent/control_around.hpp>
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
class TableFencedControl : public detail::ControlAround<Control> {
public:
    TableFencedControl(Table& table, Control& control) : detail::ControlAround<Control>{control}, table_{&table} {}

    /// `rejected`: something moved. `ended`: the run is completed. `busy`: the table did not answer, so nobody was
    /// started; asked again under the same key, it says what became of the claim. `timed_out`: an agent may have been
    /// started, by this call or by another watchdog that claimed under the same key. Otherwise what the inner control
    /// answers; the run is given back only where that is certainly nothing.
    [[nodiscard]] Result<ActionDone> spawn(const ActionRequest& asked) requires detail::Has_spawn<Control> {
        const auto ticket = table_->claim(asked, this->idempotent());  // a claim under the same key is harmless
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

private:
    using detail::ControlAround<Control>::control_;

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
};

}  // namespace heeler::inline HEELER_ABI
