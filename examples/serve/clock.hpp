// The clock of the machine, or one that stands until a client moves it.
#pragma once

#include <optional>

#include <heeler/clock/system_clock.hpp>
#include <heeler/testing/manual_clock.hpp>

namespace serve {

/// Copies of one that stands are moved together. Thread-safe.
class Clock {
public:
    Clock() = default;
    /// Stands at the beginning of 1970.
    [[nodiscard]] static Clock standing() {
        Clock clock;
        clock.manual_.emplace(heeler::Instant{});
        return clock;
    }

    [[nodiscard]] heeler::Instant now() const { return manual_ ? manual_->now() : heeler::SystemClock{}.now(); }
    [[nodiscard]] bool stands() const { return manual_.has_value(); }
    /// Only of one that stands, and not back.
    void move(heeler::Duration by) { manual_->advance(by); }

private:
    std::optional<heeler::ManualClock> manual_;
};

}  // namespace serve
