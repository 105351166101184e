// A store in PostgreSQL: for hosts on several machines, and where the operators want their usual database.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/postgres/address.hpp>
#include <heeler/store/postgres/connection.hpp>
#include <heeler/store/postgres/leases.hpp>
#include <heeler/store/postgres/open.hpp>
#include <heeler/store/postgres/prune.hpp>
#include <heeler/store/postgres/read.hpp>
#include <heeler/store/postgres/write.hpp>
#include <heeler/store/retention.hpp>
#include <heeler/store/store_place.hpp>

namespace heeler::inline HEELER_ABI {

/// A batch that is `durable` is on the server's disk when `commit` returns; telemetry may be lost by a crash of the
/// server. Every error names the store and what to do, never a password, and the next call tries again, connecting
/// anew if need be; while the server cannot be reached, calls fail at once until the next attempt is due. If the
/// connection breaks during COMMIT, the server is asked what became of it: after an error of `commit` nothing was
/// stored; only `io` may mean that it was. A schema with other tables, or one that needs a newer heeler, is left alone.
/// Needs PostgreSQL 12 and sessions of its own (no pooling by transaction). One thread at a time; the constructor does
/// no I/O.
class PostgresStore {
public:
    /// `connection` as libpq has it: keyword=value pairs or a postgresql:// URL; what is missing comes from the
    /// environment (PGHOST, PGPASSFILE, ...).
    explicit PostgresStore(std::string connection, PostgresSettings settings = {})
        : settings_{std::move(settings)}, address_{detail::read_address(std::move(connection), settings_.schema)} {}

    /// Runs that have not ended, or that still have an intended action or a pending alert, in order of registration.
    [[nodiscard]] Result<Snapshot> load() {
        return with_connection(
            [](detail::PostgresConnection& connection) { return detail::read_snapshot(connection); });
    }

    /// Decisions that were not applied yet, in order of their numbers.
    [[nodiscard]] Result<List<DecisionRow>> list() {
        return with_connection(
            [](detail::PostgresConnection& connection) { return detail::read_decisions(connection); });
    }

    /// Writes all of the batch but the runs whose version moved, which it names. A decision about such a run stays
    /// open, even if it is named in `applied`. `fenced` and nothing stored if the batch's lease was lost.
    [[nodiscard]] Result<Conflicts> commit(const Batch& batch) {
        const char* const begin =
            batch.durable ? detail::PostgresSql::begin_durable : detail::PostgresSql::begin_telemetry;
        return transact<Conflicts>(begin, [&](detail::PostgresConnection& connection, Conflicts& conflicts) {
            return detail::write_batch(connection, batch, conflicts);
        });
    }

    /// Takes or renews a lease, see `LeasingStoreLike`. Names: 1 to 128 bytes; length: 10 ms to 1 h.
    [[nodiscard]] Result<Lease> claim(Claimant who, Duration length) {
        return with_connection(
            [&](detail::PostgresConnection& connection) { return detail::claim_lease(connection, who, length); });
    }

    /// Ends the lease without anybody being missed; does nothing if it was lost.
    [[nodiscard]] Result<void> release(const Lease& lease) {
        return with_connection(
            [&](detail::PostgresConnection& connection) { return detail::release_lease(connection, lease); });
    }

    /// Takes away the leases that ran out, then gives runs that belong to none; `fenced` if the asker's own was lost.
    /// Claimers at once share the runs. After `io` it may have been done: the runs come again to whoever has a later
    /// lease.
    [[nodiscard]] Result<Claimed> claim_runs(const Claim& claim) {
        return transact<Claimed>(detail::PostgresSql::begin_durable,
                                 [&](detail::PostgresConnection& connection, Claimed& given) {
                                     return detail::claim_runs(connection, claim, given);
                                 });
    }

    /// What is stored about one run. Without a `row` if the run is not known; `""` gives the audit about no run.
    [[nodiscard]] Result<History> history(std::string_view run) {
        return with_connection(
            [&](detail::PostgresConnection& connection) { return detail::read_history(connection, run); });
    }

    /// One alert of a run, whatever became of it; absent if there is none with this key that can be read.
    [[nodiscard]] Result<std::optional<AlertRow>> alert(AlertKey which) {
        return with_connection(
            [&](detail::PostgresConnection& connection) { return detail::read_alert(connection, which); });
    }

    /// What was spent on that day, and what these lineages spent on any: see `CountsSpend`.
    [[nodiscard]] Result<List<SpendRow>> spent(std::int64_t day, const std::vector<std::string>& lineages) {
        return with_connection(
            [&](detail::PostgresConnection& connection) { return detail::read_spent(connection, day, lineages); });
    }

    /// Rows of all runs, ended ones too, without `spec` and `memory`, in order of registration: for tools.
    [[nodiscard]] Result<Listed<RunRow>> runs() {
        return with_connection([](detail::PostgresConnection& connection) {
            return detail::read_listed<RunRow>(connection, detail::PostgresSql::all_runs);
        });
    }

    /// Alerts of all runs that wait or were given up, oldest first: for tools.
    [[nodiscard]] Result<Listed<AlertRow>> undelivered() {
        return with_connection([](detail::PostgresConnection& connection) {
            return detail::read_listed<AlertRow>(connection, detail::PostgresSql::undelivered_alerts);
        });
    }

