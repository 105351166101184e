#include <heeler/core/shared.hpp>

#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using detail::Shared;

namespace {

/// Counts those that live.
struct SharedLodger {
    explicit SharedLodger(int& count) : living{count} { ++living; }
    SharedLodger(const SharedLodger&) = delete;
    SharedLodger& operator=(const SharedLodger&) = delete;
    ~SharedLodger() { --living; }

    int& living;
};

}  // namespace

TEST_CASE("a shared value lives as long as one of its copies") {
    int living = 0;
    Shared<const SharedLodger> one;
    CHECK_FALSE(one);
    one = Shared<const SharedLodger>::make(living);
    REQUIRE(one);
    Shared<const SharedLodger> other{one};
    CHECK(&*other == &*one);
    one = nullptr;
    CHECK_FALSE(one);
    CHECK(other->living == 1);
    Shared<const SharedLodger> moved{std::move(other)};
    const Shared<const SharedLodger>& same = moved;
    moved = same;
    CHECK(living == 1);
    moved = Shared<const SharedLodger>::make(living);
    CHECK(living == 1);
    moved = {};
    CHECK(living == 0);
}

TEST_CASE("a shared value is destroyed once, whichever thread is last") {
    int living = 0;
    {
        auto one = Shared<const SharedLodger>::make(living);
        std::vector<std::jthread> holders;
        for (int i = 0; i < 4; ++i)
            holders.emplace_back([copy = one] {
                for (int round = 0; round < 1000; ++round) Shared<const SharedLodger>{copy};
            });
        one = {};
    }
    CHECK(living == 0);
}
