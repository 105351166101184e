// What cycles did, one line each, on stderr or in a file of your own: give it to a `Runner`, or call it after
// `cycle()`.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <heeler/core/events.hpp>
#include <heeler/core/time.hpp>
#include <heeler/explain/error_news.hpp>
#include <heeler/explain/report.hpp>

namespace heeler::inline HEELER_ABI {

/// Writes `TIME heeler cycle: SUMMARY` for each cycle that has one, and a line for each error, and flushes. An error
/// that goes on is written once, then every minute. The stream must outlive it. One thread at a time, which is what a
/// `Runner` promises.
template <class Clock>
class CycleLog {
public:
    explicit CycleLog(Clock clock, std::FILE* to = stderr) : clock_{std::move(clock)}, to_{to} {}

    void operator()(const CycleReport& cycle) {
        const Instant now = clock_.now();
        const std::string lines =
            cycle.errors == 0 ? cycle_text(cycle, now.wall) : cycle_text(errors_->of(cycle, now.elapsed), now.wall);
        if (lines.empty()) return;
        // A log that cannot be written is no reason to stop watching.
        static_cast<void>(std::fwrite(lines.data(), 1, lines.size(), to_));
        static_cast<void>(std::fflush(to_));
    }

private:
    Clock clock_;
    std::FILE* to_;
    std::shared_ptr<ErrorNews> errors_ = std::make_shared<ErrorNews>();  ///< of all copies
};

}  // namespace heeler::inline HEELER_ABI
