#include <heeler/store/postgres/error.hpp>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("what PostgreSQL's failures mean", "[store][postgres]") {
    using detail::postgres_error_code;
    for (const auto* state : {"", "08006", "57P01", "57P02", "57P03", "25P03"})
        CHECK(postgres_error_code(state) == ErrorCode::lost);
    for (const auto* state : {"40001", "40P01", "55P03", "57014", "53300"})
        CHECK(postgres_error_code(state) == ErrorCode::busy);
    for (const auto* state : {"53100", "53200", "53400"}) CHECK(postgres_error_code(state) == ErrorCode::full);
    for (const auto* state : {"25006", "42501"}) CHECK(postgres_error_code(state) == ErrorCode::read_only);
    for (const auto* state : {"54000", "22021", "22003", "23505", "P0001", "MY001"})
        CHECK(postgres_error_code(state) == ErrorCode::unstorable);
    for (const auto* state : {"42P01", "42703", "3F000", "0A000", "XX001"})
        CHECK(postgres_error_code(state) == ErrorCode::corrupt);
    CHECK(postgres_error_code("XX000") == ErrorCode::io);
}

TEST_CASE("every error of a PostgreSQL store names it and says what to do", "[store][postgres]") {
    for (auto code = ErrorCode::invalid_argument; code <= ErrorCode::unstorable;
         code = static_cast<ErrorCode>(static_cast<int>(code) + 1)) {
        const Error error = detail::postgres_error("postgresql://h/d schema s", code, "it happened");
        CHECK(error.code == code);
        CHECK_THAT(error.message, ContainsSubstring("store postgresql://h/d schema s: it happened; "));
        CHECK(error.message.back() != ' ');
    }
}
