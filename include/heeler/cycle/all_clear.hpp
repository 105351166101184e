// What people are told besides when trouble is over: how long it lasted, what was done about it, and what the run cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <heeler/core/alert.hpp>
#include <heeler/core/incident.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The rungs of an incident and how each ended, oldest first, the newest 8 of them. `last`: how the one ended that is
/// on record as pending.
[[nodiscard]] inline std::string steps_in_words(const Verdict& verdict, std::uint32_t incident,
                                                std::optional<InterventionOutcome> last) {
    constexpr std::size_t most = 8;
    std::size_t count = 0;
    for (const Intervention& each : verdict.interventions) count += each.incident == incident ? 1 : 0;
    std::string text = count > most ? text::concat(std::to_string(count - most), " earlier") : std::string{};
    for (const Intervention& each : verdict.interventions) {
        if (each.incident != incident || count-- > most) continue;
        const bool pending = each.outcome == InterventionOutcome::pending;
        text::append(text, text.empty() ? "" : "; ", name_of(each.action), ": ",
                     name_of(pending ? last.value_or(each.outcome) : each.outcome));
    }
    return text.empty() ? "none" : text;
}

/// Of the whole run; empty: nothing of it is known.
[[nodiscard]] inline std::string cost_in_words(const UsageTotals& usage) {
    std::string text;
    if (usage.cost_usd > 0) {
        const double cost = usage.cost_usd;
        const bool exact = cost >= 1e12;  // a hundredth of a cent means nothing there
        text::append_json_number(text,
                                 exact ? cost : static_cast<double>(static_cast<std::int64_t>(cost * 1e4 + 0.5)) / 1e4);
        text += " USD";
    }
    if (const auto tokens = usage.tokens_in + usage.tokens_out; tokens > 0)
        text::append(text, text.empty() ? "" : ", ", std::to_string(tokens), " tokens");
    if (!text.empty()) text += " since the run started";
    return text;
}

/// `trouble`: the incident, open until now or closed before; its number is 0 if there was none. `now`: the run's
/// working clock.
inline void add_all_clear(Alert& alert, const RunMemory& watched, const Incident& trouble, Duration now,
                          std::optional<InterventionOutcome> last) {
    if (trouble.number > 0) {
        const Duration end = trouble.open() ? now : trouble.closed_at;  // people may be told later
        alert.details.push_back({"lasted", text::spoken(end - trouble.opened)});
        alert.details.push_back({"steps", steps_in_words(*watched.verdict, trouble.number, last)});
    }
    std::string cost = cost_in_words(*watched.run.usage);
    if (!cost.empty()) alert.details.push_back({"cost", std::move(cost)});
}

}  // namespace heeler::inline HEELER_ABI::detail
