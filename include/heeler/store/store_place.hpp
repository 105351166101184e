// How people name a store: what they write, sqlite:PATH or postgres:URL, and how it is shown to them, without any
// secret.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <heeler/text/redact.hpp>
#include <heeler/text/secret_finder.hpp>
#include <heeler/text/shell_word.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

inline constexpr std::string_view default_schema = "heeler";  ///< the one that programs take where none is named

/// `'sqlite:/var/store.db'`, from anywhere on this machine. Empty: nobody else can open it.
[[nodiscard]] inline std::string sqlite_place(const std::string& path) {
    if (path.empty() || path == ":memory:") return {};
    std::error_code unknown;
    const auto whole = std::filesystem::absolute(path, unknown);
    return text::shell_word("sqlite:" + (unknown ? path : whole.string()));
}

/// The address without its password: PGPASSWORD or ~/.pgpass know it. Empty: there is more in it that nobody may read.
[[nodiscard]] inline std::string open_address(std::string_view postgres) {
    std::string address = text::redact(postgres);
    const std::string secret = ":" + std::string{text::redacted_mark} + "@";
    if (const auto at = address.find(secret); at != std::string::npos) address.erase(at, secret.size() - 1);
    return address.find(text::redacted_mark) == std::string::npos ? address : std::string{};
}

/// The address in quotes, as a shell takes it, and the schema if it is not the default one. An address that cannot be
/// shown is the one that people keep in HEELER_STORE.
[[nodiscard]] inline std::string postgres_place(std::string_view connection, const std::string& schema) {
    const std::string address = open_address(connection);
    const bool is_url = address.find("://") != std::string::npos;
    std::string place = address.empty() ? "\"$HEELER_STORE\"" : text::shell_word((is_url ? "" : "postgres:") + address);
    if (schema != default_schema) place += " --schema " + text::shell_word(schema);
    return place;
}

}  // namespace detail

/// Where rows are kept; empty texts: nowhere yet.
struct StorePlace {
    std::string sqlite_file{};
    std::string postgres{};  ///< connection string; may hold a password
    std::string schema{detail::default_schema};
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

}  // namespace heeler::inline HEELER_ABI
