// --html FILE: what happened to each run, on a page of its own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/result.hpp>
#include <heeler/report/page_recorder.hpp>

#include "loop_watch.hpp"

namespace replay {

class Pages final : public LoopWatch {
public:
    /// Of several runs the second one's page lies beside it: `page.html`, `page-2.html`, ...
    explicit Pages(std::string file) : file_{std::move(file)} {}

    /// What is known of a run before stays, if it is registered again.
    void begin(const std::string& run, heeler::WallTime at) { runs_.try_emplace(run, run, at); }
    template <class What>
    void heard(std::string_view run, const What& what, heeler::WallTime at) {
        if (const auto known = runs_.find(run); known != runs_.end()) known->second.heard(what, at);
    }
    void happened(const heeler::Event& event, heeler::WallTime at);
    /// Of a run that is over, or of one at the end of the input. An error names the file.
    [[nodiscard]] heeler::Result<void> write(const heeler::Report& report, heeler::WallTime at);

    void before(const heeler::Loop::Memory& memory, const heeler::Loop::Settings& settings,
                const heeler::Observation& seen) override;
    void after(const heeler::Loop::Memory&, const heeler::Loop::Settings&, const heeler::Observation&) override {}

private:
    [[nodiscard]] std::string next_file() const;

    std::string file_;
    std::map<std::string, heeler::PageRecorder, std::less<>> runs_;
    std::map<std::string, std::string, std::less<>> why_;  // the newest explanation of a loop, by run
    std::vector<std::string> written_;
};

}  // namespace replay
