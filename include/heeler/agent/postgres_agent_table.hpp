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
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// What `AgentTable` needs of a PostgreSQL server. `open()` comes first, each time.
class PostgresAgentDatabase {
public:
    PostgresAgentDatabase(std::string connection, PostgresSettings settings)
        : settings_{std::move(settings)}, address_{read_address(std::move(connection), settings_.schema)} {}

    /// Creates what is missing, the first time; later it must be there.
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

    [[nodiscard]] Result<void> insert(std::string_view run) {
        return kept(change(*connection_, PostgresAgentSql::insert, wire_values(run)));
    }

    [[nodiscard]] Result<std::vector<std::string>> in_progress() {
        std::vector<std::string> runs;
        const auto read = [&](PostgresResult& result) { result.read(runs.emplace_back()); };
        if (const auto done = kept(fetch(*connection_, PostgresAgentSql::in_progress, {}, read)); !done)
            return tl::unexpected<Error>(done.error());
        return runs;
    }

    [[nodiscard]] Result<std::vector<AgentTask>> describe(const std::vector<std::string>& runs) {
        std::vector<AgentTask> tasks;
        const auto read = [&](PostgresResult& result) {
            AgentTask& task = tasks.emplace_back();
            result.read(task.run, task.queue_item_id, task.name, task.work_item, task.work_item_size, task.plan);
        };
        const WireValues values{wire_array(runs), wire_values(static_cast<std::int64_t>(longest_work_item)).front()};
        if (const auto done = kept(fetch(*connection_, PostgresAgentSql::describe, values, read)); !done)
            return tl::unexpected<Error>(done.error());
        return tasks;
    }

    [[nodiscard]] Result<std::vector<AgentRow>> read(const std::vector<std::string>& runs) {
        std::vector<AgentRow> rows;
        const auto read = [&](PostgresResult& result) {
            AgentRow& row = rows.emplace_back();
            int found = 0;
            int has_token = 0;
            result.read(row.run, found, has_token, row.archived, row.status, row.attempt, row.checkpoint,
                        row.checkpoint_age, row.heartbeat, row.heartbeat_age, row.completed_by, row.completed_age,
                        row.base_age, row.last_step, row.steps, row.steps_size, row.odd_plan);
            row.found = found != 0;
            row.has_token = has_token != 0;
            if (row.last_step) row.last_step = sanitise(*row.last_step, step_text_cap);
        };
        if (const auto done = kept(fetch(*connection_, PostgresAgentSql::poll, {wire_array(runs)}, read)); !done)
            return tl::unexpected<Error>(done.error());
        return rows;
    }

    /// All or nothing; the row that was looked at stays locked.
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

    [[nodiscard]] Result<std::optional<AgentClaimRow>> look(std::string_view run) {
        std::optional<AgentClaimRow> row;
        const auto read = [&](PostgresResult& result) {
            int wrote = 0;
            row.emplace().ticket.run = run;
            result.read(row->ticket.token, row->ticket.attempt, row->status, row->key, row->claimed_by, row->fence,
                        row->checkpoint, row->base_age, wrote);
            row->wrote = wrote != 0;
        };
        if (const auto done = kept(fetch(*connection_, PostgresAgentSql::look, wire_values(run), read)); !done)
            return tl::unexpected<Error>(done.error());
        return row;
    }

    /// `attempt`: the number under which the old one is archived.
    [[nodiscard]] Result<void> raise(const AgentClaim& claim, std::uint32_t attempt) {
        auto archived = kept(change(*connection_, PostgresAgentSql::archive, wire_values(claim.run, attempt)));
        if (!archived) return archived;
        return one_row(PostgresAgentSql::raise, wire_values(claim.run, attempt, claim.key, claim.asker, claim.fence));
    }

    [[nodiscard]] Result<void> renew(const AgentClaim& claim) {
        return one_row(PostgresAgentSql::renew, wire_values(claim.run, claim.key, claim.asker, claim.fence));
    }

    [[nodiscard]] Result<void> begin_again(std::string_view run) {
        return one_row(PostgresAgentSql::begin_again, wire_values(run));
    }

