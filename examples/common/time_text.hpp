// Times as scenarios spell them: seconds, or RFC 3339.
#pragma once

#include <optional>

#include <heeler/core/time.hpp>
#include <heeler/text/rfc3339.hpp>

namespace common {

/// The latest second that a scenario may name (over 300 years): keeps every sum of times in range.
inline constexpr double last_second = 1e10;

/// Absent if outside of 0 to `last_second`.
[[nodiscard]] std::optional<heeler::Duration> seconds(double value);

/// The same, also before the start.
[[nodiscard]] std::optional<heeler::Duration> moment(double value);

using heeler::text::parse_rfc3339;

}  // namespace common
