// Posts alerts to a Slack-compatible incoming webhook (Slack, Mattermost, Rocket.Chat, Discord's /slack). Needs libcurl
// (heeler::http).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/alert/text.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/http/http_client.hpp>
#include <heeler/notify/http/receipt_for.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

struct SlackSettings {
    std::string url{};  ///< the incoming webhook; whoever has it can write there: keep it out of files
    AlertFormat format = &format_alert;
    TransferSettings transfer{};
};

/// One message for each alert, as text without mark-up; nobody is mentioned by what is in it. At most 4,000 characters:
/// what is longer is cut, and says so. Answers are judged as with `WebhookNotifier`. One thread at a time.
class SlackNotifier {
public:
    static constexpr std::string_view name = "slack";
    /// Slack's own advice for `text`; it cuts at 40,000.
    static constexpr std::size_t max_characters = 4000;

    explicit SlackNotifier(SlackSettings settings) : settings_{std::move(settings)}, client_{settings_.transfer} {
        detail::hide_address(secrets_, settings_.url);
    }

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        text::JsonLine message;
        message.begin_object().key("text").string(escaped(text_of(alert))).key("mrkdwn").boolean(false).end_object();
        HttpRequest request;
        request.url = settings_.url;
        request.headers = {"Content-Type: application/json"};
        request.body = std::move(message).text();
        const auto answer = client_.ask(request);
        if (!answer) return detail::unreached(name, answer.error(), secrets_);
        if (answer->status >= 200 && answer->status < 300) {
            // What stands in for Slack says many things, but a page is from somebody on the way.
            const std::size_t first = answer->body.find_first_not_of(" \t\r\n");
            if (first == std::string::npos || answer->body[first] != '<') return Receipt{1, {std::string{name}}};
            return fail(ErrorCode::delivery_failed, "slack: the answer is a web page");
        }
        return detail::refused(name, *answer, answer->body, secrets_);
    }

private:
    [[nodiscard]] std::string text_of(const Alert& alert) const {
        return fit_text(text::sanitise(settings_.format(alert), 1 << 20), max_characters, TextUnit::character);
    }

    /// Slack's three control characters, without which nothing is a mention or a link.
    [[nodiscard]] static std::string escaped(std::string_view text) {
        std::string out;
        for (const char c : text) {
            if (c == '&')
                out += "&amp;";
            else if (c == '<')
                out += "&lt;";
            else if (c == '>')
                out += "&gt;";
            else
                out += c;
        }
        return out;
    }

    SlackSettings settings_;
    text::Redactor secrets_;
    HttpClient client_;
};

}  // namespace heeler::inline HEELER_ABI