    /// Who claimed under the key; empty if nobody can say.
    [[nodiscard]] Result<std::optional<std::string>> claimer(std::string_view key) {
        std::optional<std::string> name;
        const auto read = [&](PostgresResult& result) { result.read(name.emplace()); };
        if (const auto done = kept(fetch(*connection_, PostgresAgentSql::claimer, wire_values(key), read)); !done)
            return tl::unexpected<Error>(done.error());
        return name;
    }

    /// `attempt`: the archived one.
    [[nodiscard]] Result<void> restore(std::string_view run, std::uint32_t attempt) {
        if (auto back = one_row(PostgresAgentSql::restore, wire_values(run, attempt)); !back) return back;
        return kept(change(*connection_, PostgresAgentSql::forget, wire_values(run, attempt)));
    }

    [[nodiscard]] Result<void> retire(std::string_view run, std::string_view status, std::uint64_t fence) {
        return kept(change(*connection_, PostgresAgentSql::retire, wire_values(run, status, fence)));
    }

    [[nodiscard]] AgentWords words() const {
        using S = PostgresAgentSql;
        const std::string place = quoted_name(settings_.schema);
        const std::string update = "UPDATE " + place;
        const std::string call = "SELECT " + place + ".heeler_";
        return {{update + S::checkpoint, update + S::heartbeat, update + S::complete},
                {call + "checkpoint(:token, :step, :text);", call + "heartbeat(:token);", call + "complete(:token);"},
                "`t` (true)",
                "`f` (false)",
                "$1",
                "$2",
                &escaping_sql_literal,
                place + ".agent_progress"};
    }

private:
    using Steady = std::chrono::steady_clock;

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
        auto done = fetch(connection, PostgresAgentSql::count_parts, {}, [&](auto& row) { row.read(parts); });
        if (!done || parts >= PostgresAgentSql::parts) return done;
        PostgresTransaction transaction{connection};
        if (const auto begun = transaction.begin(PostgresSql::begin_schema); !begun)
            return tl::unexpected<Error>(begun.error());
        done = run_all(connection,
                       {PostgresSql::lock_schema, PostgresAgentSql::create_schema, PostgresAgentSql::create_tables});
        if (done) done = check(connection);
        if (done) done = run_all(connection, {PostgresAgentSql::create_functions});
        return done ? transaction.commit() : done;
    }

    [[nodiscard]] static Result<void> check(PostgresConnection& connection) {
        std::string wrong;
        std::int64_t gone = 0;
        const auto read = [&](PostgresResult& row) { row.read(wrong, gone); };
        if (auto done = fetch(connection, PostgresAgentSql::wrong, {}, read); !done) return done;
        if (wrong.empty()) return {};
        return tl::unexpected<Error>(gone != 0 ? connection.error(ErrorCode::corrupt, wrong)
                                               : connection.error(ErrorCode::not_a_store, wrong));
    }

    /// After an error that is not about the moment, the next call looks at everything anew.
    [[nodiscard]] Error noted(Error error) {
        stale_ = connection_->lost() || (error.code != ErrorCode::busy && error.code != ErrorCode::invalid_argument);
        return error;
    }

    [[nodiscard]] Result<void> kept(Result<void> done) {
        if (done) return done;
        return tl::unexpected<Error>(noted(std::move(done.error())));
    }

    [[nodiscard]] Result<void> one_row(const char* sql, const WireValues& values) {
        int rows = 0;
        if (auto done = kept(fetch(*connection_, sql, values, [&](PostgresResult&) { ++rows; })); !done) return done;
        if (rows == 1) return {};
        return tl::unexpected<Error>(connection_->error(ErrorCode::conflict, "the row was changed by hand"));
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
class PostgresAgentTable : public AgentTable<detail::PostgresAgentDatabase> {
public:
    /// `connection` as libpq has it.
    explicit PostgresAgentTable(std::string connection, Duration checkpoint_every = std::chrono::minutes{10},
                                PostgresSettings settings = {.schema = "heeler_agents"})
        : AgentTable{detail::PostgresAgentDatabase{std::move(connection), std::move(settings)}, checkpoint_every} {}
};
static_assert(GroupSourceLike<PostgresAgentTable>);

}  // namespace heeler::inline HEELER_ABI
