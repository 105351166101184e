// Says by the age of a run's last breadcrumb (its newest checkpoint) whether it works, may still work, or has stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// What the age of the last breadcrumb asks for.
enum class Band : std::uint8_t {
    working,    ///< leave it alone
    wait,       ///< perhaps it still works: look again later
    take_over,  ///< it has stopped: go on with its work
    restart,    ///< it never wrote any: begin its work anew
};

[[nodiscard]] constexpr std::string_view name_of(Band band) noexcept {
    constexpr std::string_view names[] = {"working", "wait", "take_over", "restart"};
    return names[static_cast<std::size_t>(band)];
}

[[nodiscard]] constexpr Band last_value(Band) noexcept { return Band::restart; }

/// The recency table (the relay). Both limits belong to the band between them.
struct RecencyBands {
    Duration working_below = std::chrono::seconds{600};     ///< age < this: working
    Duration take_over_above = std::chrono::seconds{1800};  ///< age > this: take over

    /// Absent: there was no breadcrumb at all.
    [[nodiscard]] constexpr Band of(const std::optional<Duration>& age) const noexcept {
        if (!age) return Band::restart;
        if (*age < working_below) return Band::working;
        return *age > take_over_above ? Band::take_over : Band::wait;
    }

    [[nodiscard]] Result<void> check() const {
        if (working_below > Duration{} && working_below <= take_over_above) return {};
        return detail::invalid("bands: working_below is " + std::to_string(in_seconds(working_below)) +
                               " s and take_over_above is " + std::to_string(in_seconds(take_over_above)) +
                               " s; both must be positive, and the second not shorter than the first");
    }
};

}  // namespace heeler::inline HEELER_ABI
