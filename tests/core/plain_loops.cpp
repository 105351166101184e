#include <heeler/core/plain_loops.hpp>

#include <random>
#include <span>

#include "support/catch.hpp"

using namespace heeler;

namespace {

std::vector<int> random_numbers(std::mt19937& random, std::size_t count) {
    std::uniform_int_distribution<int> few{0, 30};  // some twice
    std::vector<int> numbers(count);
    for (int& each : numbers) each = few(random);
    return numbers;
}

}  // namespace

TEST_CASE("any number of elements is sorted as the standard sorts them", "[core]") {
    std::mt19937 random{7};
    for (std::size_t count = 0; count < 200; ++count) {
        std::vector<int> ours = random_numbers(random, count);
        std::vector<int> theirs = ours;
        detail::sort(ours);
        std::sort(theirs.begin(), theirs.end());
        REQUIRE(ours == theirs);
        detail::sort(ours, [](int a, int b) { return a > b; });
        std::sort(theirs.rbegin(), theirs.rend());
        REQUIRE(ours == theirs);
    }
}

TEST_CASE("a part of an array is sorted, and the rest stays", "[core]") {
    std::array<std::string, 5> words{"d", "c", "b", "a", "0"};
    const std::span some{words.data(), 3};
    detail::sort(some);
    CHECK(words == std::array<std::string, 5>{"b", "c", "d", "a", "0"});
}

TEST_CASE("a value is found where the standard finds it, and its place where it is missing", "[core]") {
    std::mt19937 random{11};
    for (std::size_t count = 0; count < 60; ++count) {
        std::vector<int> all = random_numbers(random, count);
        detail::sort(all);
        for (int value = -1; value <= 31; ++value) {
            CAPTURE(count, value);
            const auto place = std::lower_bound(all.begin(), all.end(), value) - all.begin();
            REQUIRE(detail::place_in_sorted(all, value) == static_cast<std::size_t>(place));
            REQUIRE(detail::is_in_sorted(all, value) == std::binary_search(all.begin(), all.end(), value));
            REQUIRE(detail::contains(all, value) == detail::is_in_sorted(all, value));
        }
    }
}

TEST_CASE("of what is there twice the first is left, and of what is dropped none", "[core]") {
    std::vector<std::pair<int, char>> all{{1, 'a'}, {1, 'b'}, {2, 'c'}, {3, 'd'}, {3, 'e'}, {3, 'f'}, {1, 'g'}};
    detail::drop_repeated(all, [](const auto& a, const auto& b) { return a.first == b.first; });
    CHECK(all == std::vector<std::pair<int, char>>{{1, 'a'}, {2, 'c'}, {3, 'd'}, {1, 'g'}});

    detail::drop_if(all, [](const auto& each) { return each.first == 1; });
    CHECK(all == std::vector<std::pair<int, char>>{{2, 'c'}, {3, 'd'}});
    CHECK(detail::any_of(all, [](const auto& each) { return each.second == 'd'; }));
    CHECK_FALSE(detail::any_of(all, [](const auto& each) { return each.second == 'a'; }));

    std::vector<std::pair<int, char>> more{{0, 'z'}};
    detail::append_all(more, all);
    CHECK(more == std::vector<std::pair<int, char>>{{0, 'z'}, {2, 'c'}, {3, 'd'}});

    std::vector<int> none;
    detail::append_all(none, std::array<int, 0>{});
    detail::drop_repeated(none);
    CHECK(none.empty());
}
