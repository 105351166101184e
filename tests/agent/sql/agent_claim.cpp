#include <heeler/agent/sql/agent_claim.hpp>

#include <string>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::AgentClaim;
using detail::AgentClaimRow;
using detail::AgentClaimStep;
using detail::decide_agent_claim;

namespace {

AgentClaimRow row_of(std::uint32_t attempt) {
    AgentClaimRow row;
    row.ticket = {"r", "token", attempt};
    row.status = "in_progress";
    row.base_age = 3'600'000'000;
    return row;
}

AgentClaim claim_of(std::uint32_t attempt) {
    AgentClaim claim;
    claim.run = "r";
    claim.attempt = attempt;
    claim.key = "key";
    claim.fresh = 600s;
    return claim;
}

}  // namespace

TEST_CASE("a run is claimed at the age at which its checkpoint is due, not before [M-098]") {
    AgentClaimRow row = row_of(1);
    row.base_age = 599'999'999;
    CHECK(decide_agent_claim(row, claim_of(1)).error().code == ErrorCode::rejected);
    row.base_age = 600'000'000;
    CHECK(decide_agent_claim(row, claim_of(1)) == AgentClaimStep::take);
    row.base_age = -1;  // the clocks' difference
    CHECK_FALSE(decide_agent_claim(row, claim_of(1)));
    row.base_age = -60'000'000;  // somebody wrote a time in the future: it proves nothing
    CHECK(decide_agent_claim(row, claim_of(1)) == AgentClaimStep::take);
    row.base_age.reset();
    CHECK(decide_agent_claim(row, claim_of(1)) == AgentClaimStep::take);
}

TEST_CASE("a claim is of one attempt, one key and what was judged [M-098]") {
    AgentClaim claim = claim_of(1);
    AgentClaimRow row = row_of(1);
    claim.judged.emplace().attempt = "1";
    CHECK(decide_agent_claim(row, claim) == AgentClaimStep::take);
    row.checkpoint = "new";
    CHECK_FALSE(decide_agent_claim(row, claim));
    claim.judged->checkpoint = "new";
    CHECK(decide_agent_claim(row, claim) == AgentClaimStep::take);
    row = row_of(2);
    row.key = "key";
    CHECK(decide_agent_claim(row, claim) == AgentClaimStep::continue_);
    row.key = "other";
    CHECK_FALSE(decide_agent_claim(row, claim));
    row.claimed_by = "w1.3";
    CHECK_FALSE(decide_agent_claim(row, claim));
    claim.asker = "w1.3";
    CHECK(decide_agent_claim(row, claim) == AgentClaimStep::renew);
    claim.asker = "w1.4";
    CHECK_FALSE(decide_agent_claim(row, claim));
    row = row_of(0);
    CHECK_FALSE(decide_agent_claim(row, claim_of(0)));
    CHECK_FALSE(decide_agent_claim(row_of(1), claim_of(0)));
    CHECK_FALSE(decide_agent_claim(row_of(0), claim_of(UINT32_MAX)));
}

TEST_CASE("a sign that is younger than what the verdict knows of keeps the run with its agent [M-098]") {
    AgentClaim claim = claim_of(1);
    claim.judged.emplace().attempt = "1";
    claim.silent = 1200s;
    AgentClaimRow row = row_of(1);
    row.base_age = 1'200'000'000;
    CHECK(decide_agent_claim(row, claim) == AgentClaimStep::take);
    row.base_age = 1'199'000'000;  // the clocks' difference
    CHECK(decide_agent_claim(row, claim) == AgentClaimStep::take);
    row.base_age = 1'190'000'000;
    CHECK(decide_agent_claim(row, claim).error().message.find("a checkpoint came after the verdict") !=
          std::string::npos);
    row = row_of(2);  // of a verdict about the attempt before
    row.key = "other";
    row.base_age = 700'000'000;
    claim.judged->attempt = "2";
    CHECK(decide_agent_claim(row, claim).error().code == ErrorCode::rejected);
}

TEST_CASE("who works under one's own older key is replaced as anybody else is [M-098]") {
    AgentClaim claim = claim_of(1);
    claim.asker = "w1.3";
    AgentClaimRow row = row_of(2);
    row.key = "other";
    row.claimed_by = "w1.3";
    CHECK(decide_agent_claim(row, claim) == AgentClaimStep::renew);
    row.wrote = true;
    CHECK(decide_agent_claim(row, claim).error().code == ErrorCode::rejected);
    claim.judged.emplace().attempt = "2";
    CHECK(decide_agent_claim(row, claim) == AgentClaimStep::take);
    row.base_age = 1'000'000;
    CHECK(decide_agent_claim(row, claim).error().code == ErrorCode::rejected);
}

TEST_CASE("what another watchdog claimed under the same key is not one's own [M-098]") {
    AgentClaim claim = claim_of(1);
    claim.asker = "w1.3";
    AgentClaimRow row = row_of(2);
    row.key = "key";
    row.claimed_by = "w1.3";
    CHECK(decide_agent_claim(row, claim) == AgentClaimStep::continue_);
    row.claimed_by = "w2.1";
    CHECK(decide_agent_claim(row, claim).error().code == ErrorCode::timed_out);  // an agent may have been started
    claim.repeatable = true;
    CHECK(decide_agent_claim(row, claim) == AgentClaimStep::continue_);
}

TEST_CASE("who was replaced claims nothing any more [M-098]") {
    AgentClaim claim = claim_of(1);
    claim.asker = "w2.1";
    claim.fence = 7;
    AgentClaimRow row = row_of(1);
    row.fence = 7;
    CHECK(decide_agent_claim(row, claim) == AgentClaimStep::take);
    row.fence = 8;
    CHECK(decide_agent_claim(row, claim).error().code == ErrorCode::fenced);
    row.ticket.attempt = 2;
    row.key = "key";
    row.claimed_by = "w2.1";
    CHECK(decide_agent_claim(row, claim).error().code == ErrorCode::fenced);  // its own claim was given back since
    claim.fence = 0;
    CHECK(decide_agent_claim(row, claim) == AgentClaimStep::continue_);
}

TEST_CASE("a completed run has ended, any other end drops the verdict [M-049]") {
    AgentClaimRow row = row_of(1);
    row.status = "completed";
    CHECK(decide_agent_claim(row, claim_of(1)).error().code == ErrorCode::ended);
    row.status = "failed";
    CHECK(decide_agent_claim(row, claim_of(1)).error().code == ErrorCode::rejected);
    row.status = "odd \x1b[2J";
    CHECK(decide_agent_claim(row, claim_of(1)).error().message.find('\x1b') == std::string::npos);
}

TEST_CASE("a watchdog that counts differently may go on from the attempt that it has read [M-098]") {
    for (const std::uint32_t attempt : {1u, 5u}) {
        AgentClaim claim = claim_of(attempt);
        AgentClaimRow row = row_of(3);
        row.key = "of the store that was lost";
        CHECK(decide_agent_claim(row, claim).error().message.find("its attempt is 3, not ") != std::string::npos);
        claim.judged.emplace().attempt = "2";
        CHECK_FALSE(decide_agent_claim(row, claim));
        claim.judged->attempt = "3";
        CHECK(decide_agent_claim(row, claim) == AgentClaimStep::take);
        claim.judged->checkpoint = "older";
        CHECK_FALSE(decide_agent_claim(row, claim));
    }
}
