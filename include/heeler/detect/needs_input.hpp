// What a run asks of a person, by its state; and which kind of question a text is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>

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
[[nodiscard]] inline std::vector<Detail> prompt_details(PromptType type, std::string_view prompt) {
    return {{"prompt_type", std::string{name_of(type)}}, {"prompt_preview", std::string{prompt}}};
}
}  // namespace detail

/// Finds that a run waits for a person (`RunState::waiting_human`). No unhealth: its clocks stand, and people are told
/// once.
struct NeedsInput {
    static constexpr std::string_view kind = "needs_input";
    static constexpr EventMask listens = events<>;
    static constexpr bool while_waiting = true;

    struct Settings {};
    struct Memory {};

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run& run, Instant) const {
        if (run.state != RunState::waiting_human) return std::nullopt;
        Finding finding{Condition::needs_input, Level::watch, kind, {.rule = "waits_for_person"}};
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    [[nodiscard]] std::vector<Detail> details(const Memory&, const Settings&, const Run& run, const Finding&) const {
        return detail::prompt_details(prompt_type_of(run.words->prompt), run.words->prompt);
    }

    [[nodiscard]] static std::string describe(const Finding&) { return "Waits for a person"; }
};

}  // namespace heeler::inline HEELER_ABI
