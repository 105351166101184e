// A notifier that writes one line per alert to stderr or a file of your own: the fallback that always works.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include <heeler/core/alert.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/result.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI {

/// Writes `TIME WARNING heeler KIND [RUN] SUMMARY: ISSUE; ISSUE; next: NEXT; stop: COMMAND` and flushes, `CRITICAL` in
/// front where two conditions hold at once and `NOTE` where nothing is wrong (any more). What follows on further lines
/// is joined, so that an alert is one line whatever is in it. The stream must outlive the notifier. One thread at a
/// time.
class LogNotifier {
public:
    static constexpr std::string_view name = "log";
    /// The longest line, without its end.
    static constexpr std::size_t max_line_bytes = 4096;

    explicit LogNotifier(std::FILE* to = stderr) : to_{to} {}

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        const std::string line = line_of(alert) + '\n';
        if (std::fwrite(line.data(), 1, line.size(), to_) != line.size() || std::fflush(to_) != 0)
            return fail(ErrorCode::delivery_failed, "the alert could not be written to the log stream");
        return Receipt{1, {std::string{name}}};
    }

    /// The line that an alert becomes.
    [[nodiscard]] static std::string line_of(const Alert& alert) {
        constexpr std::string_view levels[] = {"NOTE", "WARNING", "CRITICAL"};
        std::string line = text::rfc3339(alert.at);
        text::append(line, " ", levels[static_cast<std::size_t>(alert.severity)], " heeler ", alert.kind);
        if (!alert.run.id.empty()) text::append(line, " [", text::shown_name(alert.run.id, 512), "]");
        if (!alert.run.project.empty()) text::append(line, " (", text::shown_name(alert.run.project, 512), ")");
        if (!alert.summary.empty()) text::append(line, " ", alert.summary);
        for (std::size_t i = 0; i < alert.issues.size(); ++i) text::append(line, i == 0 ? ": " : "; ", alert.issues[i]);
        // What people act on is never what is cut; only whole is a command of use.
        std::string end;
        for (const std::string_view what : {"next", "stop", "lasted", "steps", "cost"})
            if (const auto value = shown_detail(alert, what); end.size() + value.size() < max_line_bytes / 2)
                end += value;
        return text::one_line(line, max_line_bytes - end.size()) + end;
    }

private:
    [[nodiscard]] static std::string shown_detail(const Alert& alert, std::string_view what) {
        for (const Detail& detail : alert.details)
            if (detail.name == what && !detail.value.empty())
                return text::concat("; ", what, ": ", text::one_line(detail.value, detail.value.size() * 3 + 1));
        return {};
    }

    std::FILE* to_;
};

}  // namespace heeler::inline HEELER_ABI
