// Finds a run that makes one and the same tool call again and again, up to now.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/callback.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/detect/loop_detector.hpp>
#include <heeler/fwd.hpp>
#include <heeler/text/bits.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// A loop is that at least `min_repeats` equal calls end the last `window` entries of the tool log (the session
/// monitor), in which each call and each result is an entry.
struct TailRule {
    std::uint32_t min_repeats = 5;
    std::uint32_t window = 50;  ///< entries; at least `min_repeats`
};

/// What `LoopDetector<Call, TailRule>` counts: the equal calls at the end; 0 if the window has fewer calls than the
/// rule asks for, equal or not.
struct LoopCount {
    bool looping = false;
    std::uint32_t count = 0;
};

/// Calls are equal if tool and arguments mean the same, numbers included. Any other call ends a loop; an intervention
/// begins the log anew.
template <>
struct LoopDetector<Call, TailRule> {
    static constexpr std::string_view kind = "loop_tail";
    static constexpr EventMask listens = events<ToolCall, ToolResult, Watermark>;
    static constexpr std::uint32_t longest_window = 64;

    struct Settings {
        TailRule rule{};
        /// Calls for which it answers true are legitimate repetition and are passed over. Called under the run's lock.
        Callback<bool(const Observation&)> exempt{};
        /// Calls for which it answers true are progress: what repeated before them is no loop any more. Likewise.
        Callback<bool(const Observation&)> progress{};
    };

    /// The end of the tool log.
    struct Tail {
        std::uint64_t entries = 0;  ///< a bit for each of the last 64, set if it is a call; the newest is the lowest
        std::uint64_t exact = 0;    ///< of the last call
        std::uint64_t first = 0;    ///< observation index of the first call that equals it
        std::uint64_t last = 0;
        std::uint32_t run = 0;  ///< how many calls in a row equal it
        std::string tool;       ///< its name, one byte longer than a subject can be

        void archive(auto& a) { a(entries, exact, first, last, run, tool); }
    };

    struct Memory {
        std::vector<Tail> tail;  ///< one, from the first entry on

        void archive(auto& a) { a(tail); }
    };

    static void by_name(Settings& settings, NamedSettings& named) {
        named.count("min_repeats", settings.rule.min_repeats, 2, longest_window);
        named.count("window", settings.rule.window, 2, longest_window);
    }
    [[nodiscard]] static Result<void> validate(const Settings& settings) {
        const TailRule& rule = settings.rule;
        if (rule.min_repeats <= rule.window) return {};
        return detail::invalid(std::string{kind} + ": min_repeats is " + std::to_string(rule.min_repeats) +
                               " and window " + std::to_string(rule.window) +
                               "; min_repeats must not be above the window");
    }

    void learn(Memory& memory, const Settings& settings, const Observation& seen) const {
        if (std::holds_alternative<Watermark>(seen.event)) return memory.tail.clear();
        const auto* call = std::get_if<ToolCall>(&seen.event);
        if (call == nullptr && !std::holds_alternative<ToolResult>(seen.event)) return;
        if (memory.tail.empty()) memory.tail.emplace_back();
        Tail& tail = memory.tail.front();
        tail.entries <<= 1;
        if (call != nullptr && settings.progress && settings.progress(seen)) {
            tail.run = 0;
            return;
        }
        if (call != nullptr && !(settings.exempt && settings.exempt(seen))) add(tail, *call, seen);
    }

    [[nodiscard]] static LoopCount count_of(const Memory& memory, const Settings& settings) noexcept {
        if (memory.tail.empty()) return {};
        const Tail& tail = memory.tail.front();
        const std::uint64_t window = tail.entries << (longest_window - settings.rule.window);
        const auto calls = detail::ones_in(window);
        if (calls < settings.rule.min_repeats) return {};
        const std::uint32_t count = detail::min_of(tail.run, calls);
        return {count >= settings.rule.min_repeats, count};
    }

    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run&,
                                               Instant) const {
        const LoopCount found = count_of(memory, settings);
        if (!found.looping) return std::nullopt;
        const Tail& tail = memory.tail.front();
        Finding finding{Condition::loop_detected, Level::nudge, kind, {.rule = "tail_repetition"}};
        finding.evidence.add("count", found.count)
            .add("threshold", settings.rule.min_repeats)
            .add("window", settings.rule.window);
        finding.evidence.first = tail.first;
        finding.evidence.last = tail.last;
        finding.subject = Subject{tail.tool};
        finding.identity = identity_of(tail);
        return finding;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        return "Looping: " + detail::words::tool_of(finding) + " called " +
               detail::words::counted(finding.evidence.fact("count"), "time") + " consecutively";
    }

    /// New items that prove, without a finding, that a loop is over.
    [[nodiscard]] static std::uint64_t evidence_needed(const Settings& settings) noexcept {
        return settings.rule.min_repeats;
    }
    [[nodiscard]] static std::uint32_t new_items(const Memory& memory, const Settings& settings) noexcept {
        if (memory.tail.empty() || count_of(memory, settings).looping) return 0;
        return detail::ones_in(memory.tail.front().entries);
    }

    [[nodiscard]] static std::optional<std::uint64_t> more_of_same(const Memory& memory, const Settings& settings,
                                                                   std::uint64_t identity) noexcept {
        if (settings.exempt || settings.progress) return std::nullopt;  // what they pass over is work
        if (memory.tail.empty() || memory.tail.front().entries == 0) return 0;
        const Tail& tail = memory.tail.front();
        const auto calls = detail::ones_in(tail.entries);
        if (tail.run < calls || identity_of(tail) != identity) return std::nullopt;
        return calls;
    }

private:
    static std::uint64_t identity_of(const Tail& tail) noexcept { return detail::max_of<std::uint64_t>(tail.exact, 1); }

    static void add(Tail& tail, const ToolCall& call, const Observation& seen) {
        tail.entries |= 1;
        tail.last = seen.index;
        if (tail.run > 0 && tail.exact == seen.exact) {
            ++tail.run;
            return;
        }
        tail.exact = seen.exact;
        tail.first = seen.index;
        tail.run = 1;
        tail.tool.assign(call.name.empty() ? "unknown" : call.name.substr(0, Subject::capacity + 1));
    }
};

}  // namespace heeler::inline HEELER_ABI
