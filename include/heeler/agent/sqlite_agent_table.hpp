// The table `agent_progress` in a SQLite file: for agents on this machine that have nothing but SQL.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include <heeler/agent/sql/agent_table.hpp>
#include <heeler/agent/sql/sqlite_statements.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/source.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/sqlite/connection.hpp>
#include <heeler/store/sqlite/rows.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// What `AgentTable` needs of a SQLite file. `open()` comes first, each time.
class SqliteAgentDatabase {
public:
    SqliteAgentDatabase(std::string path, Duration busy_timeout)
        : path_{std::move(path)}, busy_timeout_{busy_timeout} {}

    /// Creates the tables that are missing, the first time; later they must be there.
    [[nodiscard]] Result<void> open() {
        if (connection_ && connection_->moved()) connection_.reset();
        if (const std::string wrong = detail::waiting_file(path_); !wrong.empty())
            return refuse(ErrorCode::io, wrong + " is no file: it is left alone; remove it");
        if (connection_) return {};
        if (path_.empty() || path_ == ":memory:" || path_.find('\0') != std::string::npos)
            return refuse(ErrorCode::invalid_argument, "agents cannot reach this path; name a file");
        if (busy_timeout_ < Duration::zero() || busy_timeout_ > std::chrono::seconds{60})
            return refuse(ErrorCode::invalid_argument, "busy_timeout must be 0 to 60 s");
        std::error_code ignored;
        if (was_open_ && !std::filesystem::exists(path_, ignored))
            return refuse(ErrorCode::lost, "the file was deleted while in use; put it back");
        auto opened = SqliteConnection::open(path_, busy_timeout_);
        if (!opened) return tl::unexpected<Error>(opened.error());
        if (!was_open_)
            if (auto created = create(*opened); !created) return created;
        if (auto usable = check(*opened); !usable) return usable;
        connection_.emplace(std::move(*opened));
        was_open_ = true;
        return {};
    }

    [[nodiscard]] Result<void> insert(std::string_view run) { return carry_out(SqliteAgentSql::insert, run); }

    [[nodiscard]] Result<std::vector<std::string>> in_progress() {
        std::vector<std::string> runs;
        const auto read = [](SqliteStatement& statement, std::string& run) { statement.read(run); };
        if (const auto done = read_all(*connection_, SqliteAgentSql::in_progress, runs, read); !done)
            return tl::unexpected<Error>(explained(done.error()));
        return runs;
    }

    [[nodiscard]] Result<std::vector<AgentTask>> describe(const std::vector<std::string>& runs) {
        std::vector<AgentTask> tasks;
        const auto read = [](SqliteStatement& statement, AgentTask& task) {
            statement.read(task.run, task.queue_item_id, task.name, task.work_item, task.work_item_size, task.plan);
        };
        const std::string names = listed(runs);
        if (const auto done = read_all(*connection_, SqliteAgentSql::describe, tasks, read, names,
                                       static_cast<std::int64_t>(longest_work_item));
            !done)
            return tl::unexpected<Error>(explained(done.error()));
        return tasks;
    }

    [[nodiscard]] Result<std::vector<AgentRow>> read(const std::vector<std::string>& runs) {
        std::vector<AgentRow> rows;
        const auto read = [](SqliteStatement& statement, AgentRow& row) {
            int found = 0;
            int has_token = 0;
            statement.read(row.run, found, has_token, row.archived, row.status, row.attempt, row.checkpoint,
                           row.checkpoint_age, row.heartbeat, row.heartbeat_age, row.completed_by, row.completed_age,
                           row.base_age, row.last_step, row.steps, row.steps_size, row.odd_plan);
            row.found = found != 0;
            row.has_token = has_token != 0;
            if (row.last_step) row.last_step = sanitise(*row.last_step, step_text_cap);
        };
        const std::string names = listed(runs);
        if (const auto done = read_all(*connection_, SqliteAgentSql::poll, rows, read, names); !done)
            return tl::unexpected<Error>(explained(done.error()));
        return rows;
    }

