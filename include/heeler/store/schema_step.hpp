// How the tables of a store grow from version to version; for adapters of databases.
#pragma once

#include <cstdint>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// One addition to the tables. A later step may only add: tables, indexes, columns with a default.
struct SchemaStep {
    std::int64_t version = 0;     ///< of the schema after this step, from 1 without gaps
    std::int64_t min_reader = 0;  ///< the oldest schema version whose code may still use the store
    const char* sql = "";
};

}  // namespace heeler::inline HEELER_ABI::detail
