// What a tree's host answered when it did not do what was asked of it, and when a person is to hear of that.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/action.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/words.hpp>
#include <heeler/tree/conditions.hpp>

namespace heeler::inline HEELER_ABI {

/// A person is told at the third refusal in a row, and when nobody knows whether something happened; once, until what
/// was asked for is done.
struct HostAnswers {
    static constexpr std::uint32_t told_at = 3;  ///< refusals in a row

    static constexpr Duration first_pause = std::chrono::minutes{1}, longest_pause = std::chrono::hours{1};

    /// How long a host that refused so often in a row is left alone.
    [[nodiscard]] static constexpr Duration pause_after(std::uint32_t refusals) noexcept {
        Duration pause = first_pause;
        for (std::uint32_t i = 1; i < refusals && pause < longest_pause; ++i) pause *= 2;
        return detail::min_of(pause, longest_pause);
    }

    std::uint32_t failures = 0;  ///< in a row
    std::string asked{};         ///< what came to nothing last
    bool unclear = false;        ///< and nobody knows whether it did
    bool owed = false;           ///< a person is to be told
    std::string answer{};        ///< to what came to nothing last
    WallTime again{};            ///< it is not asked before

    /// It was asked, and everybody knows that nothing came of it.
    [[nodiscard]] static constexpr bool is_refusal(ActionOutcome outcome) noexcept {
        return outcome == ActionOutcome::failed || outcome == ActionOutcome::rejected ||
               outcome == ActionOutcome::unsupported;
    }

    /// A review that was made is only half of what was asked for.
    void learn(const Acted& acted, WallTime at) {
        if (acted.kind == ActionKind::escalate || acted.from == OutcomeFrom::shadow) return;
        if (acted.outcome == ActionOutcome::done && acted.kind != ActionKind::review) *this = {};
        const bool is_unclear = acted.outcome == ActionOutcome::unknown;
        if (!is_unclear && !is_refusal(acted.outcome)) return;
        ++failures;
        asked = name_of(acted.kind);
        unclear = is_unclear;
        owed |= failures == told_at || (is_unclear && failures == 1);
        answer = text::redact(text::one_line(acted.note, 256));
        again = at + pause_after(failures);
    }

    [[nodiscard]] Finding finding(std::string_view kind, const Run& run) const {
        Finding found{unclear ? TreeCondition::unclear : TreeCondition::refused, Level::nudge, kind, {.rule = kind}};
        found.evidence.add("times", failures);
        found.evidence.first = found.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return found;
    }

    /// Empty: it did what was asked of it.
    [[nodiscard]] std::string in_words() const {
        if (failures == 0) return {};
        const std::string told = answer.empty() ? answer : ": " + answer;
        if (unclear)
            return text::concat("nobody knows whether the ", asked, " that the host was asked for happened", told);
        return text::concat("the host refused the ", asked, " ", detail::words::counted(failures, "time"), " in a row",
                            told.empty() ? "" : ", at last with", told);
    }

    /// What comes after a refusal.
    [[nodiscard]] std::string next_in_words() const {
        return text::concat("its host is asked for the ", asked, " again, not before ", text::rfc3339(again),
                            ", and then after growing pauses of at most ",
                            detail::words::lasting(in_seconds(longest_pause)));
    }

    /// Its finding as people read it; empty: it is none of this.
    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (finding.condition == TreeCondition::unclear)
            return "Nobody knows whether what the host was asked for happened";
        if (finding.condition != TreeCondition::refused) return {};
        return text::concat("The host refused what it was asked for ",
                            detail::words::counted(finding.evidence.fact("times"), "time"), " in a row");
    }

    void archive(auto& a) { a(failures, asked, unclear, owed, answer, again); }
};

}  // namespace heeler::inline HEELER_ABI
