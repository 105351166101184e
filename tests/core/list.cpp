#include <heeler/core/list.hpp>

#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/archive.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

using Texts = List<std::string>;

/// Counts how many are alive; the copy that is one too many throws.
struct Counted {
    static inline int alive = 0, copies_left = 0;

    Counted() { ++alive; }
    Counted(const Counted&) {
        if (copies_left-- == 0) throw std::bad_alloc{};
        ++alive;
    }
    Counted(Counted&&) noexcept { ++alive; }
    Counted& operator=(Counted&&) noexcept = default;
    ~Counted() { --alive; }
};

/// The same calls, of `std::vector` and of ours.
template <class Rows>
std::string played() {
    Rows rows{"b", "c", "e"};
    rows.insert(rows.begin(), "a");
    rows.insert(rows.begin() + 3, "d");
    rows.push_back(rows[0]);
    rows.insert(rows.end(), "z");
    rows.emplace_back() = "last";
    rows.erase(rows.begin() + 1);
    rows.erase(rows.begin() + 1, rows.begin() + 3);
    rows.erase(rows.begin(), rows.begin());
    const Rows copy = rows;
    Rows taken = std::move(rows);
    rows.resize(2);
    taken.pop_back();
    rows.swap(taken);
    taken = copy;
    std::string all = std::to_string(rows.empty()) + rows.front() + rows.back() + (copy == rows ? "same" : "other");
    for (const Rows* each : std::initializer_list<const Rows*>{&rows, &taken, &copy})
        for (const std::string& text : *each) all += "|" + text;
    return all + std::to_string(Rows(3, "x").size()) + std::to_string(std::exchange(rows, {}).size() + rows.size());
}

}  // namespace

TEST_CASE("a list is used as a vector is") {
    CHECK(played<Texts>() == played<std::vector<std::string>>());
    CHECK(Texts{} == Texts(0));
    CHECK_FALSE(Texts{"a"} == Texts{"b"});
    CHECK_THROWS_AS(Texts{"a"}.at(1), std::runtime_error);
    Texts texts{"a", "b"};
    CHECK(std::span<const std::string>{texts}.size() == 2);
    CHECK(Texts{texts.begin() + 1, texts.end()} == Texts{"b"});
    texts = *&texts;
    CHECK(texts == Texts{"a", "b"});
}

TEST_CASE("a list of what can only be moved") {
    List<std::unique_ptr<int>> owned;
    for (int i = 0; i < 5; ++i) owned.push_back(std::make_unique<int>(i));
    owned.erase(owned.begin());
    const List<std::unique_ptr<int>> moved = std::move(owned);
    CHECK(moved.size() == 4);
    CHECK(*moved[0] == 1);
}

TEST_CASE("a list ends what it began, also when a copy throws") {
    {
        Counted::copies_left = 100;
        List<Counted> all(3);
        all.emplace_back();
        Counted::copies_left = 2;
        CHECK_THROWS_AS(List<Counted>(all), std::bad_alloc);
        CHECK(Counted::alive == 4);
        all.erase(all.begin());
        CHECK(Counted::alive == 3);
    }
    CHECK(Counted::alive == 0);
}

TEST_CASE("a list is saved as a vector is") {
    Texts texts{"a", "bc"}, loaded{"x"};
    std::vector<std::string> others{"a", "bc"};
    ArchiveWriter mine{Instant{}}, theirs{Instant{}};
    mine(texts);
    theirs(others);
    CHECK(mine.bytes() == theirs.bytes());
    ArchiveReader from{mine.bytes(), Instant{}};
    from(loaded);
    CHECK((from.ok() && from.at_end() && loaded == texts));
}
