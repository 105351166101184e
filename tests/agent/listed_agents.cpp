#include <heeler/agent/listed_agents.hpp>
#include <heeler/agent/sqlite_agent_table.hpp>

#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("a run whose name has returned keeps its row, whichever runs are polled after it") {
    ScratchLog folder;
    SqliteAgentTable table{folder.path("agents.db"), {.checkpoint_every = 1s}};
    ListedAgents listed{table};
    REQUIRE(table.enlist("r"));
    REQUIRE(table.enlist("other"));
    const auto poll = [&](std::vector<RunCursor> runs) {
        const auto found = listed.poll(runs);
        REQUIRE((found && found->size() == runs.size()));
        for (std::size_t i = 0; i < runs.size(); ++i) CHECK(((*found)[i].run == runs[i].run && (*found)[i].found));
    };
    poll({{"r#2", {}, "r"}, {"other", {}, "other"}});
    poll({{"other", {}, "other"}});  // one that had more to say
    REQUIRE(listed.list());
    REQUIRE(listed.retire("r#2", RunState::failed));
    const auto left = listed.list();
    REQUIRE((left && left->size() == 1));
    CHECK(left->front().name == "other");
}
