// A store in the memory of the process: for tests, for hosts that need no restart, and as the meaning of `StoreLike`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline v0 {

/// A handle: copies share one content, which lives as long as the last of them. No call fails. Any thread may call it.
class MemoryStore {
public:
    MemoryStore() : content_{std::make_shared<Content>()} {}

    /// Runs that have not ended, or that still have an intended action or a pending alert, in order of registration.
    [[nodiscard]] Result<Snapshot> load() {
        const std::lock_guard lock{content_->mutex};
        Snapshot snapshot;
        for (const History& kept : content_->runs)
            if (StoredRun run = summary_of(kept);
                !is_terminal(run.row.state) || !run.unfinished.empty() || !run.pending.empty())
                snapshot.runs.push_back(std::move(run));
        snapshot.mutes = content_->mutes;
        snapshot.tallies = content_->tallies;
        return snapshot;
    }

    /// Decisions that were not applied yet, in order of their numbers.
    [[nodiscard]] Result<std::vector<DecisionRow>> list() {
        const std::lock_guard lock{content_->mutex};
        std::vector<DecisionRow> open;
        for (const auto& [number, decision] : content_->open_decisions) open.push_back(decision);
        return open;
    }

    /// Writes all of the batch but the runs whose version moved, which it names. A decision about such a run stays
    /// open, even if it is named in `applied`.
    Result<Conflicts> commit(const Batch& batch) {
        const std::lock_guard lock{content_->mutex};
        Conflicts conflicts;
        for (const RunBatch& changes : batch.runs)
            if (!write(changes)) conflicts.push_back(changes.row.id);
        for (const std::uint64_t number : batch.applied) close_decision(number, conflicts);
        for (const DecisionRow& decision : batch.decisions) {
            const std::uint64_t number = ++content_->decisions;
            content_->open_decisions[number] = decision;
            content_->open_decisions[number].number = number;
        }
        for (const AuditRow& row : batch.audit) content_->audit[row.run].push_back(row);
        for (const MuteRow& row : batch.mutes) add_mute(row);
        for (const TallyRow& row : batch.tallies) add_tally(row);
        return conflicts;
    }

    /// What is stored about one run. Without a `row` if the run is not known; `""` gives the audit about no run.
    [[nodiscard]] Result<History> history(std::string_view run) {
        const std::lock_guard lock{content_->mutex};
        History found;
        if (const auto place = content_->places.find(run); place != content_->places.end())
            found = content_->runs[place->second];
        if (const auto audit = content_->audit.find(run); audit != content_->audit.end()) found.audit = audit->second;
        return found;
    }

private:
    struct Content {
        std::mutex mutex;
        std::vector<History> runs;  // in order of registration; their audit is kept below
        std::map<std::string, std::size_t, std::less<>> places;
        std::map<std::string, std::vector<AuditRow>, std::less<>> audit;
        std::map<std::uint64_t, DecisionRow> open_decisions;
        std::uint64_t decisions = 0;
        std::vector<MuteRow> mutes;
        std::vector<TallyRow> tallies;
    };

    static StoredRun summary_of(const History& kept) {
        StoredRun run;
        run.row = *kept.row;
        for (const Action& action : kept.actions)
            if (action.outcome == ActionOutcome::intended) run.unfinished.push_back(action);
        run.interventions = kept.interventions;
        for (const AlertRow& alert : kept.alerts)
            if (alert.state == AlertRow::State::pending) run.pending.push_back(alert);
        run.checkpoints = kept.checkpoints.size();
        return run;
    }

    /// The run's place if its stored version is the expected one; a new run's place is at the end.
    [[nodiscard]] std::optional<std::size_t> place_for(const RunRow& row) const {
        const auto known = content_->places.find(row.id);
        if (known == content_->places.end())
            return row.version == 0 ? std::optional{content_->runs.size()} : std::nullopt;
        const bool unmoved = row.version != 0 && content_->runs[known->second].row->version == row.version;
        return unmoved ? std::optional{known->second} : std::nullopt;
    }

    bool write(const RunBatch& changes) {
        const auto place = place_for(changes.row);
        if (!place) return false;
        if (*place == content_->runs.size()) {
            content_->runs.emplace_back();
            content_->places.emplace(changes.row.id, *place);
        }
        History& kept = content_->runs[*place];
        write_row(kept.row, changes.row);
        for (const CheckpointRow& row : changes.checkpoints) put_by_number(kept.checkpoints, row);
        for (const Intervention& row : changes.interventions) put_by_number(kept.interventions, row);
        for (const Action& row : changes.actions)
            put(kept.actions, row, [](auto& a) -> std::string_view { return a.key; });
        for (const AlertRow& row : changes.alerts)
            put(kept.alerts, row, [](auto& a) -> std::string_view { return a.alert.key; });
        for (AuditRow row : changes.audit) {
            row.run = changes.row.id;
            content_->audit[row.run].push_back(std::move(row));
        }
        return true;
    }

    static void write_row(std::optional<RunRow>& kept, RunRow row) {
        if (kept && !row.spec) row.spec = std::move(kept->spec);
        if (kept && !row.memory) row.memory = std::move(kept->memory);
        ++row.version;
        kept = std::move(row);
    }

    template <class Row, class Identity>
    static void put(std::vector<Row>& rows, const Row& row, Identity identity) {
        const auto same =
            std::find_if(rows.begin(), rows.end(), [&](const Row& other) { return identity(other) == identity(row); });
        if (same == rows.end())
            rows.push_back(row);
        else
            *same = row;
    }

    template <class Row>
    static void put_by_number(std::vector<Row>& rows, const Row& row) {
        const auto place =
            std::lower_bound(rows.begin(), rows.end(), row.number,
                             [](const Row& other, std::uint64_t number) { return other.number < number; });
        if (place != rows.end() && place->number == row.number)
            *place = row;
        else
            rows.insert(place, row);
    }

    void close_decision(std::uint64_t number, const Conflicts& conflicts) {
        const auto decision = content_->open_decisions.find(number);
        if (decision == content_->open_decisions.end()) return;
        if (std::find(conflicts.begin(), conflicts.end(), decision->second.run) != conflicts.end()) return;
        content_->open_decisions.erase(decision);
    }

    void add_mute(const MuteRow& row) {
        const bool known = std::any_of(content_->mutes.begin(), content_->mutes.end(), [&](const MuteRow& other) {
            return other.class_name == row.class_name && other.condition == row.condition &&
                   other.identity == row.identity;
        });
        if (!known) content_->mutes.push_back(row);
    }

    void add_tally(const TallyRow& row) {
        for (TallyRow& kept : content_->tallies) {
            if (kept.class_name != row.class_name || kept.condition != row.condition) continue;
            kept.incidents += row.incidents;
            kept.wrong += row.wrong;
            return;
        }
        content_->tallies.push_back(row);
    }

    std::shared_ptr<Content> content_;
};

}  // namespace heeler::inline v0
