// Ctrl-C and SIGTERM, for a program that sleeps between two looks.
#pragma once

#include <chrono>
#include <csignal>
#include <ctime>

#include <heeler/core/time.hpp>

namespace common {

/// From now on they come to nobody, also in threads that begin later, and are asked for.
class StopSignals {
public:
    StopSignals() {
        sigemptyset(&held_);
        for (const int signal : {SIGINT, SIGTERM}) sigaddset(&held_, signal);
        pthread_sigmask(SIG_BLOCK, &held_, nullptr);
    }

    /// Waits that long at most. True: the program is asked to end.
    [[nodiscard]] bool come_within(heeler::Duration length) const {
        const auto seconds = std::chrono::floor<std::chrono::seconds>(length);
        const timespec timeout{seconds.count(), std::chrono::nanoseconds{length - seconds}.count()};
        return ::sigtimedwait(&held_, nullptr, &timeout) > 0;
    }

private:
    sigset_t held_{};
};

}  // namespace common
