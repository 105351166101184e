#include "replay_store.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace replay {
namespace {

using heeler::Result;

/// What the end of actions and alerts says about a process that died: these were on record.
void note_confirmed(Process& process, const heeler::Batch& batch, const heeler::Conflicts& conflicts) {
    for (const heeler::RunBatch& run : batch.runs) {
        if (std::find(conflicts.begin(), conflicts.end(), run.row.id) != conflicts.end()) continue;
        for (const heeler::Action& action : run.actions)
            if (action.outcome != heeler::ActionOutcome::intended) process.confirmed.insert(action.key);
        for (const heeler::AlertRow& row : run.alerts)
            if (row.state != heeler::AlertRow::State::pending) process.confirmed.insert(row.alert.key);
    }
    // Alerts about mail belong to no run: their records say their keys.
    constexpr std::string_view key = R"({"key":")";
    for (const heeler::AuditRow& row : batch.audit)
        if (row.body.starts_with(key))
            process.confirmed.insert(row.body.substr(key.size(), row.body.find('"', key.size()) - key.size()));
}

}  // namespace

/// Starting with an empty store takes a file, or a schema, beside the first one, so that nothing of it is lost.
void StoreBackend::start_again(bool keep) {
    const bool in_memory = place_.sqlite_file.empty() && place_.postgres.empty();
    if (in_memory && keep) return;
    StorePlace place = place_;
    emptied_ += keep ? 0 : 1;
    if (emptied_ > 0 && !place.sqlite_file.empty()) place.sqlite_file += ".restart-" + std::to_string(emptied_);
    if (emptied_ > 0) place.schema += "_restart_" + std::to_string(emptied_);
    store_ = common::AnyStore::at(place).value();
}

Result<std::unique_ptr<StoreBackend>> open_backend(const StorePlace& place) {
    auto store = common::AnyStore::at(place);
    if (!store) return tl::unexpected<heeler::Error>(store.error());
    if (const auto readable = store->list(); !readable) return tl::unexpected<heeler::Error>(readable.error());
    return std::make_unique<StoreBackend>(place, std::move(*store));
}

Result<heeler::Snapshot> ReplayStore::load() {
    if (process_->dead) return died();
    return faults_.load();
}

Result<heeler::List<heeler::DecisionRow>> ReplayStore::list() {
    if (process_->dead) return died();
    return faults_.list();
}

Result<heeler::List<heeler::SpendRow>> ReplayStore::spent(std::int64_t day, const std::vector<std::string>& lineages) {
    if (process_->dead) return died();
    return faults_.spent(day, lineages);
}

Result<heeler::History> ReplayStore::history(std::string_view run) {
    if (process_->dead) return died();
    return faults_.history(run);
}

Result<heeler::Conflicts> ReplayStore::commit(const heeler::Batch& batch) {
    if (process_->dead) return died();
    auto conflicts = faults_.commit(batch);
    if (!conflicts) return conflicts;
    note_confirmed(*process_, batch, *conflicts);
    if (batch.durable) process_->passed(CrashPoint::after_commit);
    return conflicts;
}

}  // namespace replay
