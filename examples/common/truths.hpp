// What really happened to runs, beside what the watchdog made of them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/time.hpp>
#include <heeler/report/metrics.hpp>

namespace common {

/// Moments are on one clock, from any zero.
class Truths {
public:
    /// Absent: the run was healthy throughout.
    void tell(std::string_view run, std::optional<heeler::Duration> stalled_at) {
        runs_.insert_or_assign(std::string{run}, heeler::RunFacts{stalled_at});
    }

    [[nodiscard]] bool any() const noexcept { return !runs_.empty(); }
    [[nodiscard]] const std::map<std::string, heeler::RunFacts, std::less<>>& runs() const noexcept { return runs_; }

    void note(const heeler::Event& event, heeler::Duration t) {
        if (const auto* status = std::get_if<heeler::StatusEvent>(&event)) {
            auto* facts = about(status->run, t);
            if (facts != nullptr && status->level >= heeler::Level::nudge && !facts->flagged_at) facts->flagged_at = t;
        }
        if (const auto* done = std::get_if<heeler::ActionEvent>(&event)) {
            auto* facts = about(done->run, t);
            const heeler::ActionKind kind = done->action.kind;
            const bool recovers = is_injection(kind) || kind == heeler::ActionKind::spawn;
            const bool began = recovers && done->action.outcome == heeler::ActionOutcome::done;
            if (facts != nullptr && began && !facts->continued_at) facts->continued_at = t;
        }
    }

    /// How the run ended: its `final_status`.
    void note_end(std::string_view run, std::string_view status) {
        if (const auto found = runs_.find(run); found != runs_.end())
            found->second.recovered = found->second.continued_at && (status == "recovered" || status == "completed");
    }

    [[nodiscard]] heeler::Metrics measured() const {
        std::vector<heeler::RunFacts> all;
        for (const auto& [run, facts] : runs_) all.push_back(facts);
        return heeler::measure(all);
    }

private:
    /// What came before the stall says nothing about it.
    [[nodiscard]] heeler::RunFacts* about(std::string_view run, heeler::Duration t) {
        const auto found = runs_.find(run);
        if (found == runs_.end() || (found->second.stalled_at && t < *found->second.stalled_at)) return nullptr;
        return &found->second;
    }

    std::map<std::string, heeler::RunFacts, std::less<>> runs_;
};

}  // namespace common
