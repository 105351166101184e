// Judges what a run consumes per interval against its own history: spending more than ever while nothing comes out.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>
#include <heeler/fwd.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// An amount of one unit. Amounts of different units do not convert, compare or add.
template <class Unit>
struct Amount {
    std::int64_t count = 0;

    friend constexpr auto operator<=>(Amount, Amount) noexcept = default;
    friend constexpr Amount operator+(Amount a, Amount b) noexcept { return {a.count + b.count}; }
};

struct Tokens {
    static constexpr std::string_view kind = "burn_tokens", name = "tokens";
    static Amount<Tokens> of(const IntervalSample& sample) noexcept { return {sample.tokens}; }
};
struct ApiCalls {
    static constexpr std::string_view kind = "burn_api_calls", name = "API calls";
    static Amount<ApiCalls> of(const IntervalSample& sample) noexcept { return {sample.api_calls}; }
};
struct BytesWritten {
    static constexpr std::string_view kind = "burn_bytes_written", name = "bytes written";
    static Amount<BytesWritten> of(const IntervalSample& sample) noexcept { return {sample.bytes_written}; }
};

/// Runaway when the last interval burned more than `factor` times the mean of all the run's own intervals before it
/// (strictly), with no output in it (the long-run skill), so many times in a row. Never an absolute number. Of more
/// than one in a row none is part of that mean.
template <class Unit>
struct BurnRateTracker {
    static constexpr std::string_view kind = Unit::kind;
    static constexpr EventMask listens = events<IntervalSample, Watermark>;

    struct Settings {
        double factor = 3.0;
        std::uint32_t min_history = 1;  ///< whole intervals before the last
        std::uint32_t in_a_row = 1;     ///< intervals that burned too much, the last one included
    };

    struct Memory {
        double sum = 0;
        Amount<Unit> last{};
        std::uint32_t intervals = 0;
        std::uint16_t streak = 0;  ///< intervals in a row before the last that burned too much
        bool has_last = false;
        bool last_had_output = false;
    };

    static void by_name(Settings& settings, NamedSettings& named) {
        named.number("factor", settings.factor, 1, 1000);
        named.count("min_history", settings.min_history, 1, 1000);
        named.count("in_a_row", settings.in_a_row, 1, 1000);
    }

    void learn(Memory& memory, const Settings& settings, const Observation& seen) const {
        if (std::holds_alternative<Watermark>(seen.event)) {
            put_behind(memory, settings);
            memory.streak = 0;
            return;
        }
        const auto* sample = std::get_if<IntervalSample>(&seen.event);
        if (sample == nullptr || !sample->whole) return;
        memory.streak = burns(memory, settings) ? in_a_row(memory) : std::uint16_t{0};
        put_behind(memory, settings);
        memory.last = Unit::of(*sample);
        memory.has_last = true;
        memory.last_had_output = (sample->value ? sample->delta : sample->lines) != 0;
    }

    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run& run,
                                               Instant) const {
        if (!burns(memory, settings) || in_a_row(memory) < settings.in_a_row) return std::nullopt;
        Finding finding{Condition::runaway, Level::stop, kind, {.rule = "burn_rate"}};
        finding.evidence.add("last_interval", static_cast<double>(memory.last.count))
            .add("mean_before", memory.sum / memory.intervals)
            .add("factor", settings.factor)
            .add("intervals_before", memory.intervals)
            .add("output_delta", 0);
        if (settings.in_a_row > 1) finding.evidence.add("in_a_row", in_a_row(memory));
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        const auto number = [&](std::string_view fact) { return detail::words::grouped(finding.evidence.fact(fact)); };
        return "Runaway: " + number("last_interval") + " " + std::string{Unit::name} +
               " in an interval without output, over " + number("factor") + " times the mean of " +
               number("mean_before") + " before";
    }

private:
    /// The last interval becomes one of those before it; where it must last, not one that burned too much: it would
    /// lift the mean, and make normal what goes on for ever.
    static void put_behind(Memory& memory, const Settings& settings) noexcept {
        if (memory.has_last && (settings.in_a_row == 1 || !burns(memory, settings))) {
            memory.sum += static_cast<double>(memory.last.count);
            ++memory.intervals;
        }
        memory.has_last = false;
    }
    /// With the last one.
    static std::uint16_t in_a_row(const Memory& memory) noexcept {
        return memory.streak < 1000 ? static_cast<std::uint16_t>(memory.streak + 1) : std::uint16_t{1000};
    }
    static bool burns(const Memory& memory, const Settings& settings) noexcept {
        if (!memory.has_last || memory.last_had_output || memory.intervals < settings.min_history || memory.sum <= 0)
            return false;
        return static_cast<double>(memory.last.count) > settings.factor * memory.sum / memory.intervals;
    }
};

}  // namespace heeler::inline HEELER_ABI
