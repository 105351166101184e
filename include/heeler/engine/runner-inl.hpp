// What the two threads of a runner do.
#pragma once

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

// libstdc++ declares std::thread with std::stop_token, which runner.hpp includes; its <thread> costs 128 lines more.
#if !defined(__GLIBCXX__) || !defined(__cpp_lib_jthread)
#include <thread>
#endif

#include <heeler/core/callback.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/time.hpp>
#include <heeler/engine/runner.hpp>
#include <heeler/explain/error_news.hpp>
#include <heeler/explain/report.hpp>

namespace heeler::inline HEELER_ABI {

struct Runner::Threads {
    Threads(detail::Engine& of, Duration longest_wait, OnCycle told)
        : engine{of}, period{longest_wait}, on_cycle{std::move(told)} {}

    void judge() {
        TickCause cause = TickCause::startup;
        for (;;) {
            const auto begin = std::chrono::steady_clock::now();
            CycleReport cycle = timed([&] { return engine.tick(cause); });
            const bool behind = cycle.left > 0;  // the rest comes at once
            report_tick(std::move(cycle));
            const Duration wait = pause();
            std::unique_lock guard{lock};
            ticked = true;
            wake.notify_all();
            wake.wait_for(guard, wait, [&] { return stopping || delivered || woken; });
            // What is reported of many runs in a short time is looked at, and stored, together.
            wake.wait_until(guard, begin + shortest(), [&] { return stopping || delivered || behind; });
            if (stopping) return;
            woken = false;
            cause = std::exchange(delivered, false) ? TickCause::outcome : TickCause::period;
        }
    }

    void act() {
        for (;;) {
            {
                std::unique_lock guard{lock};
                wake.wait(guard, [&] { return stopping || ticked; });
                if (stopping) return;
                ticked = false;
            }
            report_delivery(timed([&] { return engine.deliver(); }));
            if (!engine.has_settled()) continue;
            const std::lock_guard guard{lock};
            delivered = true;
            wake.notify_all();
        }
    }

    /// Between the beginnings of two cycles, but for those that only take in what came of actions.
    [[nodiscard]] Duration shortest() const { return detail::min_of<Duration>(period, std::chrono::milliseconds{200}); }

    /// Until the next cycle has something to do.
    [[nodiscard]] Duration pause() {
        const auto next = engine.time_to_deadline();
        return next ? detail::min_of(*next, period) : period;
    }

    template <class Work>
    static CycleReport timed(Work&& work) {
        const auto begin = std::chrono::steady_clock::now();
        CycleReport done = work();
        done.took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begin);
        return done;
    }

    /// Whoever is told of a delivery may take long: a tick waits for nobody, and is told of afterwards.
    void report_tick(CycleReport cycle) {
        std::unique_lock guard{reporting};
        if (telling && untold) return untold->absorb(std::move(cycle));
        if (telling) return static_cast<void>(untold = std::move(cycle));
        telling = true;
        guard.unlock();
        tell(cycle);
        guard.lock();
        telling = false;
        said.notify_all();
    }

    void report_delivery(const CycleReport& cycle) {
        std::unique_lock guard{reporting};
        said.wait(guard, [&] { return !telling; });
        telling = true;
        guard.unlock();
        tell(cycle);
        for (guard.lock(); untold; guard.lock()) {
            const CycleReport next = *std::exchange(untold, std::nullopt);
            guard.unlock();
            tell(next);
        }
        telling = false;
    }

    void tell(const CycleReport& cycle) {
        if (on_cycle) return on_cycle(cycle);
        if (cycle.errors == 0) return;
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        const Elapsed elapsed{std::chrono::duration_cast<Duration>(now)};
        const std::string errors = error_text(error_news.of(cycle, elapsed), engine.wall_time());
        if (!errors.empty()) static_cast<void>(std::fwrite(errors.data(), 1, errors.size(), stderr));
    }

    void ask_to_stop() {
        const std::lock_guard guard{lock};
        stopping = true;
        wake.notify_all();
    }

    detail::Engine& engine;
    Duration period;
    OnCycle on_cycle;
    std::mutex lock;
    std::mutex reporting;
    std::condition_variable wake;
    std::condition_variable said;         ///< what a tick reported
    ErrorNews error_news;                 ///< for who tells, one at a time
    std::optional<CycleReport> untold{};  ///< ticks that came while a delivery was told
    bool telling = false;
    bool stopping = false;
    bool ticked = false;
    bool delivered = false;
    bool woken = false;  ///< an observation must be looked at sooner
    std::thread judging;
    std::thread acting;
#ifdef __cpp_lib_jthread
    std::optional<std::stop_callback<Callback<void()>>> on_stop;  ///< it ends first, with who calls it just now
#endif
};

HEELER_INLINE Runner::Runner(detail::Engine& engine, Duration period, OnCycle on_cycle)
    : threads_{new Threads(engine, period, std::move(on_cycle))} {
    engine.wake_with([threads = threads_] {
        const std::lock_guard guard{threads->lock};
        threads->woken = true;
        threads->wake.notify_all();
    });
    threads_->judging = std::thread{[threads = threads_] { threads->judge(); }};
    threads_->acting = std::thread{[threads = threads_] { threads->act(); }};
}

HEELER_INLINE Runner::~Runner() {
    stop();
    delete threads_;
}

HEELER_INLINE void Runner::stop() {
    threads_->ask_to_stop();
    threads_->engine.wake_with({});
    if (threads_->judging.joinable()) threads_->judging.join();
    if (threads_->acting.joinable()) threads_->acting.join();
}

#ifdef __cpp_lib_jthread
HEELER_INLINE void Runner::stop_with(std::stop_token stop) {
    threads_->on_stop.emplace(std::move(stop), Callback<void()>{[threads = threads_] { threads->ask_to_stop(); }});
}
#endif

}  // namespace heeler::inline HEELER_ABI
