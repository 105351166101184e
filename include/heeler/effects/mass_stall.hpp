// Many runs that begin to stand still together are one incident, about what all of them need: it speaks for each of
// them, and nobody is ended or replaced while it lasts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <heeler/alert/group.hpp>
#include <heeler/alert/outbox.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/time.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Fed by the thread that ticks; whether it lasts is asked by any. Its runs are marked (`Told::of_all`), so that it
/// goes on after a restart.
class MassStall {
public:
    static constexpr ConditionBits stall =
        bit_of(Condition::stalled) | bit_of(Condition::silent) | bit_of(Condition::no_output_access);

    /// Nobody of such a class is ended or replaced now, nor as long as it cannot be known yet.
    [[nodiscard]] bool spares(const MassStallSettings& settings, Elapsed now) const noexcept {
        if (settings.runs == 0) return false;
        const std::int64_t since = since_;
        return lasts_ || since == unknown || now.time_since_epoch().count() - since < settings.within.count();
    }

    /// The run's trouble is part of it, whether it still stands still or is about to be told well. Under its lock.
    [[nodiscard]] bool speaks_for(const RunMemory& run) const noexcept {
        const Verdict& verdict = *run.verdict;
        return lasts_ && run.rules().limits.mass_stall.runs != 0 && verdict.incident.open() && !verdict.found.empty() &&
               (bit_of(verdict.cause) & stall) != 0;
    }

    /// What is found of a run now, under its lock. True: it is part of it.
    [[nodiscard]] bool see(RunHandle handle, const RunMemory& run, bool stands, const RunTable<WatchedRun>& table,
                           Instant now) {
        const MassStallSettings& settings = run.rules().limits.mass_stall;
        if (settings.runs == 0) return false;
        if (since_ == unknown) since_ = now.elapsed.time_since_epoch().count();
        const bool begins = note(handle, run, stands, settings, now);
        if (lasts_)
            end(run, settings, table, now);
        else if (run.verdict->told.of_all && spares(settings, now.elapsed))
            begin(now);  // before the restart
        else if (begins && began_.size() >= settings.runs)
            begin(run, settings, table, now);
        return lasts_ && stands;
    }

    /// It is told with the next run that is stored; without a key: nothing is.
    [[nodiscard]] const AlertRow& untold() const noexcept { return untold_; }
    void told() { untold_ = {}; }

private:
    static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::min();

    /// A run that began to stand still.
    struct Began {
        std::uint32_t slot;
        Elapsed at;
        std::string run;
    };

    /// True: it begins to stand still.
    [[nodiscard]] bool note(RunHandle handle, const RunMemory& run, bool stands, const MassStallSettings& settings,
                            Instant now) {
        while (standing_.size() <= handle.index) standing_.push_back(0);
        std::uint32_t& here = standing_[handle.index];
        const bool stood = here == handle.generation || (run.shown.findings & stall) != 0;
        here = stands ? handle.generation : 0;
        if (stands == stood) return false;
        List<Began> left;
        for (Began& each : began_)
            if (each.slot != handle.index && now.elapsed - each.at < settings.within) left.push_back(std::move(each));
        began_.swap(left);
        if (stands) began_.push_back({handle.index, now.elapsed, text::shown_name(run.run.id, 128)});
        return stands;
    }

    void begin(const RunMemory& run, const MassStallSettings& settings, const RunTable<WatchedRun>& table,
               Instant now) {
        const std::size_t all = table.all().size();
        if (static_cast<double>(began_.size()) < settings.share * static_cast<double>(all)) return;
        begin(now);
        say(AlertKind::fleet_stalled, run, now,
            text::concat(std::to_string(began_.size()), " of ", std::to_string(all),
                         " runs stand still together: what they all need may be gone"));
        std::string names;
        for (std::size_t i = 0; i < began_.size() && i < runs_named; ++i)
            text::append(names, i == 0 ? "" : ", ", began_[i].run);
        untold_.alert.issues.push_back(std::move(names));
        untold_.alert.details.push_back({"next", "nobody is ended or replaced, nor told of alone, until fewer do"});
        began_.clear();
    }
    void begin(Instant now) {
        high_ = now.elapsed;
        lasts_ = true;
    }

    void end(const RunMemory& run, const MassStallSettings& settings, const RunTable<WatchedRun>& table, Instant now) {
        if (now.elapsed < look_at_) return;
        look_at_ = now.elapsed + std::chrono::seconds{1};
        std::size_t still = 0;
        const auto runs = table.all();
        for (const RunHandle each : runs)
            still += each.index < standing_.size() && standing_[each.index] == each.generation ? 1 : 0;
        // One run alone is no mass, however few there are.
        if (still > 1 && static_cast<double>(still) >= settings.over_share * static_cast<double>(runs.size()))
            high_ = now.elapsed;
        if (now.elapsed - high_ < settings.over_after) return;
        lasts_ = false;
        say(AlertKind::fleet_recovered, run, now,
            text::concat(std::to_string(still), " of ", std::to_string(runs.size()), " runs stand still"));
    }

    void say(AlertKind kind, const RunMemory& run, Instant now, std::string summary) {
        untold_ = alert_row(kind, text::rfc3339(now.wall),
                            kind == AlertKind::fleet_stalled ? Severity::critical : Severity::none, std::move(summary),
                            now.wall);
        untold_.alert.to = text::sanitise(run.rules().alerts.to, 256);
    }

    std::atomic<bool> lasts_{false};
    std::atomic<std::int64_t> since_{unknown};  ///< when the first run was seen
    List<std::uint32_t> standing_;              ///< by slot: the generation of the run in it that stands still
    List<Began> began_;                         ///< lately
    Elapsed high_{};                            ///< when so many stood still that it was not over
    Elapsed look_at_{};
    AlertRow untold_;
};

}  // namespace heeler::inline HEELER_ABI::detail
