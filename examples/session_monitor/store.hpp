// Where the watchdog remembers what it knows: a file or the memory of the process, chosen at run time.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <heeler/store/memory_store.hpp>
#include <heeler/store/sqlite_store.hpp>

namespace monitor {

class Store {
public:
    /// An empty path stands for memory.
    explicit Store(const std::string& sqlite_file) {
        if (!sqlite_file.empty()) kept_.emplace<heeler::SqliteStore>(sqlite_file);
    }

    auto load() -> heeler::Result<heeler::Snapshot> {
        return std::visit([](auto& store) { return store.load(); }, kept_);
    }
    auto list() -> heeler::Result<std::vector<heeler::DecisionRow>> {
        return std::visit([](auto& store) { return store.list(); }, kept_);
    }
    auto commit(const heeler::Batch& batch) -> heeler::Result<heeler::Conflicts> {
        return std::visit([&](auto& store) { return store.commit(batch); }, kept_);
    }
    auto history(std::string_view run) -> heeler::Result<heeler::History> {
        return std::visit([&](auto& store) { return store.history(run); }, kept_);
    }
    auto alert(std::string_view run, std::string_view key) -> heeler::Result<std::optional<heeler::AlertRow>> {
        return std::visit([&](auto& store) { return store.alert(run, key); }, kept_);
    }

private:
    std::variant<heeler::MemoryStore, heeler::SqliteStore> kept_;
};

}  // namespace monitor
