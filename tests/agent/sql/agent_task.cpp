#include <heeler/agent/sql/agent_task.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using detail::AgentTask;

namespace {

RunSpec told_by(AgentTask task) {
    detail::AgentWords words;
    words.table = "place.agent_progress";
    return detail::spec_of(std::move(task), words);
}

}  // namespace

TEST_CASE("a row of a queue is a run of that name, with its work item and its plan [M-023] [M-099]") {
    const RunSpec spec = told_by({"implement-123", "123", "implement-123", "Port it", 7, "[3,1,2]"});
    CHECK(spec.name == "implement-123");
    CHECK(spec.id.empty());
    CHECK(spec.task == "queue item 123");
    CHECK(spec.work_item == "Port it");
    CHECK(spec.plan == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("without a work item the queue item is what its next agent knows [M-099]") {
    CHECK(told_by({"r", "123", "implement-123", {}, 0, {}}).task == "queue item 123, implement-123");
    CHECK(told_by({"r", {}, "implement-123", {}, 0, {}}).task == "implement-123");
    const RunSpec spec = told_by({"r", {}, {}, {}, 0, "no list"});
    CHECK((spec.task.empty() && spec.work_item.empty() && spec.plan.empty()));
}

TEST_CASE("a work item that is too long for a brief is read from its row [M-099]") {
    const RunSpec spec = told_by({"it's", "1", {}, {}, 300'000, {}});
    CHECK_THAT(spec.work_item, ContainsSubstring("300000 bytes") &&
                                   ContainsSubstring("\nSELECT work_item FROM place.agent_progress WHERE run = "
                                                     "'it''s';"));
}
