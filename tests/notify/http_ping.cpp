#include <heeler/notify/http/http_ping.hpp>

#include <chrono>

#include "support/catch.hpp"
#include "support/loopback.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("a dead man's switch is called, by GET or as asked for") {
    heeler_test::LoopbackHttp server{[](const heeler_test::HttpSeen&) { return heeler_test::http_answer(204, ""); }};
    HttpPing ping{server.url() + "/ping/secret"};
    CHECK(ping());
    CHECK(HttpPing{server.url() + "/ping/secret", "POST"}());
    const auto seen = server.seen();
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].method == "GET");
    CHECK(seen[0].path == "/ping/secret");
    CHECK(seen[1].method == "POST");
    CHECK(seen[1].body.empty());
}

TEST_CASE("a dead man's switch that refuses, is silent or is not there is an error without its address") {
    heeler_test::LoopbackHttp server{[](const heeler_test::HttpSeen& one) {
        return one.path == "/silent" ? "" : heeler_test::http_answer(one.path == "/moved" ? 302 : 500);
    }};
    const auto refused = HttpPing{server.url() + "/secret"}();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::delivery_failed);
    CHECK_THAT(refused.error().message, ContainsSubstring("500") && !ContainsSubstring("secret"));
    CHECK_FALSE(HttpPing{server.url() + "/moved"}());
    const auto begin = std::chrono::steady_clock::now();
    const auto silent = HttpPing{server.url() + "/silent", "GET", {100ms, 200ms, {}}}();
    REQUIRE_FALSE(silent);
    CHECK(silent.error().code == ErrorCode::timed_out);
    CHECK(std::chrono::steady_clock::now() - begin < 60s);
    CHECK_FALSE(HttpPing{"http://127.0.0.1:1/secret"}());
    CHECK(HttpPing{"ftp://x"}().error().code == ErrorCode::invalid_argument);
}
