// Drives a watchdog with two threads of its own: one that judges, one that acts and sends.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include <heeler/core/time.hpp>
#include <heeler/core/events.hpp>

namespace heeler::inline v0 {

/// A slow notifier or a bounded wait for a process never delays detection. Starts at once, stops when it is destroyed.
/// Both threads belong to it; `on_cycle` is called from either, one at a time.
template <class Dog>
class Runner {
public:
    using OnCycle = std::function<void(const CycleReport&)>;

    explicit Runner(Dog& dog, Duration period = std::chrono::seconds{1}, OnCycle on_cycle = {})
        : dog_{dog}, period_{period}, on_cycle_{std::move(on_cycle)} {
        judging_ = std::thread{[this] { judge(); }};
        acting_ = std::thread{[this] { act(); }};
    }
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    ~Runner() { stop(); }

    /// Ends both threads after what they are doing now. May be called twice.
    void stop() {
        {
            const std::lock_guard guard{lock_};
            stopping_ = true;
        }
        wake_.notify_all();
        if (judging_.joinable()) judging_.join();
        if (acting_.joinable()) acting_.join();
    }

private:
    void judge() {
        TickCause cause = TickCause::startup;
        for (;;) {
            report(dog_.tick(cause));
            std::unique_lock guard{lock_};
            ticked_ = true;
            wake_.notify_all();
            wake_.wait_for(guard, period_, [&] { return stopping_ || delivered_; });
            if (stopping_) return;
            cause = std::exchange(delivered_, false) ? TickCause::outcome : TickCause::period;
        }
    }

    void act() {
        for (;;) {
            {
                std::unique_lock guard{lock_};
                wake_.wait(guard, [&] { return stopping_ || ticked_; });
                if (stopping_) return;
                ticked_ = false;
            }
            const CycleReport done = dog_.deliver();
            report(done);
            if (!dog_.has_settled()) continue;
            const std::lock_guard guard{lock_};
            delivered_ = true;
            wake_.notify_all();
        }
    }

    void report(const CycleReport& cycle) {
        if (!on_cycle_ || (cycle.events.empty() && cycle.checked == 0)) return;
        const std::lock_guard guard{reporting_};
        on_cycle_(cycle);
    }

    Dog& dog_;
    Duration period_;
    OnCycle on_cycle_;
    std::mutex lock_;
    std::mutex reporting_;
    std::condition_variable wake_;
    bool stopping_ = false;
    bool ticked_ = false;
    bool delivered_ = false;
    std::thread judging_;
    std::thread acting_;
};

}  // namespace heeler::inline v0
