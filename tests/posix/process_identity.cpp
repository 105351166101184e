#include <heeler/posix/process_identity.hpp>

#include <unistd.h>

#include "support/catch.hpp"

TEST_CASE("a command name with blanks and brackets does not move the fields of a process") {
    const auto row = heeler::parse_process_stat(
        "77 (a) R (b c) T 5 6 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 3 0 987654321 8192 17 18446744073709551615");
    REQUIRE(row);
    CHECK(row->pid == 77);
    CHECK(row->state == 'T');
    CHECK(row->parent == 5);
    CHECK(row->group == 6);
    CHECK(row->session == 7);
    CHECK(row->threads == 3);
    CHECK(row->start_time == 987654321);
    CHECK_FALSE(heeler::parse_process_stat(""));
    CHECK_FALSE(heeler::parse_process_stat("77 (a) T 5 6"));
}

TEST_CASE("a leader thread that ended before its siblings is not a dead process") {
    heeler::ProcessRow row;
    row.state = 'Z';
    row.threads = 2;
    CHECK_FALSE(row.dead());
    row.threads = 1;
    CHECK(row.dead());
}

TEST_CASE("a process id with another start time is somebody else") {
    const auto self = heeler::read_process(::getpid());
    REQUIRE(self);
    const heeler::ProcessIdentity identity{self->pid, self->group, self->start_time};
    CHECK(heeler::identity_alive(identity));
    CHECK_FALSE(heeler::identity_alive({self->pid, self->group, self->start_time - 1}));
    CHECK(heeler::family_of({self->pid, self->pid, self->start_time - 1}).members.empty());
    CHECK(heeler::family_of(identity).members.size() >= 1);
}
