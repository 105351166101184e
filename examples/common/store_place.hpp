// Where a store is, as people write it on a command line: sqlite:PATH or postgres:URL; for the tools.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <heeler/text/redact.hpp>
#include <heeler/text/secret_finder.hpp>
#include <heeler/text/shell_word.hpp>

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

namespace detail {

/// The address without its password: PGPASSWORD or ~/.pgpass know it. Empty: there is more in it that nobody may read.
[[nodiscard]] inline std::string open_address(const std::string& postgres) {
    std::string address = heeler::text::redact(postgres);
    const std::string secret = ":" + std::string{heeler::text::redacted_mark} + "@";
    if (const auto at = address.find(secret); at != std::string::npos) address.erase(at, secret.size() - 1);
    return address.find(heeler::text::redacted_mark) == std::string::npos ? address : std::string{};
}

}  // namespace detail

/// How people call heeler-ctl on this store from anywhere: what alerts print in front of a verb. An address that cannot
/// be shown is the one that they keep in HEELER_STORE.
[[nodiscard]] inline std::string ctl_command(const StorePlace& place) {
    const std::string command = "heeler-ctl --store ";
    if (place.postgres.empty()) {
        std::error_code ignored;
        const auto path = std::filesystem::absolute(place.sqlite_file, ignored);
        return command + heeler::text::shell_word("sqlite:" + (ignored ? place.sqlite_file : path.string()));
    }
    std::string address = detail::open_address(place.postgres);
    const bool is_url = address.find("://") != std::string::npos;
    std::string said =
        address.empty() ? "\"$HEELER_STORE\"" : heeler::text::shell_word((is_url ? "" : "postgres:") + address);
    if (place.schema != StorePlace{}.schema) said += " --schema " + heeler::text::shell_word(place.schema);
    return command + said;
}

}  // namespace common
