// What the agent of a run is to do now, and what is left of its budgets: for whoever answers its heartbeats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include <heeler/core/min_max.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/time.hpp>
#include <heeler/detect/run_timeout.hpp>
#include <heeler/detect/spend_cap.hpp>
#include <heeler/detect/token_budget.hpp>
#include <heeler/engine/engine.hpp>
#include <heeler/engine/watchdog_verbs.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline HEELER_ABI {

enum class Course : std::uint8_t {
    go_on,
    wind_down,  ///< bring the work to an end: little is left of its time or of what it may spend
    pause,      ///< an operator or a rung has paused it: wait, and ask again
    stop,       ///< it is over, or beyond its time or a cap: nobody goes on with it
};

inline constexpr std::array<std::string_view, 4> course_names{"continue", "wind_down", "pause", "stop"};

[[nodiscard]] constexpr std::string_view name_of(Course course) noexcept {
    return course_names[static_cast<std::size_t>(course)];
}

/// What is left is never negative, and absent where nothing limits it.
struct Advice {
    Course course = Course::go_on;
    std::string_view because{};  ///< `paused`, `ended`, `elsewhere`, or the detector or sum; empty: it just goes on
    std::optional<std::int64_t> tokens_left{};
    std::optional<double> usd_left{};
    std::optional<Duration> time_left{};
};

namespace detail {

struct Adviser {
    [[nodiscard]] static Advice ask(const Engine& engine, RunHandle run, Instant now) {
        WatchedRun* const watched = engine.table_.find(run);
        if (watched != nullptr) {
            const std::lock_guard guard{watched->lock};
            if (engine.standing(run, *watched) == Observed::ok) return Adviser{*watched, now.elapsed}.advice_;
            if (engine.table_.current(run) && watched->disowned) return {Course::go_on, "elsewhere"};
        }
        if (engine.table_.is_elsewhere(run)) return {Course::go_on, "elsewhere"};
        return {Course::stop, "ended"};
    }

private:
    /// In this order, so that of two reasons the graver one is told, and of two of a kind the first.
    Adviser(const RunMemory& watched, Elapsed now) : watched_{watched} {
        look_at_time(now);
        look_at_spend();
        look_at_tokens();
        // Who stands by order waits for who gave it, whatever it may have spent.
        if (watched.run.paused_by_watchdog) follow(Course::pause, "paused", true);
    }

    void follow(Course course, std::string_view because, bool always = false) {
        if (course > advice_.course || always) advice_.course = course, advice_.because = because;
    }

    void look_at_time(Elapsed now) {
        const Run& run = watched_.run;
        const RunTimeout::Settings* const settings = watched_.rules().detectors.find<RunTimeout>();
        if (settings == nullptr || !run.started) return;
        if (const auto limit = run.timeout ? std::optional{*run.timeout} : settings->limit)
            look_at_limit(*limit, run.working(now) - *run.started, RunTimeout::kind);
        if (settings->lineage_limit)
            look_at_limit(*settings->lineage_limit, run.lineage_age(now), RunTimeout::lineage_rule);
    }

    void look_at_limit(Duration limit, Duration used, std::string_view of) {
        const Duration left = max_of(limit - used, Duration{});
        advice_.time_left = min_of(advice_.time_left.value_or(left), left);
        if (left == Duration{})
            follow(Course::stop, of);
        else if (left <= limit / 5)
            follow(Course::wind_down, of);
    }

    /// As the last cycle has counted.
    void look_at_spend() {
        const RunSpend& spend = *watched_.run.spend;
        const SpendCap::Settings* const settings = watched_.rules().detectors.find<SpendCap>();
        if (settings == nullptr || spend.of == 0 || spend.of >= SpendCap::no_cap || spend.cap <= 0) return;
        const std::size_t sum = spend.of - 1u;
        const std::int64_t left = max_of(spend.cap - spend.spent, std::int64_t{0});
        if (sum % 2 == 0)
            advice_.tokens_left = left;
        else
            advice_.usd_left = static_cast<double>(left) / 1e6;
        const double share = static_cast<double>(spend.spent) / static_cast<double>(spend.cap);
        if (spend.is_over())
            follow(Course::stop, SpendCap::sums[sum]);
        else if (share >= settings->soft)
            follow(Course::wind_down, SpendCap::sums[sum]);
    }

    void look_at_tokens() {
        const TokenBudget::Settings* const settings = watched_.rules().detectors.find<TokenBudget>();
        if (settings == nullptr) return;
        const RunSpend& spend = *watched_.run.spend;
        const std::int64_t soft = spend.own_tokens > 0 ? spend.own_tokens : settings->soft;
        const std::int64_t used = watched_.run.usage->tokens_in + watched_.run.usage->tokens_out;
        const std::int64_t left = max_of(soft - used, std::int64_t{0});
        advice_.tokens_left = min_of(advice_.tokens_left.value_or(left), left);
        if (used >= soft - soft / 5) follow(Course::wind_down, TokenBudget::kind);
    }

    const RunMemory& watched_;
    Advice advice_{};
};

}  // namespace detail

/// What the agent of this run is to do, by what the last cycle decided and by what it may still use. Any thread; it
/// waits for no more than an observation does. Of a run that is over the answer is to stop.
template <class Dog>
[[nodiscard]] Advice advice_for(Dog& dog, RunHandle run, Instant now) {
    return detail::Adviser::ask(detail::Above::engine_of(dog), run, now);
}

}  // namespace heeler::inline HEELER_ABI
