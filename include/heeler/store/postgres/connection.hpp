// One connection to PostgreSQL with its prepared statements and transactions; for the PostgreSQL store.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <libpq-fe.h>
#include <poll.h>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/postgres/address.hpp>
#include <heeler/store/postgres/error.hpp>
#include <heeler/store/postgres/result.hpp>
#include <heeler/store/postgres/sql.hpp>
#include <heeler/store/postgres/values.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// An open connection. One thread at a time. After an error that makes it `lost()` it can only be dropped.
class PostgresConnection {
public:
    /// `answer_within`: how long a statement may take before the connection is given up.
    [[nodiscard]] static Result<PostgresConnection> open(const PostgresAddress& address, Duration connect_timeout,
                                                         Duration answer_within) {
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(connect_timeout).count();
        const std::string timeout = std::to_string(seconds);
        const char* const keywords[] = {"fallback_application_name", "dbname", "connect_timeout", "client_encoding",
                                        nullptr};
        const char* const values[] = {"heeler", address.connection.c_str(), timeout.c_str(), "UTF8", nullptr};
        PostgresConnection opened{address, answer_within};
        opened.handle_.reset(PQconnectdbParams(keywords, values, 1));
        PGconn* const handle = opened.handle_.get();
        if (handle == nullptr) return tl::unexpected<Error>(opened.error(ErrorCode::full, "no memory to connect"));
        opened.keep_secret(PQpass(handle));
        if (PQstatus(handle) != CONNECTION_OK)
            return tl::unexpected<Error>(opened.error(ErrorCode::lost, PQerrorMessage(handle)));
        PQsetNoticeReceiver(
            handle, [](void*, const PGresult*) {}, nullptr);
        PQsetnonblocking(handle, 1);
        return opened;
    }

    /// Carries out constant SQL text, several statements if need be; answers the last one's result, as text.
    [[nodiscard]] Result<PostgresResult> run(const char* sql) {
        if (PQsendQuery(handle_.get(), sql) == 0) return tl::unexpected<Error>(broken());
        return answer();
    }

    /// `sql` must be a constant with a lasting address: it is prepared once. Answers rows in binary form.
    [[nodiscard]] Result<PostgresResult> query(const char* sql, const WireValues& parameters = {}) {
        if (const auto prepared = prepare(sql); !prepared) return tl::unexpected<Error>(prepared.error());
        std::vector<const char*> values;
        std::vector<int> sizes;
        for (const std::string& parameter : parameters) {
            if (parameter.size() > longest_parameter)
                return tl::unexpected<Error>(error(ErrorCode::unstorable, "the batch is larger than 1 GB"));
            values.push_back(parameter.data());
            sizes.push_back(static_cast<int>(parameter.size()));
        }
        const std::vector<int> binary(parameters.size(), 1);
        const std::string& name = statements_[sql];
        if (PQsendQueryPrepared(handle_.get(), name.c_str(), static_cast<int>(values.size()), values.data(),
                                sizes.data(), binary.data(), 1) == 0)
            return tl::unexpected<Error>(broken());
        return answer();
    }

    /// Nothing more can be asked.
    [[nodiscard]] bool lost() const noexcept { return lost_ || PQstatus(handle_.get()) != CONNECTION_OK; }

    /// Looks, without waiting, whether the server has closed it meanwhile.
    [[nodiscard]] bool gone() {
        for (int looks = 0; looks < 8 && !lost() && is_readable(); ++looks) PQconsumeInput(handle_.get());
        return lost();
    }

    [[nodiscard]] int server_version() const noexcept { return PQserverVersion(handle_.get()); }
    [[nodiscard]] std::string_view parameter(const char* name) const noexcept {
        const char* const value = PQparameterStatus(handle_.get(), name);
        return value == nullptr ? std::string_view{} : std::string_view{value};
    }

    [[nodiscard]] const PostgresAddress& address() const noexcept { return address_; }
    [[nodiscard]] Error error(ErrorCode code, std::string_view said) const { return address_.error(code, said); }

private:
    using Steady = std::chrono::steady_clock;
    static constexpr std::size_t longest_parameter = 1'000'000'000;

    struct Finish {
        void operator()(PGconn* handle) const noexcept { PQfinish(handle); }
    };

    PostgresConnection(PostgresAddress address, Duration answer_within)
        : address_{std::move(address)}, answer_within_{answer_within} {}

    void keep_secret(const char* password) {
        if (password != nullptr && *password != '\0') address_.secrets.emplace_back(password);
    }

