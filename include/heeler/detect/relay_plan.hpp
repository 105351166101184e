// The plan of a relay: when a run is over time, when it is looked at for a continuation, and when it is given up.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/detector.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/detect/recency_bands.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// Moments since the start, on the run's working clock (the relay): time spent waiting for a person moves them.
struct RelayPlan {
    Duration timeout = std::chrono::seconds{3600};      ///< from then on TIMEOUT is shown; a run's own limit goes first
    Duration continue_at = std::chrono::seconds{3900};  ///< the bands are asked; they alone decide
    Duration give_up_at = std::chrono::seconds{7800};   ///< the ladder's final rung
    Duration look_again = std::chrono::seconds{300};    ///< after the band `wait`, or a start that failed
    RecencyBands bands{};

    [[nodiscard]] Result<void> check() const {
        if (auto good = bands.check(); !good) return good;
        if (timeout < give_up_at && continue_at < give_up_at) return {};
        return fail(ErrorCode::invalid_argument, "relay: timeout, continue_at and give_up_at are " +
                                                     seconds_of(timeout) + ", " + seconds_of(continue_at) + " and " +
                                                     seconds_of(give_up_at) +
                                                     " s; give_up_at must be after timeout and continue_at");
    }

    void by_name(NamedSettings& named) {
        const auto moment = [&](std::string_view name, Duration& value) {
            named.length(name, value, std::chrono::seconds{1}, detail::longest_setting);
        };
        moment("timeout_s", timeout);
        moment("continue_at_s", continue_at);
        moment("give_up_at_s", give_up_at);
        moment("look_again_s", look_again);
        moment("working_below_s", bands.working_below);
        moment("take_over_above_s", bands.take_over_above);
    }

private:
    static std::string seconds_of(Duration length) { return std::to_string(in_seconds(length)); }
};

/// Over time from `timeout` on, which is only shown; from `give_up_at` on nothing else is worth trying.
struct RelayTimeout {
    static constexpr std::string_view kind = "relay_timeout";
    static constexpr EventMask listens = events<>;

    using Settings = RelayPlan;
    struct Memory {};

    static void by_name(Settings& plan, NamedSettings& named) { plan.by_name(named); }
    [[nodiscard]] static Result<void> validate(const Settings& plan) { return plan.check(); }

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings& plan, const Run& run, Instant now) const {
        if (!run.started) return Finding{Condition::not_evaluable, Level::none, kind, {.rule = "start_unknown"}};
        const Duration elapsed = run.working(now.elapsed) - *run.started;
        const bool over = elapsed >= plan.give_up_at;
        const Duration limit = over ? plan.give_up_at : run.timeout.value_or(plan.timeout);
        if (elapsed < limit) return std::nullopt;
        Finding finding{Condition::timeout, over ? Level::stop : Level::watch, kind, {}};
        finding.evidence.rule = over ? "give_up" : "hard_timeout";
        finding.evidence.add("elapsed_s", in_seconds(elapsed)).add("threshold_s", in_seconds(limit));
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (finding.condition == Condition::not_evaluable) return detail::words::plain(finding);
        return "Running for " + detail::words::lasting(finding.evidence.fact("elapsed_s"));
    }

    [[nodiscard]] static std::string bound(const Settings& plan, Duration, Duration) {
        return "  times out after " + text::spoken(plan.timeout) + ", given up after " + text::spoken(plan.give_up_at) +
               "\n";
    }

    [[nodiscard]] std::optional<Duration> due(const Memory&, const Settings& plan, const Run& run,
                                              Duration since) const {
        if (!run.started) return std::nullopt;
        const Duration shown = *run.started + run.timeout.value_or(plan.timeout);
        return shown >= since ? shown : *run.started + plan.give_up_at;
    }
};

/// Stalled when the bands, asked at `continue_at`, say that the run has stopped or never began. Whoever is working then
/// is left alone for good; a run has one continuation. While the run waits for a person nobody takes it up.
struct RelayCheck {
    static constexpr std::string_view kind = "relay";
    static constexpr EventMask listens = events<>;

    using Settings = RelayPlan;

    struct Memory {
        Duration next{};                 ///< working clock: not asked again before this
        std::optional<Duration> base{};  ///< the newest breadcrumb, or the start, when it was asked last
        std::optional<Band> band{};      ///< the answer
        bool wait_told = false;          ///< that the run waits for a person is on record

        void archive(auto& a) { a(next, base, band, wait_told); }
    };

