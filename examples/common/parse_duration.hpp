// Reads lengths of time as people write them on a command line: 90s, 5m, 1h30m; for the tools.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

namespace common {

/// "90", "90s", "5m", "1h30m", "250ms": more than 0, at most 400 days.
[[nodiscard]] inline heeler::Result<heeler::Duration> parse_duration(const std::string& text) {
    using heeler::Duration;
    constexpr std::pair<std::string_view, Duration> units[] = {
        {"ms", std::chrono::milliseconds(1)}, {"s", std::chrono::seconds(1)}, {"m", std::chrono::minutes(1)},
        {"h", std::chrono::hours(1)},         {"d", std::chrono::hours(24)},  {"", std::chrono::seconds(1)}};
    constexpr Duration limit = std::chrono::hours(24 * 400);
    const auto refuse = [&] {
        return heeler::fail(heeler::ErrorCode::invalid_argument,
                            "\"" + text + "\" is no duration: write 90s, 5m or 1h30m, more than 0 and at most 400d");
    };
    Duration sum{};
    std::size_t at = 0;
    while (at < text.size()) {
        std::size_t end = at;
        while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
        if (end == at || end - at > 9) return refuse();
        const long count = std::strtol(text.substr(at, end - at).c_str(), nullptr, 10);
        at = end;
        while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
        const std::string unit = text.substr(at, end - at);
        const auto* const found =
            std::find_if(std::begin(units), std::end(units), [&](const auto& known) { return unit == known.first; });
        if (found == std::end(units) || count > limit / found->second) return refuse();
        sum += count * found->second;
        at = end;
    }
    if (sum <= Duration::zero() || sum > limit) return refuse();
    return sum;
}

}  // namespace common
