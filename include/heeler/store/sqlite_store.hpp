// A store in one SQLite file (WAL): for hosts that restart, and for several processes on one machine.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include <heeler/core/batch.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/sqlite_connection.hpp>
#include <heeler/store/sqlite_open.hpp>
#include <heeler/store/sqlite_rows.hpp>
#include <heeler/store/sqlite_schema.hpp>

namespace heeler::inline v0 {

struct SqliteSettings {
    /// How long a call waits for another writer before it answers `busy`. 0 to 60 s.
    Duration busy_timeout = std::chrono::seconds{1};
};

/// A batch that is `durable` is on the disk when `commit` returns; telemetry may be lost by a power failure, never by a
/// crash. Every error names the file and what to do; `busy`, `full`, `read_only`, `io` and `lost` may pass: the next
/// call tries again, and opens the file again if need be. A file that is not a store is left alone. Of the error codes
/// of `commit`, `io` alone leaves open whether the batch was stored. One thread at a time; the constructor does no I/O.
class SqliteStore {
public:
    explicit SqliteStore(std::string path, SqliteSettings settings = {})
        : path_{std::move(path)}, settings_{settings} {}

    /// Runs that have not ended, or that still have an intended action or a pending alert, in order of registration.
    [[nodiscard]] Result<Snapshot> load() {
        return connected([](detail::SqliteConnection& connection) { return read_snapshot(connection); });
    }

    /// Decisions that were not applied yet, in order of their numbers.
    [[nodiscard]] Result<std::vector<DecisionRow>> list() {
        return connected([](detail::SqliteConnection& connection) { return read_decisions(connection); });
    }

    /// Writes all of the batch but the runs whose version moved, which it names. A decision about such a run stays
    /// open, even if it is named in `applied`.
    Result<Conflicts> commit(const Batch& batch) {
        return connected([&](detail::SqliteConnection& connection) { return write(connection, batch); });
    }

    /// What is stored about one run. Without a `row` if the run is not known; `""` gives the audit about no run.
    [[nodiscard]] Result<History> history(std::string_view run) {
        return connected([&](detail::SqliteConnection& connection) { return read_history(connection, run); });
    }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    using Connection = detail::SqliteConnection;
    using Sql = detail::Sql;

    [[nodiscard]] Result<void> open();
    template <class Work>
    auto connected(Work work) -> decltype(work(std::declval<Connection&>()));
    [[nodiscard]] Result<void> set_durability(Connection& connection, bool durable);
    [[nodiscard]] Result<Conflicts> write(Connection& connection, const Batch& batch);

    [[nodiscard]] static Result<Snapshot> read_snapshot(Connection& connection);
    [[nodiscard]] static Result<void> read_rest(Connection& connection, StoredRun& run);
    [[nodiscard]] static Result<void> read_parts(Connection& connection, RunRow& row);
    [[nodiscard]] static Result<std::vector<DecisionRow>> read_decisions(Connection& connection);
    [[nodiscard]] static Result<History> read_history(Connection& connection, std::string_view run);

    std::string path_;
    SqliteSettings settings_;
    std::optional<Connection> connection_;
    std::optional<bool> durable_;  ///< what the connection is set to
    bool was_open_ = false;
};

