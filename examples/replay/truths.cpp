#include "truths.hpp"

#include <variant>
#include <vector>

namespace replay {

void Truths::tell(std::string_view run, std::optional<heeler::Duration> stalled_at) {
    runs_.insert_or_assign(std::string{run}, heeler::RunFacts{stalled_at});
}

/// What came before the stall says nothing about it.
heeler::RunFacts* Truths::about(std::string_view run, heeler::Duration t) {
    const auto found = runs_.find(run);
    if (found == runs_.end() || (found->second.stalled_at && t < *found->second.stalled_at)) return nullptr;
    return &found->second;
}

void Truths::note(const heeler::Event& event, heeler::Duration t) {
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

void Truths::note_end(std::string_view run, std::string_view status) {
    if (const auto found = runs_.find(run); found != runs_.end())
        found->second.recovered = found->second.continued_at && (status == "recovered" || status == "completed");
}

heeler::Metrics Truths::measured() const {
    std::vector<heeler::RunFacts> all;
    for (const auto& [run, facts] : runs_) all.push_back(facts);
    return heeler::measure(all);
}

}  // namespace replay
