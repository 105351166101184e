#include <heeler/core/concepts.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"

namespace {

TEST_CASE("The archetypes meet the concepts") {
    STATIC_REQUIRE(heeler::check_clock<archetype::Clock>());
    STATIC_REQUIRE(heeler::check_store<archetype::Store>());
    STATIC_REQUIRE(heeler::check_notifier<archetype::Notifier>());
    STATIC_REQUIRE(heeler::check_detector<archetype::Detector>());
}

TEST_CASE("A concept holds for exactly what its check accepts") {
    STATIC_REQUIRE(heeler::ClockLike<archetype::Clock>);
    STATIC_REQUIRE(heeler::StoreLike<archetype::Store>);
    STATIC_REQUIRE(heeler::NotifierLike<archetype::Notifier>);
    STATIC_REQUIRE(heeler::DetectorLike<archetype::Detector>);
    STATIC_REQUIRE_FALSE(heeler::ClockLike<archetype::Store>);
    STATIC_REQUIRE_FALSE(heeler::StoreLike<archetype::Clock>);
    STATIC_REQUIRE_FALSE(heeler::NotifierLike<archetype::Store>);
    STATIC_REQUIRE_FALSE(heeler::DetectorLike<archetype::Notifier>);
}

}  // namespace
