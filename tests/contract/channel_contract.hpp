// What every notifier that asks an HTTP server must keep to, whatever the server does.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/http/http_client.hpp>
#include <heeler/testing/contract/notifier_contract.hpp>

#include "support/catch.hpp"
#include "support/loopback.hpp"

namespace heeler_test {

/// A word that no error may show: every channel under test has it as its secret.
inline constexpr std::string_view channel_secret = "s3cr3t-0f-th3-ch4nn3l";

/// `settings_for(url)` are the channel's for a server; `good(asked)` is what a server says that takes alerts.
template <class Channel, class SettingsFor>
void check_channel(SettingsFor settings_for, const std::function<std::string(const HttpSeen&)>& good) {
    using heeler::ErrorCode;
    using namespace std::chrono_literals;
    const auto ask = [&](const std::function<std::string(const HttpSeen&)>& answer, heeler::Duration timeout = 10s) {
        const LoopbackHttp server{answer};
        auto settings = settings_for(server.url());
        settings.transfer.timeout = timeout;
        Channel channel{settings};
        auto result = channel.send(heeler::notifier_contract::example_alert());
        if (!result) {
            INFO(result.error().message);
            CHECK(result.error().message.find(channel_secret) == std::string::npos);
            CHECK(heeler::text::valid_utf8(result.error().message));
            CHECK(result.error().message.size() < 400);
        }
        return result;
    };
    const auto answering = [&](std::string text) {
        return ask([text = std::move(text)](const HttpSeen&) { return text; });
    };
    SECTION("a server that takes alerts") {
        const LoopbackHttp server{[&](const HttpSeen& asked) { return http_answer(200, good(asked)); }};
        Channel channel{settings_for(server.url())};
        heeler::notifier_contract::check_delivering(channel);
        for (const HttpSeen& one : server.seen()) CHECK(heeler::text::valid_utf8(one.body));
        const auto receipt = channel.send(heeler::notifier_contract::example_alert());
        REQUIRE((receipt && receipt->names.size() == 1));
        CHECK(receipt->names[0].starts_with(Channel::name));
        CHECK(receipt->names[0].find(channel_secret) == std::string::npos);
        CHECK(receipt->names[0].find("127.0.0.1") == std::string::npos);
    }
    SECTION("204 is a receipt where no answer is needed") {
        const auto result = answering("HTTP/1.1 204 Said\r\n\r\n");
        CHECK((result.has_value() || result.error().code == ErrorCode::delivery_failed));
    }
    SECTION("never this way") {
        for (const int status : {400, 401, 403, 404, 410, 422}) {
            INFO(status);
            const auto result = answering(http_answer(status, R"({"message":"no","description":"no"})"));
            REQUIRE_FALSE(result);
            CHECK(result.error().code == ErrorCode::permanent);
            CHECK(result.error().message.find(std::to_string(status)) != std::string::npos);
        }
    }
    SECTION("later") {
        for (const int status : {408, 425, 429, 500, 502, 503, 504}) {
            INFO(status);
            const auto result = answering(http_answer(status, "busy"));
            REQUIRE_FALSE(result);
            CHECK(result.error().code == ErrorCode::delivery_failed);
            CHECK(result.error().retry_after == 0s);
        }
    }
    SECTION("when it says") {
        const auto result = answering(http_answer(429, "{}", "Retry-After: 7\r\n"));
        REQUIRE_FALSE(result);
        CHECK(result.error().code == ErrorCode::delivery_failed);
        CHECK(result.error().retry_after == 7s);
        CHECK(answering(http_answer(503, "{}", "Retry-After: 99999999999\r\n")).error().retry_after == 24h);
    }
    SECTION("slow, or never") {
        const auto result = ask([](const HttpSeen&) { return std::string{}; }, 300ms);
        REQUIRE_FALSE(result);
        CHECK(result.error().code == ErrorCode::timed_out);
    }
    SECTION("half an answer, no HTTP, nobody there") {
        CHECK(answering("HTTP/1.1 200 Said\r\nContent-Length: 100\r\n\r\n{").error().code ==
              ErrorCode::delivery_failed);
        CHECK(answering("220 mail.example.org ESMTP\r\n").error().code == ErrorCode::delivery_failed);
        CHECK(answering("\x16\x03\x01\x02").error().code == ErrorCode::delivery_failed);
        std::string gone;
        {
            const LoopbackHttp server{[](const HttpSeen&) { return http_answer(200); }};
            gone = server.url();
        }
        Channel nobody{settings_for(gone)};
        heeler::notifier_contract::check_failing(nobody);
        Channel no_name{settings_for("http://no-such-host.invalid")};
        heeler::notifier_contract::check_failing(no_name);
        Channel no_address{settings_for("not a url")};
        heeler::notifier_contract::check_failing(no_address);
    }
    SECTION("an answer without end is not read to its end") {
        const LoopbackServer server{[](int socket, const auto& over) {
            std::string head;
            static_cast<void>(read_more(socket, head, over));
            static_cast<void>(write_all(socket, "HTTP/1.1 500 Said\r\nContent-Length: 1073741824\r\n\r\n"));
            const std::string block(1 << 20, 'x');
            for (int i = 0; i < 1024 && !over && write_all(socket, block); ++i) {
            }
        }};
        Channel channel{settings_for(server.http())};
        const auto result = channel.send(heeler::notifier_contract::example_alert());
        REQUIRE_FALSE(result);
        CHECK(result.error().message.size() < 400);
    }
    SECTION("a redirection is not followed") {
        const LoopbackHttp other{[&](const HttpSeen& asked) { return http_answer(200, good(asked)); }};
        for (const int status : {301, 302, 307, 308}) {
            const auto result = answering(http_answer(status, "", "Location: " + other.url() + "/\r\n"));
            REQUIRE_FALSE(result);
            CHECK(result.error().code == ErrorCode::permanent);
        }
        CHECK(other.seen().empty());
    }
    SECTION("a secret that the server repeats is not told on") {
        const std::string echo = "you sent " + std::string{channel_secret};
        const auto result =
            answering(http_answer(400, R"({"message":")" + echo + R"(","description":")" + echo + R"("})"));
        REQUIRE_FALSE(result);
        CHECK(result.error().message.find("you sent") != std::string::npos);
    }
}

/// Of a server that says the same to everything.
template <class Channel, class SettingsFor>
void check_channel(SettingsFor settings_for, const char* good) {
    check_channel<Channel>(settings_for, [=](const HttpSeen&) { return std::string{good}; });
}

/// What comes back with 200 from somebody on the way: a page to log in at, an empty answer, one cut in two.
inline constexpr const char* foreign_answers[] = {"<html><body>Welcome to the airport</body></html>", "",
                                                  R"([{"number":1,"bo)", "[[]]", R"({"login":"needed"})"};

}  // namespace heeler_test
