#include <heeler/agent/sql/agent_table.hpp>

#include <string>
#include <type_traits>

#include <heeler/agent/sqlite_agent_table.hpp>

#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("a table of agents is a source of many runs that stays where it is", "[store]") {
    static_assert(check_group_source<SqliteAgentTable>());
    static_assert(!std::is_copy_constructible_v<SqliteAgentTable>);
    const ScratchLog folder;
    for (const Duration every : {Duration{999ms}, Duration{24h} + Duration{1}}) {
        SqliteAgentTable table{folder.path("agents.db"), {.checkpoint_every = every}};
        CHECK(table.enlist("r").error().message.find("checkpoint_every must be 1 s to 24 h") != std::string::npos);
    }
}
