// A notifier that writes one line per alert to stderr or a file of your own: the fallback that always works.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

/// Writes `TIME WARNING heeler KIND [RUN] SUMMARY: ISSUE; ISSUE; next: NEXT; stop: COMMAND; suggested: WORDS` and
/// flushes, `CRITICAL` in front where two conditions hold at once and `NOTE` where nothing is wrong (any more). What
/// follows on further lines is joined, so that an alert is one line whatever is in it. The stream must outlive the
/// notifier. One thread at a time.
class LogNotifier {
public:
    static constexpr std::string_view name = "log";
    /// The longest line, without its end.
    static constexpr std::size_t max_line_bytes = 4096;

    explicit LogNotifier(std::FILE* to = stderr) : to_{to} {}

    [[nodiscard]] Result<Receipt> send(const Alert& alert);

    /// The line that an alert becomes.
    [[nodiscard]] static std::string line_of(const Alert& alert);

private:
    std::FILE* to_;
};

}  // namespace heeler::inline HEELER_ABI

#ifndef HEELER_COMPILED
#include <heeler/notify/log_notifier-inl.hpp>
#endif
