// Finds runs of which one tool call after the other fails, without a success in between.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/detector.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>
#include <heeler/detect/error_indicators.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// An error cascade when the last `count` tool results or more are failures (the session monitor): by the host's word
/// or, where it does not know, by a text that begins with `Error: `. Any other result ends the streak. So does the next
/// failure after a streak was found, and an intervention: it takes `count` more until there is another. The finding
/// names the tools that failed.
struct FailureStreak {
    static constexpr std::string_view kind = "failure_streak";
    static constexpr EventMask listens = events<ToolCall, ToolResult, Watermark> | no_call_prints;

    struct Settings {
        std::uint32_t count = 5;
    };

    struct Memory {
        std::string tool;                ///< of the last call, one byte longer than a subject can be
        std::vector<std::string> tools;  ///< of the streak, each once, the first `most_tools`
        std::uint64_t first = 0;
        std::uint64_t last = 0;
        std::uint32_t failures = 0;
        std::uint32_t results = 0;  ///< since an intervention, whether they failed or not
        bool found = false;         ///< it was long enough in a cycle

        void archive(auto& a) { a(tool, tools, first, last, failures, results, found); }
    };

    static void by_name(Settings& settings, NamedSettings& named) { named.count("count", settings.count, 1, 1000); }

    void learn(Memory& memory, const Settings&, const Observation& seen) const {
        if (const auto* result = std::get_if<ToolResult>(&seen.event)) {
            ++memory.results;
            if (!says_failed(*result) || memory.found) end(memory);
            if (says_failed(*result)) add(memory, seen.index);
        } else if (const auto* call = std::get_if<ToolCall>(&seen.event)) {
            memory.tool.assign(call->name.empty() ? "unknown" : call->name.substr(0, Subject::capacity + 1));
        } else if (std::holds_alternative<Watermark>(seen.event)) {
            end(memory);
            memory.results = 0;
        }
    }

    /// A run that waits is not judged.
    std::optional<Sighting> poll(Memory& memory, const Settings& settings, const Run& run, const LastCheckpoint&,
                                 Instant) const {
        if (!run.waiting_since) memory.found = memory.failures >= settings.count;
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run&,
                                               Instant) const {
        if (memory.failures < settings.count) return std::nullopt;
        Finding finding{Condition::error_cascade, Level::nudge, kind, {.rule = "failures_in_a_row"}};
        finding.evidence.add("failures", memory.failures).add("threshold", settings.count);
        finding.evidence.first = memory.first;
        finding.evidence.last = memory.last;
        std::string names;
        for (const std::string& tool : memory.tools) names.append(names.empty() ? "" : ", ").append(tool);
        finding.subject = Subject{names};
        return finding;
    }

    /// New results that prove, without a finding, that a streak is over.
    [[nodiscard]] static std::uint32_t evidence_needed(const Settings& settings) noexcept { return settings.count; }
    [[nodiscard]] static std::uint32_t new_items(const Memory& memory, const Settings& settings) noexcept {
        return memory.failures >= settings.count ? 0 : memory.results;
    }

    /// A failure that reads differently is one more.
    [[nodiscard]] static std::optional<std::uint64_t> more_of_same(const Memory& memory, const Settings&,
                                                                   std::uint64_t) noexcept {
        return memory.failures == memory.results ? std::optional<std::uint64_t>{memory.results} : std::nullopt;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        return detail::words::counted(finding.evidence.fact("failures"), "tool failure") + " in a row (" +
               detail::words::tool_of(finding) + ")";
    }

private:
    static constexpr std::size_t most_tools = 8;

    static void end(Memory& memory) {
        memory.failures = 0;
        memory.found = false;
        memory.tools.clear();
    }

    static void add(Memory& memory, std::uint64_t index) {
        if (memory.failures == 0) memory.first = index;
        memory.last = index;
        ++memory.failures;
        if (memory.tool.empty() || memory.tools.size() >= most_tools) return;
        for (const std::string& known : memory.tools)
            if (known == memory.tool) return;
        memory.tools.push_back(memory.tool);
    }
};

}  // namespace heeler::inline HEELER_ABI
