#include <heeler/agent/sql/agent_row.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using detail::AgentRow;
using detail::news_of;
using detail::parse_agent_steps;

namespace {

AgentRow healthy() {
    AgentRow row;
    row.run = "r";
    row.found = row.has_token = true;
    row.status = "in_progress";
    row.attempt = "1";
    row.steps = "[]";
    row.steps_size = 2;
    row.base_age = 5'000'000;
    return row;
}

const std::string& first_problem(const Result<Polled>& polled) {
    REQUIRE(polled);
    REQUIRE(polled->problems.size() == 1);
    return polled->problems[0].message;
}

}  // namespace

TEST_CASE("a fresh row is no news", "[store]") {
    const auto polled = news_of(healthy(), "");
    REQUIRE(polled);
    CHECK(polled->events.empty());
    CHECK(polled->problems.empty());
    CHECK(news_of(healthy(), polled->cursor)->cursor == polled->cursor);
}

TEST_CASE("a row is of the attempt after the newest archived one", "[store]") {
    AgentRow row = healthy();
    row.archived = 2;
    row.attempt = "3";
    row.heartbeat = "now";
    row.heartbeat_age = 0;
    auto polled = news_of(row, "");
    REQUIRE(polled);
    REQUIRE(polled->events.size() == 1);
    CHECK(polled->events[0].incarnation == 3);
    row.attempt = "9";
    CHECK(first_problem(news_of(row, "")).find("column attempt holds \"9\"; write 3") != std::string::npos);
    CHECK(news_of(row, "")->events[0].incarnation == 3);
    row.archived = INT64_MAX;
    CHECK(news_of(row, "")->events[0].incarnation == UINT32_MAX);
    row.archived = -5;
    CHECK(news_of(row, "")->events[0].incarnation == 1);
}

TEST_CASE("ages are never negative, and what lies a little ahead is the clocks' difference", "[store]") {
    AgentRow row = healthy();
    row.checkpoint = "t";
    row.checkpoint_age = -2'000'000;
    CHECK(news_of(row, "")->problems.empty());
    CHECK(news_of(row, "")->events.at(0).age == Duration{0});
    row.checkpoint_age = -2'000'001;
    CHECK(first_problem(news_of(row, "")).find("last_checkpoint holds \"t\"; it lies in the future") !=
          std::string::npos);
    CHECK(news_of(row, "")->events.at(0).age == Duration{0});
    row.checkpoint_age = INT64_MIN;
    CHECK(news_of(row, "")->events.at(0).age == Duration{0});
    row.checkpoint_age = INT64_MAX;
    CHECK(news_of(row, "")->events.at(0).age == std::chrono::hours{24} * 36525);
}

TEST_CASE("how long ago the last checkpoint was is said at each poll, unless it lies in the future", "[store]") {
    AgentRow row = healthy();
    row.archived = 1;
    row.attempt = "2";
    const auto first = news_of(row, "");
    CHECK(first->checkpoint_age == std::chrono::seconds{5});
    CHECK(first->incarnation == 2);
    CHECK(news_of(row, first->cursor)->checkpoint_age == std::chrono::seconds{5});
    row.base_age = -1;
    CHECK(news_of(row, "")->checkpoint_age == Duration{0});
    row.base_age = -3'000'000;
    CHECK_FALSE(news_of(row, "")->checkpoint_age);
    row.base_age.reset();
    CHECK_FALSE(news_of(row, "")->checkpoint_age);
}

TEST_CASE("two checkpoints of one moment differ by their text", "[store]") {
    AgentRow row = healthy();
    row.checkpoint = "t";
    row.checkpoint_age = 1;
    row.last_step = "one";
    const auto first = news_of(row, "");
    row.last_step = "two";
    const auto second = news_of(row, first->cursor);
    CHECK(second->events.size() == 1);
    CHECK(news_of(row, second->cursor)->events.empty());
}

TEST_CASE("a wait lasts from the row's change to the first sign of work, and is told once", "[store]") {
    const auto states = [](const Result<Polled>& polled) {
        std::string text;
        for (const SourceEvent& event : polled->events) {
            const auto* change = std::get_if<StateChange>(&event.what);
            text += change == nullptr ? "work" : name_of(change->state);
            text += event.age ? "@" + std::to_string(*event.age / std::chrono::seconds{1}) + " " : " ";
        }
        return text;
    };
    AgentRow row = healthy();
    row.status = "waiting_human";
    row.question = "which?";
    row.updated_age = 40'000'000;
    auto polled = news_of(row, "");
    CHECK(states(polled) == "waiting_human@40 ");
    CHECK(std::get<StateChange>(polled->events[0].what).prompt == "which?");
    row.updated_age = 100'000'000;
    row.heartbeat = "h";
    row.heartbeat_age = 5'000'000;
    polled = news_of(row, polled->cursor);
    CHECK(states(polled) == "work@5 ");  // it lives, and waits
    row.status = "in_progress";
    row.updated_age = 2'000'000;
    row.checkpoint = "c";
    row.checkpoint_age = 30'000'000;
    polled = news_of(row, polled->cursor);
    CHECK(states(polled) == "running@30 work@30 ");  // the wait was over when it worked
    CHECK(news_of(row, polled->cursor)->events.empty());
    row.status = "queued";
    polled = news_of(row, polled->cursor);
    CHECK(states(polled) == "queued ");
    row.status = "waiting_human";
    polled = news_of(row, polled->cursor);
    CHECK(states(polled) == "waiting_human@2 ");
    row.status = "failed";
    CHECK(states(news_of(row, polled->cursor)) == "failed ");
}

