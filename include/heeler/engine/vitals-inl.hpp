// How the engine tells that it is well. Stands behind `engine-inl.hpp`, whose rooms it looks into.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>

#include <heeler/core/min_max.hpp>
#include <heeler/core/vitals.hpp>
#include <heeler/cycle/judge.hpp>
#include <heeler/engine/engine-inl.hpp>

namespace heeler::inline HEELER_ABI::detail {

HEELER_INLINE std::optional<Elapsed> Engine::promise() const {
    if (!parts_->promised.load(std::memory_order_relaxed)) return std::nullopt;
    return Elapsed{Duration{parts_->answered.load(std::memory_order_relaxed)}};
}

HEELER_INLINE std::optional<Duration> Engine::lateness(Instant now) {
    if (!parts_->promised.exchange(false, std::memory_order_relaxed)) return std::nullopt;
    const std::int64_t due = parts_->asleep_until.load(std::memory_order_relaxed);
    if (due == std::numeric_limits<std::int64_t>::max()) return std::nullopt;  // nothing was to be done
    return detail::max_of(Duration{}, now.elapsed.time_since_epoch() - Duration{due});
}

/// Under the run's lock.
HEELER_INLINE void count_in(Vitals& seen, const WatchedRun& watched, Instant now) {
    const Run& run = watched.run;
    ++seen.runs[static_cast<std::size_t>(run.state)];
    seen.open_incidents += watched.verdict->incident.open() ? 1 : 0;
    if (is_held(watched, now)) ++(watched.rare->held_by_start ? seen.held_by_start : seen.held_by_clock);
    seen.held_by_gap += watched.put_off ? 1 : 0;
    seen.held_by_source += watched.source && watched.source->lost_since ? 1 : 0;
    seen.unobservable += is_unobservable(watched.shown.findings) ? 1 : 0;
    seen.poisoned += watched.verdict->restarts.poisoned_at && !is_terminal(run.state) ? 1 : 0;
    if (run.state != RunState::running) return;
    const Duration age = run.working(now.elapsed) - run.last_progress.value_or(run.started.value_or(Duration{}));
    if (!seen.progress_age || age > *seen.progress_age) seen.progress_age = age;
}

HEELER_INLINE Vitals Engine::vitals() const {
    const Instant now = parts_->clock.now();
    Vitals seen;
    seen.at = now;
    for (const RunHandle handle : table_.all()) {
        WatchedRun* watched = table_.find(handle);
        if (watched == nullptr) continue;
        const std::lock_guard guard{watched->lock};
        if (table_.current(handle) && !watched->disowned) count_in(seen, *watched, now);
    }
    seen.called_every = parts_->cycle.rhythm().median();
    for (const auto& rules : parts_->registry.classes())
        seen.slow_classes += rules->rules.needs_more_than(seen.called_every) ? 1 : 0;
    seen.left = parts_->cycle.left();
    seen.source_ahead = Duration{parts_->group_sources.ahead};
    const auto [pending, oldest] = parts_->deliverer.queues().waiting_alerts();
    seen.alerts_pending = pending;
    if (oldest) seen.oldest_alert = detail::max_of(Duration{}, now.wall - *oldest);
    seen.shares = !parts_->held_lease.alone();
    seen.may_act = parts_->held_lease.holds(now.elapsed);
    seen.epoch = parts_->held_lease.lease().epoch;
    if (const auto since = parts_->ledger.failing_since()) seen.store_failing = now.elapsed - *since;
    for (std::size_t op = 0; op < seen.store.size(); ++op)
        seen.store[op] = parts_->store_port.calls(static_cast<StoreOp>(op));
    return seen;
}

}  // namespace heeler::inline HEELER_ABI::detail
