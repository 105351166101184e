// Drives a watchdog with two threads of its own: one that judges, one that acts and sends.
#pragma once

#include <version>
#ifdef __cpp_lib_jthread
#include <stop_token>
#endif

#include <heeler/core/callback.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/time.hpp>
#include <heeler/engine/engine.hpp>
#include <heeler/fwd.hpp>

namespace heeler::inline HEELER_ABI {

/// A slow notifier or a bounded wait for a process never delays detection. Starts at once, stops when it is destroyed,
/// which must be before its watchdog is. Both threads belong to it. It takes the watchdog's `wake_with` for itself.
class Runner {
public:
    using OnCycle = Callback<void(const CycleReport&)>;

    /// A cycle runs when `next_deadline` says so, sooner if an observation shortens it, at most five times a second,
    /// and `period` after the last one at the latest: operators' decisions are looked for that often. `on_cycle` is
    /// called from either thread, one at a time, also when there was nothing to do; cycles that run while it is busy
    /// with a delivery are told as one. Without it, errors are written to stderr: one that goes on once, then every
    /// minute.
    template <class Dog>
    explicit Runner(detail::WatchdogVerbs<Dog>& dog, Duration period = std::chrono::seconds{1}, OnCycle on_cycle = {})
        : Runner{dog.engine(), period, std::move(on_cycle)} {}

#ifdef __cpp_lib_jthread
    /// The same; it also stops when somebody asks the token for it.
    template <class Dog>
    Runner(detail::WatchdogVerbs<Dog>& dog, std::stop_token stop, Duration period = std::chrono::seconds{1},
           OnCycle on_cycle = {})
        : Runner{dog.engine(), period, std::move(on_cycle)} {
        stop_with(std::move(stop));
    }
#endif
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    ~Runner();

    /// Ends both threads after what they are doing now, and waits for that. May be called twice.
    void stop();

private:
    struct Threads;

    Runner(detail::Engine& engine, Duration period, OnCycle on_cycle);
#ifdef __cpp_lib_jthread
    void stop_with(std::stop_token stop);
#endif

    Threads* threads_;  // owned; a smart pointer would cost who includes this the header <memory>
};

}  // namespace heeler::inline HEELER_ABI

#ifndef HEELER_COMPILED
#include <heeler/engine/runner-inl.hpp>
#endif
