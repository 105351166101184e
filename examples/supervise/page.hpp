// --html FILE: what happened to the command, for the page at the end.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <heeler/core/events.hpp>
#include <heeler/report/page_recorder.hpp>
#include <heeler/report/run_page_html.hpp>

namespace supervise {

/// Nothing is kept before `begin`. Any thread: alerts are delivered in one of their own.
class Page {
public:
    void begin(std::string run, heeler::WallTime at) {
        const std::lock_guard guard{lock_};
        recorder_.emplace(std::move(run), at);
    }
    template <class What>
    void heard(const What& what, heeler::WallTime at) {
        const std::lock_guard guard{lock_};
        if (recorder_) recorder_->heard(what, at);
    }
    void happened(const heeler::CycleReport& cycle, heeler::WallTime at) {
        const std::lock_guard guard{lock_};
        if (!recorder_) return;
        for (const heeler::Event& event : cycle.events) recorder_->happened(event, at);
    }
    /// `end`: of the run, unless it goes on. Absent: nobody asked for a page.
    [[nodiscard]] std::optional<std::string> of(const heeler::Report& report, std::optional<heeler::RunState> end,
                                                heeler::WallTime now) {
        const std::lock_guard guard{lock_};
        if (!recorder_) return std::nullopt;
        if (end) recorder_->heard(heeler::StateChange{*end}, now);
        return to_html(recorder_->page(report, now));
    }

private:
    std::mutex lock_;
    std::optional<heeler::PageRecorder> recorder_;
};

}  // namespace supervise