    static void by_name(Settings& plan, NamedSettings& named) { plan.by_name(named); }
    [[nodiscard]] static Result<void> validate(const Settings& plan) { return plan.check(); }

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] static std::string bound(const Settings& plan, Duration, Duration) {
        return "  after " + text::spoken(plan.continue_at) + ": a checkpoint younger than " +
               text::spoken(plan.bands.working_below) + " works, one older than " +
               text::spoken(plan.bands.take_over_above) + " or none is taken up, in between again after " +
               text::spoken(plan.look_again) + "\n";
    }

    /// Asks the bands if it is time. A checkpoint is a breadcrumb.
    [[nodiscard]] std::optional<Sighting> poll(Memory& memory, const Settings& plan, const Run& run,
                                               const LastCheckpoint& checkpoint, Instant now) const {
        if (is_over(memory, plan, run, now)) return std::nullopt;
        if (run.waiting_since) {
            const auto moment = due_waiting(memory, plan, run, {});
            if (!moment || now.elapsed < *moment) return std::nullopt;
            memory.wait_told = true;
            return Sighting{.record = "not_continued", .message = "waiting for human input, not continuing"};
        }
        memory.wait_told = false;
        const Duration working = run.working(now.elapsed);
        if (run.late || working < next_of(memory, plan, run)) return std::nullopt;
        const auto age = run.age(checkpoint.at, now.elapsed);
        const Band band = plan.bands.of(age);
        if (takes_up(band) && is_unseen(plan, run, now)) return std::nullopt;
        memory = {working + plan.look_again, run.checkpoint_base, band, false};
        return Sighting{.record = "band", .answer = name_of(*memory.band), .age = age};
    }

    /// A breadcrumb since it was asked takes the answer back. Nobody is taken up for what nobody saw: a gap gives each
    /// run as long again as a breadcrumb may be old.
    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& plan, const Run& run,
                                               Instant now) const {
        if (is_over(memory, plan, run, now) || run.waiting_since || run.late) return std::nullopt;
        const bool answered = memory.band && takes_up(*memory.band) && memory.base == run.checkpoint_base;
        const bool asks = answered || run.working(now.elapsed) >= next_of(memory, plan, run);
        if (asks && is_unseen(plan, run, now)) return Finding::put_off(kind);
        if (!answered) return std::nullopt;
        Finding finding{Condition::stalled, Level::nudge, kind, {.rule = name_of(*memory.band)}};
        finding.evidence.add("age_s", in_seconds(run.age(run.checkpoint_base, now.elapsed).value_or(Duration{})));
        if (*memory.band == Band::take_over)
            finding.evidence.add("threshold_s", in_seconds(plan.bands.take_over_above));
        finding.evidence.first = finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        return "No checkpoint for " + detail::words::lasting(finding.evidence.fact("age_s"));
    }

    [[nodiscard]] std::optional<Duration> due(const Memory& memory, const Settings& plan, const Run& run,
                                              Duration since) const {
        if (is_settled(memory, run)) return std::nullopt;
        const Duration next = next_of(memory, plan, run);
        const auto from = detail::max_of(run.seen_from, run.excuses->until);
        if (next > since || !from) return next;
        return detail::max_of(next, *from + seen_long_enough(plan));
    }

    /// When it is to be said of a run that waits for a person that nobody takes it up.
    [[nodiscard]] std::optional<Elapsed> due_waiting(const Memory& memory, const Settings& plan, const Run& run,
                                                     Elapsed) const {
        if (is_settled(memory, run) || memory.wait_told || run.state != RunState::waiting_human) return std::nullopt;
        return run.origin + *run.started + plan.continue_at;
    }

private:
    static bool takes_up(Band band) noexcept { return band == Band::take_over || band == Band::restart; }
    static Duration seen_long_enough(const Settings& plan) noexcept {
        return plan.bands.take_over_above + Duration{1};  // strictly, as the bands have it
    }
    static bool is_unseen(const Settings& plan, const Run& run, Instant now) noexcept {
        return run.watched_less_than(seen_long_enough(plan), run.checkpoint_base.value_or(*run.started), now.elapsed);
    }
    /// Nothing more is asked: somebody took the run up, or it works.
    static bool is_settled(const Memory& memory, const Run& run) noexcept {
        return !run.started || run.attempt > 1 || memory.band == Band::working;
    }
    static bool is_over(const Memory& memory, const Settings& plan, const Run& run, Instant now) noexcept {
        return is_settled(memory, run) || run.working(now.elapsed) >= *run.started + plan.give_up_at;
    }
    static Duration next_of(const Memory& memory, const Settings& plan, const Run& run) noexcept {
        return detail::max_of(memory.next, *run.started + plan.continue_at);
    }
};

}  // namespace heeler::inline HEELER_ABI
