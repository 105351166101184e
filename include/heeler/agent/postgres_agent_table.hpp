// The table `agent_progress` in PostgreSQL: for agents on many machines that have nothing but SQL.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/agent/sql/agent_table.hpp>
#include <heeler/agent/sql/postgres_statements.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/source.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/postgres/address.hpp>
#include <heeler/store/postgres/connection.hpp>
#include <heeler/store/postgres/open.hpp>
#include <heeler/store/postgres/result.hpp>
#include <heeler/store/postgres/values.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

class PostgresAgentLink {
public:
    using Sql = PostgresAgentSql;
    using Row = PostgresResult;

    PostgresAgentLink(std::string connection, PostgresSettings settings)
        : settings_{std::move(settings)}, address_{read_address(std::move(connection), settings_.schema)} {}

    [[nodiscard]] Result<void> open() {
        if (connection_ && (stale_ || connection_->gone())) connection_.reset();
        if (connection_) return {};
        if (!address_) return tl::unexpected<Error>(address_.error());
        if (auto usable = check_settings(settings_); !usable) return usable;
        if (down_ && Steady::now() < next_attempt_) return tl::unexpected<Error>(*down_);
        auto opened = connect();
        if (!opened) {
            wait_ = std::clamp(2 * wait_, settings_.reconnect_after, settings_.reconnect_at_most);
            next_attempt_ = Steady::now() + wait_;
            down_ = opened.error();
            return tl::unexpected<Error>(opened.error());
        }
        connection_.emplace(std::move(*opened));
        was_open_ = true;
        stale_ = false;
        down_.reset();
        wait_ = Duration::zero();
        return {};
    }

    template <class Read, class... Values>
    [[nodiscard]] Result<void> fetch(const char* sql, Read read, const Values&... values) {
        auto done = detail::fetch(*connection_, sql, {parameter(values)...}, read);
        if (!done) return tl::unexpected<Error>(noted(std::move(done.error())));
        return done;
    }

    template <class Work>
    [[nodiscard]] auto locked(Work work) -> decltype(work()) {
        PostgresTransaction transaction{*connection_};
        if (const auto begun = transaction.begin(PostgresSql::begin_schema); !begun)
            return tl::unexpected<Error>(noted(begun.error()));
        auto result = work();
        if (!result) return result;
        if (const auto done = transaction.commit(); !done) return tl::unexpected<Error>(noted(done.error()));
        return result;
    }

    [[nodiscard]] Error error(ErrorCode code, std::string_view said) const { return connection_->error(code, said); }

    [[nodiscard]] AgentWords words() const {
        const std::string place = quoted_name(settings_.schema) + '.';
        const std::string table = place + "agent_progress";
        const std::string call = "SELECT " + place + "heeler_";
        return {direct_statements<Sql>(table),
                {call + "checkpoint(:token, :step, :text);", call + "heartbeat(:token);", call + "ask(:token, :text);",
                 call + "complete(:token);"},
                "`t` (true)",
                "`f` (false)",
                "$1",
                "$2",
                &escaping_sql_literal,
                table};
    }

private:
    using Steady = std::chrono::steady_clock;

    template <class T>
    [[nodiscard]] static std::string parameter(const T& value) {
        return wire_values(value).front();
    }
    [[nodiscard]] static std::string parameter(const std::vector<std::string>& runs) { return wire_array(runs); }

    [[nodiscard]] static std::string quoted_name(std::string_view name) {
        std::string quoted = "\"";
        for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
        return quoted += '"';
    }

    [[nodiscard]] Result<PostgresConnection> connect() {
        const auto answer_within = settings_.statement_timeout + std::chrono::seconds{1};
        auto opened = PostgresConnection::open(*address_, settings_.connect_timeout, answer_within);
        if (!opened) return opened;
        const auto in_ms = [](Duration length) { return std::chrono::ceil<std::chrono::milliseconds>(length).count(); };
        auto ready = check_server(*opened);
        if (ready && opened->server_version() < 130000)
            ready = tl::unexpected<Error>(
                opened->error(ErrorCode::invalid_argument, "agent_progress needs PostgreSQL 13 or newer"));
        if (ready)
            ready = change(
                *opened, PostgresSql::set_up,
                wire_values(settings_.schema, in_ms(settings_.lock_timeout), in_ms(settings_.statement_timeout)));
        if (ready && !was_open_) ready = create(*opened);
        if (ready) ready = check(*opened);
        if (!ready) return tl::unexpected<Error>(ready.error());
        return opened;
    }

    /// One process at a time; who finds everything there needs no right to create.
    [[nodiscard]] static Result<void> create(PostgresConnection& connection) {
        std::int64_t parts = 0;
        auto done = detail::fetch(connection, Sql::count_parts, {}, [&](Row& row) { row.read(parts); });
        if (!done || parts >= Sql::parts) return done;
        PostgresTransaction transaction{connection};
        if (const auto begun = transaction.begin(PostgresSql::begin_schema); !begun)
            return tl::unexpected<Error>(begun.error());
        done = run_all(connection, {PostgresSql::lock_schema, Sql::create_schema, Sql::create_tables});
        if (done) done = check(connection);
        if (done) done = run_all(connection, {Sql::create_functions});
        return done ? transaction.commit() : done;
    }

    [[nodiscard]] static Result<void> check(PostgresConnection& connection) {
        std::string wrong;
        std::int64_t gone = 0;
        const auto read = [&](Row& row) { row.read(wrong, gone); };
        if (auto done = detail::fetch(connection, Sql::wrong, wire_values(agent_columns), read); !done) return done;
        if (wrong.empty()) return {};
        return tl::unexpected<Error>(connection.error(gone != 0 ? ErrorCode::corrupt : ErrorCode::not_a_store, wrong));
    }

    /// After an error that is not about the moment, the next call looks at everything anew.
    [[nodiscard]] Error noted(Error error) {
        stale_ = connection_->lost() || (error.code != ErrorCode::busy && error.code != ErrorCode::invalid_argument);
        return error;
    }

    PostgresSettings settings_;
    Result<PostgresAddress> address_;
    std::optional<PostgresConnection> connection_;
    std::optional<Error> down_;          // why the last attempt to connect failed
    Steady::time_point next_attempt_{};  // not before
    Duration wait_{};                    // between attempts
    bool stale_ = false;
    bool was_open_ = false;
};

}  // namespace detail

/// In a schema of its own, or in that of a `PostgresStore` that was opened before. Columns, writers, functions and
/// rights: README, "Agents that have only SQL". Needs PostgreSQL 13 and sessions of its own.
class PostgresAgentTable : public AgentTable<detail::PostgresAgentLink> {
public:
    /// `connection` as libpq has it.
    explicit PostgresAgentTable(std::string connection, Duration checkpoint_every = std::chrono::minutes{10},
                                PostgresSettings settings = {.schema = "heeler_agents"})
        : AgentTable{detail::PostgresAgentLink{std::move(connection), std::move(settings)}, checkpoint_every} {}
};
static_assert(GroupSourceLike<PostgresAgentTable>);

}  // namespace heeler::inline HEELER_ABI
