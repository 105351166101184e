// The store of a replay: memory, SQLite or PostgreSQL behind scripted faults, inside the process that may die.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/testing/fault_store.hpp>

#include "options.hpp"
#include "process.hpp"

namespace replay {

/// What really keeps the rows, chosen at run time.
struct StoreBackend {
    StoreBackend() = default;
    StoreBackend(const StoreBackend&) = delete;
    StoreBackend& operator=(const StoreBackend&) = delete;
    virtual ~StoreBackend() = default;

    virtual heeler::Result<heeler::Snapshot> load() = 0;
    virtual heeler::Result<std::vector<heeler::DecisionRow>> list() = 0;
    virtual heeler::Result<heeler::Conflicts> commit(const heeler::Batch& batch) = 0;
    virtual heeler::Result<heeler::History> history(std::string_view run) = 0;
    /// As a process that starts again finds it: with all that was committed, or empty.
    virtual void start_again(bool keep) = 0;
};

/// Errors: what the first look into the store answers.
[[nodiscard]] heeler::Result<std::unique_ptr<StoreBackend>> open_backend(const StorePlace& place);

/// A handle on a backend.
class AnyStore {
public:
    explicit AnyStore(std::shared_ptr<StoreBackend> backend) : backend_{std::move(backend)} {}

    [[nodiscard]] heeler::Result<heeler::Snapshot> load() { return backend_->load(); }
    [[nodiscard]] heeler::Result<std::vector<heeler::DecisionRow>> list() { return backend_->list(); }
    [[nodiscard]] heeler::Result<heeler::Conflicts> commit(const heeler::Batch& batch) {
        return backend_->commit(batch);
    }
    [[nodiscard]] heeler::Result<heeler::History> history(std::string_view run) { return backend_->history(run); }

private:
    std::shared_ptr<StoreBackend> backend_;
};

/// The store as the process sees it. A handle; copies share everything.
class ReplayStore {
public:
    using Faults = heeler::FaultStore<AnyStore>;

    ReplayStore(std::shared_ptr<StoreBackend> backend, ProcessHandle process)
        : faults_{AnyStore{std::move(backend)}}, process_{std::move(process)} {}

    [[nodiscard]] heeler::Result<heeler::Snapshot> load();
    [[nodiscard]] heeler::Result<std::vector<heeler::DecisionRow>> list();
    [[nodiscard]] heeler::Result<heeler::Conflicts> commit(const heeler::Batch& batch);
    [[nodiscard]] heeler::Result<heeler::History> history(std::string_view run);

    [[nodiscard]] Faults& faults() { return faults_; }

private:
    Faults faults_;
    ProcessHandle process_;
};

}  // namespace replay
