// --limits: which limits would fit, by what the recordings hold.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <heeler/core/events.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/time.hpp>
#include <heeler/explain/limit_advice.hpp>

namespace replay {

/// Of any number of files, one after the other: their runs are measured by class.
class LimitLister {
public:
    void begin(const heeler::RunSpec& spec, const heeler::RunClass& rules, heeler::WallTime at) {
        heeler::LimitAdvisor& advisor = advisors_.try_emplace(rules.name, rules).first->second;
        of_run_.insert_or_assign(spec.id, &advisor);
        advisor.begin(spec.id, spec.metric, at);
    }

    template <class What>
    void saw(std::string_view run, const What& what, heeler::WallTime at) {
        if (const auto known = of_run_.find(run); known != of_run_.end()) known->second->saw(run, what, at);
    }

    void note(const heeler::Event& event) {
        for (auto& [name, advisor] : advisors_) advisor.note(event);
    }
    /// The recording knows that something was wrong with the run from now on.
    void stalled(std::string_view run) {
        if (const auto known = of_run_.find(run); known != of_run_.end()) known->second->trouble(run, true);
    }

    /// A file is over.
    void end_file(heeler::WallTime at) {
        for (auto& [name, advisor] : advisors_) advisor.end_all(at);
        of_run_.clear();
    }

    [[nodiscard]] std::string text() const {
        std::string all;
        for (const auto& [name, advisor] : advisors_) all += advisor.text();
        return all;
    }

private:
    std::map<std::string, heeler::LimitAdvisor, std::less<>> advisors_;
    std::map<std::string, heeler::LimitAdvisor*, std::less<>> of_run_;
};

}  // namespace replay
