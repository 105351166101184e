// RUN@EVENT, as the command line names an event of a run.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace replay {

/// `event` is the number that evidence and explanations use: 0 is the first thing that the run was told or said.
struct EventName {
    std::string run;
    std::uint64_t event = 0;
};

/// Absent: `text` is no RUN@EVENT. A run's id may hold an @ itself.
[[nodiscard]] inline std::optional<EventName> event_named(std::string_view text) {
    const auto at = text.rfind('@');
    if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) return std::nullopt;
    const char* const end = text.data() + text.size();
    EventName name{std::string{text.substr(0, at)}, 0};
    const auto read = std::from_chars(text.data() + at + 1, end, name.event);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return name;
}

}  // namespace replay
