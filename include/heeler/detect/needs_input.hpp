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
#include <heeler/core/min_max.hpp>
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

/// Finds that a run waits for a person (`RunState::waiting_human`), for how long already where that matters, or so long
/// for something else that a person should look: for a rate limit, whatever end was told, or for its children, since
/// the last of them made progress; or for children all of which are over. No unhealth: its clocks stand, and people are
/// told once of each.
struct NeedsInput {
    static constexpr std::string_view kind = "needs_input";
    static constexpr EventMask listens = events<>;
    static constexpr bool while_waiting = true;

    struct Settings {
        Duration longest_wait = std::chrono::hours{6};       ///< for children, or a rate limit, whatever end was told
        std::optional<Duration> wait_reminder{};             ///< for a person, who is told again then; absent: never
        std::optional<Duration> wait_escalation{};           ///< likewise; somebody else is asked for then
        Duration after_children = std::chrono::minutes{10};  ///< for children, from when the last of them was over
    };
    struct Memory {};

    static constexpr std::string_view waits_long = "waits_long", children_over = "children_over";  ///< rules
    /// Who waits for children that go on making progress is told of after so many times `longest_wait`.
    static constexpr int most_credit = 4;

    static void by_name(Settings& settings, NamedSettings& named) {
        named.length("longest_wait_s", settings.longest_wait, std::chrono::seconds{1}, detail::longest_setting);
        named.length("after_children_s", settings.after_children, std::chrono::seconds{1}, detail::longest_setting);
        named.length("wait_reminder_s", settings.wait_reminder, std::chrono::seconds{1}, detail::longest_setting);
        named.length("wait_escalation_s", settings.wait_escalation, std::chrono::seconds{1}, detail::longest_setting);
    }

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings& settings, const Run& run,
                                               Instant now) const {
        const Bound bound = passed(settings, run, now.elapsed);
        if (run.state != RunState::waiting_human && !bound.after) return std::nullopt;
        Finding finding{bound.found, Level::watch, kind, {.rule = bound.after ? bound.rule : "waits_for_person"}};
        if (bound.after)
            finding.evidence.add("waits_s", in_seconds(now.elapsed - *run.waiting_since))
                .add("threshold_s", in_seconds(*bound.after));
        if (bound.after && bound.from > *run.waiting_since)
            finding.evidence.add("children_s", in_seconds(now.elapsed - bound.from));
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    /// When a wait becomes too long for the first time after `since`.
    [[nodiscard]] std::optional<Elapsed> due_waiting(const Memory&, const Settings& settings, const Run& run,
                                                     Elapsed since) const {
        std::optional<Elapsed> next;
        for (const Bound& bound : bounds(settings, run)) {
            if (!bound.after) continue;
            const Elapsed moment = bound.from + *bound.after;
            if (moment > since && (!next || moment < *next)) next = moment;
        }
        return next;
    }

    [[nodiscard]] List<Detail> details(const Memory&, const Settings&, const Run& run, const Finding& finding) const {
        List<Detail> shown;
        if (run.state == RunState::waiting_human)
            shown = detail::prompt_details(prompt_type_of(run.words->prompt), run.words->prompt);
        if (finding.evidence.rule == waits_long || finding.evidence.rule == children_over)
            shown.push_back({"waits_for", std::string{name_of(run.state)}});
        if (finding.evidence.rule == children_over) shown.push_back({"children", "all of them are over"});
        return shown;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (finding.evidence.rule == children_over) return "Waits for children, all of which are over";
        if (finding.evidence.rule != waits_long) return "Waits for a person";
        return "Has waited for " +
               text::spoken(std::chrono::seconds{static_cast<std::int64_t>(finding.evidence.fact("waits_s"))}) +
               (finding.condition == Condition::needs_input ? " for its children or a rate limit" : " for a person");
    }

    [[nodiscard]] static std::string bound(const Settings& settings, Duration, Duration period) {
        std::string text = "  a wait for a rate limit, or for children that make no progress, is told of within " +
                           text::spoken_bound(settings.longest_wait + period) + ", for children that do within " +
                           text::spoken_bound(most_credit * settings.longest_wait + period) +
                           ", for children that are over within " +
                           text::spoken_bound(settings.after_children + period) + "\n";
        if (settings.wait_reminder)
            text += "  a person who is waited for is told again within " +
                    text::spoken_bound(*settings.wait_reminder + period) + "\n";
        if (settings.wait_escalation)
            text += "  a wait for a person is escalated within " +
                    text::spoken_bound(*settings.wait_escalation + period) + "\n";
        return text;
    }

private:
    /// What a wait is found to be from so long after its beginning on, or after what its children did.
    struct Bound {
        Elapsed from{};
        std::optional<Duration> after{};
        Condition found = Condition::needs_input;
        std::string_view rule = waits_long;
    };

    /// Of the run's kind of wait, what counts most first.
    [[nodiscard]] static std::array<Bound, 3> bounds(const Settings& settings, const Run& run) noexcept {
        if (!run.waiting_since) return {};
        const Elapsed since = *run.waiting_since;
        if (run.state == RunState::waiting_human)
            return {{{since, settings.wait_escalation, Condition::left_waiting},
                     {since, settings.wait_reminder, Condition::unanswered}}};
        if (run.state == RunState::rate_limited) return {{{since, settings.longest_wait}}};
        if (run.state != RunState::waiting_child) return {};
        const RunsBelow& children = *run.children;
        Bound over;
        if (children.last_end && !children.left && children.told == 0)
            over = {detail::max_of(since, *children.last_end), settings.after_children, over.found, children_over};
        return {{over,
                 {detail::max_of(since, children.progress.value_or(since)), settings.longest_wait},
                 {since, most_credit * settings.longest_wait}}};
    }

    /// The one that the wait has reached; none: the default.
    [[nodiscard]] static Bound passed(const Settings& settings, const Run& run, Elapsed now) noexcept {
        for (const Bound& bound : bounds(settings, run))
            if (bound.after && now >= bound.from + *bound.after) return bound;
        return {};
    }
};

}  // namespace heeler::inline HEELER_ABI
