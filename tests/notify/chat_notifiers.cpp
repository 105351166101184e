// Slack and Telegram.
#include <heeler/notify/slack_notifier.hpp>
#include <heeler/notify/telegram_notifier.hpp>

#include <chrono>
#include <string>

#include <simdjson.h>

#include "contract/channel_contract.hpp"
#include "support/catch.hpp"
#include "support/loopback.hpp"

using heeler::ErrorCode;
using heeler::SlackNotifier;
using heeler::SlackSettings;
using heeler::TelegramNotifier;
using heeler::TelegramSettings;
using heeler_test::channel_secret;
using heeler_test::http_answer;
using heeler_test::HttpSeen;
using heeler_test::LoopbackHttp;
using namespace std::chrono_literals;

namespace {

SlackSettings slack_settings(const std::string& url) {
    SlackSettings settings;
    settings.url = url + "/services/" + std::string{channel_secret};
    return settings;
}

TelegramSettings telegram_settings(const std::string& url) {
    TelegramSettings settings;
    settings.token = channel_secret;
    settings.chat = "-1001";
    settings.api = url;
    return settings;
}

std::string text_in(const std::string& json, const char* member) {
    simdjson::dom::parser parser;
    return std::string{std::string_view{parser.parse(simdjson::padded_string{json})[member]}};
}

std::string taken(const HttpSeen&) { return http_answer(200, R"({"ok":true})"); }

}  // namespace

TEST_CASE("Slack keeps the contract of channels") { heeler_test::check_channel<SlackNotifier>(slack_settings, "ok"); }

TEST_CASE("Telegram keeps the contract of channels") {
    heeler_test::check_channel<TelegramNotifier>(telegram_settings, R"({"ok":true})");
}

TEST_CASE("what somebody on the way answers is no receipt") {
    for (const char* const foreign : heeler_test::foreign_answers) {
        CAPTURE(foreign);
        const LoopbackHttp server{[&](const HttpSeen&) { return http_answer(200, foreign); }};
        const auto told =
            TelegramNotifier{telegram_settings(server.url())}.send(heeler::notifier_contract::example_alert());
        REQUIRE_FALSE(told);
        CHECK(told.error().code == ErrorCode::delivery_failed);
    }
    const LoopbackHttp server{[](const HttpSeen&) { return http_answer(200, "\n <!doctype html><p>Log in"); }};
    CHECK(SlackNotifier{slack_settings(server.url())}.send(heeler::notifier_contract::example_alert()).error().code ==
          ErrorCode::delivery_failed);
}

TEST_CASE("nobody is mentioned by what is in an alert to Slack") {
    const LoopbackHttp server{taken};
    SlackNotifier slack{slack_settings(server.url())};
    heeler::Alert alert = heeler::notifier_contract::example_alert();
    alert.summary = "<!channel> & <@U123> <http://evil.example|click>";
    REQUIRE(slack.send(alert));
    CHECK_THAT(text_in(server.seen().front().body, "text"),
               ContainsSubstring("&lt;!channel&gt; &amp; &lt;@U123&gt; &lt;http://evil.example|click&gt;"));
}

TEST_CASE("an alert goes to the chat that its route names [M-124]") {
    const LoopbackHttp server{taken};
    TelegramNotifier telegram{telegram_settings(server.url())};
    heeler::Alert alert = heeler::notifier_contract::example_alert();
    for (const auto& [route, chat] : {std::pair{"", "-1001"}, std::pair{"77", "77"}, std::pair{"telegram:-5", "-5"},
                                      std::pair{"telegram:@ops", "@ops"}, std::pair{"@ops", "@ops"},
                                      std::pair{"orchestrator", "-1001"}, std::pair{"/srv/sessions", "-1001"}}) {
        alert.to = route;
        REQUIRE(telegram.send(alert));
        CHECK(text_in(server.seen().back().body, "chat_id") == chat);
        CHECK(server.seen().back().path == "/bot" + std::string{channel_secret} + "/sendMessage");
    }
}

TEST_CASE("what is too long for Telegram is cut in whole characters, and says so") {
    const LoopbackHttp server{taken};
    TelegramSettings settings = telegram_settings(server.url());
    settings.format = [](const heeler::Alert& alert) { return alert.summary; };
    TelegramNotifier telegram{settings};
    heeler::Alert alert = heeler::notifier_contract::example_alert();
    for (int i = 0; i < 250'000; ++i) alert.summary += "\xF0\x9F\x9A\xA8";  // 2 of Telegram's characters, 4 bytes
    REQUIRE(telegram.send(alert));
    const std::string text = text_in(server.seen().front().body, "text");
    CHECK(heeler::text::valid_utf8(text));
    std::size_t units = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto next = heeler::text::decode_utf8(text, at);
        units += next.value > 0xFFFF ? 2 : 1;
        at += next.size;
    }
    CHECK(units <= 4096);
    CHECK(units > 4000);
    CHECK_THAT(text, ContainsSubstring("left out]"));
}

TEST_CASE("Telegram says for how long there were too many messages, and who is gone") {
    const auto asked = [](int status, const std::string& body) {
        const LoopbackHttp server{[&](const HttpSeen&) { return http_answer(status, body); }};
        TelegramNotifier telegram{telegram_settings(server.url())};
        return telegram.send(heeler::notifier_contract::example_alert()).error();
    };
    const auto later =
        asked(429, R"({"ok":false,"description":"Too Many Requests: retry after 35","parameters":{"retry_after":35}})");
    CHECK(later.code == ErrorCode::delivery_failed);
    CHECK(later.retry_after == 35s);
    const auto gone = asked(403, R"({"ok":false,"description":"Forbidden: bot was kicked from the group chat"})");
    CHECK(gone.code == ErrorCode::permanent);
    CHECK(gone.message == "telegram answered 403: Forbidden: bot was kicked from the group chat");
    TelegramSettings nobody = telegram_settings("http://127.0.0.1:1");
    nobody.chat.clear();
    CHECK(TelegramNotifier{nobody}.send(heeler::notifier_contract::example_alert()).error().code ==
          ErrorCode::permanent);
}
