#include <heeler/alert/outbox.hpp>

#include <algorithm>
#include <set>
#include <string>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

const WallTime begin{1'800'000'000s};

AlertRow row_of(std::uint32_t attempts) {
    AlertRow row;
    row.attempts = attempts;
    row.created_at = row.not_before = begin;
    return row;
}

}  // namespace

TEST_CASE("the wait doubles from the first to the longest") {
    const OutboxSettings settings{1s, 300s, 24h};
    CHECK(retry_wait(settings, 1) == 1s);
    CHECK(retry_wait(settings, 2) == 2s);
    CHECK(retry_wait(settings, 9) == 256s);
    CHECK(retry_wait(settings, 10) == 300s);
    CHECK(retry_wait(settings, ~0u) == 300s);
    CHECK(retry_wait({300s, 300s, 24h}, 1) == 300s);
}

TEST_CASE("a receipt ends an alert, a receipt without recipients does not [M-120]") {
    const OutboxSettings settings;
    const AlertRow delivered = after_attempt(row_of(2), settings, Receipt{1}, begin + 1s);
    CHECK(delivered.state == AlertRow::State::delivered);
    CHECK(delivered.attempts == 3);
    const AlertRow unheard = after_attempt(row_of(0), settings, Receipt{0}, begin + 1s);
    CHECK(unheard.state == AlertRow::State::pending);
    CHECK(unheard.last_error == "nobody listens on this route");
    CHECK(unheard.not_before == begin + 2s);
}

TEST_CASE("an alert becomes a dead letter when its age limit is reached, or by a permanent error [M-125]") {
    const OutboxSettings settings{1s, 300s, 600s};
    const Result<Receipt> failed = fail(ErrorCode::delivery_failed, "down");
    CHECK(after_attempt(row_of(5), settings, failed, begin + 599s).state == AlertRow::State::pending);
    CHECK(after_attempt(row_of(5), settings, failed, begin + 600s).state == AlertRow::State::dead);
    CHECK(after_attempt(row_of(0), settings, failed, begin + 1s).last_error == "down");
    const Result<Receipt> never = fail(ErrorCode::permanent, "gone");
    CHECK(after_attempt(row_of(0), settings, never, begin).state == AlertRow::State::dead);
}

TEST_CASE("retries at once are counted after the first attempt, and then the alert is given up [M-121]") {
    OutboxSettings settings;
    settings.at_once = 3;
    const auto no = [](ErrorCode code) { return Result<Receipt>{tl::unexpected<Error>(Error{code, "no"})}; };
    for (std::uint32_t before = 0; before < 3; ++before) {
        const AlertRow row = after_attempt(row_of(before), settings, no(ErrorCode::io), begin);
        CHECK(row.state == AlertRow::State::pending);
        CHECK(row.not_before == begin);
    }
    CHECK(after_attempt(row_of(3), settings, no(ErrorCode::io), begin).state == AlertRow::State::dead);
    CHECK(after_attempt(row_of(0), settings, no(ErrorCode::permanent), begin).state == AlertRow::State::dead);
    CHECK(after_attempt(row_of(3), settings, Receipt{1}, begin).state == AlertRow::State::delivered);
    settings.at_once = 0;
    CHECK(after_attempt(row_of(0), settings, no(ErrorCode::io), begin).state == AlertRow::State::dead);
}

TEST_CASE("who is told when to come again comes no sooner") {
    const OutboxSettings settings{1s, 300s, 24h};
    const auto told = [](Duration wait) {
        return Result<Receipt>{tl::unexpected<Error>(Error{ErrorCode::delivery_failed, "busy", wait})};
    };
    CHECK(after_attempt(row_of(0), settings, told(35s), begin).not_before == begin + 35s);
    CHECK(after_attempt(row_of(9), settings, told(35s), begin).not_before == begin + 300s);
}

TEST_CASE("with jitter the waits spread over all of the back-off, and are the same whenever they are worked out") {
    OutboxSettings settings{1s, 300s, 24h};
    settings.jitter = true;
    const Result<Receipt> failed = fail(ErrorCode::delivery_failed, "down");
    const auto wait_of = [&](int number, std::uint32_t attempts) {
        AlertRow row = row_of(attempts);
        row.alert.key = "run-" + std::to_string(number) + ":unhealthy";
        return after_attempt(std::move(row), settings, failed, begin).not_before - begin;
    };
    for (const std::uint32_t before : {0U, 4U, 20U}) {
        const Duration longest = retry_wait(settings, before + 1);
        std::set<Duration> seen;
        std::size_t quarters[4] = {};
        for (int i = 0; i < 2000; ++i) {
            const Duration wait = wait_of(i, before);
            REQUIRE((wait > 0s && wait <= longest));
            CHECK(wait == wait_of(i, before));
            seen.insert(wait);
            ++quarters[std::min<std::int64_t>(4 * wait / longest, 3)];
        }
        CHECK(seen.size() > 1950);
        for (const std::size_t quarter : quarters) CHECK((quarter > 400 && quarter < 600));
    }
    std::set<Duration> of_one;
    for (std::uint32_t attempt = 20; attempt < 120; ++attempt) of_one.insert(wait_of(1, attempt));
    CHECK(of_one.size() == 100);
}

TEST_CASE("with jitter those who were told when to come again come after that, and not all at once") {
    OutboxSettings settings{1s, 300s, 24h};
    settings.jitter = true;
    const Result<Receipt> told{tl::unexpected<Error>(Error{ErrorCode::delivery_failed, "busy", 35s})};
    std::set<WallTime> seen;
    for (int i = 0; i < 100; ++i) {
        AlertRow row = row_of(0);
        row.alert.key = std::to_string(i);
        const WallTime next = after_attempt(std::move(row), settings, told, begin).not_before;
        CHECK((next > begin + 35s && next <= begin + 36s));
        seen.insert(next);
    }
    CHECK(seen.size() == 100);
}

TEST_CASE("no channel holds an alert back for longer than a day") {
    OutboxSettings settings;
    settings.jitter = GENERATE(false, true);
    const auto next = [&](Duration told) {
        const Result<Receipt> failed{tl::unexpected<Error>(Error{ErrorCode::delivery_failed, "busy", told})};
        return after_attempt(row_of(0), settings, failed, begin).not_before;
    };
    CHECK(next(Duration::max()) >= begin + 24h);
    CHECK(next(Duration::max()) <= begin + 24h + 1s);
    CHECK(next(Duration::min()) > begin);
    CHECK(next(Duration::min()) <= begin + 1s);
}
