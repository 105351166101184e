// What a cycle of the watchdog did, in sentences; and the final report as text and as JSON.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/time.hpp>

#include "../common/error_news.hpp"

namespace supervise {

/// Says what a person wants to know about. An error that goes on is said once, then hourly. Thread-safe.
class Narrator {
public:
    [[nodiscard]] std::vector<std::string> lines_of(const heeler::CycleReport& report, heeler::Elapsed now);

private:
    std::mutex mutex_;
    common::ErrorNews errors_;
};

/// How the command ended, next to what the watchdog knows.
struct Ending {
    std::string run;
    std::string command;
    std::optional<int> exit_status;  ///< of the command, as a shell says it; nothing if nobody can know
    int own_status = 0;              ///< what heeler-supervise ends with
    std::string note;                ///< why it ended, if not by itself
};

[[nodiscard]] std::string report_text(const heeler::Report& report, const Ending& ending);

/// One JSON object on one line.
[[nodiscard]] std::string report_json(const heeler::Report& report, const Ending& ending);

}  // namespace supervise
