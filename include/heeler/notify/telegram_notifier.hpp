// Sends alerts as messages of a Telegram bot. Needs libcurl (heeler::http) and simdjson (heeler::json).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/alert/text.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/http/http_client.hpp>
#include <heeler/notify/http/json_answer.hpp>
#include <heeler/notify/http/receipt_for.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

struct TelegramSettings {
    std::string token{};  ///< of the bot: keep it out of files
    std::string chat{};   ///< a chat's number, or a channel's @name; an alert's route goes before it
    AlertFormat format = &format_alert;
    std::string api = "https://api.telegram.org";
    TransferSettings transfer{};
};

/// One message without mark-up for each alert: to the chat that its route (`Alert::to`) names, `telegram:CHAT` or the
/// number alone, else to the chat of the settings. At most 4,096 characters as Telegram counts them: what is longer is
/// cut, and says so. A bot that was blocked and a chat that is gone are `permanent`; "too many requests" is tried again
/// when Telegram says. One thread at a time.
class TelegramNotifier {
public:
    static constexpr std::string_view name = "telegram";
    static constexpr std::size_t max_characters = 4096;  ///< UTF-16 units (core.telegram.org/bots/api, sendMessage)

    explicit TelegramNotifier(TelegramSettings settings) : settings_{std::move(settings)}, client_{settings_.transfer} {
        static_cast<void>(secrets_.add(settings_.token));
    }

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        const std::string chat = chat_of(alert.to);
        if (settings_.token.empty() || chat.empty())
            return fail(ErrorCode::permanent, "telegram: it has no token or no chat; set both");
        text::JsonLine message;
        message.begin_object().key("chat_id").string(chat).key("text").string(text_of(alert));
        message.key("link_preview_options").begin_object().key("is_disabled").boolean(true).end_object().end_object();
        HttpRequest request;
        request.url = text::concat(settings_.api, "/bot", settings_.token, "/sendMessage");
        request.headers = {"Content-Type: application/json"};
        request.body = std::move(message).text();
        auto answer = client_.ask(request);
        if (!answer) return detail::unreached(name, answer.error(), secrets_);
        const detail::JsonAnswer words{answer->body};
        if (answer->status >= 200 && answer->status < 300) {
            if (words.truth("/ok")) return Receipt{1, {std::string{name}}};
            return fail(ErrorCode::delivery_failed, "telegram: the answer does not say that it was taken");
        }
        if (const auto seconds = words.number("/parameters/retry_after"); seconds > 0 && seconds <= 86'400)
            answer->retry_after = std::chrono::seconds{seconds};
        return detail::refused(name, *answer, words.text("/description"), secrets_);
    }

private:
    /// Where this alert goes. A route that is none of Telegram's is somebody else's.
    [[nodiscard]] std::string chat_of(std::string_view route) const {
        constexpr std::string_view mark = "telegram:";
        const bool named = route.starts_with(mark);
        if (named) route.remove_prefix(mark.size());
        return named || is_chat(route) ? std::string{route} : settings_.chat;
    }

    [[nodiscard]] static bool is_chat(std::string_view text) {
        if (text.starts_with('@')) return text.size() > 1;
        if (text.starts_with('-')) text.remove_prefix(1);
        return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    }

    [[nodiscard]] std::string text_of(const Alert& alert) const {
        return fit_text(text::sanitise(settings_.format(alert), 1 << 20), max_characters, TextUnit::utf16);
    }

    TelegramSettings settings_;
    text::Redactor secrets_;
    HttpClient client_;
};

}  // namespace heeler::inline HEELER_ABI
