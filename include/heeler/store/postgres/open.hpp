// Opens a PostgreSQL store: leaves foreign schemas alone, adds the tables that are missing; for the PostgreSQL store.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/postgres/address.hpp>
#include <heeler/store/postgres/connection.hpp>
#include <heeler/store/postgres/schema.hpp>
#include <heeler/store/postgres/sql.hpp>
#include <heeler/store/postgres/values.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI {

struct PostgresSettings {
    /// Schema of the database that holds the tables; created if it is missing. 1 to 63 bytes. Stores with different
    /// schemas have nothing in common.
    std::string schema = "heeler";
    /// How long a call waits for somebody else's lock before it answers `busy`. 1 ms to 60 s.
    Duration lock_timeout = std::chrono::seconds{2};
    /// How long the server works on one statement before it answers `busy`. 1 ms to 10 min. A second later the
    /// connection is given up. At most half of `EngineSettings::lease`, where that is used: a watchdog that is paused
    /// in the middle of a transaction keeps others out as long.
    Duration statement_timeout = std::chrono::seconds{5};
    /// How long to try to connect, for each host of the connection string. 2 to 60 s, in whole seconds.
    Duration connect_timeout = std::chrono::seconds{2};
    /// After an attempt to connect that failed, calls answer its error at once until this has passed; doubled each
    /// time. 0 to 10 min.
    Duration reconnect_after = std::chrono::milliseconds{250};
    /// The longest such wait. `reconnect_after` to 10 min.
    Duration reconnect_at_most = std::chrono::seconds{30};
};

