#include <heeler/store/sqlite/error.hpp>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("what SQLite's failures mean", "[store][sqlite]") {
    CHECK(detail::sqlite_error_code(SQLITE_BUSY, 0) == ErrorCode::busy);
    CHECK(detail::sqlite_error_code(SQLITE_IOERR_WRITE, ENOSPC) == ErrorCode::full);
    CHECK(detail::sqlite_error_code(SQLITE_CANTOPEN, EACCES) == ErrorCode::read_only);
    for (const int refused : {SQLITE_CONSTRAINT_NOTNULL, SQLITE_CONSTRAINT_TRIGGER, SQLITE_MISMATCH, SQLITE_TOOBIG})
        CHECK(detail::sqlite_error_code(refused, 0) == ErrorCode::unstorable);
    CHECK(detail::sqlite_error_code(SQLITE_ERROR, 0) == ErrorCode::io);
}

TEST_CASE("a table or a column that is not there was taken away", "[store][sqlite]") {
    CHECK(detail::says_what_is_missing(SQLITE_ERROR, "no such table: runs"));
    CHECK(detail::says_what_is_missing(SQLITE_ERROR, "no such column: facts"));
    CHECK(detail::says_what_is_missing(SQLITE_ERROR, "table runs has no column named facts"));
    CHECK_FALSE(detail::says_what_is_missing(SQLITE_ERROR, "cannot commit - no transaction is active"));
    CHECK_FALSE(detail::says_what_is_missing(SQLITE_CORRUPT, "no such luck"));
}
