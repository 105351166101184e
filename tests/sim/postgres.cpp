// A world in PostgreSQL is the one in memory.
#include <heeler/store/postgres_store.hpp>

#include <memory>

#include "sim/in_store.hpp"
#include "sim/number.hpp"
#include "support/catch.hpp"
#include "support/postgres.hpp"

namespace sim {

TEST_CASE("a world in PostgreSQL has the trace of the one in memory", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const std::string server = heeler_test::postgres_at(heeler_test::postgres_directory());
    const std::uint64_t count = number_of("HEELER_SIM_STORE_SEEDS", worlds_in_stores);
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        const Story story = of_one_watchdog(seed);
        heeler_test::ScratchSchema schema;
        INFO("seed " << seed);
        REQUIRE(lived_in(story, std::make_unique<heeler::PostgresStore>(server, schema.settings())) ==
                lived(World{story}));
    }
}

}  // namespace sim
