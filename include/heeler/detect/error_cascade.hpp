// Finds runs whose tool calls keep failing, not necessarily in a row: so many errors among the newest results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/finding.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/detect/error_indicators.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// An error cascade when at least `threshold` of the last `window` tool results are failures (the session monitor). A
/// result is one if the host says so; where the host does not know, if its text has a word of failure. Each result
/// counts once.
struct ErrorCascade {
    static constexpr std::string_view kind = "error_cascade";
    static constexpr EventMask listens = events<ToolResult, Watermark>;
    static constexpr std::uint32_t longest_window = 64;

    struct Settings {
        std::uint32_t threshold = 5;  ///< at most `window`
        std::uint32_t window = 20;    ///< results
        bool keywords_only = false;   ///< the text alone decides, whatever the host knows (the session monitor)
    };

    struct Failure {
        std::uint32_t number = 0;  ///< of the result, from 1
        std::uint32_t index = 0;   ///< observation index
    };

    struct Memory {
        std::vector<Failure> failures;  ///< those in the window, oldest first
        std::uint32_t results = 0;

        void archive(auto& a) { a(failures, results); }
    };

    static void by_name(Settings& settings, NamedSettings& named) {
        named.count("threshold", settings.threshold, 1, longest_window);
        named.count("window", settings.window, 1, longest_window);
    }
    [[nodiscard]] static Result<void> validate(const Settings& settings) {
        if (settings.threshold <= settings.window) return {};
        return fail(ErrorCode::invalid_argument, "error_cascade: threshold is " + std::to_string(settings.threshold) +
                                                     " and window " + std::to_string(settings.window) +
                                                     "; the threshold must not be above the window");
    }

    void learn(Memory& memory, const Settings& settings, const Observation& seen) const {
        if (const auto* result = std::get_if<ToolResult>(&seen.event)) {
            ++memory.results;
            forget_old(memory, settings);
            if (is_failure(settings, *result))
                memory.failures.push_back({memory.results, static_cast<std::uint32_t>(seen.index)});
        } else if (std::holds_alternative<Watermark>(seen.event)) {
            memory = {};
        }
    }

    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run&,
                                               Instant) const {
        if (memory.failures.empty() || memory.failures.size() < settings.threshold) return std::nullopt;
        Finding finding{Condition::error_cascade, Level::nudge, kind, {.rule = "errors_in_window"}};
        finding.evidence.add("errors", static_cast<double>(memory.failures.size()))
            .add("window", settings.window)
            .add("threshold", settings.threshold);
        finding.evidence.first = memory.failures.front().index;
        finding.evidence.last = memory.failures.back().index;
        return finding;
    }

    /// New results that prove, without a finding, that a cascade is over.
    [[nodiscard]] static std::uint32_t evidence_needed(const Settings& settings) noexcept { return settings.threshold; }
    [[nodiscard]] static std::uint32_t new_items(const Memory& memory, const Settings& settings) noexcept {
        const bool found = memory.failures.size() >= settings.threshold;
        return memory.results - (found ? memory.failures.back().number : 0);
    }

    /// A failure that reads differently is one more.
    [[nodiscard]] static std::optional<std::uint64_t> more_of_same(const Memory& memory, const Settings& settings,
                                                                   std::uint64_t) noexcept {
        const std::uint32_t held = detail::min_of(memory.results, settings.window);
        return memory.failures.size() == held ? std::optional<std::uint64_t>{held} : std::nullopt;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        return "Error cascade: " + detail::words::counted(finding.evidence.fact("errors"), "error") + " in last " +
               detail::words::counted(finding.evidence.fact("window", 20), "call");
    }

private:
    /// A first word of `Error: ` needs no rule of its own: it is a word of failure.
    static bool is_failure(const Settings& settings, const ToolResult& result) noexcept {
        if (result.ok && !settings.keywords_only) return !*result.ok;
        return has_error_indicator(result.output);
    }

    static void forget_old(Memory& memory, const Settings& settings) {
        auto& failures = memory.failures;
        auto kept = failures.begin();
        while (kept != failures.end() && memory.results - kept->number >= settings.window) ++kept;
        failures.erase(failures.begin(), kept);
    }
};

}  // namespace heeler::inline HEELER_ABI
