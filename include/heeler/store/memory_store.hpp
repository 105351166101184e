// A store in the memory of the process: for tests, for hosts that need no restart, and as the meaning of `StoreLike`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// A handle: copies share one content, which lives as long as the last of them. No call fails but for leases. Any
/// thread may call it. Its clock is steady.
/// A copy is another handle to the same rows.
class MemoryStore {
public:
    /// So many audit rows and actions of each run are kept: the newest, and every action that is not settled. The
    /// stores on disk keep all.
    static constexpr std::size_t most_records = 256;

    MemoryStore();
    MemoryStore(const MemoryStore& other) noexcept;
    MemoryStore& operator=(MemoryStore other) noexcept;
    ~MemoryStore();

    /// Runs that have not ended, or that still have an intended action or a pending alert, in order of registration.
    [[nodiscard]] Result<Snapshot> load();

    /// Decisions that were not applied yet, in order of their numbers.
    [[nodiscard]] Result<List<DecisionRow>> list();

    /// Writes all of the batch but the runs whose version moved, which it names. A decision about such a run stays
    /// open, even if it is named in `applied`. `fenced` and nothing stored if the batch's lease was lost.
    Result<Conflicts> commit(const Batch& batch);

    /// What is stored about one run. Without a `row` if the run is not known; `""` gives the audit about no run.
    [[nodiscard]] Result<History> history(std::string_view run);

    /// One alert of a run, whatever became of it; absent if there is none with this key.
    [[nodiscard]] Result<std::optional<AlertRow>> alert(AlertKey which);

    /// What was spent on that day, and what these lineages spent on any: see `CountsSpend`.
    [[nodiscard]] Result<List<SpendRow>> spent(std::int64_t day, const std::vector<std::string>& lineages);

    /// Takes or renews a lease, see `LeasingStoreLike`. Names: 1 to 128 bytes; length: 10 ms to 1 h.
    [[nodiscard]] Result<Lease> claim(Claimant who, Duration length);

    /// Ends the lease without anybody being missed; does nothing if it was lost.
    Result<void> release(const Lease& lease);

    /// Takes away the leases that ran out, then gives runs that belong to none; `fenced` if the asker's own was lost.
    [[nodiscard]] Result<Claimed> claim_runs(const Claim& claim);

    /// All watchdogs that ever had a lease, by name: for tools.
    [[nodiscard]] Result<List<HolderRow>> holders();

    /// Moves the store's clock on: leases run out earlier. For tests.
    void let_pass(Duration time);

private:
    struct Content;
    Content* content_;  // counts its handles; a smart pointer would cost who includes this the header <memory>
};

}  // namespace heeler::inline HEELER_ABI

#ifndef HEELER_COMPILED
#include <heeler/store/memory_store-inl.hpp>
#endif
