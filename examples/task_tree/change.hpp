// One change of the tracker that somebody asks for, and who that is.
#pragma once

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
};

/// The name by which a reviewer is allowed or denied it (`heeler::capability_table`); what is not in that table is
/// denied.
[[nodiscard]] constexpr std::string_view op_of(Verb verb) noexcept {
    constexpr std::string_view names[] = {
        "create_child", "status",   "assign", "comment", "block",    "block", "interaction", "resolve_interaction",
        "approval",     "approval", "run",    "run",     "settings", "arm",   "disarm"};
    return names[static_cast<std::size_t>(verb)];
}

struct Change {
    Verb verb = Verb::comment;
    std::string target{};  ///< the issue; of `set_agent` the agent
    std::string parent{};  ///< of `create`; empty: the root of a new tree
    std::string ref{};     ///< new status, agent, blocker, interaction, approval, run
    std::string value{};   ///< what becomes of `ref`: its kind, its answer, its status; of `status` the disposition
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
