// Notices that the watchdog itself was away: that it was called far later than its host usually does, that the machine
// slept, or that a clock was set. Nothing that was measured across it counts against a run.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/time.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/text/json_writer.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// How often a host calls: the median and the longest of its last gaps. From one thread; both may be read by any.
class Rhythm {
public:
    /// A shorter gap than `least` is none.
    explicit Rhythm(Duration least) : least_{least} {}
    /// Whether a gap is far longer than this host's own. One that comes again and again is not: it is the rhythm; nor
    /// is a first one of some minutes, as long as nobody knows how often the host calls.
    [[nodiscard]] bool is_unusual(Duration gap) const noexcept {
        if (gap <= 3 * detail::max_of(count_ == 0 ? 10 * least_ : median(), least_)) return false;
        int alike = 0;
        for (std::size_t i = 0; i < kept(); ++i) alike += gaps_[i] >= gap / 2 ? 1 : 0;
        return alike < 2;
    }
    void add(Duration gap) noexcept {
        gaps_[count_++ % gaps_.size()] = gap;
        auto sorted = gaps_;
        for (std::size_t i = kept(); i < sorted.size(); ++i) sorted[i] = Duration::max();
        detail::sort(sorted);
        const Duration median = sorted[kept() / 2];
        std::size_t last = kept() - 1;  // one that nothing else comes near is no part of the rhythm
        while (last > 0 && sorted[last] > 3 * detail::max_of(median, least_) && sorted[last - 1] < sorted[last] / 2)
            --last;
        median_.store(median.count(), std::memory_order_relaxed);
        longest_.store(sorted[last].count(), std::memory_order_relaxed);
    }
    [[nodiscard]] Duration median() const noexcept { return Duration{median_.load(std::memory_order_relaxed)}; }
    [[nodiscard]] Duration longest() const noexcept { return Duration{longest_.load(std::memory_order_relaxed)}; }
    /// More and more seldom, so that who asks costs nothing.
    [[nodiscard]] bool is_time_to_say() const noexcept { return count_ >= 4 && (count_ & (count_ - 1)) == 0; }

private:
    [[nodiscard]] std::size_t kept() const noexcept { return detail::min_of(count_, gaps_.size()); }

    Duration least_;
    std::array<Duration, 32> gaps_{};
    std::size_t count_ = 0;
    std::atomic<Duration::rep> median_{0};
    std::atomic<Duration::rep> longest_{0};
};

/// From the thread that ticks.
class GapWatch {
public:
    explicit GapWatch(Duration least) : least_{least}, rhythm_{least} {}

    /// A call begins. Who asked when it was due may come then (`promise`); whoever did not comes as its timer has it.
    /// A call that fails before anything is judged leaves the next one as late as it is itself.
    void called(std::optional<Elapsed> promise) noexcept {
        if (!expected_ && looked_) expected_ = detail::max_of(*looked_, promise.value_or(*looked_));
    }

    /// Runs are about to be judged. What was found of the time since they last were, for the record: verdicts of all
    /// runs are held for one grace if the clocks went apart by `least_` or more, and if that or a call that came far
    /// too late says that nobody saw what runs did, their ages count from now. Who is looked at once in fifteen minutes
    /// misses nothing in one. `behind`: the last call left runs over, so that this one may come at once, which says
    /// nothing about how often the host calls.
    [[nodiscard]] std::optional<AuditEvent> note(Instant now, TickCause cause, Registry& registry,
                                                 bool behind = false) {
        const bool in_time = cause == TickCause::period;
        const Duration apart = last_ ? (now.wall - last_->wall) - (now.elapsed - last_->elapsed) : Duration{};
        if (!looked_) expected_ = registry.table().next_deadline();
        const Duration away = expected_ ? detail::max_of(Duration{}, now.elapsed - *expected_) : Duration{};
        away_ = in_time && rhythm_.is_unusual(away) ? away : Duration{};
        if (in_time && looked_ && !(behind && away < least_)) rhythm_.add(away);
        last_ = now;
        if (cause != TickCause::outcome && cause != TickCause::changed) {
            looked_ = now.elapsed;
            expected_.reset();
        }
        const bool jumped = std::chrono::abs(apart) >= least_;
        if ((!jumped && away_ == Duration{}) || is_habit(now.elapsed)) {
            away_ = Duration{};
            return std::nullopt;
        }
        const bool missed = hold(now, jumped, apart, registry);
        if (jumped) return AuditEvent{row(now, gap_record, apart), apart};
        return missed ? std::optional{AuditEvent{row(now, away_record, away), {}}} : std::nullopt;
    }

    /// The call that was noted last came so late that it proves nothing of a run that is looked at so often.
    [[nodiscard]] bool late(Duration period) const noexcept { return away_ > 3 * period; }
    [[nodiscard]] const Rhythm& rhythm() const noexcept { return rhythm_; }

private:
    /// A clock that jumps all the time, or a host that is stopped all the time, would hold verdicts for ever: of so
    /// many gaps within so long no more is made than of any other call.
    static constexpr std::size_t most_gaps = 8;
    static constexpr Duration within = std::chrono::hours{6};

    [[nodiscard]] bool is_habit(Elapsed now) noexcept {
        const std::optional<Elapsed> oldest = std::exchange(gaps_[gap_count_++ % most_gaps], now);
        return oldest && now - *oldest < within;
    }

    /// Answers whether there is a run of which anything was missed. A source tells afterwards what was while nobody
    /// called; of an agent that slept itself it has nothing to tell.
    bool hold(Instant now, bool jumped, Duration apart, Registry& registry) {
        bool missed = false;
        for (const RunHandle handle : registry.table().all()) {
            auto* watched = registry.table().find(handle);
            if (watched == nullptr) continue;
            const std::lock_guard guard{watched->lock};
            if (!registry.table().current(handle)) continue;
            const bool told = watched->source && watched->source->is_polled();
            if (apart > Duration{} || (!told && late(registry.period_of(*watched)))) {
                watched->see_from(now.elapsed);
                registry.table().sooner(handle.index, now.elapsed);  // else no report would bring it forward
                missed = true;
            }
            if (!jumped) continue;
            watched->rare.edit().held_until = now.elapsed + registry.grace_of(*watched);
            watched->rare.edit().held_by_start = false;
        }
        return missed;
    }

    [[nodiscard]] static AuditRow row(Instant now, std::string_view kind, Duration length) {
        text::JsonLine line;
        line.begin_object().key("seconds").number(in_seconds(length)).end_object();
        return AuditRow{now.wall, std::string{kind}, {}, std::move(line).text()};
    }

    std::optional<Instant> last_;      ///< when a run was judged last
    std::optional<Elapsed> looked_;    ///< likewise, all whose time had come
    std::optional<Elapsed> expected_;  ///< when the first call since then was due
    Duration least_;
    Rhythm rhythm_;
    std::array<std::optional<Elapsed>, most_gaps> gaps_{};
    std::size_t gap_count_ = 0;
    Duration away_{};  ///< before the call that was noted last, if that was far longer than usual
};

}  // namespace heeler::inline HEELER_ABI::detail
