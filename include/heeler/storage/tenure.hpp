// Whether this watchdog may act, where several share a store: its lease, and how long it can be relied upon.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <mutex>
#include <optional>
#include <string>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/settings/engine_settings.hpp>

namespace heeler::inline v0 {

/// A name for this process that no other has. Where the system gives no random bytes, times and addresses must do.
[[nodiscard]] inline std::string owner_token(const void* self, Instant now) {
    std::array<unsigned char, 16> bytes{};
    std::FILE* const source = std::fopen("/dev/urandom", "rb");
    const bool random = source != nullptr && std::fread(bytes.data(), 1, bytes.size(), source) == bytes.size();
    if (source != nullptr) std::fclose(source);
    std::string token;
    if (!random)
        return std::to_string(now.wall.time_since_epoch().count()) + "." +
               std::to_string(now.elapsed.time_since_epoch().count()) + "." +
               std::to_string(reinterpret_cast<std::uintptr_t>(self));
    for (const unsigned char byte : bytes) {
        token += "0123456789abcdef"[byte >> 4];
        token += "0123456789abcdef"[byte & 15];
    }
    return token;
}

/// Any thread. Trust counts from before the store was asked, by this process's own clock, so that a slow answer does
/// not lengthen it.
class Tenure {
public:
    template <class Clock>
    Tenure(const EngineSettings& settings, Clock& clock)
        : settings_{settings}, clock_{&clock}, read_{[](void* of) { return static_cast<Clock*>(of)->now(); }} {}

    /// No other watchdog shares the store: it may always act.
    [[nodiscard]] bool alone() const noexcept { return settings_.holder.empty(); }

    /// Whether it may act at this very moment: asked before each action, after whatever may have taken long.
    [[nodiscard]] bool holds() const { return alone() || holds(read_(clock_).elapsed); }
    [[nodiscard]] bool holds(Elapsed now) const noexcept {
        return alone() || now.time_since_epoch().count() < trusted_until_.load(std::memory_order_acquire);
    }

    /// Whether the lease is to be renewed now.
    [[nodiscard]] bool is_due(Elapsed now) const {
        const std::lock_guard guard{lock_};
        return !renew_at_ || now >= *renew_at_;
    }
    /// When to ask the store next, for the lease or for runs; absent if there is nothing to ask.
    [[nodiscard]] std::optional<Elapsed> next_renewal(Instant now) const {
        if (alone()) return std::nullopt;
        const std::lock_guard guard{lock_};
        const Elapsed look = now.elapsed + settings_.flush_every;
        return renew_at_ ? std::clamp(*renew_at_, now.elapsed, look) : look;
    }

    [[nodiscard]] Lease lease() const {
        const std::lock_guard guard{lock_};
        return lease_;
    }
    [[nodiscard]] std::string owner(Instant now) {
        const std::lock_guard guard{lock_};
        if (owner_.empty()) owner_ = owner_token(this, now);
        return owner_;
    }

    /// The store granted a lease that was asked for at `asked`. True if what was held before is lost: it has another
    /// epoch.
    bool granted(Lease lease, Elapsed asked) {
        const std::lock_guard guard{lock_};
        const bool lost = lease_.epoch != 0 && lease_.epoch != lease.epoch;
        lease_ = std::move(lease);
        renew_at_ = asked + settings_.renew_every;
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
    void* clock_;
    Instant (*read_)(void*);
    mutable std::mutex lock_;
    Lease lease_;
    std::string owner_;
    std::optional<Elapsed> renew_at_;  ///< absent: at once
    std::atomic<std::int64_t> trusted_until_{std::numeric_limits<std::int64_t>::min()};
};

/// What is wrong with the settings of a watchdog.
[[nodiscard]] inline Result<void> check_settings(const EngineSettings& settings) {
    if (settings.holder.empty()) return {};
    if (settings.renew_every * 2 > settings.lease || settings.renew_every <= Duration{})
        return fail(ErrorCode::invalid_argument,
                    "EngineSettings::renew_every must be more than 0 and at most lease / 2");
    if (settings.lease_margin >= settings.lease - settings.renew_every || settings.lease_margin < Duration{})
        return fail(ErrorCode::invalid_argument, "EngineSettings::lease_margin must be less than lease - renew_every");
    if (settings.claim_runs == 0)
        return fail(ErrorCode::invalid_argument, "EngineSettings::claim_runs must be at least 1");
    return {};
}

}  // namespace heeler::inline v0
