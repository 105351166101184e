#include <heeler/core/kept.hpp>

#include <memory>
#include <string>
#include <utility>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("what is kept is had again as what it is, and as nothing else") {
    detail::Kept nothing;
    CHECK(nothing.get() == nullptr);
    CHECK(nothing.as<int>() == nullptr);
    detail::Kept kept{std::string{"a"}};
    REQUIRE(kept.as<std::string>() != nullptr);
    CHECK(*kept.as<std::string>() == "a");
    CHECK(kept.get() == kept.as<std::string>());
    CHECK(kept.as<int>() == nullptr);
}

TEST_CASE("a copy of what is kept is a copy, and each is destroyed once") {
    const auto counted = std::make_shared<int>(0);
    {
        detail::Kept kept{counted};
        detail::Kept copy{kept};
        CHECK(counted.use_count() == 3);
        const detail::Kept moved{std::move(copy)};
        CHECK(counted.use_count() == 3);
        kept = moved;
        CHECK(counted.use_count() == 3);
        kept = detail::Kept{7};
        CHECK(counted.use_count() == 2);
        CHECK(*kept.as<int>() == 7);
    }
    CHECK(counted.use_count() == 1);
}
