#include <heeler/store/postgres/address.hpp>

#include <string>

#include <heeler/store/postgres_store.hpp>
#include <heeler/testing/contract/store_contract.hpp>

#include "support/catch.hpp"
#include "support/postgres.hpp"

using namespace heeler;
using heeler_test::postgres_directory;

namespace {

constexpr const char* secret = "tr0ub4dor";

/// The error of the first look into a store; `secret` is neither in it nor in the store's name.
Error error_at(const std::string& connection, PostgresSettings settings = {}) {
    PostgresStore store{connection, std::move(settings)};
    const auto loaded = store.load();
    REQUIRE_FALSE(loaded);
    const std::string& message = loaded.error().message;
    INFO(message);
    CHECK(message.find(secret) == std::string::npos);
    CHECK(message.find("tr0") == std::string::npos);
    CHECK(message.find("ub4dor") == std::string::npos);
    CHECK(store.name().find("tr0") == std::string_view::npos);
    return loaded.error();
}

}  // namespace

TEST_CASE("a PostgreSQL store is named without its password", "[store][postgres]") {
    const PostgresStore url{"postgresql://ana:tr0ub4dor@db.example:5433/work?sslmode=require"};
    CHECK(url.name() == "postgresql://ana@db.example:5433/work schema heeler");
    const PostgresStore pairs{"host=db.example user=ana password='tr0ub4dor' dbname=work"};
    CHECK(pairs.name() == "postgresql://ana@db.example/work schema heeler");
    CHECK(PostgresStore{""}.name() == "postgresql:// schema heeler");
}

TEST_CASE("people are told where a PostgreSQL store is, as a shell reads it and without its password",
          "[store][postgres]") {
    PostgresSettings own;
    own.schema = "two words";
    CHECK(PostgresStore{"postgresql://ana:tr0ub4dor@db/x"}.place() == "'postgresql://ana@db/x'");
    CHECK(PostgresStore{"host=db dbname=x"}.place() == "'postgres:host=db dbname=x'");
    CHECK(PostgresStore{"host=db dbname=x", own}.place() == "'postgres:host=db dbname=x' --schema 'two words'");
    for (const char* const hidden : {"host=db password=tr0ub4dor", "postgresql://db/x?password=tr0ub4dor",
                                     "host=db sslpassword='tr0ub4dor' dbname=x", "password = tr0ub4dor"})
        CHECK(PostgresStore{hidden}.place() == "\"$HEELER_STORE\"");
    CHECK(
        PostgresStore{"postgresql://ana:tr0/ub4dor@db/x"}.place().empty());  // nobody knows what of it is the password
}

TEST_CASE("connection strings that cannot be read are not shown", "[store][postgres]") {
    for (const std::string wrong :
         {"postgresql://ana:tr0/ub4dor@db.example/work", "postgresql://ana:tr0@ub4dor@db.example/work",
          "postgresql://ana:tr0%ub4dor@db.example/work", "postgresql://ana:tr0ub4dor@db.example:port/work",
          "postgresql://ana:tr0#ub4dor@[db.example/work", "password=tr0 ub4dor host=x", "tr0ub4dor",
          "host=x password='tr0ub4dor", "tr0ub4dor=x"}) {
        INFO(wrong);
        const Error error = error_at(wrong);
        CHECK(error.code == ErrorCode::invalid_argument);
        CHECK_THAT(error.message, ContainsSubstring("not shown"));
    }
    CHECK(error_at(std::string("host=x\0y", 8)).code == ErrorCode::invalid_argument);
}

TEST_CASE("no error shows the password of a PostgreSQL store", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    const std::string host = "host=" + postgres_directory() + " dbname=postgres ";
    const Error wrong = error_at(host + "user=guarded password=tr0ub4dor");
    CHECK(wrong.code == ErrorCode::lost);
    CHECK_THAT(wrong.message, ContainsSubstring("guarded") && ContainsSubstring("password authentication failed"));
    // A server that repeats the password has it redacted.
    CHECK_THAT(error_at("host=" + postgres_directory() +
                        " user=heeler dbname=nowhere options='-c tr0ub4dor=1' "
                        "password=tr0ub4dor")
                   .message,
               ContainsSubstring("nowhere"));
    const Error named = error_at("host=/nowhere/tr0ub4dor password=/nowhere/tr0ub4dor user=x");
    CHECK_THAT(named.message, ContainsSubstring("[redacted]"));
    // The right password works, and does not show either.
    const Error denied = error_at(host + "user=guarded password=swordfish-17");
    CHECK(denied.code == ErrorCode::read_only);
    CHECK(denied.message.find("swordfish") == std::string::npos);
    REQUIRE(::setenv("PGPASSWORD", secret, 1) == 0);
    CHECK(error_at(host + "user=guarded").code == ErrorCode::lost);
    ::unsetenv("PGPASSWORD");
}

TEST_CASE("settings of a PostgreSQL store outside their limits are refused", "[store][postgres]") {
    using namespace std::chrono_literals;
    const auto refused = [](auto change) {
        PostgresSettings settings;
        change(settings);
        const Error error = error_at("host=/nowhere", settings);
        CHECK(error.code == ErrorCode::invalid_argument);
        return error.message;
    };
    CHECK_THAT(refused([](auto& s) { s.schema = ""; }), ContainsSubstring("schema"));
    CHECK_THAT(refused([](auto& s) { s.schema = std::string(64, 'x'); }), ContainsSubstring("63"));
    CHECK_THAT(refused([](auto& s) { s.schema = "a\xff"; }), ContainsSubstring("schema"));
    CHECK_THAT(refused([](auto& s) { s.schema = "pg_mine"; }), ContainsSubstring("pg_"));
    CHECK_THAT(refused([](auto& s) { s.lock_timeout = 0s; }), ContainsSubstring("lock_timeout"));
    CHECK_THAT(refused([](auto& s) { s.statement_timeout = 0s; }), ContainsSubstring("statement_timeout"));
    CHECK_THAT(refused([](auto& s) { s.connect_timeout = 1s; }), ContainsSubstring("connect_timeout"));
    CHECK_THAT(refused([](auto& s) { s.reconnect_after = -1s; }), ContainsSubstring("reconnect_after"));
    CHECK_THAT(refused([](auto& s) { s.reconnect_at_most = 1ms; }), ContainsSubstring("reconnect_at_most"));
}
