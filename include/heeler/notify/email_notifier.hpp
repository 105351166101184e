// Sends alerts as e-mails through an SMTP server. Needs libcurl (heeler::http).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/alert/text.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/http/http_client.hpp>
#include <heeler/notify/http/receipt_for.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/base64.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/sha256.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI {

struct EmailSettings {
    std::string server{};           ///< "smtps://mail.example.org" or "smtp://mail.example.org:587"
    std::string user{};             ///< empty: without a log-in
    std::string password{};         ///< keep it out of files
    std::string from{};             ///< the address alone
    std::vector<std::string> to{};  ///< likewise; each gets a message of its own
    bool in_clear =
        false;  ///< also where the server offers no encryption, and by no proxy: for a relay on this machine
    AlertFormat format = &format_alert;
    TransferSettings transfer{};
};

namespace detail {

/// A header's text in words of RFC 2047, where it is more than printable ASCII.
[[nodiscard]] inline std::string mail_header_text(std::string_view text) {
    if (std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < '\x7F'; })) return std::string{text};
    std::string words;
    while (!text.empty()) {
        const std::string_view part = text::utf8_head(text, 45);  // a word is at most 75 bytes long
        text::append(words, words.empty() ? "" : "\r\n ", "=?UTF-8?B?", text::base64(part), "?=");
        text.remove_prefix(part.size());
    }
    return words;
}

/// "Sun, 09 Nov 2026 10:00:00 +0000", as RFC 5322 has it.
[[nodiscard]] inline std::string mail_date(WallTime moment) {
    constexpr std::string_view days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::string_view months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const WallTime when = in_calendar(moment);
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day date{day};
    const std::string iso = text::rfc3339(when);  // YYYY-MM-DDTHH:MM:SS...
    return text::concat(days[std::chrono::weekday{day}.c_encoding()], ", ", iso.substr(8, 2), " ",
                        months[static_cast<unsigned>(date.month()) - 1], " ", iso.substr(0, 4), " ", iso.substr(11, 8),
                        " +0000");
}

/// Lines of 76 characters.
[[nodiscard]] inline std::string mail_body(std::string_view text) {
    const std::string all = text::base64(text);
    std::string lines;
    for (std::size_t at = 0; at < all.size(); at += 76)
        text::append(lines, std::string_view{all}.substr(at, 76), "\r\n");
    return lines;
}

}  // namespace detail

/// One message for each alert and recipient; what is about one run is one conversation in mail programs, and a repeated
/// alert has the same Message-ID. A receipt says how many took it: those that the server refuses hinder nobody else.
/// Encrypted, or not sent, unless it is set otherwise. 4xx of the server is tried again, 5xx is `permanent`. One thread
/// at a time.
class EmailNotifier {
public:
    static constexpr std::string_view name = "email";
    static constexpr std::size_t max_bytes = 256 * 1024;  ///< of the text

    explicit EmailNotifier(EmailSettings settings) : settings_{std::move(settings)} {
        static_cast<void>(secrets_.add(settings_.password));
    }

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        if (auto good = check(); !good) return tl::unexpected<Error>(std::move(good.error()));
        if (!handle_) handle_ = detail::curl_handle(settings_.transfer);
        if (!handle_) return fail(ErrorCode::delivery_failed, "email: libcurl cannot be used here");
        const std::string text = text_of(alert);
        Receipt receipt{0};
        std::optional<Error> worst;
        for (const std::string& to : settings_.to) {
            auto sent = send_to(to, message(alert, to, text));
            if (sent)
                ++receipt.recipients;
            else if (!worst || worst->code == ErrorCode::permanent)
                worst = std::move(sent.error());
        }
        if (receipt.recipients > 0) {
            receipt.names.emplace_back(name);  // an address is nobody's business
            return receipt;
        }
        return tl::unexpected<Error>(std::move(*worst));
    }

