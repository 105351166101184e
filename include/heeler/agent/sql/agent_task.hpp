// What a row of `agent_progress` says of the work that its run has to do, as a list of runs has it; for the tables of
// agents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/agent/sql/agent_prompt.hpp>
#include <heeler/agent/sql/agent_row.hpp>
#include <heeler/core/run.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Texts are cut by the statement.
struct AgentTask {
    std::string run{};
    std::optional<std::string> queue_item_id{};
    std::optional<std::string> name{};
    std::optional<std::string> work_item{};  ///< absent if it is null or longer than `longest_work_item`
    std::int64_t work_item_size = 0;         ///< bytes
    std::optional<std::string> plan{};

    /// As its host tells it; what is longer than a brief takes is cut, and says so.
    void give_work(std::string text) {
        constexpr std::string_view more = "\n[the rest is with the queue item]";
        if (text.size() > longest_work_item) text.replace(longest_work_item - more.size(), text.npos, more);
        work_item = std::move(text);
    }
};

/// For the brief of a continuation. A work item that is too long for it is read from the row.
[[nodiscard]] inline RunSpec spec_of(AgentTask task, const AgentWords& words) {
    RunSpec spec;
    if (task.queue_item_id) spec.task = "queue item " + *task.queue_item_id;
    if (task.name && task.name != task.run) spec.task += (spec.task.empty() ? "" : ", ") + *task.name;
    if (task.work_item)
        spec.work_item = std::move(*task.work_item);
    else if (task.work_item_size > 0)
        spec.work_item = "The work item has " + std::to_string(task.work_item_size) +
                         " bytes. Read all of it before you begin; this SQL answers it:\nSELECT work_item FROM " +
                         words.table + " WHERE run = " + words.literal(task.run) + ";";
    if (task.plan) spec.plan = parse_agent_steps(*task.plan).value_or(std::vector<std::int64_t>{});
    spec.name = std::move(task.run);
    return spec;
}

}  // namespace heeler::inline HEELER_ABI::detail
