// One change of the tracker that somebody asks for, and who that is.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/tree/scope_guard.hpp>

namespace tracker {

/// A person, or an agent in one of its runs. An agent outside a run can only begin one and say how it ended.
struct Actor {
    std::string user{};
    std::string agent{};
    std::string run{};     ///< as the agent says
    std::string tenant{};  ///< of the agent

    [[nodiscard]] std::string name() const {
        if (!user.empty()) return "user " + user;
        return run.empty() ? "agent " + agent : "run " + run;
    }
};

enum class Verb : unsigned char {
    create,
    status,
    assign,
    comment,
    block,
    unblock,
    ask,
    resolve,
    request_approval,
    decide,
    start_run,
    report_run,
    set_agent,
    arm,
    disarm,
    monitor,
};

/// The name by which a reviewer is allowed or denied it (`heeler::capability_table`); what is not in that table is
/// denied.
[[nodiscard]] constexpr std::string_view op_of(Verb verb) noexcept {
    constexpr std::string_view names[] = {
        "create_child", "status",   "assign", "comment", "block",    "block", "interaction", "resolve_interaction",
        "approval",     "approval", "run",    "run",     "settings", "arm",   "disarm",      "monitor"};
    return names[static_cast<std::size_t>(verb)];
}

/// Whatever a reviewer is told that it may do, there is a verb for.
[[nodiscard]] constexpr bool has_verb(std::string_view op) noexcept {
    for (unsigned char each = 0; each <= static_cast<unsigned char>(Verb::monitor); ++each)
        if (op_of(Verb{each}) == op) return true;
    return false;
}
static_assert(std::ranges::all_of(heeler::operations(), has_verb));

struct Change {
    Verb verb = Verb::comment;
    std::string target{};  ///< the issue; of `set_agent` the agent
    std::string parent{};  ///< of `create`; empty: the root of a new tree
    std::string ref{};     ///< new status, agent, blocker, interaction, approval, run
    std::string value{};   ///< what becomes of `ref`: its kind, its answer, its status; of `status` the disposition; of
                           ///< `monitor` after how long
    std::string about{};   ///< of `ask`
    std::string user{};    ///< of `assign`, instead of an agent
    std::string text{};    ///< title, comment, question
    std::string tenant{};  ///< of a new root, and of an agent

    [[nodiscard]] heeler::Mutation mutation(const Actor& actor, std::string tenant_of_target) const {
        heeler::Mutation asked;
        asked.actor_agent = actor.agent;
        asked.actor_run = actor.run;
        asked.op = op_of(verb);
        asked.target = target;
        asked.parent = parent;
        asked.tenant = std::move(tenant_of_target);
        asked.ref = ref.empty() ? user : ref;
        asked.to_person = ref.empty() && !user.empty();
        return asked;
    }
};

}  // namespace tracker
