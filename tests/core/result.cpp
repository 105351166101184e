#include <heeler/core/result.hpp>

#include <set>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace {

heeler::Result<int> half_of(int number) {
    if (number % 2 != 0) return heeler::fail(heeler::ErrorCode::invalid_argument, "odd: 3, give an even number");
    return number / 2;
}

TEST_CASE("A result holds its value") {
    const auto half = half_of(8);
    REQUIRE(half);
    CHECK(*half == 4);
}

TEST_CASE("A failed result holds the code and the message") {
    const auto half = half_of(3);
    REQUIRE_FALSE(half);
    CHECK(half.error().code == heeler::ErrorCode::invalid_argument);
    CHECK_THAT(half.error().message, ContainsSubstring("even number"));
}

TEST_CASE("A result without a value still tells success from failure") {
    const heeler::Result<void> done;
    const heeler::Result<void> failed = heeler::fail(heeler::ErrorCode::full, "no space");
    CHECK(done);
    CHECK_FALSE(failed);
}

TEST_CASE("Every error code has a name of its own") {
    std::set<std::string_view> names;
    const auto last = static_cast<int>(heeler::ErrorCode::permanent);
    for (int code = 0; code <= last; ++code) names.insert(heeler::name_of(static_cast<heeler::ErrorCode>(code)));
    CHECK(names.size() == static_cast<std::size_t>(last) + 1);
    CHECK(names.count("") == 0);
    CHECK(heeler::name_of(heeler::ErrorCode::permanent) == "permanent");
}

}  // namespace
