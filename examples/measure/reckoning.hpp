// What `checkpoint_continuation` asks for, worked out a second time and without the library: who is continued when, and
// who is given up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/time.hpp>

namespace measure {

/// One run. Moments are seconds since the simulation began.
class Reckoned {
public:
    explicit Reckoned(heeler::Duration began) : base_{began} {}

    void checkpoint(heeler::Duration t) {
        base_ = t;
        waited_ = {};
    }
    void ask(heeler::Duration t) { asked_ = t; }
    void go_on(heeler::Duration t) {
        waited_ += t - *asked_;
        asked_.reset();
    }
    void end() { ended_ = true; }

    /// Strictly more than 20 min of work since the last checkpoint, or since the agent began.
    [[nodiscard]] bool is_stalled(heeler::Duration t) const {
        return !ended_ && !asked_ && t - base_ - waited_ > std::chrono::minutes{20};
    }
    [[nodiscard]] bool may_continue() const { return continued_ < 2; }
    [[nodiscard]] std::uint32_t continued() const { return continued_; }
    [[nodiscard]] bool ended() const { return ended_; }

    /// A fresh agent begins.
    void continue_at(heeler::Duration t) {
        checkpoint(t);
        ++continued_;
    }

private:
    heeler::Duration base_;
    heeler::Duration waited_{};
    std::optional<heeler::Duration> asked_;
    std::uint32_t continued_ = 0;
    bool ended_ = false;
};

}  // namespace measure
