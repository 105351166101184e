// The levels of an escalation: who is told next, when, and what is put on record of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/cycle/judge.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/shell_word.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Of one run in one cycle, under the run's lock. What it changes is part of the verdict.
class Chain {
public:
    static constexpr std::string_view record = "escalation";  ///< kind of its audit rows

    Chain(RunMemory& watched, const RunSpec& spec, Instant now) : watched_{watched}, spec_{spec}, now_{now} {}

    /// The class has levels.
    [[nodiscard]] bool present() const noexcept { return !levels().empty(); }
    [[nodiscard]] bool is_of_open_incident() const noexcept {
        const Verdict& verdict = *watched_.verdict;
        return present() && verdict.chain->told > 0 && verdict.incident.open() &&
               verdict.chain->incident == verdict.incident.number;
    }

    /// Addresses an alert to the level whose turn it is, says in it what follows, and answers the record of it. A
    /// further escalation of the same incident goes to whom it has reached already.
    [[nodiscard]] AuditRow tell(AlertRow& row, ChainStep step) {
        ChainMarks& chain = marks();
        const bool dead = watched_.verdict->alert_dead;
        if (step == ChainStep::unheard && chain.incident == watched_.verdict->incident.number && chain.told > 0)
            --chain.told;  // whom the silence kept it from
        const bool begins = chain.incident != watched_.verdict->incident.number || chain.told == 0;
        if (begins) {  // an acknowledgement may be older
            chain.incident = watched_.verdict->incident.number;
            chain.told = 1;
        }
        if (!begins && (step == ChainStep::next_level || step == ChainStep::unheard)) ++chain.told;
        chain.told = std::min(chain.told, static_cast<std::uint32_t>(levels().size()));
        ++chain.steps;
        if (!watched_.verdict->marks.acknowledged) wait_for_next(chain);
        const EscalationLevel& level = levels()[chain.told - 1];
        row.alert.to = route_of(level);
        const std::string place = concat(std::to_string(chain.told), " of ", std::to_string(levels().size()));
        row.alert.details.push_back({"level", place});
        row.alert.details.push_back(
            {"ack", redact(watched_.rules().alerts.operate) + " ack -- " + shell_word(spec_.id)});
        if (watched_.verdict->marks.acknowledged)
            row.alert.details.push_back({"acknowledged_by", chain.by});
        else if (chain.next)
            row.alert.details.push_back({"ack_before", rfc3339(wall_at(now_, *chain.next))});
        std::string_view why = "escalated";
        if (!begins && step == ChainStep::next_level) why = dead ? "nobody received it" : "nobody acknowledged it";
        if (!begins && step == ChainStep::ack_over) why = "the acknowledgement is over";
        if (step == ChainStep::unheard) why = "a silence is over";
        return told_record(chain, row.alert, why);
    }

    /// Whoever was on it has had the time for it.
    [[nodiscard]] AuditRow end_acknowledgement() {
        watched_.verdict.edit().marks.acknowledged = false;
        ChainMarks& chain = marks();
        chain.next.reset();
        JsonLine line;
        line.begin_object().key("acknowledged_by").string(std::exchange(chain.by, {}));
        line.key("lasted_s").number(in_seconds(watched_.rules().alerts.escalation.ack_lasts)).end_object();
        return row_of(std::move(line));
    }

    /// The routes that the incident's escalation went to, each once.
    [[nodiscard]] std::vector<std::string> routes_told() const {
        std::vector<std::string> routes;
        const ChainMarks& chain = *watched_.verdict->chain;
        if (chain.incident != watched_.verdict->incident.number) return routes;
        for (std::size_t i = 0; i < std::min<std::size_t>(chain.told, levels().size()); ++i) {
            std::string route = route_of(levels()[i]);
            if (std::find(routes.begin(), routes.end(), route) == routes.end()) routes.push_back(std::move(route));
        }
        return routes;
    }

    /// An escalation that was held back has told nobody.
    static void settle(RunMemory& watched, const Action& action) {
        const bool told = action.outcome == ActionOutcome::done || action.outcome == ActionOutcome::failed;
        if (action.kind != ActionKind::escalate || told || watched.verdict->chain->told != 1) return;
        ChainMarks& chain = watched.verdict.edit().chain.edit();
        chain.told = 0;
        if (!watched.verdict->marks.acknowledged) chain.next.reset();
    }

private:
    [[nodiscard]] const std::vector<EscalationLevel>& levels() const noexcept {
        return watched_.rules().alerts.escalation.levels;
    }
    [[nodiscard]] ChainMarks& marks() { return watched_.verdict.edit().chain.edit(); }

    void wait_for_next(ChainMarks& chain) const {
        chain.next.reset();
        if (chain.told < levels().size()) chain.next = now_.elapsed + levels()[chain.told].after;
    }

    [[nodiscard]] std::string route_of(const EscalationLevel& level) const {
        if (level.whom == EscalationTarget::parent && !spec_.parent.empty()) return sanitise(spec_.parent, 256);
        if (level.whom != EscalationTarget::people && !spec_.origin.empty()) return sanitise(spec_.origin, 256);
        const bool own = level.whom == EscalationTarget::people && !level.route.empty();
        return sanitise(own ? level.route : watched_.rules().alerts.to, 256);
    }

    [[nodiscard]] AuditRow told_record(const ChainMarks& chain, const Alert& alert, std::string_view why) const {
        JsonLine line;
        line.begin_object().key("level").number(chain.told).key("of").number(levels().size());
        line.key("to").string(alert.to).key("why").string(why).key("alert").string(alert.key);
        line.key("next");
        if (chain.next && !watched_.verdict->marks.acknowledged)
            line.string(rfc3339(wall_at(now_, *chain.next)));
        else
            line.null();
        line.end_object();
        return row_of(std::move(line));
    }

    [[nodiscard]] AuditRow row_of(JsonLine line) const {
        return {now_.wall, std::string{record}, std::string{watched_.run.id}, std::move(line).text()};
    }

    RunMemory& watched_;
    const RunSpec& spec_;
    Instant now_;
};

}  // namespace heeler::inline HEELER_ABI::detail
