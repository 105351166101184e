#include <heeler/tree/host_answers.hpp>

#include <string>

#include "support/catch.hpp"

using namespace heeler;

namespace {

void answer(HostAnswers& host, ActionOutcome outcome, ActionKind kind = ActionKind::wake) {
    host.learn({kind, outcome, "why", OutcomeFrom::answer}, WallTime{});
}

}  // namespace

TEST_CASE("a person hears of a host's third refusal in a row, and of what nobody knows the outcome of [M-158][M-164]") {
    HostAnswers host;
    CHECK(host.in_words().empty());
    answer(host, ActionOutcome::failed);
    answer(host, ActionOutcome::blocked);
    answer(host, ActionOutcome::skipped);
    answer(host, ActionOutcome::unsupported, ActionKind::review);
    CHECK(host.failures == 2);
    CHECK_FALSE(host.owed);
    SECTION("a review that was made is half of it") {
        answer(host, ActionOutcome::done, ActionKind::review);
        answer(host, ActionOutcome::rejected);
        CHECK(host.owed);
        CHECK(host.in_words() == "the host refused the wake 3 times in a row, at last with: why");
    }
    SECTION("what was done at last begins anew") {
        answer(host, ActionOutcome::done);
        answer(host, ActionOutcome::rejected);
        CHECK(host.failures == 1);
        CHECK_FALSE(host.owed);
    }
    SECTION("shadow mode asks nobody") {
        host.learn({ActionKind::wake, ActionOutcome::done, {}, OutcomeFrom::shadow}, WallTime{});
        CHECK(host.failures == 2);
    }
    SECTION("nobody knows") {
        host = {};
        answer(host, ActionOutcome::unknown);
        CHECK(host.owed);
        CHECK(host.in_words() == "nobody knows whether the wake that the host was asked for happened: why");
    }
}

TEST_CASE("what a host answered is shown on one line, and without secrets") {
    HostAnswers host;
    host.learn({ActionKind::wake, ActionOutcome::failed, "no\ntoken ghp_0123456789abcdefghijABCDEFGHIJ012345",
                OutcomeFrom::answer},
               WallTime{});
    CHECK_THAT(host.in_words(),
               ContainsSubstring("1 time in a row, at last with: no token ") && !ContainsSubstring("ghp_"));
}
