// Writing the small rows of runs that changed, against one bare statement for the same columns.
#include "compare.hpp"

#include <heeler/core/batch.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <unistd.h>

#ifdef HEELER_HAS_SQLITE
#include <heeler/store/sqlite_store.hpp>
#endif
#ifdef HEELER_HAS_POSTGRES
#include <heeler/store/postgres_store.hpp>
#endif

namespace bench {
namespace {

using namespace heeler;

// The store may do at least 0.7 times the rows of the baseline in the same time.
[[maybe_unused]] constexpr double flush_budget = 1.43;

/// The value. Without one there is nothing to measure: says why, and ends the program.
template <class T>
[[maybe_unused]] T must(Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "heeler_bench: %s\n", result.error().message.c_str());
        std::exit(1);
    }
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

[[maybe_unused]] Batch changed_runs(std::size_t count) {
    Batch batch;
    for (std::size_t i = 0; i < count; ++i) {
        RunRow row;
        row.id = "agents/worker-" + std::to_string(100'000 + i);
        row.name = "nightly";
        row.class_name = "long_run";
        row.facts = std::string(200, 'f');
        batch.runs.emplace_back().row = row;
    }
    return batch;
}

template <class Store>
[[maybe_unused]] double flush(Store& store, Batch& batch) {
    const double took = time_one(batch.runs.size(), [&] {
        if (!must(store.commit(batch)).empty()) must<void>(fail(ErrorCode::conflict, "a run's version has moved"));
    });
    for (RunBatch& run : batch.runs) ++run.row.version;
    return took;
}

#ifdef HEELER_HAS_SQLITE

constexpr char sqlite_table[] =
    "CREATE TABLE bare(id TEXT PRIMARY KEY, version INTEGER, name TEXT, class TEXT, state TEXT, status TEXT, "
    "attempt INTEGER, incarnation INTEGER, created_at INTEGER, updated_at INTEGER, ended_at INTEGER, holder TEXT, "
    "epoch INTEGER, facts BLOB)";
constexpr char sqlite_upsert[] =
    "INSERT INTO bare VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) "
    "ON CONFLICT(id) DO UPDATE SET version = excluded.version, name = excluded.name, class = excluded.class, state = "
    "excluded.state, "
    "status = excluded.status, attempt = excluded.attempt, incarnation = excluded.incarnation, "
    "created_at = excluded.created_at, updated_at = excluded.updated_at, ended_at = excluded.ended_at, "
    "holder = excluded.holder, epoch = excluded.epoch, facts = excluded.facts";

double upsert(detail::SqliteConnection& bare, const Batch& batch) {
    return time_one(batch.runs.size(), [&] {
        auto transaction = must(detail::SqliteTransaction::begin(bare, detail::Sql::begin_write));
        auto statement = must(bare.prepare(sqlite_upsert));
        for (const RunBatch& run : batch.runs) {
            detail::columns(run.row, [&](const auto&... values) { statement.bind(values...); });
            must(statement.run());
            statement.reset();
        }
        must(transaction.commit());
    });
}

void add_sqlite(Effort effort, Rows& rows) {
    std::string directory = (std::filesystem::temp_directory_path() / "heeler-bench-XXXXXX").string();
    if (::mkdtemp(directory.data()) == nullptr) std::abort();
    {
        SqliteStore store{directory + "/store.db"};
        auto bare = must(detail::open_sqlite(directory + "/bare.db", std::chrono::seconds{1}, true));
        must(bare.run(detail::Sql::sync_seldom));
        must(bare.run(sqlite_table));
        Batch batch = changed_runs(effort.of(1'000, 100));
        static_cast<void>(flush(store, batch));
        rows.push_back(compare(
            effort, "flush of a changed run, SQLite", flush_budget, [&] { return flush(store, batch); },
            [&] { return upsert(bare, batch); }));
    }
    std::filesystem::remove_all(directory);
}

#endif

#ifdef HEELER_HAS_POSTGRES

constexpr char postgres_table[] =
    "DROP TABLE IF EXISTS bare; CREATE TABLE bare(id TEXT COLLATE \"C\" PRIMARY KEY, version BIGINT, name TEXT, "
    "class TEXT, state TEXT, status TEXT, attempt BIGINT, incarnation BIGINT, created_at BIGINT, updated_at BIGINT, "
    "ended_at BIGINT, holder TEXT, epoch BIGINT, facts BYTEA) WITH (fillfactor = 45)";
constexpr char postgres_begin[] = "BEGIN; SET LOCAL synchronous_commit = off";
constexpr char postgres_upsert[] =
    "INSERT INTO bare SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], "
    "$7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::bigint[], "
    "$14::bytea[]) ON CONFLICT (id) DO UPDATE SET version = excluded.version, name = excluded.name, class = "
    "excluded.class, state = excluded.state, "
    "status = excluded.status, attempt = excluded.attempt, incarnation = excluded.incarnation, "
    "created_at = excluded.created_at, updated_at = excluded.updated_at, ended_at = excluded.ended_at, "
    "holder = excluded.holder, epoch = excluded.epoch, facts = excluded.facts";

double upsert(detail::PostgresConnection& bare, const Batch& batch) {
    return time_one(batch.runs.size(), [&] {
        detail::WireRows rows;
        for (const RunBatch& run : batch.runs) detail::add_row(rows, run.row);
        must(bare.run(postgres_begin));
        must(bare.query(postgres_upsert, rows.take()));
        must(bare.run(detail::PostgresSql::commit));
    });
}

void add_postgres(Effort effort, Rows& rows) {
    PostgresSettings settings;
    settings.schema = "heeler_bench_" + std::to_string(::getpid());
    PostgresStore store{effort.postgres, settings};
    Batch batch = changed_runs(effort.of(1'000, 100));
    static_cast<void>(flush(store, batch));
    const auto address = must(detail::read_address(effort.postgres, settings.schema));
    auto bare = must(detail::open_postgres(address, settings, false));
    must(bare.run(postgres_table));
    rows.push_back(compare(
        effort, "flush of a changed run, PostgreSQL", flush_budget, [&] { return flush(store, batch); },
        [&] { return upsert(bare, batch); }));
    const std::string drop = "SET client_min_messages = error; DROP SCHEMA " + settings.schema + " CASCADE";
    must(bare.run(drop.c_str()));
}

#endif

}  // namespace

void add_flushes([[maybe_unused]] Effort effort, [[maybe_unused]] Rows& rows) {
#ifdef HEELER_HAS_SQLITE
    add_sqlite(effort, rows);
#endif
#ifdef HEELER_HAS_POSTGRES
    if (!effort.postgres.empty()) add_postgres(effort, rows);
#endif
}

}  // namespace bench
