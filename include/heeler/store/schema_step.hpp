// How the tables of a store grow from version to version; for adapters of databases.
#pragma once

#include <cstdint>
#include <string>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The first step makes the tables: what is older cannot be used. Each later one may only add: tables, indexes, columns
/// with a default.
struct SchemaStep {
    std::int64_t version = 0;     ///< of the schema after this step, without gaps
    std::int64_t min_reader = 0;  ///< the oldest schema version whose code may still use the store
    const char* sql = "";
};

[[nodiscard]] inline std::string too_old(std::int64_t version, std::int64_t oldest) {
    return "its store schema is " + std::to_string(version) + ", and this heeler reads " + std::to_string(oldest) +
           " and newer";
}

}  // namespace heeler::inline HEELER_ABI::detail
