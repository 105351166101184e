#include "replay_store.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <heeler/store/memory_store.hpp>
#include <heeler/store/sqlite_store.hpp>
#ifdef HEELER_HAS_POSTGRES
#include <heeler/store/postgres_store.hpp>
#endif

namespace replay {
namespace {

using heeler::Result;

template <class Store>
class Backend final : public StoreBackend {
public:
    /// Answers the store that a process finds when it starts; `fresh` asks for an empty one.
    using Open = std::function<Store(bool fresh)>;

    explicit Backend(Open open) : store_{open(false)}, open_{std::move(open)} {}

    Result<heeler::Snapshot> load() override { return store_->load(); }
    Result<std::vector<heeler::DecisionRow>> list() override { return store_->list(); }
    Result<heeler::Conflicts> commit(const heeler::Batch& batch) override { return store_->commit(batch); }
    Result<heeler::History> history(std::string_view run) override { return store_->history(run); }
    void start_again(bool keep) override {
        store_.reset();
        store_.emplace(open_(!keep));
    }

private:
    std::optional<Store> store_;
    Open open_;
};

std::unique_ptr<StoreBackend> memory_backend() {
    auto kept = std::make_shared<heeler::MemoryStore>();
    return std::make_unique<Backend<heeler::MemoryStore>>([kept](bool fresh) {
        if (fresh) *kept = heeler::MemoryStore{};
        return *kept;
    });
}

/// Starting with an empty store takes a file beside the first one, so that nothing of it is lost.
std::unique_ptr<StoreBackend> sqlite_backend(const std::string& path) {
    auto files = std::make_shared<int>(0);
    return std::make_unique<Backend<heeler::SqliteStore>>([path, files](bool fresh) {
        *files += fresh ? 1 : 0;
        return heeler::SqliteStore{*files == 0 ? path : path + ".restart-" + std::to_string(*files)};
    });
}

/// The same with schemas.
Result<std::unique_ptr<StoreBackend>> postgres_backend([[maybe_unused]] const StorePlace& place) {
#ifdef HEELER_HAS_POSTGRES
    auto schemas = std::make_shared<int>(0);
    return std::make_unique<Backend<heeler::PostgresStore>>([place, schemas](bool fresh) {
        *schemas += fresh ? 1 : 0;
        heeler::PostgresSettings settings;
        settings.schema = *schemas == 0 ? place.schema : place.schema + "_restart_" + std::to_string(*schemas);
        return heeler::PostgresStore{place.postgres, settings};
    });
#else
    return heeler::fail(heeler::ErrorCode::unsupported, "this program was built without PostgreSQL");
#endif
}

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

Result<std::unique_ptr<StoreBackend>> open_backend(const StorePlace& place) {
    Result<std::unique_ptr<StoreBackend>> backend = nullptr;
    if (!place.postgres.empty())
        backend = postgres_backend(place);
    else
        backend = place.sqlite_file.empty() ? memory_backend() : sqlite_backend(place.sqlite_file);
    if (!backend) return backend;
    if (const auto readable = (*backend)->list(); !readable) return tl::unexpected<heeler::Error>(readable.error());
    return backend;
}

Result<heeler::Snapshot> ReplayStore::load() {
    if (process_->dead) return died();
    return faults_.load();
}

Result<std::vector<heeler::DecisionRow>> ReplayStore::list() {
    if (process_->dead) return died();
    return faults_.list();
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
