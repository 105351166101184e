// What the engine reaches of its host, as narrow interfaces: template code ends where they are made
// (`engine/edge.hpp`).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/alert.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/core/vitals.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// A `ClockLike`.
struct ClockPort {
    virtual ~ClockPort() = default;
    [[nodiscard]] virtual Instant now() = 0;
};

/// A `StoreLike`. Nothing is thrown.
struct StorePort {
    virtual ~StorePort() = default;
    std::string place{};           ///< on a command line, if others can reach it
    Duration statement_timeout{};  ///< how long one statement may take; 0: not known
    bool leases = false;           ///< it is a `LeasingStoreLike`
    bool lists_holders = false;    ///< one whose `holders` works (`CanListHolders`)
    [[nodiscard]] virtual Result<Snapshot> load() = 0;
    [[nodiscard]] virtual Result<List<DecisionRow>> list() = 0;
    [[nodiscard]] virtual Result<Conflicts> commit(const Batch& batch) = 0;
    [[nodiscard]] virtual Result<History> history(std::string_view run) = 0;
    [[nodiscard]] virtual Result<std::optional<AlertRow>> alert(AlertKey which) = 0;
    [[nodiscard]] virtual Result<Lease> claim(Claimant who, Duration length) = 0;
    [[nodiscard]] virtual Result<void> release(const Lease& lease) = 0;
    [[nodiscard]] virtual Result<Claimed> claim_runs(const Claim& claim) = 0;
    [[nodiscard]] virtual Result<List<HolderRow>> holders() = 0;
    /// What was asked of it so far. Any thread.
    [[nodiscard]] virtual StoreCalls calls(StoreOp) const noexcept { return {}; }
};

/// A `NotifierLike`. Nothing is thrown.
struct NotifierPort {
    virtual ~NotifierPort() = default;
    std::string doubts{};  ///< names in its settings that nobody has, in words
    std::string news{};    ///< likewise, of what the last `send` found; for the thread that sends
    [[nodiscard]] virtual Result<Receipt> send(const Alert& alert) = 0;
    /// Whether anybody gets what is addressed to a route, as far as it is known.
    [[nodiscard]] virtual Result<void> serves(std::string_view route) = 0;
};

struct RunMemory;

/// Who counts what runs spend, if somebody does; a host owns it. Each is asked under the ledger's lock, or the run's.
struct SpendPort {
    /// Asks the store what others have added. Once a cycle, before any run is looked at.
    [[nodiscard]] virtual Result<void> read(Instant now) = 0;
    /// What the run has spent, and is not counted yet, travels in its batch.
    virtual void add(const RunMemory& run, RunBatch& rows, Instant now) = 0;
    virtual void stored(RunMemory& run, const RunBatch& rows) = 0;
    /// Before the run is judged. `words`: what people are to be told with it; without a key: nothing.
    virtual void look(RunMemory& run, Instant now, AlertRow& words) = 0;
};

/// The process that the engine lives in.
struct ProcessPort {
    virtual ~ProcessPort() = default;
    /// A name that no other process has.
    [[nodiscard]] virtual std::string token() = 0;
    /// Which process this is, in words that others on this machine can check; empty if the system does not say.
    [[nodiscard]] virtual std::string identity() = 0;
    /// Whether the process that called itself so has ended for certain: it ran under this very system.
    [[nodiscard]] virtual bool is_over(std::string_view identity) = 0;
    /// Whether an operator has frozen everything from outside.
    [[nodiscard]] virtual bool frozen() = 0;
};

}  // namespace heeler::inline HEELER_ABI::detail
