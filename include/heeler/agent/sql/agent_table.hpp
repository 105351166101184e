// The table `agent_progress`, through which agents that have nothing but SQL take part: what is common to all
// databases. Use `SqliteAgentTable` or `PostgresAgentTable`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <heeler/agent/sql/agent_claim.hpp>
#include <heeler/agent/sql/agent_database.hpp>
#include <heeler/agent/sql/agent_prompt.hpp>
#include <heeler/agent/sql/agent_row.hpp>
#include <heeler/agent/sql/agent_task.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/callback.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/source.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI {

/// A `GroupSourceLike` over the rows, and the only writer of what agents must not write: which attempt is the current
/// one, whether the run is over. Ages are computed by the database's clock. Any thread; the constructor does no I/O.
/// Must outlive the watchdog that reads it.
template <detail::AgentLink Link>
class AgentTable {
public:
    /// `checkpoint_every`: what agents are told, and how long after a checkpoint nobody is replaced. 1 s to 24 h.
    AgentTable(Link link, Duration checkpoint_every) : database_{std::move(link)}, every_{checkpoint_every} {}

    [[nodiscard]] Duration checkpoint_every() const noexcept { return every_; }

    /// Where the host keeps the text of its work: asked for a row without a `work_item` of its own that has a
    /// `queue_item_id`, when the run is first listed. Empty: it has none. Set it before the watchdog reads the table;
    /// it is called from the thread that ticks, must not call the table, and throw nothing.
    void work_items(Callback<std::string(std::string_view queue_item_id)> text_of) {
        const std::lock_guard guard{mutex_};
        text_of_ = std::move(text_of);
    }

    /// Creates the run's row, or leaves it as it is: no steps, attempt 1, in progress, a random token. Answers what
    /// its agent needs. Until the first checkpoint age counts from here: call it when the agent is about to start.
    [[nodiscard]] Result<AgentTicket> enlist(std::string_view run) {
        if (const auto valid = check_run_id(run); !valid) return tl::unexpected<Error>(valid.error());
        const std::lock_guard guard{mutex_};
        if (const auto ready = open(); !ready) return tl::unexpected<Error>(ready.error());
        if (const auto done = database_.insert(run); !done) return tl::unexpected<Error>(done.error());
        return ticket(run);
    }

    /// The runs of the rows that are not over, for `ListedAgents`: queued, in progress, or waiting for a person.
    [[nodiscard]] Result<std::vector<std::string>> in_progress() {
        const std::lock_guard guard{mutex_};
        if (const auto ready = open(); !ready) return tl::unexpected<Error>(ready.error());
        return database_.in_progress();
    }

    /// What the rows of these runs say of their work, for `ListedAgents`: name, task, work item and plan.
    [[nodiscard]] Result<std::vector<RunSpec>> describe(const std::vector<std::string>& runs) {
        const std::lock_guard guard{mutex_};
        if (const auto ready = open(); !ready) return tl::unexpected<Error>(ready.error());
        auto tasks = database_.describe(runs);
        if (!tasks) return tl::unexpected<Error>(std::move(tasks.error()));
        std::vector<RunSpec> specs;
        const detail::AgentWords words = database_.words();
        for (detail::AgentTask& task : *tasks) {
            const bool asks = text_of_ && task.queue_item_id && !task.work_item && task.work_item_size == 0;
            std::string text = asks ? text_of_(*task.queue_item_id) : std::string{};
            if (!text.empty()) task.give_work(std::move(text));
            specs.push_back(detail::spec_of(std::move(task), words));
        }
        return specs;
    }

    /// What is new in the rows of these runs, in their order. An error in one answer concerns that run alone.
    [[nodiscard]] Result<std::vector<PolledRun>> poll(std::span<const RunCursor> runs) {
        const std::lock_guard guard{mutex_};
        if (const auto ready = open(); !ready) return tl::unexpected<Error>(ready.error());
        std::vector<std::string> names;
        for (const RunCursor& run : runs) names.push_back(text::sanitise(run.run, max_run_id_bytes));
        auto rows = database_.poll(names);
        if (!rows) return tl::unexpected<Error>(rows.error());
        rows_ = std::move(*rows);  // what is answered refers to them
        std::vector<PolledRun> all;
        for (std::size_t i = 0; i < runs.size() && i < rows_.size(); ++i) all.push_back(answer(runs[i], rows_[i]));
        return all;
    }