    /// All or nothing, while nobody else writes.
    template <class Work>
    [[nodiscard]] auto locked(Work work) -> decltype(work()) {
        auto transaction = SqliteTransaction::begin(*connection_, Sql::begin_write);
        if (!transaction) return tl::unexpected<Error>(explained(transaction.error()));
        auto result = work();
        if (!result) return result;
        if (const auto done = transaction->commit(); !done) return tl::unexpected<Error>(explained(done.error()));
        return result;
    }

    [[nodiscard]] Result<std::optional<AgentClaimRow>> look(std::string_view run) {
        std::vector<AgentClaimRow> rows;
        const auto read = [](SqliteStatement& statement, AgentClaimRow& row) {
            int wrote = 0;
            statement.read(row.ticket.token, row.ticket.attempt, row.status, row.key, row.claimed_by, row.fence,
                           row.checkpoint, row.base_age, wrote);
            row.wrote = wrote != 0;
        };
        if (const auto done = read_all(*connection_, SqliteAgentSql::look, rows, read, run); !done)
            return tl::unexpected<Error>(explained(done.error()));
        if (rows.empty()) return std::nullopt;
        rows.front().ticket.run = run;
        return std::move(rows.front());
    }

    /// `attempt`: the number under which the old one is archived.
    [[nodiscard]] Result<void> raise(const AgentClaim& claim, std::uint32_t attempt) {
        if (auto kept = carry_out(SqliteAgentSql::archive, claim.run, attempt); !kept) return kept;
        return one_row(SqliteAgentSql::raise, claim.run, attempt, claim.key, claim.asker, claim.fence);
    }

    [[nodiscard]] Result<void> renew(const AgentClaim& claim) {
        return one_row(SqliteAgentSql::renew, claim.run, claim.key, claim.asker, claim.fence);
    }

    [[nodiscard]] Result<void> begin_again(std::string_view run) { return one_row(SqliteAgentSql::begin_again, run); }

    /// Who claimed under the key; empty if nobody can say.
    [[nodiscard]] Result<std::optional<std::string>> claimer(std::string_view key) {
        std::vector<std::string> names;
        const auto read = [](SqliteStatement& statement, std::string& name) { statement.read(name); };
        if (const auto done = read_all(*connection_, SqliteAgentSql::claimer, names, read, key); !done)
            return tl::unexpected<Error>(explained(done.error()));
        if (names.empty()) return std::nullopt;
        return std::move(names.front());
    }

    /// `attempt`: the archived one.
    [[nodiscard]] Result<void> restore(std::string_view run, std::uint32_t attempt) {
        if (auto back = one_row(SqliteAgentSql::restore, run, attempt); !back) return back;
        return carry_out(SqliteAgentSql::forget, run, attempt);
    }

    [[nodiscard]] Result<void> retire(std::string_view run, std::string_view status, std::uint64_t fence) {
        return carry_out(SqliteAgentSql::retire, run, status, fence);
    }

    [[nodiscard]] static AgentWords words() {
        using S = SqliteAgentSql;
        const AgentStatements all{S::checkpoint, S::heartbeat, S::complete};
        return {all, all, "one row, `counted`,", "no row", "?1", "?2", &sql_literal, "agent_progress"};
    }

private:
    [[nodiscard]] static std::string listed(const std::vector<std::string>& runs) {
        JsonLine list;
        list.begin_array();
        for (const std::string& run : runs) list.string(run);
        list.end_array();
        return std::move(list).text();
    }

    [[nodiscard]] tl::unexpected<Error> refuse(ErrorCode code, std::string_view said) const {
        return fail(code, "agent_progress in " + path_ + ": " + std::string{said});
    }

    struct Tables {
        int all = 0;
        int progress = 0;
        int attempts = 0;
    };

