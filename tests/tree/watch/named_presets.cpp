#include <heeler/tree/watch/named_presets.hpp>

#include <string>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("each preset that has a name is found by it, and bears it") {
    for (const std::string& name : preset_names()) {
        const auto found = preset_named(name);
        REQUIRE(found);
        CHECK(found->name == name);
    }
    CHECK(preset_names().size() == 7);
    CHECK_FALSE(preset_named("recomended"));
    CHECK_FALSE(preset_named(""));
}