TEST_CASE("a problem that goes and comes back is said again, another one does not repeat it", "[store]") {
    AgentRow row = healthy();
    row.status = "odd";
    auto polled = news_of(row, "");
    CHECK(polled->problems.size() == 1);
    row.has_token = false;
    polled = news_of(row, polled->cursor);
    CHECK(first_problem(polled).find("column token") != std::string::npos);
    row.status = "in_progress";
    polled = news_of(row, polled->cursor);
    CHECK(polled->problems.empty());
    row.status = "odd";
    polled = news_of(row, polled->cursor);
    CHECK(first_problem(polled).find("column status") != std::string::npos);
}

TEST_CASE("values are shown shortened and without what could mislead", "[store]") {
    AgentRow row = healthy();
    row.run = std::string(5000, 'r');
    row.status = "a\nb\x1b[31m\xff" + std::string(5000, 's');
    const auto polled = news_of(row, "");
    const std::string& said = first_problem(polled);
    CHECK(said.size() < 500);
    CHECK(said.find('\n') == std::string::npos);
    CHECK(said.find('\x1b') == std::string::npos);
}

TEST_CASE("lists of steps are whole numbers, or nothing is taken of them", "[store]") {
    const std::vector<std::int64_t> three{1, 2, 3};
    CHECK(parse_agent_steps("[3,1,2,2]") == three);
    CHECK(parse_agent_steps(" [ 1 ,\n2,\t3 ] ") == three);
    CHECK(parse_agent_steps("[]") == std::vector<std::int64_t>{});
    CHECK(parse_agent_steps("[-9223372036854775808]") == std::vector<std::int64_t>{INT64_MIN});
    for (const char* const text : {"",
                                   "[",
                                   "]",
                                   "[1",
                                   "[1,]",
                                   "[,1]",
                                   "[1 2]",
                                   "1",
                                   "[1.5]",
                                   "[1e3]",
                                   "[\"1\"]",
                                   "[null]",
                                   "[[1]]",
                                   "{}",
                                   "[1]x",
                                   "[1],",
                                   "[9223372036854775808]",
                                   "[--1]",
                                   "[+1]",
                                   "[0x1]"}) {
        INFO(text);
        CHECK_FALSE(parse_agent_steps(text));
    }
}

/// Whatever is in a row, it is answered, bounded, and said once.
TEST_CASE("no row is too odd", "[store]") {
    const std::vector<std::string> values{"",
                                          "0",
                                          "1",
                                          "-1",
                                          "completed",
                                          "failed",
                                          "in_progress",
                                          "[1,2]",
                                          "[",
                                          "\xff\xfe",
                                          "null",
                                          "9999999999",
                                          "\x1b[2J",
                                          "'; --",
                                          "[1,1,1]",
                                          "stalled",
                                          std::string(70'000, 'x')};
    const std::vector<std::int64_t> ages{0, -1, INT64_MIN, INT64_MAX, 60'000'000};
    std::uint32_t seed = 7;
    const auto next = [&](std::size_t below) {
        seed = seed * 1664525 + 1013904223;
        return (seed >> 8) % below;
    };
    std::string cursor;
    for (int round = 0; round < 3000; ++round) {
        AgentRow row = healthy();
        for (auto field : {&AgentRow::status, &AgentRow::attempt, &AgentRow::checkpoint, &AgentRow::heartbeat,
                           &AgentRow::completed_by, &AgentRow::last_step, &AgentRow::steps})
            if (next(4) == 0)
                (row.*field).reset();
            else
                row.*field = values[next(values.size())];
        for (auto field : {&AgentRow::checkpoint_age, &AgentRow::heartbeat_age, &AgentRow::completed_age})
            if (next(3) != 0) row.*field = ages[next(ages.size())];
        const auto polled = news_of(row, cursor);
        REQUIRE(polled);
        CHECK(polled->events.size() <= 5);
        CHECK(polled->problems.size() <= 8);
        for (const Error& problem : polled->problems) CHECK(problem.message.size() < 400);
        CHECK(polled->cursor.size() < 300);
        const auto again = news_of(row, polled->cursor);
        CHECK(again->events.empty());
        CHECK(again->problems.empty());
        cursor = next(3) == 0 ? std::string{} : polled->cursor;
    }
}