    [[nodiscard]] static Result<Tables> tables(SqliteConnection& connection) {
        std::vector<Tables> found;
        const auto read = [](SqliteStatement& statement, Tables& tables) {
            statement.read(tables.all, tables.progress, tables.attempts);
        };
        if (auto done = read_all(connection, SqliteAgentSql::count_tables, found, read); !done)
            return tl::unexpected<Error>(done.error());
        return found.front();
    }

    /// What is there is left as it is.
    [[nodiscard]] static Result<void> create(SqliteConnection& connection) {
        const auto before = tables(connection);
        if (!before) return tl::unexpected<Error>(before.error());
        if (before->progress != 0 && before->attempts != 0) return {};
        // Readers must not hold up agents. Somebody else's database keeps the mode that it has.
        if (before->all == 0) static_cast<void>(connection.run(Sql::use_wal));
        auto transaction = SqliteTransaction::begin(connection, Sql::begin_write);
        if (!transaction) return tl::unexpected<Error>(transaction.error());
        const auto now = tables(connection);
        if (!now) return tl::unexpected<Error>(now.error());
        Result<void> done;
        if (now->progress == 0) done = connection.run(SqliteAgentSql::create);
        if (done) done = connection.run(SqliteAgentSql::create_attempts);
        return done ? transaction->commit() : done;
    }

    [[nodiscard]] Result<void> check(SqliteConnection& connection) const {
        std::vector<std::pair<std::string, std::string>> missing;
        const auto read = [](SqliteStatement& statement, std::pair<std::string, std::string>& column) {
            statement.read(column.first, column.second);
        };
        if (auto done = read_all(connection, SqliteAgentSql::missing, missing, read); !done) return done;
        if (missing.empty()) return {};
        const auto& [table, column] = missing.front();
        const auto there = read_number(connection, SqliteAgentSql::has_table, 0, table);
        if (!there) return tl::unexpected<Error>(there.error());
        if (*there == 0) return refuse(ErrorCode::lost, "the table " + table + " is gone; put it back");
        return refuse(ErrorCode::not_a_store, "the table " + table + " has no column \"" + column +
                                                  "\" and was left alone; add it, or use another file");
    }

    /// SQLite says the same of a table that is gone and of much else.
    [[nodiscard]] Error explained(const Error& error) {
        if (error.code == ErrorCode::busy) return error;
        const auto usable = check(*connection_);
        return usable ? error : usable.error();
    }

    template <class... Values>
    [[nodiscard]] Result<void> carry_out(const char* sql, const Values&... values) {
        if (const auto done = change(*connection_, sql, values...); !done)
            return tl::unexpected<Error>(explained(done.error()));
        return {};
    }

    template <class... Values>
    [[nodiscard]] Result<void> one_row(const char* sql, const Values&... values) {
        if (auto done = carry_out(sql, values...); !done) return done;
        if (connection_->changes() == 1) return {};
        return refuse(ErrorCode::conflict, "the row was changed by hand; nothing was written");
    }

    std::string path_;
    Duration busy_timeout_;
    std::optional<SqliteConnection> connection_;
    bool was_open_ = false;
};

}  // namespace detail

/// In a file of its own, in the host's database, or in the file of a `SqliteStore` that was opened before. Columns,
/// writers and statements: README, "Agents that have only SQL". Needs SQLite 3.38.
class SqliteAgentTable : public AgentTable<detail::SqliteAgentDatabase> {
public:
    /// `busy_timeout`: how long a call waits for somebody else's write before it answers `busy`; 0 to 60 s.
    explicit SqliteAgentTable(std::string path, Duration checkpoint_every = std::chrono::minutes{10},
                              Duration busy_timeout = std::chrono::seconds{2})
        : AgentTable{detail::SqliteAgentDatabase{std::move(path), busy_timeout}, checkpoint_every} {}
};
static_assert(GroupSourceLike<SqliteAgentTable>);

}  // namespace heeler::inline HEELER_ABI
