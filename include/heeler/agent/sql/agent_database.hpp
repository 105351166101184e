// What is asked of the table `agent_progress`, over a link to any database; for the tables of agents.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/agent/sql/agent_claim.hpp>
#include <heeler/agent/sql/agent_prompt.hpp>
#include <heeler/agent/sql/agent_row.hpp>
#include <heeler/agent/sql/agent_task.hpp>
#include <heeler/core/result.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What agents execute who may update the table itself.
template <class Sql>
[[nodiscard]] AgentStatements direct_statements(const std::string& table) {
    const auto update = [&](const char* rest) { return "UPDATE " + table + rest; };
    return {update(Sql::checkpoint), update(Sql::heartbeat), update(Sql::question), update(Sql::complete)};
}

/// A connection to one kind of database, and its statements (`Sql`). `open()` comes first, each time.
template <class T>
concept AgentLink = requires(T& link, const char* sql, void (*read)(typename T::Row&), Result<void> (*work)(),
                             const std::vector<std::string>& runs, std::string_view text, std::uint64_t number) {
    /// Creates what is missing the first time; later it must be there.
    { link.open() } -> std::same_as<Result<void>>;
    /// Calls `read` for each row that is answered; a list of runs is one parameter.
    { link.fetch(sql, read, runs, text, number) } -> std::same_as<Result<void>>;
    /// All or nothing; the row that was looked at stays locked.
    { link.locked(work) } -> std::same_as<Result<void>>;
    { link.error(ErrorCode::conflict, text) } -> std::same_as<Error>;
    { link.words() } -> std::same_as<AgentWords>;
    T::Sql::poll;
};

template <AgentLink Link>
class AgentDatabase {
public:
    explicit AgentDatabase(Link link) : link_{std::move(link)} {}

    [[nodiscard]] Result<void> open() { return link_.open(); }
    [[nodiscard]] AgentWords words() const { return link_.words(); }

    [[nodiscard]] Result<void> insert(std::string_view run) { return carry_out(Sql::insert, run); }

    [[nodiscard]] Result<std::vector<std::string>> in_progress() {
        return all<std::string>(Sql::in_progress, [](Row& row, std::string& run) { row.read(run); });
    }

    [[nodiscard]] Result<std::vector<AgentTask>> describe(const std::vector<std::string>& runs) {
        const auto read = [](Row& row, AgentTask& task) {
            row.read(task.run, task.queue_item_id, task.name, task.work_item, task.work_item_size, task.plan);
        };
        return all<AgentTask>(Sql::describe, read, runs, static_cast<std::int64_t>(longest_work_item));
    }

    [[nodiscard]] Result<std::vector<AgentRow>> poll(const std::vector<std::string>& runs) {
        const auto read = [](Row& row, AgentRow& agent) {
            int found = 0;
            int has_token = 0;
            row.read(agent.run, found, has_token, agent.archived, agent.status, agent.attempt, agent.checkpoint,
                     agent.checkpoint_age, agent.heartbeat, agent.heartbeat_age, agent.completed_by,
                     agent.completed_age, agent.base_age, agent.last_step, agent.steps, agent.steps_size,
                     agent.odd_plan, agent.question, agent.updated_age);
            agent.found = found != 0;
            agent.has_token = has_token != 0;
            if (agent.last_step) agent.last_step = text::sanitise(*agent.last_step, step_text_cap);
            if (agent.question) agent.question = text::sanitise(*agent.question, step_text_cap);
        };
        return all<AgentRow>(Sql::poll, read, runs);
    }

    template <class Work>
    [[nodiscard]] auto locked(Work work) -> decltype(work()) {
        return link_.locked(work);
    }

    [[nodiscard]] Result<std::optional<AgentClaimRow>> look(std::string_view run) {
        const auto read = [&](Row& row, AgentClaimRow& claim) {
            int wrote = 0;
            claim.ticket.run = run;
            row.read(claim.ticket.token, claim.ticket.attempt, claim.status, claim.key, claim.claimed_by, claim.fence,
                     claim.checkpoint, claim.base_age, wrote);
            claim.wrote = wrote != 0;
        };
        return first(all<AgentClaimRow>(Sql::look, read, run));
    }

    /// `attempt`: the number under which the old one is archived.
    [[nodiscard]] Result<void> raise(const AgentClaim& claim, std::uint32_t attempt) {
        if (auto kept = carry_out(Sql::archive, claim.run, attempt); !kept) return kept;
        return change_one(Sql::raise, claim.run, attempt, claim.key, claim.asker, claim.fence);
    }

    [[nodiscard]] Result<void> renew(const AgentClaim& claim) {
        return change_one(Sql::renew, claim.run, claim.key, claim.asker, claim.fence);
    }

    [[nodiscard]] Result<void> begin_again(std::string_view run) { return change_one(Sql::begin_again, run); }

    /// Who claimed under the key; empty if nobody can say.
    [[nodiscard]] Result<std::optional<std::string>> claimer(std::string_view key) {
        return first(all<std::string>(
            Sql::claimer, [](Row& row, std::string& name) { row.read(name); }, key));
    }

    /// `attempt`: the archived one.
    [[nodiscard]] Result<void> restore(std::string_view run, std::uint32_t attempt) {
        if (auto back = change_one(Sql::restore, run, attempt); !back) return back;
        return carry_out(Sql::forget, run, attempt);
    }

    [[nodiscard]] Result<void> retire(std::string_view run, std::string_view status, std::uint64_t fence) {
        return carry_out(Sql::retire, run, status, fence);
    }

private:
    using Sql = typename Link::Sql;
    using Row = typename Link::Row;

    template <class T, class Read, class... Values>
    [[nodiscard]] Result<std::vector<T>> all(const char* sql, Read read, const Values&... values) {
        std::vector<T> found;
        const auto done = link_.fetch(
            sql, [&](Row& row) { read(row, found.emplace_back()); }, values...);
        if (!done) return tl::unexpected<Error>(done.error());
        return found;
    }

    template <class T>
    [[nodiscard]] static Result<std::optional<T>> first(Result<std::vector<T>> found) {
        if (!found) return tl::unexpected<Error>(std::move(found.error()));
        if (found->empty()) return std::nullopt;
        return std::move(found->front());
    }

    template <class... Values>
    [[nodiscard]] Result<void> carry_out(const char* sql, const Values&... values) {
        return link_.fetch(
            sql, [](Row&) {}, values...);
    }

    template <class... Values>
    [[nodiscard]] Result<void> change_one(const char* sql, const Values&... values) {
        int rows = 0;
        if (auto done = link_.fetch(
                sql, [&](Row&) { ++rows; }, values...);
            !done)
            return done;
        if (rows == 1) return {};
        return tl::unexpected<Error>(
            link_.error(ErrorCode::conflict, "the row was changed by hand; nothing was written"));
    }

    Link link_;
};

}  // namespace heeler::inline HEELER_ABI::detail
