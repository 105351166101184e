// The store that heeler-ctl works on, chosen at run time; it must exist already.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/core/result.hpp>

#include "../common/store_place.hpp"

namespace ctl {

/// What a store offers to a watchdog, and the lists that only tools ask for.
struct Store {
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    virtual ~Store() = default;

    virtual heeler::Result<heeler::Snapshot> load() = 0;
    virtual heeler::Result<std::vector<heeler::DecisionRow>> list() = 0;
    virtual heeler::Result<heeler::Conflicts> commit(const heeler::Batch& batch) = 0;
    virtual heeler::Result<heeler::History> history(std::string_view run) = 0;
    virtual heeler::Result<heeler::Listed<heeler::RunRow>> runs() = 0;
    virtual heeler::Result<heeler::Listed<heeler::AlertRow>> undelivered() = 0;
    virtual heeler::Result<std::vector<heeler::HolderRow>> holders() = 0;
    /// For parts of the library that work on any store.
    [[nodiscard]] virtual heeler::detail::StorePort& port() = 0;
};

/// Never begins a store: where there is none, an error says so.
[[nodiscard]] heeler::Result<std::unique_ptr<Store>> open_store(const common::StorePlace& place);

}  // namespace ctl
