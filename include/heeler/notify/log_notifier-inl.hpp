// How an alert becomes a line of a log.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <heeler/alert/session_alert.hpp>
#include <heeler/alert/suggestions.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/notify/log_notifier.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI {

HEELER_INLINE Result<Receipt> LogNotifier::send(const Alert& alert) {
    const std::string line = line_of(alert) + '\n';
    if (std::fwrite(line.data(), 1, line.size(), to_) != line.size() || std::fflush(to_) != 0)
        return fail(ErrorCode::delivery_failed, "the alert could not be written to the log stream");
    return Receipt{1, {std::string{name}}};
}

HEELER_INLINE std::string LogNotifier::line_of(const Alert& alert) {
    constexpr std::string_view levels[] = {"NOTE", "WARNING", "CRITICAL"};
    std::string line = text::rfc3339(alert.at);
    text::append(line, " ", levels[static_cast<std::size_t>(alert.severity)], " heeler ", alert.kind);
    if (!alert.run.id.empty()) text::append(line, " [", text::shown_name(alert.run.id, 512), "]");
    if (!alert.run.project.empty()) text::append(line, " (", text::shown_name(alert.run.project, 512), ")");
    if (!alert.summary.empty()) text::append(line, " ", alert.summary);
    for (std::size_t i = 0; i < alert.issues.size(); ++i) text::append(line, i == 0 ? ": " : "; ", alert.issues[i]);
    // What people act on is never what is cut; only whole is a command of use.
    std::string end;
    for (const std::string_view what : {"next", "stop", "lasted", "steps", "cost", "suggested"}) {
        const auto value = what == "suggested" ? suggestions_for(alert.kind) : detail::detail_named(alert, what);
        const auto part = text::concat("; ", what, ": ", text::one_line(value, value.size() * 3 + 1));
        if (!value.empty() && end.size() + part.size() < max_line_bytes / 2) end += part;
    }
    return text::one_line(line, max_line_bytes - end.size()) + end;
}

}  // namespace heeler::inline HEELER_ABI
