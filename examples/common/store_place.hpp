// Where a store is, as people write it on a command line: sqlite:PATH or postgres:URL; for the tools.
#pragma once

#include <string>
#include <string_view>

#include <heeler/store/store_place.hpp>

namespace common {

/// Where rows are kept; empty texts: nowhere yet.
struct StorePlace {
    std::string sqlite_file;
    std::string postgres;  // connection string; may hold a password
    std::string schema = "heeler";
};

/// Fills `place`. False: `text` is neither `sqlite:PATH` nor `postgres:` with what libpq reads nor `postgresql://...`.
[[nodiscard]] inline bool read_store(std::string_view text, StorePlace& place) {
    constexpr std::string_view sqlite = "sqlite:";
    constexpr std::string_view postgres = "postgres:";
    if (text.starts_with("postgres://") || text.starts_with("postgresql://")) {
        place.postgres = text;
        return true;
    }
    if (text.starts_with(sqlite)) place.sqlite_file = text.substr(sqlite.size());
    if (text.starts_with(postgres)) place.postgres = text.substr(postgres.size());
    return !place.sqlite_file.empty() || !place.postgres.empty();
}

/// How people call heeler-ctl on this store from anywhere: what alerts print in front of a verb.
[[nodiscard]] inline std::string ctl_command(const StorePlace& place) {
    return "heeler-ctl --store " + (place.postgres.empty()
                                        ? heeler::detail::sqlite_place(place.sqlite_file)
                                        : heeler::detail::postgres_place(place.postgres, place.schema));
}

}  // namespace common
