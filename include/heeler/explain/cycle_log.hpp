// What cycles did, one line each, on stderr or in a file of your own: give it to a `Runner`, or call it after
// `cycle()`.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <heeler/core/events.hpp>
#include <heeler/explain/report.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>

namespace heeler::inline v0 {

/// The summary of a cycle (S000): how many runs were looked at, what was done to which, what was held back. Empty where
/// nothing was done, held back or in error. It is for logs: people are told by alerts. Of many actions the first 32.
[[nodiscard]] inline std::string summary_of(const CycleReport& cycle) {
    constexpr std::size_t most_listed = 32;
    std::string done;
    std::string_view run;
    std::size_t actions = 0, runs = 0;
    for (const Event& event : cycle.events) {
        const auto* each = std::get_if<ActionEvent>(&event);
        if (each == nullptr) continue;
        const bool same = actions > 0 && run == each->run;
        runs += same ? 0 : 1;
        run = each->run;
        if (++actions > most_listed) continue;
        done += same ? ", " : actions == 1 ? ": " : "; ";
        if (!same) done += fmt::format("[{}] ", sanitise(run, 160));
        done += fmt::format("{} {}", name_of(each->action.kind), name_of(each->action.outcome));
    }
    if (actions > most_listed) done += fmt::format("; and {} more", actions - most_listed);
    if (actions == 0 && cycle.suppressed == 0 && cycle.errors == 0) return {};
    std::string text;
    const auto add = [&](std::uint64_t count, std::string_view what) {
        if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
    };
    add(cycle.checked, cycle.checked == 1 ? "run checked" : "runs checked");
    add(cycle.healthy, "healthy");
    add(runs, "acted on");
    add(cycle.suppressed, "held back");
    add(cycle.errors, cycle.errors == 1 ? "error" : "errors");
    return one_line(text + done, 4096);
}

/// Writes `TIME heeler cycle: SUMMARY` for each cycle that has one, and a line for each error, and flushes. The stream
/// must outlive it. One thread at a time, which is what a `Runner` promises.
template <class Clock>
class CycleLog {
public:
    explicit CycleLog(Clock clock, std::FILE* to = stderr) : clock_{std::move(clock)}, to_{to} {}

    void operator()(const CycleReport& cycle) {
        const std::string summary = summary_of(cycle);
        if (summary.empty()) return;
        const std::string at = rfc3339(clock_.now().wall);
        std::string lines = fmt::format("{} heeler cycle: {}\n", at, summary);
        for (const LogLine& line : log_lines(cycle))
            if (line.level == LogLevel::error)
                lines += fmt::format("{} ERROR heeler {}\n", at, one_line(line.text, 4096));
        // A log that cannot be written is no reason to stop watching.
        static_cast<void>(std::fwrite(lines.data(), 1, lines.size(), to_));
        static_cast<void>(std::fflush(to_));
    }

private:
    Clock clock_;
    std::FILE* to_;
};

}  // namespace heeler::inline v0
