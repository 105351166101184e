// What a run asks of a person, by its state; which waits are too long; and which kind of question a text is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/alert.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>
#include <heeler/text/duration.hpp>

namespace heeler::inline HEELER_ABI {

/// What a run waits for.
enum class PromptType : std::uint8_t { confirmation, input, permission };

[[nodiscard]] constexpr std::string_view name_of(PromptType type) noexcept {
    constexpr std::string_view names[] = {"confirmation", "input", "permission"};
    return names[static_cast<std::size_t>(type)];
}

/// Parts of a line that asks something (the worker monitor).
inline constexpr std::array<std::string_view, 6> prompt_patterns{"Do you want to proceed?", "(y/n)",  "[Y/n]",
                                                                 "Press Enter to continue", "Allow?", "Approve?"};

/// By the words of the question: what is to be allowed or approved is a permission, what is answered with yes or no a
/// confirmation, anything else input.
[[nodiscard]] inline PromptType prompt_type_of(std::string_view prompt) {
    std::string lower;
    for (const char c : prompt) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    for (const char* word : {"allow", "approve", "permission"})
        if (lower.find(word) != std::string::npos) return PromptType::permission;
    for (const char* word : {"(y/n)", "[y/n]", "proceed?", "continue", "confirm"})
        if (lower.find(word) != std::string::npos) return PromptType::confirmation;
    return PromptType::input;
}

namespace detail {
/// What an alert says of a question.
[[nodiscard]] inline List<Detail> prompt_details(PromptType type, std::string_view prompt) {
    return {{"prompt_type", std::string{name_of(type)}}, {"prompt_preview", std::string{prompt}}};
}
}  // namespace detail

/// Finds that a run waits for a person (`RunState::waiting_human`), or so long for something else that a person should
/// look: for a rate limit of which nobody told the end, or for its children. No unhealth: its clocks stand, and people
/// are told once.
struct NeedsInput {
    static constexpr std::string_view kind = "needs_input";
    static constexpr EventMask listens = events<>;
    static constexpr bool while_waiting = true;

    struct Settings {
        Duration longest_wait = std::chrono::hours{6};  ///< for children, or a rate limit without an end
    };
    struct Memory {};

    static constexpr std::string_view waits_long = "waits_long";  ///< rule

    static void by_name(Settings& settings, NamedSettings& named) {
        named.length("longest_wait_s", settings.longest_wait, std::chrono::seconds{1}, detail::longest_setting);
    }

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings& settings, const Run& run,
                                               Instant now) const {
        const auto moment = due_waiting({}, settings, run);
        const bool is_long = moment && now.elapsed >= *moment;
        if (run.state != RunState::waiting_human && !is_long) return std::nullopt;
        Finding finding{
            Condition::needs_input, Level::watch, kind, {.rule = is_long ? waits_long : "waits_for_person"}};
        if (is_long)
            finding.evidence.add("waits_s", in_seconds(now.elapsed - *run.waiting_since))
                .add("threshold_s", in_seconds(settings.longest_wait));
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    /// When a wait that nobody told the end of becomes too long.
    [[nodiscard]] std::optional<Elapsed> due_waiting(const Memory&, const Settings& settings, const Run& run) const {
        const bool has_no_end =
            (run.state == RunState::rate_limited && !run.wait_ends) || run.state == RunState::waiting_child;
        if (!has_no_end || !run.waiting_since) return std::nullopt;
        return *run.waiting_since + settings.longest_wait;
    }

    [[nodiscard]] List<Detail> details(const Memory&, const Settings&, const Run& run, const Finding& finding) const {
        if (finding.evidence.rule == waits_long) return {{"waits_for", std::string{name_of(run.state)}}};
        return detail::prompt_details(prompt_type_of(run.words->prompt), run.words->prompt);
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (finding.evidence.rule != waits_long) return "Waits for a person";
        return "Has waited for " +
               text::spoken(std::chrono::seconds{static_cast<std::int64_t>(finding.evidence.fact("waits_s"))}) +
               " for its children or a rate limit";
    }

    [[nodiscard]] static std::string bound(const Settings& settings, Duration, Duration period) {
        return "  a wait for children, or for a rate limit without an end, is told of within " +
               text::spoken_bound(settings.longest_wait + period) + "\n";
    }
};

}  // namespace heeler::inline HEELER_ABI
