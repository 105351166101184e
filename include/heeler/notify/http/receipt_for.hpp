// What a channel's answer means for an alert: somebody has it, try again, or never this way.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/http/http_client.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Whether the same question may be answered otherwise later.
[[nodiscard]] constexpr bool is_passing(int status) noexcept {
    return status == 408 || status == 425 || status == 429 || status >= 500;
}

/// An address may be a secret as a whole, and each long part of its path and query too: servers repeat them.
inline void hide_address(text::Redactor& secrets, std::string_view url) {
    static_cast<void>(secrets.add(url));  // what is too short to be a secret is not worth hiding
    const std::size_t host = url.find("://");
    std::size_t at = host == std::string_view::npos ? url.size() : url.find('/', host + 3);
    while (at < url.size()) {
        const std::size_t end = url.find_first_of("/?&=", at + 1);
        const std::string_view part = url.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
        if (part.size() >= 8) static_cast<void>(secrets.add(part));
        at = end;
    }
}

/// What a server said, safe to show: `secrets` are what the channel was told to keep.
[[nodiscard]] inline std::string said(std::string_view text, const text::Redactor& secrets) {
    return text::one_line(secrets.redact(text), 200);  // half a secret is not recognised
}

/// The error of an answer that is none of 200 to 299. `explanation`: the server's own words.
[[nodiscard]] inline tl::unexpected<Error> refused(std::string_view channel, const HttpAnswer& answer,
                                                   std::string_view explanation, const text::Redactor& secrets) {
    std::string message = text::concat(channel, " answered ", std::to_string(answer.status));
    if (answer.status >= 300 && answer.status < 400)
        message += ": it has another address now, which is not followed; set that one";
    else if (!explanation.empty())
        text::append(message, ": ", said(explanation, secrets));
    const bool passing = is_passing(answer.status) || answer.retry_after > Duration{};
    Error error{passing ? ErrorCode::delivery_failed : ErrorCode::permanent, std::move(message), answer.retry_after};
    return tl::unexpected<Error>(std::move(error));
}

/// The error of no answer.
[[nodiscard]] inline tl::unexpected<Error> unreached(std::string_view channel, Error error,
                                                     const text::Redactor& secrets) {
    // Who was given no address will not find one later.
    if (error.code == ErrorCode::invalid_argument) error.code = ErrorCode::permanent;
    error.message = text::concat(channel, ": ", said(error.message, secrets));
    return tl::unexpected<Error>(std::move(error));
}

}  // namespace heeler::inline HEELER_ABI::detail
