#include <heeler/core/name_map.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using heeler::detail::NameMap;

namespace {

std::vector<std::string> names_of(const NameMap<int>& map) {
    std::vector<std::string> names;
    for (const auto& [name, value] : map) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

TEST_CASE("what is kept by name is found, changed and forgotten") {
    NameMap<int> map;
    CHECK(map.empty());
    CHECK(map.find("a") == map.end());
    CHECK(map.emplace("a", 1));
    CHECK_FALSE(map.emplace("a", 2));
    CHECK(map["a"] == 1);
    map["b"] = 3;
    CHECK(map.size() == 2);
    CHECK(map.find("b")->second == 3);
    CHECK(map.contains("b"));
    map.erase("a");
    map.erase("never there");
    CHECK(names_of(map) == std::vector<std::string>{"b"});
    map.clear();
    CHECK(map.empty());
    CHECK(map.begin() == map.end());
}

TEST_CASE("thousands of names are found while they come and go, and none of them moves") {
    NameMap<int> map;
    int* const first = &map["0"];
    for (int i = 0; i < 5000; ++i) map[std::to_string(i)] = i;
    CHECK(&map["0"] == first);
    for (auto next = map.begin(); next != map.end();) {
        const auto each = next;
        ++next;
        if (each->second % 3 == 0) map.erase(each);
    }
    std::vector<std::string> expected;
    for (int i = 0; i < 5000; ++i) {
        CHECK(map.contains(std::to_string(i)) == (i % 3 != 0));
        if (i % 3 != 0) expected.push_back(std::to_string(i));
    }
    std::sort(expected.begin(), expected.end());
    CHECK(names_of(map) == expected);
}

TEST_CASE("a map that is moved takes its names along") {
    NameMap<int> map;
    map["a"] = 1;
    NameMap<int> other{std::move(map)};
    NameMap<int> last;
    last["b"] = 2;
    last = std::move(other);
    CHECK(names_of(last) == std::vector<std::string>{"a"});
}