    /// All watchdogs that ever had a lease, by name: for tools.
    [[nodiscard]] Result<List<HolderRow>> holders() {
        return with_connection([](detail::PostgresConnection& connection) { return detail::read_holders(connection); });
    }

    /// Forgets a slice of what is over, in one transaction: call it until less than `retention.most` of each went.
    /// Others may be at work on the store. The server reuses the room by itself (autovacuum).
    [[nodiscard]] Result<Pruned> prune(const Retention& retention) {
        if (const auto usable = detail::check_retention(retention); !usable)
            return tl::unexpected<Error>(usable.error());
        return transact<Pruned>(detail::PostgresSql::begin_durable,
                                [&](detail::PostgresConnection& connection, Pruned& pruned) {
                                    return detail::prune(connection, retention, pruned);
                                });
    }

    [[nodiscard]] Duration statement_timeout() const noexcept { return settings_.statement_timeout; }

    /// Server, database and schema, for people; without a password. Empty if the connection string cannot be read.
    [[nodiscard]] std::string_view name() const noexcept {
        return address_ ? std::string_view{address_->name} : std::string_view{};
    }

    /// The server as `heeler-ctl --store` has it, quoted for a shell; without a password. Empty as `name` is.
    [[nodiscard]] std::string place() const {
        if (!address_) return {};
        const std::string place = detail::postgres_place(address_->connection, address_->schema);
        return address_->clean(place) == place ? place : detail::postgres_place("password=hidden", address_->schema);
    }

private:
    using Steady = std::chrono::steady_clock;

    template <class Work>
    auto with_connection(Work work) -> decltype(work(std::declval<detail::PostgresConnection&>())) {
        if (const auto opened = open(); !opened) return tl::unexpected<Error>(opened.error());
        auto result = work(*connection_);
        if (!result && (connection_->lost() || !keeps_connection(result.error().code))) connection_.reset();
        return result;
    }

    [[nodiscard]] Result<void> open() {
        if (connection_ && connection_->gone()) connection_.reset();
        if (connection_) return {};
        if (!address_) return tl::unexpected<Error>(address_.error());
        if (const auto usable = detail::check_settings(settings_); !usable) return usable;
        if (down_ && Steady::now() < next_attempt_) return tl::unexpected<Error>(not_tried());
        auto opened = detail::open_postgres(*address_, settings_, !was_open_);
        if (!opened) return tl::unexpected<Error>(failed(std::move(opened.error())));
        connection_.emplace(std::move(*opened));
        cluster_ = detail::cluster_of(*connection_);
        was_open_ = true;
        down_.reset();
        wait_ = Duration::zero();
        return {};
    }

    /// Puts the next attempt off.
    [[nodiscard]] Error failed(Error error) {
        wait_ =
            wait_ == Duration::zero() ? settings_.reconnect_after : std::min(2 * wait_, settings_.reconnect_at_most);
        next_attempt_ = Steady::now() + wait_;
        down_ = error;
        return error;
    }

    [[nodiscard]] Error not_tried() const {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_attempt_ - Steady::now()).count();
        return Error{down_->code, down_->message + "; tried again in " + std::to_string(left) + " ms"};
    }

    /// `work(connection, answer)` in one transaction.
    template <class Answer, class Work>
    [[nodiscard]] Result<Answer> transact(const char* begin, Work work) {
        detail::CommitTrace<Answer> trace;
        bool unanswered = false;
        auto done = with_connection([&](detail::PostgresConnection& connection) {
            auto result = detail::commit_traced(connection, begin, trace,
                                                [&](Answer& answer) { return work(connection, answer); });
            unanswered = !result && trace.sent && connection.lost();
            return result;
        });
        return unanswered ? find_out(std::move(trace), std::move(done.error())) : done;
    }

    /// What became of a commit whose answer was lost.
    template <class Answer>
    [[nodiscard]] Result<Answer> find_out(detail::CommitTrace<Answer> trace, Error lost) {
        const std::string then = std::exchange(cluster_, {});
        auto status = with_connection([&](detail::PostgresConnection& connection) -> Result<std::string> {
            if (then.empty() || then != cluster_) return std::string{};
            return detail::status_of(connection, trace.transaction);
        });
        if (status && *status == "committed") return std::move(trace.answer);
        if (status && *status == "aborted") return tl::unexpected<Error>(std::move(lost));
        return fail(ErrorCode::io, lost.message + "; whether it was stored is unknown");
    }

    [[nodiscard]] static constexpr bool keeps_connection(ErrorCode code) noexcept {
        return code == ErrorCode::busy || code == ErrorCode::full || code == ErrorCode::invalid_argument ||
               code == ErrorCode::unstorable || code == ErrorCode::fenced;
    }

    PostgresSettings settings_;
    Result<detail::PostgresAddress> address_;
    std::optional<detail::PostgresConnection> connection_;
    std::string cluster_;                // of the last connection
    std::optional<Error> down_;          // why the last attempt to connect failed
    Steady::time_point next_attempt_{};  // not before
    Duration wait_{};                    // between attempts
    bool was_open_ = false;
};

}  // namespace heeler::inline HEELER_ABI
