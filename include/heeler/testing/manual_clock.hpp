// A clock that moves only when it is told to: for tests, replays and dry runs.
#pragma once

#include <memory>
#include <mutex>

#include <heeler/config.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// A handle on shared time: copies show the same time, so a test keeps one and gives the other to the `Watchdog`. May
/// be used from any thread.
class ManualClock {
public:
    explicit ManualClock(Instant start = {}) : state_{std::make_shared<State>()} { state_->now = start; }

    [[nodiscard]] Instant now() const {
        const std::lock_guard lock{state_->mutex};
        return state_->now;
    }

    /// Puts both lines where they should be. Going back on the elapsed line is a mistake of the caller.
    void set(Instant to) {
        const std::lock_guard lock{state_->mutex};
        HEELER_ASSERT(to.elapsed >= state_->now.elapsed);
        state_->now = to;
    }

    /// Time passes, on both lines. `by` must not be negative.
    void advance(Duration by) { move(by, by); }

    /// Somebody sets the wall clock, forward or back; no time passes.
    void step_wall(Duration by) { move(Duration{0}, by); }

    /// The machine sleeps: the world goes on, the monotonic line stands still. `length` must not be negative.
    void suspend(Duration length) {
        HEELER_ASSERT(length >= Duration{0});
        move(Duration{0}, length);
    }

private:
    struct State {
        std::mutex mutex;
        Instant now;
    };

    void move(Duration elapsed, Duration wall) {
        HEELER_ASSERT(elapsed >= Duration{0});
        const std::lock_guard lock{state_->mutex};
        state_->now.elapsed += elapsed;
        state_->now.wall += wall;
    }

    std::shared_ptr<State> state_;
};

}  // namespace heeler::inline HEELER_ABI
