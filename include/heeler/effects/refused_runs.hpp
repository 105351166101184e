// Tells people of runs that the store refuses to write: what is said of such a run can stand in no row of it.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <heeler/effects/courier.hpp>
#include <heeler/effects/queues.hpp>
#include <heeler/effects/silences.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/settings/engine_settings.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// One alert about a run that is not stored, for the courier. Under the run's lock.
[[nodiscard]] inline AlertRow unstored_alert(const WatchedRun& watched, AlertKind kind, std::string summary,
                                             std::string next, Instant now) {
    const RunSpec spec = watched.spec.decoded();
    const std::string id = text::shown_name(spec.id, 256), name = text::shown_name(spec.name, 256);
    AlertRow row = alert_row(kind, text::concat(id, ".", text::rfc3339(now.wall)),
                             kind == AlertKind::run_stored ? Severity::none : Severity::critical,
                             text::concat("run ", name, ": ", text::redact(text::one_line(summary, 512))), now.wall);
    row.alert.run = {id, name, text::sanitise(spec.work_item, 1024), text::sanitise(spec.project, 256)};
    row.alert.to = text::sanitise(spec.origin.empty() ? watched.rules().alerts.to : spec.origin, 256);
    for (std::size_t i = 0; i < min_of<std::size_t>(spec.tags.size(), 32); ++i)
        row.alert.tags.push_back(text::sanitise(spec.tags[i], 256));
    row.alert.details.push_back({"next", std::move(next)});
    return row;
}

/// From the thread that delivers. A run that its class gives up at once (`conflict_fails_run`) is told of by whoever
/// does that.
class RefusedRuns {
public:
    RefusedRuns(Ledger& ledger, Registry& registry, const Silences& silences, Courier& courier)
        : ledger_{ledger}, registry_{registry}, silences_{silences}, courier_{courier} {}

    /// That a run has not been stored for so long as the store may be down unnoticed, again every few hours, and once
    /// that it is stored again.
    void look(const EngineSettings& settings, Instant now) {
        ledger_.each_refused([&](const std::string& run, Ledger::Fault& fault) {
            if (now.elapsed - fault.since < settings.store_down_after) return;
            if (fault.told && now.elapsed - *fault.told < settings.store_down_repeat) return;
            if (say(run, AlertKind::run_unstored, "it cannot be stored: " + fault.error.message,
                    "nothing is done to it until it is stored, which is tried every minute", now))
                fault.told = now.elapsed;
        });
        for (const std::string& run : ledger_.take_accepted())
            (void)say(run, AlertKind::run_stored, "it is stored again", "it is watched as before", now);
    }

private:
    /// False: it is not watched here, or people are not to be told of it now.
    [[nodiscard]] bool say(const std::string& run, AlertKind kind, std::string what, std::string next, Instant now) {
        const auto handle = registry_.find(run);
        WatchedRun* const watched = handle ? registry_.table().find(*handle) : nullptr;
        if (watched == nullptr) return false;
        AlertJob job;
        {
            const std::lock_guard guard{watched->lock};
            if (!registry_.table().current(*handle) || watched->disowned) return false;
            const RunClass& rules = watched->rules();
            if (rules.mode == Mode::shadow) return false;
            if (rules.conflict_fails_run && is_terminal(watched->run.state)) return false;
            job = alert_job(*handle, *watched, unstored_alert(*watched, kind, std::move(what), std::move(next), now));
        }
        if (silences_.about(job, now.wall)) return false;
        courier_.say(std::move(job.row));
        return true;
    }

    Ledger& ledger_;
    Registry& registry_;
    const Silences& silences_;
    Courier& courier_;
};

}  // namespace heeler::inline HEELER_ABI::detail
