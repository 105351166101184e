// What a hand-off to another agent must say, so that a watchdog can hold the agent to it.
#pragma once

#include <string>
#include <string_view>

#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

/// The clauses of a delegation (the long-run skill). Every one is needed: a contract that lacks one cannot be enforced.
struct DelegateContract {
    std::string scope{};            ///< exactly what is handed over
    std::string surfaces{};         ///< files and systems that may be touched
    std::string artefact{};         ///< what is expected back
    std::string stop_conditions{};  ///< when to stop without it
    std::string rejoin_trigger{};   ///< what brings the work back together
    std::string heartbeat{};        ///< how often, and by which sign, progress is reported

    void archive(auto& a) { a(scope, surfaces, artefact, stop_conditions, rejoin_trigger, heartbeat); }
};

/// `invalid_argument` with the names of all clauses that are missing.
[[nodiscard]] inline Result<void> validate(const DelegateContract& contract) {
    std::string missing;
    const auto need = [&](std::string_view name, const std::string& clause) {
        if (clause.find_first_not_of(" \t\n") != std::string::npos) return;
        missing.append(missing.empty() ? "" : ", ").append(name);
    };
    need("scope", contract.scope);
    need("surfaces", contract.surfaces);
    need("artefact", contract.artefact);
    need("stop_conditions", contract.stop_conditions);
    need("rejoin_trigger", contract.rejoin_trigger);
    need("heartbeat", contract.heartbeat);
    if (missing.empty()) return {};
    return detail::invalid("the delegation contract lacks: " + missing + "; every clause needs a text");
}

}  // namespace heeler::inline HEELER_ABI