    [[nodiscard]] Result<void> prepare(const char* sql) {
        if (statements_.count(sql) == 1) return {};
        const std::string name = "heeler_" + std::to_string(statements_.size() + 1);
        if (PQsendPrepare(handle_.get(), name.c_str(), sql, 0, nullptr) == 0) return tl::unexpected<Error>(broken());
        if (const auto done = answer(); !done) return tl::unexpected<Error>(done.error());
        statements_[sql] = name;
        return {};
    }

    [[nodiscard]] Error broken() {
        lost_ = true;
        return error(ErrorCode::lost, PQerrorMessage(handle_.get()));
    }

    /// The first error of what was sent, else the last result.
    [[nodiscard]] Result<PostgresResult> answer() {
        PostgresResult kept;
        const auto deadline = Steady::now() + answer_within_;
        for (;;) {
            if (!wait(deadline)) {
                lost_ = true;
                return tl::unexpected<Error>(error(ErrorCode::lost, "the server did not answer in time"));
            }
            PostgresResult next{PQgetResult(handle_.get())};
            if (!next.present()) break;
            if (!kept.present() || kept.ok()) kept = std::move(next);
        }
        if (kept.present() && kept.ok()) return kept;
        if (!kept.present() || lost()) return tl::unexpected<Error>(broken_by(kept));
        return tl::unexpected<Error>(error(postgres_error_code(kept.state()), kept.message()));
    }

    [[nodiscard]] Error broken_by(const PostgresResult& last) {
        if (!last.present()) return broken();
        lost_ = true;
        return error(ErrorCode::lost, last.message());
    }

    /// Sends what waits and receives until there is a result to take (or an error of which the result will tell).
    [[nodiscard]] bool wait(Steady::time_point deadline) {
        for (;;) {
            const int unsent = PQflush(handle_.get());
            if (unsent < 0 || (unsent == 0 && PQisBusy(handle_.get()) == 0)) return true;
            const std::int64_t left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Steady::now()).count();
            if (left <= 0) return false;
            pollfd socket{PQsocket(handle_.get()), static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN), 0};
            const auto most = std::int64_t{std::numeric_limits<int>::max()};
            const int ready = ::poll(&socket, 1, static_cast<int>(std::min(left, most)));
            if (ready < 0 && errno != EINTR) return true;
            if (ready > 0 && PQconsumeInput(handle_.get()) == 0) return true;
        }
    }

    [[nodiscard]] bool is_readable() const noexcept {
        pollfd socket{PQsocket(handle_.get()), POLLIN, 0};
        return ::poll(&socket, 1, 0) > 0;
    }

    PostgresAddress address_;
    Duration answer_within_;
    std::unique_ptr<PGconn, Finish> handle_;
    std::map<const char*, std::string> statements_;
    bool lost_ = false;
};

/// Rolled back unless it was committed.
class PostgresTransaction {
public:
    explicit PostgresTransaction(PostgresConnection& connection) noexcept : connection_{&connection} {}
    PostgresTransaction(const PostgresTransaction&) = delete;
    PostgresTransaction& operator=(const PostgresTransaction&) = delete;
    ~PostgresTransaction() {
        if (open_ && !connection_->lost()) static_cast<void>(connection_->run(PostgresSql::rollback));
    }

    /// Answers what the last statement of `how` does.
    [[nodiscard]] Result<PostgresResult> begin(const char* how) {
        open_ = true;
        return connection_->run(how);
    }

    [[nodiscard]] Result<void> commit() {
        const auto done = connection_->run(PostgresSql::commit);
        if (!done) return tl::unexpected<Error>(done.error());
        open_ = false;
        if (done->command() == "COMMIT") return {};
        return tl::unexpected<Error>(connection_->error(ErrorCode::io, "the server rolled the transaction back"));
    }

private:
    PostgresConnection* connection_;
    bool open_ = false;
};

/// Calls `read(result)` for every row that `sql` answers.
template <class Read>
[[nodiscard]] Result<void> fetch(PostgresConnection& connection, const char* sql, const WireValues& parameters,
                                 Read read) {
    auto result = connection.query(sql, parameters);
    if (!result) return tl::unexpected<Error>(result.error());
    while (result->next()) read(*result);
    const std::string unreadable = result->take_unreadable();
    if (unreadable.empty()) return {};
    return tl::unexpected<Error>(connection.error(ErrorCode::corrupt, unreadable));
}

/// Carries out a statement whose rows do not matter.
[[nodiscard]] inline Result<void> change(PostgresConnection& connection, const char* sql,
                                         const WireValues& parameters) {
    if (const auto done = connection.query(sql, parameters); !done) return tl::unexpected<Error>(done.error());
    return {};
}

}  // namespace heeler::inline HEELER_ABI::detail
