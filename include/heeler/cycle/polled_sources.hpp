// Polls the sources: made when the first one is attached.
#pragma once

#include <optional>
#include <vector>

#include <heeler/core/list.hpp>
#include <heeler/cycle/listed_runs.hpp>
#include <heeler/cycle/source_reader.hpp>
#include <heeler/cycle/sources.hpp>

namespace heeler::inline HEELER_ABI::detail {

class PolledSources final : public SourcePolling {
public:
    PolledSources(const GroupSources& sources, ClockPort& clock, Registry& registry, Ledger& ledger)
        : reader_{sources, registry.table(), clock}, listing_{sources, registry, ledger} {}

    void read(RunHandle handle, WatchedRun& watched, Instant now, CycleReport& report) override {
        reader_.read(handle, watched, now, report);
    }
    void read_groups(const std::vector<RunHandle>& runs, bool all, Instant now, CycleReport& report) override {
        reader_.read_groups(runs, all, now, report);
    }
    void refresh(std::vector<RunHandle>& runs, bool all, const WholeClasses& whole, Instant now,
                 CycleReport& report) override {
        listing_.refresh(runs, all, whole, now, report);
    }
    void drop_missing(Instant now, CycleReport& report) override { listing_.drop_missing(now, report); }
    [[nodiscard]] List<AuditRow> take_audit() override { return listing_.take_audit(); }
    [[nodiscard]] std::optional<Elapsed> next(Instant now) const override { return listing_.next(now); }

private:
    SourceReader reader_;
    ListedRuns listing_;
};

}  // namespace heeler::inline HEELER_ABI::detail
