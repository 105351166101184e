// What a host gives to be called.
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include <heeler/core/callback.hpp>

#include "support/catch.hpp"

using heeler::Callback;

namespace {

int twice(int n) { return 2 * n; }

static_assert(std::is_convertible_v<int (*)(int), Callback<int(int)>>);
static_assert(std::is_convertible_v<std::function<int(int)>, Callback<int(int)>>);
static_assert(!std::is_convertible_v<int, Callback<int(int)>>);
static_assert(!std::is_convertible_v<void (*)(int), Callback<int(int)>>, "an answer is wanted");
static_assert(std::is_convertible_v<int (*)(int), Callback<void(int)>>, "and here it is dropped");

}  // namespace

TEST_CASE("A callback holds whatever can be called so, or nothing") {
    const Callback<int(int)> none, null{nullptr}, of_pointer{static_cast<int (*)(int)>(nullptr)},
        of_function{std::function<int(int)>{}}, of_empty{Callback<long(int)>{}};
    for (const auto* each : {&none, &null, &of_pointer, &of_function, &of_empty}) {
        CHECK_FALSE(*each);
        CHECK(*each == nullptr);
        CHECK(Callback<int(int)>{*each} == nullptr);
    }
    const Callback<int(int)> function{twice}, lambda{[](int n) { return n + 1; }}, wrapped{std::function{twice}};
    CHECK(function(4) == 8);
    CHECK(lambda(4) == 5);
    CHECK(wrapped(4) == 8);
    CHECK(lambda != nullptr);
}

TEST_CASE("A copy of a callback holds a copy of what is called, and what was moved away nothing") {
    Callback<int(std::string)> counts{
        [calls = 0](const std::string& text) mutable { return static_cast<int>(text.size()) + ++calls; }};
    CHECK(counts("ab") == 3);
    Callback<int(std::string)> other = counts;
    CHECK(counts("ab") == 4);
    CHECK(other("ab") == 4);
    Callback<int(std::string)> moved = std::move(counts);
    CHECK(moved("ab") == 5);
    CHECK_FALSE(counts);  // NOLINT: that is what is asked
    other = moved;
    CHECK(other("ab") == 6);
    other = nullptr;
    CHECK_FALSE(other);
}
