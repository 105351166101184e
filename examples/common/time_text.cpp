#include "time_text.hpp"

#include <cmath>

namespace common {

std::optional<heeler::Duration> seconds(double value) {
    if (!(value >= 0 && value <= last_second)) return std::nullopt;
    return heeler::Duration{std::llround(value * 1e6)};
}

std::optional<heeler::Duration> moment(double value) {
    const auto distance = seconds(std::abs(value));
    if (!distance) return std::nullopt;
    return value < 0 ? -*distance : *distance;
}

}  // namespace common
