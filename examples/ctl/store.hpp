// The store that heeler-ctl works on, chosen at run time; it must exist already.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>

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
    virtual heeler::Result<std::vector<heeler::RunRow>> runs() = 0;
    virtual heeler::Result<std::vector<heeler::AlertRow>> undelivered() = 0;
};

/// Never begins a store: what is missing, empty or a directory is an error.
[[nodiscard]] heeler::Result<std::unique_ptr<Store>> open_store(const std::string& sqlite_file);

}  // namespace ctl
