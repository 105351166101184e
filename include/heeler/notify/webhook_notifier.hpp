// Posts alerts as JSON to an address of yours, signed. Needs libcurl (heeler::http).
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/alert/json.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/http/http_client.hpp>
#include <heeler/notify/http/receipt_for.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/base64.hpp>
#include <heeler/text/hmac.hpp>
#include <heeler/text/sha256.hpp>

namespace heeler::inline HEELER_ABI {

struct WebhookSettings {
    std::string url{};
    /// Signs each message. `whsec_` and base64 as services hand it out, or any text; empty: no signature.
    std::string secret{};
    std::vector<std::string> headers{};  ///< further ones, "Name: value": an authorization, for example
    TransferSettings transfer{};
};

/// One `POST` of `alert_json` for each alert. A receiver that already knows the `Idempotency-Key`, which is the same
/// whenever an alert is repeated, answers 200 and does nothing. Signed as standardwebhooks.com has it: `webhook-id`,
/// `webhook-timestamp`, `webhook-signature: v1,BASE64(HMAC-SHA-256(secret, "ID.TIMESTAMP.BODY"))`.
///
/// 200 to 299 is a receipt; 408, 425, 429, 500 and above, no answer, and whatever names a time (`Retry-After`) are
/// tried again; all else, redirections too, is `permanent`. One thread at a time.
class WebhookNotifier {
public:
    static constexpr std::string_view name = "webhook";

    explicit WebhookNotifier(WebhookSettings settings) : settings_{std::move(settings)}, client_{settings_.transfer} {
        detail::hide_address(secrets_, settings_.url);
        static_cast<void>(secrets_.add(settings_.secret));
        for (const std::string& line : settings_.headers)
            if (const std::size_t colon = line.find(": "); colon != std::string::npos)
                static_cast<void>(secrets_.add(line.substr(colon + 2)));
        key_ = key_of(settings_.secret);
    }

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
        const std::string time = std::to_string(now.time_since_epoch().count());
        const std::string id = header_key(alert.key);
        HttpRequest request;
        request.url = settings_.url;
        request.body = alert_json(alert);
        request.headers = settings_.headers;
        request.headers.push_back("Content-Type: application/json");
        request.headers.push_back("Idempotency-Key: " + id);
        request.headers.push_back("webhook-id: " + id);
        request.headers.push_back("webhook-timestamp: " + time);
        if (!key_.empty())
            request.headers.push_back(
                "webhook-signature: v1," +
                text::base64(text::hmac_sha256(key_, text::concat(id, ".", time, ".", request.body))));
        const auto answer = client_.ask(request);
        if (!answer) return detail::unreached(name, answer.error(), secrets_);
        if (answer->status >= 200 && answer->status < 300) return Receipt{1, {std::string{name}}};
        return detail::refused(name, *answer, answer->body, secrets_);
    }

private:
    [[nodiscard]] static std::string key_of(const std::string& secret) {
        constexpr std::string_view mark = "whsec_";
        if (secret.compare(0, mark.size(), mark) != 0) return secret;
        return text::from_base64(std::string_view{secret}.substr(mark.size())).value_or(secret);
    }

    /// What a header can hold: a key of the engine's as it is, another one as its digest.
    [[nodiscard]] static std::string header_key(const std::string& key) {
        const bool plain = !key.empty() && key.size() <= 255 &&
                           std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < '\x7F'; });
        return plain ? key : text::sha256_hex(key);
    }

    WebhookSettings settings_;
    std::string key_;
    text::Redactor secrets_;
    HttpClient client_;
};

}  // namespace heeler::inline HEELER_ABI
