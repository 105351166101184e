// A world in a SQLite file is the one in memory.
#include <heeler/store/sqlite_store.hpp>

#include <memory>

#include "sim/in_store.hpp"
#include "sim/number.hpp"
#include "support/catch.hpp"
#include "support/real_process.hpp"

namespace sim {

TEST_CASE("a world in SQLite has the trace of the one in memory") {
    const std::uint64_t count = number_of("HEELER_SIM_STORE_SEEDS", worlds_in_stores);
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        const Story story = of_one_watchdog(seed);
        heeler_test::ScratchDirectory scratch;
        INFO("seed " << seed);
        REQUIRE(lived_in(story, std::make_unique<heeler::SqliteStore>(scratch / "store.db")) == lived(World{story}));
    }
}

}  // namespace sim