namespace detail {

[[nodiscard]] constexpr bool is_between(Duration value, Duration least, Duration most) noexcept {
    return value >= least && value <= most;
}

[[nodiscard]] inline Result<void> check_settings(const PostgresSettings& settings) {
    using namespace std::chrono_literals;
    const auto refuse = [](std::string_view said) {
        return fail(ErrorCode::invalid_argument, "store in PostgreSQL: " + std::string{said});
    };
    const std::string& schema = settings.schema;
    if (schema.empty() || schema.size() > 63 || schema.find('\0') != std::string::npos || !text::valid_utf8(schema))
        return refuse("schema must be UTF-8 text of 1 to 63 bytes");
    if (schema.starts_with("pg_")) return refuse("schema may not begin with 'pg_'");
    if (!is_between(settings.lock_timeout, 1ms, 60s)) return refuse("lock_timeout must be 1 ms to 60 s");
    if (!is_between(settings.statement_timeout, 1ms, 10min)) return refuse("statement_timeout must be 1 ms to 10 min");
    if (!is_between(settings.connect_timeout, 2s, 60s)) return refuse("connect_timeout must be 2 to 60 s");
    if (!is_between(settings.reconnect_after, 0ms, 10min)) return refuse("reconnect_after must be 0 to 10 min");
    if (!is_between(settings.reconnect_at_most, settings.reconnect_after, 10min))
        return refuse("reconnect_at_most must be reconnect_after to 10 min");
    return {};
}

/// Whose tables the schema holds, and how far they were added to.
struct PostgresState {
    std::int64_t tables = 0;
    std::int64_t ours = 0;
    std::int64_t version = 0;
    std::int64_t min_reader = 0;
};

[[nodiscard]] inline Result<PostgresState> read_state(PostgresConnection& connection) {
    PostgresState state;
    auto done = fetch(connection, PostgresSql::whose, {}, [&](auto& row) { row.read(state.tables, state.ours); });
    if (done && state.ours > 0)
        done = fetch(connection, PostgresSql::meta, {}, [&](auto& row) { row.read(state.version, state.min_reader); });
    if (!done) return tl::unexpected<Error>(done.error());
    return state;
}

/// Refuses what this code, whose schema goes from `steps.front()` to `steps.back()`, must not use.
[[nodiscard]] inline Result<void> check_state(const PostgresConnection& connection, const PostgresState& state,
                                              std::span<const SchemaStep> steps, bool may_create) {
    const std::int64_t oldest = steps.front().version, newest = steps.back().version;
    const auto refuse = [&](ErrorCode code, std::string_view said) {
        return tl::unexpected<Error>(connection.error(code, said));
    };
    if (state.tables == 0 && !may_create) return refuse(ErrorCode::lost, "its tables were dropped while in use");
    if (state.tables > 0 && state.ours == 0)
        return refuse(ErrorCode::not_a_store, "the schema holds tables that are no store of heeler");
    if (state.min_reader > newest)
        return refuse(ErrorCode::newer_schema, "it needs a heeler with store schema " +
                                                   std::to_string(state.min_reader) + " or newer, this one has " +
                                                   std::to_string(newest));
    if (state.tables > 0 && state.version < oldest)
        return refuse(ErrorCode::older_schema, too_old(state.version, oldest));
    return {};
}

[[nodiscard]] inline Result<void> run_all(PostgresConnection& connection, std::initializer_list<const char*> all) {
    for (const char* const sql : all)
        if (const auto done = connection.run(sql); !done) return tl::unexpected<Error>(done.error());
    return {};
}

[[nodiscard]] inline Result<void> add_steps(PostgresConnection& connection, std::span<const SchemaStep> steps,
                                            std::int64_t version) {
    for (const SchemaStep& step : steps) {
        if (step.version <= version) continue;
        if (auto added = run_all(connection, {step.sql}); !added) return added;
        auto set = change(connection, PostgresSql::set_meta, wire_values(step.version, step.min_reader));
        if (!set) return set;
    }
    return {};
}

/// Brings the tables to the last of `steps`, all or nothing, one process at a time. A store that is further already is
/// used as it is.
[[nodiscard]] inline Result<void> prepare_schema(PostgresConnection& connection, std::span<const SchemaStep> steps,
                                                 bool may_create) {
    const std::int64_t newest = steps.back().version;
    const auto seen = read_state(connection);
    if (!seen) return tl::unexpected<Error>(seen.error());
    if (auto usable = check_state(connection, *seen, steps, may_create); !usable) return usable;
    if (seen->version >= newest) return {};

    PostgresTransaction transaction{connection};
    if (const auto begun = transaction.begin(PostgresSql::begin_schema); !begun)
        return tl::unexpected<Error>(begun.error());
    if (auto locked = run_all(connection, {PostgresSql::lock_schema}); !locked) return locked;
    const auto state = read_state(connection);  // another process may have been faster
    if (!state) return tl::unexpected<Error>(state.error());
    if (auto usable = check_state(connection, *state, steps, may_create); !usable) return usable;
    if (state->tables == 0)
        if (auto created = run_all(connection, {PostgresSql::create_schema}); !created) return created;
    if (auto added = add_steps(connection, steps, state->version); !added) return added;
    return transaction.commit();
}

[[nodiscard]] inline Result<void> check_server(const PostgresConnection& connection) {
    constexpr int oldest = 120000;
    const auto refuse = [&](const std::string& said) {
        return tl::unexpected<Error>(connection.error(ErrorCode::invalid_argument, said));
    };
    if (connection.server_version() < oldest)
        return refuse("the server is older than PostgreSQL 12: update it, or choose another");
    if (const auto encoding = connection.parameter("server_encoding"); encoding != "UTF8")
        return refuse("the database's encoding is " + std::string{encoding} + ", but must be UTF8: choose another");
    return {};
}

/// Connects and prepares the schema. Without `may_create` tables that are gone are an error.
[[nodiscard]] inline Result<PostgresConnection> open_postgres(const PostgresAddress& address,
                                                              const PostgresSettings& settings, bool may_create) {
    const auto answer_within = settings.statement_timeout + std::chrono::seconds{1};
    auto connection = PostgresConnection::open(address, settings.connect_timeout, answer_within);
    if (!connection) return connection;
    const auto in_ms = [](Duration length) { return std::chrono::ceil<std::chrono::milliseconds>(length).count(); };
    auto ready = check_server(*connection);
    if (ready)
        ready = change(*connection, PostgresSql::set_up,
                       wire_values(address.schema, in_ms(settings.lock_timeout), in_ms(settings.statement_timeout)));
    if (ready) ready = prepare_schema(*connection, postgres_schema, may_create);
    if (!ready) return tl::unexpected<Error>(ready.error());
    return connection;
}

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI
