// A store in one SQLite file (WAL): for hosts that restart, and for several processes on one machine.
#pragma once

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
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/retention.hpp>
#include <heeler/store/sqlite/connection.hpp>
#include <heeler/store/sqlite/leases.hpp>
#include <heeler/store/sqlite/open.hpp>
#include <heeler/store/sqlite/prune.hpp>
#include <heeler/store/sqlite/read.hpp>
#include <heeler/store/sqlite/schema.hpp>
#include <heeler/store/sqlite/write.hpp>
#include <heeler/store/store_place.hpp>

namespace heeler::inline HEELER_ABI {

struct SqliteSettings {
    /// How long a call waits for another writer before it answers `busy`. 0 to 60 s.
    Duration busy_timeout = std::chrono::seconds{1};
};

/// A batch that is `durable` is on the disk when `commit` returns; telemetry may be lost by a power failure, never by a
/// crash. Every error names the file and what to do, and the next call tries again, opening the file anew if need be.
/// After an error of `commit` nothing was stored; only `io` may mean that it was. A file that is not a store, or that
/// needs a newer heeler, is left alone. One thread at a time; the constructor does no I/O.
class SqliteStore {
public:
    explicit SqliteStore(std::string path, SqliteSettings settings = {})
        : path_{std::move(path)}, settings_{settings} {}

    /// Runs that have not ended, or that still have an intended action or a pending alert, in order of registration.
    [[nodiscard]] Result<Snapshot> load() {
        return with_connection([](detail::SqliteConnection& connection) { return detail::read_snapshot(connection); });
    }

    /// Decisions that were not applied yet, in order of their numbers.
    [[nodiscard]] Result<List<DecisionRow>> list() {
        return with_connection([](detail::SqliteConnection& connection) { return detail::read_decisions(connection); });
    }

    /// Writes all of the batch but the runs whose version moved, which it names. A decision about such a run stays
    /// open, even if it is named in `applied`. `fenced` and nothing stored if the batch's lease was lost.
    [[nodiscard]] Result<Conflicts> commit(const Batch& batch) {
        return with_durable(batch.durable, [&](detail::SqliteConnection& connection) {
            return detail::write_batch(connection, batch);
        });
    }

    /// Takes or renews a lease, see `LeasingStoreLike`. Names: 1 to 128 bytes; length: 10 ms to 1 h.
    [[nodiscard]] Result<Lease> claim(Claimant who, Duration length) {
        return with_durable(
            true, [&](detail::SqliteConnection& connection) { return detail::claim_lease(connection, who, length); });
    }

    /// Ends the lease without anybody being missed; does nothing if it was lost.
    [[nodiscard]] Result<void> release(const Lease& lease) {
        return with_connection(
            [&](detail::SqliteConnection& connection) { return detail::release_lease(connection, lease); });
    }

    /// Takes away the leases that ran out, then gives runs that belong to none; `fenced` if the asker's own was lost.
    /// After `io` it may have been done: the runs come again to whoever has a later lease.
    [[nodiscard]] Result<Claimed> claim_runs(const Claim& claim) {
        return with_durable(
            true, [&](detail::SqliteConnection& connection) { return detail::claim_runs(connection, claim); });
    }

    /// What is stored about one run. Without a `row` if the run is not known; `""` gives the audit about no run.
    [[nodiscard]] Result<History> history(std::string_view run) {
        return with_connection(
            [&](detail::SqliteConnection& connection) { return detail::read_history(connection, run); });
    }

    /// One alert of a run, whatever became of it; absent if there is none with this key that can be read.
    [[nodiscard]] Result<std::optional<AlertRow>> alert(AlertKey which) {
        return with_connection(
            [&](detail::SqliteConnection& connection) { return detail::read_alert(connection, which); });
    }

    /// What was spent on that day, and what these lineages spent on any: see `CountsSpend`.
    [[nodiscard]] Result<List<SpendRow>> spent(std::int64_t day, const std::vector<std::string>& lineages) {
        return with_connection(
            [&](detail::SqliteConnection& connection) { return detail::read_spent(connection, day, lineages); });
    }

    /// Rows of all runs, ended ones too, without `spec` and `memory`, in order of registration: for tools.
    [[nodiscard]] Result<Listed<RunRow>> runs() {
        return with_connection([](detail::SqliteConnection& connection) {
            return detail::read_listed<RunRow>(connection, detail::Sql::all_runs);
        });
    }

    /// Alerts of all runs that wait or were given up, oldest first: for tools.
    [[nodiscard]] Result<Listed<AlertRow>> undelivered() {
        return with_connection([](detail::SqliteConnection& connection) {
            return detail::read_listed<AlertRow>(connection, detail::Sql::undelivered_alerts);
        });
    }

    /// All watchdogs that ever had a lease, by name: for tools.
    [[nodiscard]] Result<List<HolderRow>> holders() {
        return with_connection([](detail::SqliteConnection& connection) { return detail::read_holders(connection); });
    }

    /// Forgets a slice of what is over, in one transaction: call it until less than `retention.most` of each went.
    /// Others may be at work on the store; they wait for milliseconds. The file keeps its size and fills up again:
    /// `compact`.
    [[nodiscard]] Result<Pruned> prune(const Retention& retention) {
        return with_connection(
            [&](detail::SqliteConnection& connection) { return detail::prune(connection, retention); });
    }

    /// Gives the disk back what pruned rows took. Takes as long as copying the file, and nobody else can write
    /// meanwhile.
    [[nodiscard]] Result<void> compact() {
        return with_connection(
            [](detail::SqliteConnection& connection) { return connection.run(detail::PruneSql::compact); });
    }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    /// The file as `heeler-ctl --store` has it, quoted for a shell.
    [[nodiscard]] std::string place() const { return detail::sqlite_place(path_); }

private:
    template <class Work>
    auto with_connection(Work work) -> decltype(work(std::declval<detail::SqliteConnection&>())) {
        if (const auto opened = open(); !opened) return tl::unexpected<Error>(opened.error());
        auto result = work(*connection_);
        if (!result && !keeps_connection(result.error().code)) connection_.reset();
        return result;
    }

    template <class Work>
    auto with_durable(bool durable, Work work) -> decltype(work(std::declval<detail::SqliteConnection&>())) {
        return with_connection([&](detail::SqliteConnection& connection) -> decltype(work(connection)) {
            if (const auto set = set_durable(connection, durable); !set) return tl::unexpected<Error>(set.error());
            return work(connection);
        });
    }

    [[nodiscard]] Result<void> open() {
        if (connection_ && connection_->moved()) connection_.reset();
        if (connection_) return {};
        auto opened = detail::open_sqlite(path_, settings_.busy_timeout, !was_open_);
        if (!opened) return tl::unexpected<Error>(opened.error());
        connection_.emplace(std::move(*opened));
        was_open_ = true;
        durable_.reset();
        return {};
    }

    [[nodiscard]] Result<void> set_durable(detail::SqliteConnection& connection, bool durable) {
        if (durable_ == durable) return {};
        durable_.reset();
        if (auto set = connection.run(durable ? detail::Sql::sync_always : detail::Sql::sync_seldom); !set) return set;
        durable_ = durable;
        return {};
    }

    [[nodiscard]] static constexpr bool keeps_connection(ErrorCode code) noexcept {
        return code == ErrorCode::busy || code == ErrorCode::full || code == ErrorCode::invalid_argument ||
               code == ErrorCode::unstorable || code == ErrorCode::fenced;
    }

    std::string path_;
    SqliteSettings settings_;
    std::optional<detail::SqliteConnection> connection_;
    std::optional<bool> durable_;  // what the connection is set to
    bool was_open_ = false;
};

}  // namespace heeler::inline HEELER_ABI