    /// Gives the run to attempt `attempt` + 1 if nothing has moved since the verdict: the row is in progress, attempt
    /// and `last_checkpoint` are what the last poll read, and that is not younger than `checkpoint_every`. The old
    /// attempt is archived as stalled; its statements change 0 rows from now on. The same `key` again answers the same
    /// ticket, and as long as that attempt wrote nothing it counts as begun then. A row whose attempt is not `attempt`,
    /// but was read like that, goes on from the larger of both: a watchdog may have lost its store. `rejected`:
    /// something has moved, or the row is queued or waits for a person. `ended`: the run is completed.
    [[nodiscard]] Result<AgentTicket> claim(std::string_view run, std::uint32_t attempt, std::string_view key) {
        return claim(ActionRequest{run, key, {}, attempt}, false);
    }

    /// The same for an agent control. `fenced`: the row was claimed under a higher `fence`, so that who asks was
    /// replaced. `timed_out`: it was claimed under this key by another `asker`, who may have started an agent; where a
    /// repeated key is harmless (`repeatable`) that one's ticket is answered. An asker's own claim under an older key
    /// is begun again.
    [[nodiscard]] Result<AgentTicket> claim(const ActionRequest& asked, bool repeatable) {
        const std::lock_guard guard{mutex_};
        if (const auto ready = open(); !ready) return tl::unexpected<Error>(ready.error());
        const std::string name{asked.run};
        detail::AgentClaim claim{asked.run, asked.attempt, asked.key,   asked.asker, asked.fence, repeatable,
                                 {},        every_,        asked.silent};
        if (const auto known = judged_.find(name); known != judged_.end()) claim.judged = known->second;
        if (askers_.empty() || askers_.back() != asked.asker) askers_.emplace_back(asked.asker);
        auto taken = database_.locked([&] { return take(claim); });
        if (taken) judged_.erase(name);
        return taken;
    }

    /// Who claimed under `key`, if anybody did: an agent may have been started then.
    [[nodiscard]] Result<AgentClaimer> claimer(std::string_view key) {
        const std::lock_guard guard{mutex_};
        if (const auto ready = open(); !ready) return tl::unexpected<Error>(ready.error());
        const auto name = database_.claimer(key);
        if (!name) return tl::unexpected<Error>(name.error());
        if (!*name) return AgentClaimer::nobody;
        const bool known = **name == lone_asker || std::find(askers_.begin(), askers_.end(), **name) != askers_.end();
        return known ? AgentClaimer::we : AgentClaimer::somebody;
    }

    /// Nobody was started under `key`: the attempt before is the current one again, and its agent is heard. False: the
    /// new attempt has written something already, so somebody works; or another `asker` claimed it, who may start one.
    [[nodiscard]] Result<bool> release(std::string_view run, std::string_view key, std::string_view asker = {}) {
        const std::lock_guard guard{mutex_};
        if (const auto ready = open(); !ready) return tl::unexpected<Error>(ready.error());
        judged_.erase(std::string{run});
        return database_.locked([&] { return give_back(run, key, asker); });
    }

    /// Tells the agents that the run is over: their statements change 0 rows from now on. The watchdog's records do not
    /// reach the table by themselves: call it where a run is finished, marked failed or given up. Completed rows stay,
    /// and those that were claimed under a higher `fence` (0: whatever it is).
    [[nodiscard]] Result<void> retire(std::string_view run, RunState how, std::uint64_t fence = 0) {
        if (!is_terminal(how))
            return fail(ErrorCode::invalid_argument,
                        "`" + std::string{name_of(how)} + "` does not end a run; use completed, failed or abandoned");
        const std::lock_guard guard{mutex_};
        if (const auto ready = open(); !ready) return tl::unexpected<Error>(ready.error());
        judged_.erase(std::string{run});
        const bool given_up = how == RunState::abandoned;
        return database_.retire(run, how == RunState::completed ? "completed" : given_up ? "stalled" : "failed", fence);
    }

