// What begins with a run is not told while people know of trouble above it, or of many, and is on record as that.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <heeler/alert/group.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/effects/alert_settler.hpp>
#include <heeler/effects/mass_stall.hpp>
#include <heeler/effects/queues.hpp>
#include <heeler/run/lineage.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/text/append.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// One thread at a time.
class Inhibition {
public:
    Inhibition(Ledger& ledger, Registry& registry, const MassStall& mass)
        : ledger_{ledger}, registry_{registry}, mass_{mass} {}

    /// Takes out those that are not told now, and settles them in one commit. That their runs are to be told of later
    /// is stored with it.
    void inhibit(List<AlertJob>& due, Instant now, CycleReport& report) {
        List<AlertJob> kept, rest;
        for (AlertJob& job : due) {
            bool of_all = false;
            const auto parent = parent_of(job, of_all);
            std::string above;
            if (parent && !of_all && job.rules->rules.alerts.outbox.inhibit)
                above = known_trouble_above(registry_, job.handle, *parent, [](RunHandle) -> Decided* { return {}; });
            if (above.empty() && !of_all) {
                rest.push_back(std::move(job));
                continue;
            }
            job.row.state = AlertRow::State::skipped;
            job.row.how = AlertRow::How::inhibited;
            job.row.with_run = above;
            job.note(Fate::What::inhibited);  // now: of two runs above each other one is told
            kept.push_back(std::move(job));
        }
        due = std::move(rest);
        report.suppressed += kept.size();
        report.why.inhibit += kept.size();
        AlertSettler{ledger_, registry_.table()}.settle(kept, now, report);
    }

private:
    /// Of an alert that may be kept back: the first one about an incident, which nobody has tried to send yet. An
    /// escalation asks for a person, and what is critical waits for nobody. `of_all`: its trouble is that of many.
    [[nodiscard]] std::optional<std::string> parent_of(const AlertJob& job, bool& of_all) const {
        const Alert& alert = job.row.alert;
        if (job.rules->rules.mode == Mode::shadow || !alert.is(AlertKind::unhealthy)) return std::nullopt;
        const bool begun = job.begun() || job.row.how == AlertRow::How::alone || speaks_for_others(alert);
        if (alert.severity == Severity::critical || begun) return std::nullopt;
        const std::lock_guard guard{job.watched->lock};
        WatchedRun& watched = *job.watched;
        if (watched.disowned || is_terminal(watched.run.state)) return std::nullopt;
        // That the run is given up is told: nobody would say it later. So is a condition with an alert of its own.
        const bool says_it_began = watched.as_told([&](const RunMemory& run) {
            const Told& told = run.verdict->told;
            const ToldAlert* const said = told.find_asked(alert.at, alert.kind);
            return told.begin == Beginning::on_its_way && !told.heard && !told.end_told &&
                   (said == nullptr || said->incident != 0);
        });
        if (!says_it_began) return std::nullopt;
        of_all = mass_.speaks_for(watched);
        return std::string{watched.spec.parent()};
    }

    Ledger& ledger_;
    Registry& registry_;
    const MassStall& mass_;
};

}  // namespace heeler::inline HEELER_ABI::detail
