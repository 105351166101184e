// PostgreSQL for tests: the server that ctest started, servers of a test's own, and connections of somebody else.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include <libpq-fe.h>
#include <unistd.h>

#include <heeler/store/postgres_store.hpp>

#include "support/catch.hpp"
#include "support/real_process.hpp"

namespace heeler_test {

/// Directory of the server that ctest started; empty: there is none here.
[[nodiscard]] inline std::string postgres_directory() {
    const char* const directory = std::getenv("HEELER_POSTGRES");
    return directory == nullptr ? "" : directory;
}

/// Leaves the test case where there is no server.
#define HEELER_NEEDS_POSTGRES() \
    if (heeler_test::postgres_directory().empty()) HEELER_SKIP("no PostgreSQL server is installed")

[[nodiscard]] inline std::string postgres_at(const std::string& directory, std::string_view user = "heeler") {
    return "host=" + directory + " dbname=postgres user=" + std::string{user};
}

/// A connection of somebody else.
class PostgresClient {
public:
    explicit PostgresClient(const std::string& connection) : handle_{PQconnectdb(connection.c_str())} {
        INFO(PQerrorMessage(handle_));
        REQUIRE(PQstatus(handle_) == CONNECTION_OK);
        PQsetNoticeReceiver(
            handle_, [](void*, const PGresult*) {}, nullptr);
    }
    PostgresClient(const PostgresClient&) = delete;
    PostgresClient& operator=(const PostgresClient&) = delete;
    ~PostgresClient() { PQfinish(handle_); }

    /// The values of all rows, each with a space behind it.
    std::string ask(const std::string& sql) {
        PGresult* const result = PQexec(handle_, sql.c_str());
        const auto status = PQresultStatus(result);
        std::string text;
        for (int row = 0; row < PQntuples(result); ++row)
            for (int at = 0; at < PQnfields(result); ++at) text.append(PQgetvalue(result, row, at)).append(" ");
        const std::string message = PQresultErrorMessage(result);
        PQclear(result);
        INFO(sql << ": " << message);
        REQUIRE((status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK));
        return text;
    }

private:
    PGconn* handle_;
};

/// A schema name that nobody else has; the schema is dropped at the end.
class ScratchSchema {
public:
    ScratchSchema() {
        static int count = 0;
        name_ = "t" + std::to_string(::getpid()) + "_" + std::to_string(++count);
    }
    ScratchSchema(const ScratchSchema&) = delete;
    ScratchSchema& operator=(const ScratchSchema&) = delete;
    ~ScratchSchema() {
        PGconn* const handle = PQconnectdb(postgres_at(postgres_directory()).c_str());
        PQclear(
            PQexec(handle, ("SET client_min_messages = error; DROP SCHEMA IF EXISTS " + name_ + " CASCADE").c_str()));
        PQfinish(handle);
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] heeler::PostgresSettings settings() const {
        heeler::PostgresSettings settings;
        settings.schema = name_;
        return settings;
    }

private:
    std::string name_;
};

/// A server that a test may stop. `HEELER_NEEDS_POSTGRES()` first.
class PostgresServer {
public:
    PostgresServer() { REQUIRE(act("start", std::to_string(::getpid()))); }
    PostgresServer(const PostgresServer&) = delete;
    PostgresServer& operator=(const PostgresServer&) = delete;
    ~PostgresServer() { static_cast<void>(act("remove")); }

    void stop(std::string_view mode = "fast") { REQUIRE(act("stop", mode)); }
    void start_again() { REQUIRE(act("again")); }
    /// From then on a commit that has taken effect waits for a standby that does not exist. Only a new start makes all
    /// of the server's processes know: of a changed setting the one that matters hears last.
    void start_again_for_a_standby() {
        (void)PostgresClient{connection()}.ask("ALTER SYSTEM SET synchronous_standby_names = 'ghost'");
        stop("immediate");
        start_again();
    }
    [[nodiscard]] std::string connection() const { return postgres_at(directory_); }
    [[nodiscard]] std::string log_file() const { return directory_ + "/log"; }

private:
    [[nodiscard]] bool act(std::string_view action, std::string_view argument = "") const {
        const std::string command =
            postgres_directory() + "/server " + std::string{action} + " " + directory_ + " " + std::string{argument};
        return std::system(command.c_str()) == 0;
    }

    ScratchDirectory scratch_;
    std::string directory_ = scratch_.text() + "-pg";  // the scratch directory reserves the name
};

}  // namespace heeler_test