    /// What an agent is told about checkpoints: belongs into its first prompt. Nothing of the run is in it.
    [[nodiscard]] std::string prompt(const AgentTicket& ticket) const {
        return detail::agent_prompt(database_.words(), ticket, every_);
    }

    /// The statements that update the row, with these values; for agents whose role may update the columns of agents.
    [[nodiscard]] AgentStatements statements(const AgentTicket& ticket, std::optional<std::int64_t> step,
                                             std::string_view text) const {
        const detail::AgentWords words = database_.words();
        return detail::fill(words.direct, detail::literals(words, ticket, step, text));
    }

    /// The statements of the prompt, with these values: the same ones, or calls of functions where there are such.
    [[nodiscard]] AgentStatements prompted(const AgentTicket& ticket, std::optional<std::int64_t> step,
                                           std::string_view text) const {
        const detail::AgentWords words = database_.words();
        return detail::fill(words.prompted, detail::literals(words, ticket, step, text));
    }

private:
    [[nodiscard]] Result<void> open() {
        if (every_ < std::chrono::seconds{1} || every_ > std::chrono::hours{24})
            return fail(ErrorCode::invalid_argument, "agent_progress: checkpoint_every must be 1 s to 24 h");
        return database_.open();
    }

    [[nodiscard]] Result<AgentTicket> ticket(std::string_view run) {
        const auto row = database_.look(run);
        if (!row) return tl::unexpected<Error>(row.error());
        if (*row && (*row)->ticket.attempt > 0) return (*row)->ticket;
        return fail(ErrorCode::unknown_run, "agent_progress has no usable row for the run \"" +
                                                text::shown_name(run, 160) +
                                                "\": enlist it, or mend the row's attempt");
    }

    [[nodiscard]] PolledRun answer(const RunCursor& run, const detail::AgentRow& row) {
        if (const auto valid = check_run_id(run.run); !valid) return {run.run, tl::unexpected<Error>(valid.error())};
        if (row.found && row.status == "in_progress")
            judged_[run.run] = {row.attempt, row.checkpoint};
        else
            judged_.erase(run.run);
        return {run.run, detail::news_of(row, run.cursor)};
    }

    [[nodiscard]] Result<AgentTicket> take(const detail::AgentClaim& claim) {
        const auto row = database_.look(claim.run);
        if (!row) return tl::unexpected<Error>(row.error());
        if (!*row) return ticket(claim.run);  // says what is missing
        const auto step = detail::decide_agent_claim(**row, claim);
        if (!step) return tl::unexpected<Error>(step.error());
        Result<void> done;
        const std::uint32_t last = std::max((*row)->ticket.attempt, claim.attempt);
        if (*step == detail::AgentClaimStep::take) done = database_.raise(claim, last);
        if (*step == detail::AgentClaimStep::renew) done = database_.renew(claim);
        // It is asked for once more, perhaps long after the claim: whoever is started now has not been silent since.
        if (*step == detail::AgentClaimStep::continue_ && !(*row)->wrote) done = database_.begin_again(claim.run);
        if (!done) return tl::unexpected<Error>(done.error());
        return ticket(claim.run);
    }

    [[nodiscard]] Result<bool> give_back(std::string_view run, std::string_view key, std::string_view asker) {
        const auto row = database_.look(run);
        if (!row) return tl::unexpected<Error>(row.error());
        if (!*row || (*row)->key != key || (*row)->ticket.attempt < 2) return true;
        if ((*row)->claimed_by != asker || (*row)->wrote || (*row)->status != "in_progress") return false;
        if (const auto done = database_.restore(run, (*row)->ticket.attempt - 1); !done)
            return tl::unexpected<Error>(done.error());
        return true;
    }

    detail::AgentDatabase<Link> database_;
    Duration every_;
    std::mutex mutex_;
    Callback<std::string(std::string_view)> text_of_;
    std::vector<detail::AgentRow> rows_;
    std::unordered_map<std::string, detail::JudgedRow> judged_;  // as the last poll read them
    std::vector<std::string> askers_;                            // in whose names was claimed here: one for each lease
};

}  // namespace heeler::inline HEELER_ABI
