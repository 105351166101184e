// Where a watchdog of the tools remembers what it knows: memory, a file or a server, chosen at run time.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include <heeler/store/memory_store.hpp>
#include <heeler/store/sqlite_store.hpp>
#ifdef HEELER_HAS_POSTGRES
#include <heeler/store/postgres_store.hpp>
#endif

#include "store_place.hpp"

namespace common {

class AnyStore {
public:
    /// `unsupported` where the program was built without PostgreSQL. Touches nothing yet.
    [[nodiscard]] static heeler::Result<AnyStore> at(const StorePlace& place) {
        AnyStore store;
        if (!place.sqlite_file.empty()) store.kept_.emplace<heeler::SqliteStore>(place.sqlite_file);
        if (place.postgres.empty()) return store;
#ifdef HEELER_HAS_POSTGRES
        heeler::PostgresSettings settings;
        settings.schema = place.schema;
        store.kept_.emplace<heeler::PostgresStore>(place.postgres, settings);
        return store;
#else
        return heeler::fail(heeler::ErrorCode::unsupported, "this program was built without PostgreSQL");
#endif
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
    std::variant<heeler::MemoryStore, heeler::SqliteStore
#ifdef HEELER_HAS_POSTGRES
                 ,
                 heeler::PostgresStore
#endif
                 >
        kept_;
};

}  // namespace common
