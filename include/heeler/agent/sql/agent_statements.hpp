// The statements about `agent_progress` that all databases share, in the words of each; for the tables of agents.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What a database says in its own way.
struct AgentDialect {
    char parameter;           ///< in front of a parameter's number
    std::string_view text;    ///< behind that of a text
    std::string_view number;  ///< behind that of a whole number
    std::string_view now;     ///< its own time
    std::string_view token;   ///< a new one, that nobody can guess
    std::string_view most;    ///< the function that answers the greatest of its arguments
};

/// A constant statement in one dialect. `shared` has `?1` for a text, `#1` for a whole number, and `{now}`, `{token}`,
/// `{most}`.
class AgentStatement {
public:
    constexpr AgentStatement(const AgentDialect& dialect, std::string_view shared) {
        while (!shared.empty()) {
            const char c = shared.front();
            const std::size_t end = c == '{' ? shared.find('}') + 1 : c == '?' || c == '#' ? 2 : 1;
            if (c == '{') {
                const std::string_view word = shared.substr(1, end - 2);
                add(word == "now" ? dialect.now : word == "token" ? dialect.token : dialect.most);
            } else if (end == 2) {
                add({&dialect.parameter, 1});
                add(shared.substr(1, 1));
                add(c == '?' ? dialect.text : dialect.number);
            } else {
                add(shared.substr(0, 1));
            }
            shared.remove_prefix(end);
        }
    }

    constexpr operator const char*() const noexcept { return text_.data(); }

private:
    constexpr void add(std::string_view text) {
        for (const char c : text) text_[size_++] = c;  // what is too long does not compile
        text_[size_] = '\0';
    }

    std::array<char, 640> text_{};
    std::size_t size_ = 0;
};

/// Tables and columns that must be there, with PostgreSQL's types: the parameter of `wrong`.
inline constexpr std::string_view agent_columns = R"({"agent_progress": {
"run": "text", "token": "text", "attempt": "bigint", "status": "text", "last_checkpoint": "timestamp with time zone",
"last_heartbeat": "timestamp with time zone", "last_step": "text", "completed_steps": "jsonb", "completed_by": "bigint",
"completed_at": "timestamp with time zone", "created_at": "timestamp with time zone",
"attempt_started_at": "timestamp with time zone", "claim_key": "text", "claimed_by": "text", "claim_fence": "bigint",
"question": "text", "resumed_at": "timestamp with time zone",
"id": "bigint", "queue_item_id": "bigint", "agent_task_name": "character varying",
"updated_at": "timestamp with time zone", "work_item": "text", "plan": "jsonb"}, "agent_attempts": {
"run": "text", "attempt": "bigint", "token": "text", "status": "text", "last_checkpoint": "timestamp with time zone",
"last_heartbeat": "timestamp with time zone", "last_step": "text", "completed_steps": "jsonb",
"attempt_started_at": "timestamp with time zone", "claim_key": "text"}})";

template <const AgentDialect& Dialect>
struct AgentSql {
    static constexpr AgentStatement insert{Dialect,
                                           "INSERT INTO agent_progress(run) VALUES (?1) ON CONFLICT (run) DO NOTHING"};

    static constexpr AgentStatement archive{
        Dialect,
        "INSERT INTO agent_attempts(run, attempt, token, status, last_checkpoint, last_heartbeat, last_step, "
        "completed_steps, attempt_started_at, claim_key) SELECT run, #2, token, 'stalled', last_checkpoint, "
        "last_heartbeat, last_step, completed_steps, attempt_started_at, claim_key FROM agent_progress WHERE run = ?1"};

    // Of the following each answers one row if it changed one.
    static constexpr AgentStatement raise{
        Dialect,
        "UPDATE agent_progress SET attempt = #2 + 1, token = {token}, status = 'in_progress', last_checkpoint = NULL, "
        "last_heartbeat = NULL, attempt_started_at = {now}, claim_key = ?3, claimed_by = ?4, "
        "claim_fence = {most}(claim_fence, #5) WHERE run = ?1 AND attempt <= #2 AND status = 'in_progress' AND "
        "(#5 = 0 OR claim_fence <= #5) RETURNING 1"};
    static constexpr AgentStatement renew{
        Dialect,
        "UPDATE agent_progress SET token = {token}, last_checkpoint = NULL, last_heartbeat = NULL, "
        "attempt_started_at = {now}, claim_key = ?2, claim_fence = {most}(claim_fence, #4) WHERE run = ?1 AND "
        "status = 'in_progress' AND claimed_by = ?3 AND (#4 = 0 OR claim_fence <= #4) RETURNING 1"};
    static constexpr AgentStatement begin_again{
        Dialect, "UPDATE agent_progress SET attempt_started_at = {now} WHERE run = ?1 RETURNING 1"};
    static constexpr AgentStatement restore{
        Dialect,
        "UPDATE agent_progress SET attempt = a.attempt, token = a.token, last_checkpoint = a.last_checkpoint, "
        "last_heartbeat = a.last_heartbeat, attempt_started_at = a.attempt_started_at, claim_key = a.claim_key, "
        "claimed_by = '' FROM agent_attempts a WHERE agent_progress.run = ?1 AND agent_progress.attempt = #2 + 1 AND "
        "a.run = agent_progress.run AND a.attempt = #2 RETURNING 1"};

    static constexpr AgentStatement claimer{Dialect,
                                            "SELECT claimed_by FROM agent_progress WHERE claim_key = ?1 UNION ALL "
                                            "SELECT '' FROM agent_attempts WHERE claim_key = ?1 LIMIT 1"};
    static constexpr AgentStatement forget{Dialect, "DELETE FROM agent_attempts WHERE run = ?1 AND attempt = #2"};
    static constexpr AgentStatement retire{
        Dialect,
        "UPDATE agent_progress SET status = ?2 WHERE run = ?1 AND status IN ('queued', 'in_progress', 'waiting_human') "
        "AND (#3 = 0 OR claim_fence <= #3)"};

    /// Those of agents, behind "UPDATE " and the table.
    static constexpr AgentStatement heartbeat{
        Dialect,
        " SET last_heartbeat = {now}\n"
        "WHERE token = :token AND attempt = :attempt AND status IN ('queued', 'in_progress', 'waiting_human')\n"
        "RETURNING 'counted';"};
    static constexpr AgentStatement question{
        Dialect,
        " SET status = 'waiting_human', question = :text\n"
        "WHERE token = :token AND attempt = :attempt AND status IN ('queued', 'in_progress', 'waiting_human')\n"
        "RETURNING 'counted';"};
    static constexpr AgentStatement complete{
        Dialect,
        " SET status = 'completed', completed_by = attempt,\n"
        "  completed_at = {now}\n"
        "WHERE token = :token AND attempt = :attempt AND status IN ('queued', 'in_progress', 'waiting_human')\n"
        "RETURNING 'counted';"};
};

}  // namespace heeler::inline HEELER_ABI::detail
