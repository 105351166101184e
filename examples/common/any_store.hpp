// Where a watchdog of the tools remembers what it knows: memory, a file or a server, chosen at run time. Compiled once
// for all of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/retention.hpp>

#include "store_place.hpp"

namespace common {

/// A handle: copies share one content or connection. Its verbs are those of the stores of the library.
class AnyStore {
public:
    /// `unsupported` where the program was built without PostgreSQL. Touches nothing yet.
    [[nodiscard]] static heeler::Result<AnyStore> at(const StorePlace& place);

    /// An empty path stands for memory. Touches nothing yet.
    [[nodiscard]] static AnyStore in_file(const std::string& path);

    /// A file or a server's schema that somebody else may be at work on. Never begins a store: where there is none, an
    /// error says so.
    [[nodiscard]] static heeler::Result<AnyStore> existing(const StorePlace& place);

    [[nodiscard]] heeler::Result<heeler::Snapshot> load();
    [[nodiscard]] heeler::Result<heeler::List<heeler::DecisionRow>> list();
    [[nodiscard]] heeler::Result<heeler::Conflicts> commit(const heeler::Batch& batch);
    [[nodiscard]] heeler::Result<heeler::History> history(std::string_view run);
    [[nodiscard]] heeler::Result<std::optional<heeler::AlertRow>> alert(heeler::AlertKey which);
    [[nodiscard]] heeler::Result<heeler::List<heeler::SpendRow>> spent(std::int64_t day,
                                                                       const std::vector<std::string>& lineages);

    /// Several watchdogs may be at work on one store; one without a name notices another one.
    [[nodiscard]] heeler::Result<heeler::Lease> claim(heeler::Claimant who, heeler::Duration length);
    [[nodiscard]] heeler::Result<void> release(const heeler::Lease& lease);
    [[nodiscard]] heeler::Result<heeler::Claimed> claim_runs(const heeler::Claim& claim);
    [[nodiscard]] heeler::Result<heeler::List<heeler::HolderRow>> holders();

    /// As `heeler-ctl --store` has it; empty in memory.
    [[nodiscard]] std::string place() const;

    /// What only tools ask for: `unsupported` in memory.
    [[nodiscard]] heeler::Result<heeler::Listed<heeler::RunRow>> runs();
    [[nodiscard]] heeler::Result<heeler::Listed<heeler::AlertRow>> undelivered();
    [[nodiscard]] heeler::Result<heeler::Pruned> prune(const heeler::Retention& retention);
    /// `unsupported` on a server, too, which does it by itself.
    [[nodiscard]] heeler::Result<void> compact();

    /// How it is kept.
    struct Kept;

private:
    explicit AnyStore(std::shared_ptr<Kept> kept) noexcept;

    std::shared_ptr<Kept> kept_;
};

}  // namespace common
