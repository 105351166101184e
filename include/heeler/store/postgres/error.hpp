// What PostgreSQL's failures mean to a caller of the store, in words that name the store and what to do.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI::detail {

[[nodiscard]] constexpr bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) noexcept {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Classes from "H" on are no standard's: a trigger raised it, unless the server itself is broken ("XX").
[[nodiscard]] constexpr bool is_raised(std::string_view kind) noexcept { return kind >= "H" && kind != "XX"; }

/// What an SQLSTATE means to a caller; empty: the connection broke.
[[nodiscard]] constexpr ErrorCode postgres_error_code(std::string_view state) noexcept {
    const std::string_view kind = state.substr(0, 2);
    if (state.empty() || kind == "08" || is_any_of(state, {"57P01", "57P02", "57P03", "57P05", "25P03", "25P04"}))
        return ErrorCode::lost;
    if (kind == "40" || is_any_of(state, {"55P03", "55006", "57014", "53300"})) return ErrorCode::busy;
    if (kind == "53") return ErrorCode::full;
    if (is_any_of(state, {"25006", "42501"})) return ErrorCode::read_only;
    if (is_any_of(kind, {"09", "22", "23", "27", "38", "39", "44", "54"}) || is_raised(kind))
        return ErrorCode::unstorable;
    if (is_any_of(kind, {"0A", "3F", "42"}) || is_any_of(state, {"XX001", "XX002"})) return ErrorCode::corrupt;
    return ErrorCode::io;
}

[[nodiscard]] constexpr std::string_view postgres_advice(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::busy:
            return "nothing was stored: try again, or stop what holds it";
        case ErrorCode::full:
            return "free space on the server's disk, or raise its limits";
        case ErrorCode::read_only:
            return "connect to the primary, as a role that may write the tables of the schema";
        case ErrorCode::corrupt:
            return "somebody else changed its tables: put them back, or choose another schema";
        case ErrorCode::not_a_store:
            return "it was left alone: choose another schema";
        case ErrorCode::newer_schema:
            return "it was left alone: update heeler, or choose another schema";
        case ErrorCode::older_schema:
            return "it was left alone: let the heeler that wrote it finish its runs, and choose another schema";
        case ErrorCode::lost:
            return "check the server, the network and the connection string";
        case ErrorCode::invalid_argument:
            return "nothing was stored";
        case ErrorCode::unstorable:
            return "undo what was changed in its tables: a constraint, a trigger or a limit that was not there";
        default:
            return "see the server's log";
    }
}

/// An error that names the store, what happened, and what to do.
[[nodiscard]] inline Error postgres_error(std::string_view name, ErrorCode code, std::string_view said) {
    std::string message{"store "};
    message.append(name).append(": ").append(said).append("; ").append(postgres_advice(code));
    return Error{code, std::move(message)};
}

}  // namespace heeler::inline HEELER_ABI::detail
