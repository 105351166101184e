// Where a PostgreSQL store is: reads the connection string, names it without its secrets; for the PostgreSQL store.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <libpq-fe.h>

#include <heeler/core/result.hpp>
#include <heeler/store/postgres/error.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/secret_finder.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The server, database and schema of a store.
struct PostgresAddress {
    std::string connection;              ///< as libpq reads it; may hold secrets
    std::string schema;                  ///< of the database
    std::string name{};                  ///< for people: no secret is in it
    std::vector<std::string> secrets{};  ///< never shown

    /// `said` in one line, without what must not be shown.
    [[nodiscard]] std::string clean(std::string_view said) const {
        std::string text{said};
        for (const std::string& secret : secrets)
            for (auto at = text.find(secret); at != std::string::npos;
                 at = text.find(secret, at + text::redacted_mark.size()))
                text.replace(at, secret.size(), text::redacted_mark);
        while (!text.empty() && text.back() == '\n') text.pop_back();
        std::replace(text.begin(), text.end(), '\n', ' ');
        std::replace(text.begin(), text.end(), '\t', ' ');
        return text;
    }

    [[nodiscard]] Error error(ErrorCode code, std::string_view said) const {
        return postgres_error(name, code, clean(said));
    }
};

struct FreeOptions {
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};

[[nodiscard]] inline std::string option_named(const PQconninfoOption* options, std::string_view keyword) {
    for (; options->keyword != nullptr; ++options)
        if (options->keyword == keyword && options->val != nullptr) return options->val;
    return {};
}

/// What a password with unescaped characters leaves in the parts around it.
[[nodiscard]] inline bool may_hold_secrets(const PQconninfoOption* options) {
    const std::string host = option_named(options, "host");
    const std::string port = option_named(options, "port");
    const std::string database = option_named(options, "dbname");
    return host.find('@', 1) != std::string::npos || port.find_first_not_of("0123456789,") != std::string::npos ||
           database.find('@') != std::string::npos || database.find("://") != std::string::npos;
}

[[nodiscard]] inline std::string display_name(const PQconninfoOption* options, std::string_view schema) {
    std::string name{"postgresql://"};
    const auto add = [&](std::string_view before, const char* keyword, std::string_view after) {
        const std::string value = option_named(options, keyword);
        if (!value.empty()) name.append(before).append(value).append(after);
    };
    add("", "user", "@");
    add("", "host", "");
    add(":", "port", "");
    add("/", "dbname", "");
    return name.append(" schema ").append(schema);
}

/// Reads `connection` without connecting. The error of a string that cannot be read shows nothing of it.
[[nodiscard]] inline Result<PostgresAddress> read_address(std::string connection, std::string schema) {
    constexpr std::string_view advice =
        " (the connection string is not shown, since it may hold a password); write keyword=value pairs or "
        "postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %XX for special characters of the password";
    const auto refuse = [&](std::string_view said) {
        return fail(ErrorCode::invalid_argument, "store in PostgreSQL: " + std::string{said} + std::string{advice});
    };
    if (connection.find('\0') != std::string::npos) return refuse("the connection string holds a NUL byte");
    const std::unique_ptr<PQconninfoOption, FreeOptions> options{PQconninfoParse(connection.c_str(), nullptr)};
    if (!options) return refuse("libpq cannot read the connection string");
    if (may_hold_secrets(options.get())) return refuse("host, port or database hold characters that belong elsewhere");
    PostgresAddress address{std::move(connection), std::move(schema)};
    for (const char* const keyword : {"password", "sslpassword"})
        if (std::string secret = option_named(options.get(), keyword); !secret.empty())
            address.secrets.push_back(std::move(secret));
    address.name = address.clean(display_name(options.get(), address.schema));
    return address;
}

}  // namespace heeler::inline HEELER_ABI::detail