private:
    struct Upload {
        std::string_view rest;
    };

    [[nodiscard]] Result<void> check() const {
        const auto is_address = [](std::string_view text) {
            return text.find('@') != std::string_view::npos && text.size() <= 254 &&
                   std::all_of(text.begin(), text.end(),
                               [](char c) { return c > ' ' && c < '\x7F' && c != '<' && c != '>' && c != ','; });
        };
        const std::string& server = settings_.server;
        if (server.compare(0, 7, "smtp://") != 0 && server.compare(0, 8, "smtps://") != 0)
            return fail(ErrorCode::permanent, "email: the server must be given as smtps://HOST or smtp://HOST:PORT");
        if (settings_.to.empty()) return fail(ErrorCode::no_recipient, "email: it has no recipient; set `to`");
        if (!is_address(settings_.from))
            return fail(ErrorCode::permanent,
                        "email: `from` is no plain address: " + text::one_line(settings_.from, 100));
        for (const std::string& to : settings_.to)
            if (!is_address(to))
                return fail(ErrorCode::permanent, "email: no plain address: " + text::one_line(to, 100));
        return {};
    }

    [[nodiscard]] std::string text_of(const Alert& alert) const {
        const std::string text = text::sanitise(settings_.format(alert), 4 * max_bytes);
        return fit_text(text, max_bytes, TextUnit::byte);
    }

    [[nodiscard]] std::string message(const Alert& alert, const std::string& to, std::string_view text) const {
        const std::string subject =
            fit_text(text::one_line(alert.summary.empty() ? alert.kind : alert.summary, 800), 150, TextUnit::character);
        const std::string thread = text::sha256_hex(alert.run.id).substr(0, 32);
        return text::concat("From: heeler <", settings_.from, ">\r\nTo: <", to,
                            ">\r\nSubject: ", detail::mail_header_text(text::one_line(subject, 800)),
                            "\r\nDate: ", detail::mail_date(alert.at), "\r\nMessage-ID: <",
                            text::sha256_hex(alert.key).substr(0, 32), "@heeler>\r\nReferences: <", thread,
                            "@heeler>\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n",
                            "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n",
                            detail::mail_body(text));
    }

    [[nodiscard]] Result<void> send_to(const std::string& to, const std::string& message) {
        CURL* const curl = handle_.get();
        char more[CURL_ERROR_SIZE] = "";
        const std::string sender = text::concat("<", settings_.from, ">");
        const detail::CurlList recipients = detail::with_line(nullptr, text::concat("<", to, ">"));
        Upload upload{message};
#if LIBCURL_VERSION_NUM >= 0x075500
        curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
#else
        curl_easy_setopt(curl, CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_SMTP | CURLPROTO_SMTPS));
#endif
        curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, more);
        curl_easy_setopt(curl, CURLOPT_URL, settings_.server.c_str());
        // A proxy of the environment would read it, and "this machine" would be the proxy's.
        if (settings_.in_clear) curl_easy_setopt(curl, CURLOPT_PROXY, "");
        const auto encryption = settings_.in_clear ? CURLUSESSL_TRY : CURLUSESSL_ALL;
        curl_easy_setopt(curl, CURLOPT_USE_SSL, static_cast<long>(encryption));
        if (!settings_.user.empty()) {
            curl_easy_setopt(curl, CURLOPT_USERNAME, settings_.user.c_str());
            curl_easy_setopt(curl, CURLOPT_PASSWORD, settings_.password.c_str());
        }
        curl_easy_setopt(curl, CURLOPT_MAIL_FROM, sender.c_str());
        curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, recipients.get());
        curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(curl, CURLOPT_READFUNCTION, &EmailNotifier::give);
        curl_easy_setopt(curl, CURLOPT_READDATA, &upload);
        const CURLcode code = curl_easy_perform(curl);
        curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, nullptr);
        if (code == CURLE_OK) return {};
        long status = 0;
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        auto failure = detail::curl_failure(code, more);
        failure.value().message = text::concat("email to ", to, ": ", detail::said(failure.value().message, secrets_));
        if (status >= 500 && status < 600) failure.value().code = ErrorCode::permanent;
        return failure;
    }

    static std::size_t give(char* to, std::size_t, std::size_t room, void* from) noexcept {
        std::string_view& rest = static_cast<Upload*>(from)->rest;
        const std::size_t bytes = std::min(room, rest.size());
        std::memcpy(to, rest.data(), bytes);
        rest.remove_prefix(bytes);
        return bytes;
    }

    EmailSettings settings_;
    text::Redactor secrets_;
    detail::CurlHandle handle_;
};

}  // namespace heeler::inline HEELER_ABI
