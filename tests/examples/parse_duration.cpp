#include "common/parse_duration.hpp"

#include "support/catch.hpp"

using common::parse_duration;
using namespace std::chrono_literals;

TEST_CASE("lengths of time are read as people write them", "[examples]") {
    const std::pair<const char*, heeler::Duration> good[] = {
        {"90", 90s}, {"90s", 90s}, {"5m", 5min}, {"1h30m", 90min}, {"250ms", 250ms}, {"2d", 48h}, {"400d", 9600h}};
    for (const auto& [text, length] : good) {
        INFO(text);
        const auto read = parse_duration(text);
        REQUIRE(read);
        CHECK(*read == length);
    }
}

TEST_CASE("what is no length of time is refused and named", "[examples]") {
    for (const std::string text :
         {"", "0", "0s", "soon", "-5m", "5 m", "5M", "1.5h", "h", "401d", "400d1ms", "9999999999s", "5x", "+3s"}) {
        INFO(text);
        const auto read = parse_duration(text);
        REQUIRE_FALSE(read);
        CHECK(read.error().code == heeler::ErrorCode::invalid_argument);
        CHECK_THAT(read.error().message, ContainsSubstring('"' + text + '"'));
    }
}
