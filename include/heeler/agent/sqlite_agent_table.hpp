// The table `agent_progress` in a SQLite file: for agents on this machine that have nothing but SQL.
#pragma once

#include <chrono>
#include <cstdint>
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
#include <heeler/store/sqlite/statement.hpp>
#include <heeler/text/json_writer.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

class SqliteAgentLink {
public:
    using Sql = SqliteAgentSql;
    using Row = SqliteStatement;

    SqliteAgentLink(std::string path, Duration busy_timeout) : path_{std::move(path)}, busy_timeout_{busy_timeout} {}

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

    template <class Read, class... Values>
    [[nodiscard]] Result<void> fetch(const char* sql, Read read, const Values&... values) {
        if (const auto done = ask(*connection_, sql, read, values...); !done)
            return tl::unexpected<Error>(explained(done.error()));
        return {};
    }

    /// Nobody else writes meanwhile.
    template <class Work>
    [[nodiscard]] auto locked(Work work) -> decltype(work()) {
        auto transaction = SqliteTransaction::begin(*connection_, detail::Sql::begin_write);
        if (!transaction) return tl::unexpected<Error>(explained(transaction.error()));
        auto result = work();
        if (!result) return result;
        if (const auto done = transaction->commit(); !done) return tl::unexpected<Error>(explained(done.error()));
        return result;
    }

    [[nodiscard]] Error error(ErrorCode code, std::string_view said) const {
        return {code, "agent_progress in " + path_ + ": " + std::string{said}};
    }

    [[nodiscard]] static AgentWords words() {
        const std::string table = "agent_progress";
        const AgentStatements all = direct_statements<Sql>(table);
        return {all, all, "one row, `counted`,", "no row", "?1", "?2", &sql_literal, table};
    }

private:
    template <class T>
    [[nodiscard]] static const T& parameter(const T& value) {
        return value;
    }
    [[nodiscard]] static std::string parameter(const std::vector<std::string>& runs) {
        text::JsonLine list;
        list.begin_array();
        for (const std::string& run : runs) list.string(run);
        list.end_array();
        return std::move(list).text();
    }

    template <class Read, class... Values>
    [[nodiscard]] static Result<void> ask(SqliteConnection& connection, const char* sql, Read read,
                                          const Values&... values) {
        struct Nothing {};
        std::vector<Nothing> rows;
        const auto each = [&](SqliteStatement& row, Nothing&) { read(row); };
        return read_all(connection, sql, rows, each, parameter(values)...);
    }

    [[nodiscard]] tl::unexpected<Error> refuse(ErrorCode code, std::string_view said) const {
        return tl::unexpected<Error>(error(code, said));
    }

    [[nodiscard]] static Result<void> create(SqliteConnection& connection) {
        std::int64_t all = 0;
        std::int64_t ours = 0;
        auto done = ask(connection, Sql::count_tables, [&](Row& row) { row.read(all, ours); });
        if (!done || ours == 2) return done;
        // Readers must not hold up agents. Somebody else's database keeps the mode that it has.
        if (all == 0) static_cast<void>(connection.run(detail::Sql::use_wal));
        auto transaction = SqliteTransaction::begin(connection, detail::Sql::begin_write);
        if (!transaction) return tl::unexpected<Error>(transaction.error());
        const auto there = read_number(connection, Sql::has_table, 0);  // another process may have been faster
        if (!there) return tl::unexpected<Error>(there.error());
        if (*there == 0) done = connection.run(Sql::create);
        if (done) done = connection.run(Sql::create_attempts);
        return done ? transaction->commit() : done;
    }

    [[nodiscard]] Result<void> check(SqliteConnection& connection) const {
        std::string wrong;
        int gone = 0;
        const auto read = [&](Row& row) { row.read(wrong, gone); };
        if (auto done = ask(connection, Sql::wrong, read, agent_columns); !done) return done;
        if (wrong.empty()) return {};
        return refuse(gone != 0 ? ErrorCode::lost : ErrorCode::not_a_store, wrong);
    }

    /// SQLite says the same of a table that is gone and of much else.
    [[nodiscard]] Error explained(const Error& error) {
        if (error.code == ErrorCode::busy) return error;
        const auto usable = check(*connection_);
        return usable ? error : usable.error();
    }

    std::string path_;
    Duration busy_timeout_;
    std::optional<SqliteConnection> connection_;
    bool was_open_ = false;
};

}  // namespace detail

struct SqliteAgentSettings {
    /// What agents are told, and how long after a checkpoint nobody is replaced. 1 s to 24 h.
    Duration checkpoint_every = std::chrono::minutes{10};
    /// How long a call waits for somebody else's write before it answers `busy`; 0 to 60 s.
    Duration busy_timeout = std::chrono::seconds{2};
};

/// In a file of its own, in the host's database, or in the file of a `SqliteStore` that was opened before. Columns,
/// writers and statements: README, "Agents that have only SQL". Needs SQLite 3.38.
class SqliteAgentTable : public AgentTable<detail::SqliteAgentLink> {
public:
    explicit SqliteAgentTable(std::string path, SqliteAgentSettings settings = {})
        : AgentTable{detail::SqliteAgentLink{std::move(path), settings.busy_timeout}, settings.checkpoint_every} {}
};
static_assert(GroupSourceLike<SqliteAgentTable>);

}  // namespace heeler::inline HEELER_ABI
