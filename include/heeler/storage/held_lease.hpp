// Whether this watchdog may act, where several share a store: its lease, and how long it can be relied upon.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>

#include <heeler/alert/outbox.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/settings/engine_settings.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Any thread. Trust counts from before the store was asked, by this process's own clock, so that a slow answer does
/// not lengthen it.
class HeldLease {
public:
    HeldLease(const EngineSettings& settings, ClockPort& clock, ProcessPort& process)
        : settings_{settings}, clock_{clock}, process_{process} {}

    /// It has no name, so no other watchdog shares the store: it may always act, unless it found another one there.
    [[nodiscard]] bool alone() const noexcept { return settings_.holder.empty(); }
    [[nodiscard]] bool refused() const noexcept { return refused_.load(std::memory_order_acquire); }
    void refuse(bool refused) noexcept { refused_.store(refused, std::memory_order_release); }

    /// Whether it may act at this very moment: asked before each action, after whatever may have taken long.
    [[nodiscard]] bool holds() const { return alone() ? !refused() : holds(clock_.now().elapsed); }
    [[nodiscard]] bool holds(Elapsed now) const noexcept {
        return alone() ? !refused() : now.time_since_epoch().count() < trusted_until_.load(std::memory_order_acquire);
    }

    /// Whether the lease is to be renewed now.
    [[nodiscard]] bool is_due(Elapsed now) const {
        const std::lock_guard guard{lock_};
        return !renew_at_ || now >= *renew_at_;
    }
    /// When to ask the store next, for the lease or for runs; absent if there is nothing to ask.
    [[nodiscard]] std::optional<Elapsed> next_renewal(Instant now) const {
        if (alone() && !refused()) return std::nullopt;
        const std::lock_guard guard{lock_};
        const Elapsed look = now.elapsed + settings_.flush_every;
        return renew_at_ ? max_of(now.elapsed, min_of(*renew_at_, look)) : look;
    }

    [[nodiscard]] Lease lease() const {
        const std::lock_guard guard{lock_};
        return lease_;
    }
    [[nodiscard]] std::string owner() {
        const std::lock_guard guard{lock_};
        if (owner_.empty()) owner_ = process_.token();
        return owner_;
    }

    /// Names this watchdog under this lease to those whom it asks for something.
    [[nodiscard]] std::string asker() const {
        if (alone()) return std::string{lone_asker};
        const std::lock_guard guard{lock_};
        return owner_ + "." + std::to_string(lease_.epoch);
    }

    /// The store granted a lease that was asked for at `asked`. True if what was held before is lost: it has another
    /// epoch.
    bool granted(Lease lease, Elapsed asked) {
        const std::lock_guard guard{lock_};
        const bool lost = lease_.epoch != 0 && lease_.epoch != lease.epoch;
        lease_ = std::move(lease);
        // Up to a fifth sooner, so that holders who began together do not ask together for ever.
        const auto lot = lot_of(settings_.holder, static_cast<std::uint32_t>(asked.time_since_epoch().count())) >> 14;
        renew_at_ = asked + settings_.renew_every - settings_.renew_every * static_cast<Duration::rep>(lot) / 5120;
        trusted_until_.store((asked + settings_.lease - settings_.lease_margin).time_since_epoch().count(),
                             std::memory_order_release);
        return lost;
    }

    /// The store says that the lease was lost, or it is given back: nothing is done under it any more.
    void gone() {
        const std::lock_guard guard{lock_};
        renew_at_.reset();
        trusted_until_.store(std::numeric_limits<std::int64_t>::min(), std::memory_order_release);
    }

    /// Nothing that was held under this lease counts: the next one has another epoch, and all runs are claimed anew.
    void start_over() {
        gone();
        const std::lock_guard guard{lock_};
        owner_.clear();
    }

private:
    const EngineSettings& settings_;
    ClockPort& clock_;
    ProcessPort& process_;
    mutable std::mutex lock_;
    Lease lease_;
    std::string owner_;
    std::optional<Elapsed> renew_at_;  ///< absent: at once
    std::atomic<bool> refused_{false};
    std::atomic<std::int64_t> trusted_until_{std::numeric_limits<std::int64_t>::min()};
};

}  // namespace heeler::inline HEELER_ABI::detail
