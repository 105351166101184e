// The store of a replay: memory, SQLite or PostgreSQL behind scripted faults, inside the process that may die.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/testing/fault_store.hpp>

#include "../common/any_store.hpp"
#include "options.hpp"
#include "process.hpp"

namespace replay {

/// What really keeps the rows, chosen at run time.
class StoreBackend {
public:
    StoreBackend(StorePlace place, common::AnyStore store) : place_{std::move(place)}, store_{std::move(store)} {}

    [[nodiscard]] common::AnyStore& store() noexcept { return store_; }
    /// As a process that starts again finds it: with all that was committed, or empty.
    void start_again(bool keep);

private:
    StorePlace place_;
    common::AnyStore store_;
    int emptied_ = 0;  // how often
};

/// Errors: what the first look into the store answers.
[[nodiscard]] heeler::Result<std::unique_ptr<StoreBackend>> open_backend(const StorePlace& place);

/// A handle on a backend.
class BackendHandle {
public:
    explicit BackendHandle(std::shared_ptr<StoreBackend> backend) : backend_{std::move(backend)} {}

    [[nodiscard]] heeler::Result<heeler::Snapshot> load() { return backend_->store().load(); }
    [[nodiscard]] heeler::Result<heeler::List<heeler::DecisionRow>> list() { return backend_->store().list(); }
    [[nodiscard]] heeler::Result<heeler::Conflicts> commit(const heeler::Batch& batch) {
        return backend_->store().commit(batch);
    }
    [[nodiscard]] heeler::Result<heeler::History> history(std::string_view run) {
        return backend_->store().history(run);
    }
    [[nodiscard]] heeler::Result<heeler::List<heeler::SpendRow>> spent(std::int64_t day,
                                                                       const std::vector<std::string>& lineages) {
        return backend_->store().spent(day, lineages);
    }

private:
    std::shared_ptr<StoreBackend> backend_;
};

/// The store as the process sees it. A handle; copies share everything.
class ReplayStore {
public:
    using Faults = heeler::FaultStore<BackendHandle>;

    ReplayStore(std::shared_ptr<StoreBackend> backend, ProcessHandle process)
        : faults_{BackendHandle{std::move(backend)}}, process_{std::move(process)} {}

    [[nodiscard]] heeler::Result<heeler::Snapshot> load();
    [[nodiscard]] heeler::Result<heeler::List<heeler::DecisionRow>> list();
    [[nodiscard]] heeler::Result<heeler::Conflicts> commit(const heeler::Batch& batch);
    [[nodiscard]] heeler::Result<heeler::History> history(std::string_view run);
    [[nodiscard]] heeler::Result<heeler::List<heeler::SpendRow>> spent(std::int64_t day,
                                                                       const std::vector<std::string>& lineages);

    [[nodiscard]] Faults& faults() { return faults_; }

private:
    Faults faults_;
    ProcessHandle process_;
};

}  // namespace replay
