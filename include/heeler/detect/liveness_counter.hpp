// Counts for how long a run goes on without a word of its own, for whoever shows that it still runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/detector.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>
#include <heeler/text/duration.hpp>

namespace heeler::inline HEELER_ABI {

/// Puts on record (`liveness`) how many whole periods have passed since the run's start, or since its agent's last
/// message: 1, 2, and so on up to `max`, where it stays. The number follows from the time that has passed (the session
/// monitor): a cycle that comes late tells the newest one, a cycle that is repeated tells nothing. It finds nothing and
/// does nothing to the run; a host that shows it listens to the cycle's events.
struct LivenessCounter {
    static constexpr std::string_view kind = "liveness_counter";
    static constexpr EventMask listens = events<Message>;

    struct Settings {
        Duration period = std::chrono::seconds{600};  ///< time spent waiting does not count
        std::uint32_t max = 9;                        ///< the last number that is told
    };

    struct Memory {
        std::optional<Duration> anchor{};  ///< working clock: of the last message
        std::uint32_t told = 0;

        void archive(auto& a) { a(anchor, told); }
    };

    static void by_name(Settings& settings, NamedSettings& named) {
        named.length("period_s", settings.period, std::chrono::seconds{1}, std::chrono::hours{24});
        named.count("max", settings.max, 1, 1'000'000);
    }

    void learn(Memory& memory, const Settings&, const Observation& seen) const {
        const auto* message = std::get_if<Message>(&seen.event);
        if (message != nullptr && message->is_own()) memory = {seen.at, 0};
    }

    [[nodiscard]] std::optional<Sighting> poll(Memory& memory, const Settings& settings, const Run& run,
                                               const LastCheckpoint&, Instant now) const {
        const auto since = anchor_of(memory, run);
        if (!since) return std::nullopt;
        const Duration passed = run.working(now.elapsed) - *since;
        const auto number = std::clamp<std::int64_t>(passed / settings.period, 0, settings.max);
        if (number <= memory.told) return std::nullopt;
        memory.told = static_cast<std::uint32_t>(number);
        return Sighting{.record = "liveness", .age = passed, .number = number};
    }

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run&, Instant) const {
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Duration> due(const Memory& memory, const Settings& settings, const Run& run,
                                              Duration) const {
        const auto since = anchor_of(memory, run);
        if (!since || memory.told >= settings.max) return std::nullopt;
        return *since + (memory.told + 1) * settings.period;
    }

private:
    static std::optional<Duration> anchor_of(const Memory& memory, const Run& run) noexcept {
        if (memory.anchor) return memory.anchor;
        return run.started ? std::optional<Duration>{*run.started} : std::nullopt;
    }
};

}  // namespace heeler::inline HEELER_ABI
