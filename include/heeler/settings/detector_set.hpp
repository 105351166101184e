// A set of detector types, asked as one: the fourth parameter of `Watchdog`.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include <heeler/core/archive.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/detect/recency_bands.hpp>

namespace heeler::inline v0 {

/// What a detector may have besides what it must have. Asked of the type: Clang 14 answers a `requires` inside a
/// generic lambda with no.
template <class D>
concept HasDue = requires(const D& detector, const typename D::Memory& memory, const typename D::Settings& settings,
                          const Run& run, Duration since) {
    { detector.due(memory, settings, run, since) } -> std::same_as<std::optional<Duration>>;
};
template <class D>
concept HasLook = requires(const D& detector, typename D::Memory& memory, const typename D::Settings& settings,
                           const Run& run, const std::optional<Duration>& breadcrumb, Instant now) {
    { detector.look(memory, settings, run, breadcrumb, now) } -> std::same_as<std::optional<BandSeen>>;
};
template <class D>
concept HasDueWaiting = requires(const D& detector, const typename D::Memory& memory,
                                 const typename D::Settings& settings, const Run& run) {
    { detector.due_waiting(memory, settings, run) } -> std::same_as<std::optional<Elapsed>>;
};
template <class D>
concept HasEvidenceNeeded = requires(const D& detector, const typename D::Settings& settings) {
    { detector.evidence_needed(settings) } -> std::convertible_to<std::uint64_t>;
};
template <class D>
concept HasValidate = requires(const D& detector, const typename D::Settings& settings) {
    { detector.validate(settings) } -> std::same_as<Result<void>>;
};

/// Findings of one run in one cycle, worst first. Bounded; never allocates.
struct Findings {
    static constexpr std::size_t capacity = 16;

    std::array<Finding, capacity> all{};
    std::size_t count = 0;

    void add(const Finding& finding) noexcept {
        if (count < capacity) all[count++] = finding;
    }
    void sort() noexcept {
        std::stable_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count),
                         [](const Finding& a, const Finding& b) { return a.condition < b.condition; });
    }
    [[nodiscard]] const Finding* begin() const noexcept { return all.data(); }
    [[nodiscard]] const Finding* end() const noexcept { return all.data() + count; }
};

/// The detectors `Ds` as one. All of it is stateless; memories live with the run, settings with its class. Thread-safe.
template <class... Ds>
struct DetectorSet {
    static_assert((check_detector<Ds>() && ...));

    using Settings = std::tuple<const typename Ds::Settings*...>;
    using Memories = std::tuple<typename Ds::Memory...>;

    /// The set with more detectors, for `Watchdog<Clock, Store, Notifier, DefaultDetectors::with<Mine>>`.
    template <class... More>
    using with = DetectorSet<Ds..., More...>;

    [[nodiscard]] static Settings settings_of(const RunClass& rules) noexcept {
        return {rules.detectors.template find<Ds>()...};
    }

    /// Asks each detector that is on, and that can say so, whether it can work with its settings.
    [[nodiscard]] static Result<void> validate(const Settings& settings) {
        Result<void> good;
        each([&](auto detector, auto at) {
            if constexpr (HasValidate<decltype(detector)>) {
                const auto* chosen = std::get<at()>(settings);
                if (chosen == nullptr || !good) return;
                good = detector.validate(*chosen);
            }
        });
        return good;
    }

    static void learn(Memories& memories, const Settings& settings, const Observation& seen) {
        each([&](auto detector, auto at) {
            if (const auto* chosen = std::get<at()>(settings)) detector.learn(std::get<at()>(memories), *chosen, seen);
        });
    }

    /// What is asked at times of its own, before each check, also while the run waits. At most one detector does so.
    [[nodiscard]] static std::optional<BandSeen> look(Memories& memories, const Settings& settings, const Run& run,
                                                      const std::optional<Duration>& breadcrumb, Instant now) {
        std::optional<BandSeen> seen;
        each([&](auto detector, auto at) {
            if constexpr (HasLook<decltype(detector)>)
                if (const auto* chosen = std::get<at()>(settings))
                    seen = detector.look(std::get<at()>(memories), *chosen, run, breadcrumb, now);
        });
        return seen;
    }

    static void check(const Memories& memories, const Settings& settings, const Run& run, Instant now,
                      Findings& findings) {
        each([&](auto detector, auto at) {
            if (const auto* chosen = std::get<at()>(settings))
                if (const auto finding = detector.check(std::get<at()>(memories), *chosen, run, now))
                    findings.add(*finding);
        });
        findings.sort();
    }

    /// The earliest working time, not before `since`, at which silence alone can change a verdict.
    [[nodiscard]] static std::optional<Duration> due(const Memories& memories, const Settings& settings, const Run& run,
                                                     Duration since) {
        std::optional<Duration> earliest;
        each([&](auto detector, auto at) {
            if constexpr (HasDue<decltype(detector)>) {
                const auto* chosen = std::get<at()>(settings);
                if (chosen == nullptr) return;
                const std::optional<Duration> moment = detector.due(std::get<at()>(memories), *chosen, run, since);
                if (moment && *moment >= since && (!earliest || *moment < *earliest)) earliest = moment;
            }
        });
        return earliest;
    }

    /// When a run that waits is to be looked at all the same.
    [[nodiscard]] static std::optional<Elapsed> due_waiting(const Memories& memories, const Settings& settings,
                                                            const Run& run) {
        std::optional<Elapsed> moment;
        each([&](auto detector, auto at) {
            if constexpr (HasDueWaiting<decltype(detector)>)
                if (const auto* chosen = std::get<at()>(settings))
                    moment = detector.due_waiting(std::get<at()>(memories), *chosen, run);
        });
        return moment;
    }

    /// How many new items without a finding prove that a repetition is over.
    [[nodiscard]] static std::uint64_t enough_items(const Settings& settings) noexcept {
        std::uint64_t most = 0;
        each([&](auto detector, auto at) {
            if constexpr (HasEvidenceNeeded<decltype(detector)>)
                if (const auto* chosen = std::get<at()>(settings))
                    most = std::max<std::uint64_t>(most, detector.evidence_needed(*chosen));
        });
        return most;
    }

    template <class A>
    static void archive(A& a, Memories& memories) {
        std::apply([&](auto&... memory) { a(memory...); }, memories);
    }

private:
    template <class F>
    static void each(F&& visit) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (visit(Ds{}, std::integral_constant<std::size_t, I>{}), ...);
        }
        (std::index_sequence_for<Ds...>{});
    }
};

}  // namespace heeler::inline v0
