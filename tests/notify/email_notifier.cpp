#include <heeler/notify/email_notifier.hpp>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <heeler/testing/contract/notifier_contract.hpp>

#include "support/catch.hpp"
#include "support/loopback.hpp"

using heeler::EmailNotifier;
using heeler::EmailSettings;
using heeler::ErrorCode;

namespace {

/// A mail server that takes what it is given, but for some recipients.
class FakeSmtp {
public:
    struct Mail {
        std::string from{}, to{}, text{};
    };

    explicit FakeSmtp(std::set<std::string> refused = {}, std::string refusal = "550 no such user")
        : refused_{std::move(refused)}, refusal_{std::move(refusal)} {}

    [[nodiscard]] std::string url() const { return "smtp://127.0.0.1:" + std::to_string(server_.port()); }
    [[nodiscard]] std::vector<Mail> mails() const {
        const std::lock_guard guard{lock_};
        return mails_;
    }

private:
    void talk(int socket, const std::atomic<bool>& over) {
        std::string text;
        Mail mail;
        const auto say = [&](const std::string& line) { return heeler_test::write_all(socket, line + "\r\n"); };
        if (!say("220 mail.example.org")) return;
        while (true) {
            std::size_t end = 0;
            while ((end = text.find("\r\n")) == std::string::npos)
                if (!heeler_test::read_more(socket, text, over)) return;
            const std::string line = text.substr(0, end);
            text.erase(0, end + 2);
            if (line.compare(0, 4, "EHLO") == 0) {
                say("250 mail.example.org");
            } else if (line.compare(0, 10, "MAIL FROM:") == 0) {
                mail = {line.substr(10), {}, {}};
                say("250 ok");
            } else if (line.compare(0, 8, "RCPT TO:") == 0) {
                mail.to = line.substr(8);
                say(refused_.count(mail.to) != 0 ? refusal_ : "250 ok");
            } else if (line == "DATA") {
                say("354 go on");
                while ((end = text.find("\r\n.\r\n")) == std::string::npos)
                    if (!heeler_test::read_more(socket, text, over)) return;
                mail.text = text.substr(0, end);
                text.erase(0, end + 5);
                {
                    const std::lock_guard guard{lock_};
                    mails_.push_back(mail);
                }
                say("250 queued");
            } else if (line == "QUIT") {
                say("221 bye");
                return;
            } else {
                say("250 ok");
            }
        }
    }

    std::set<std::string> refused_;
    std::string refusal_;
    mutable std::mutex lock_;
    std::vector<Mail> mails_;
    heeler_test::LoopbackServer server_{[this](int socket, const auto& over) { talk(socket, over); }};
};

EmailSettings email_settings(const std::string& server, std::vector<std::string> to = {"ada@example.org"}) {
    EmailSettings settings;
    settings.server = server;
    settings.from = "heeler@example.org";
    settings.to = std::move(to);
    settings.in_clear = true;
    settings.transfer.timeout = std::chrono::milliseconds{800};
    return settings;
}

std::string line_of(const std::string& mail, const std::string& header) {
    const std::size_t at = ("\r\n" + mail).find("\r\n" + header + ": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + header.size() + 2;
    return mail.substr(begin, mail.find("\r\n", begin) - begin);
}

}  // namespace

TEST_CASE("e-mail keeps the contract of notifiers") {
    const FakeSmtp server;
    EmailNotifier email{email_settings(server.url())};
    heeler::notifier_contract::check_delivering(email);
    for (const auto& mail : server.mails()) {
        CHECK(mail.text.size() < 600'000);
        for (std::size_t at = 0; at < mail.text.size();) {
            const std::size_t end = std::min(mail.text.find("\r\n", at), mail.text.size());
            CHECK(end - at <= 998);
            at = end + 2;
        }
    }
    EmailNotifier nobody{email_settings("smtp://127.0.0.1:1")};
    heeler::notifier_contract::check_failing(nobody);
}

TEST_CASE("a mail is one of a conversation about its run, and repeated the same") {
    const FakeSmtp server;
    EmailNotifier email{email_settings(server.url())};
    heeler::Alert alert = heeler::notifier_contract::example_alert();
    alert.summary = "l\xC3\xA4uft nicht:\r\nBcc: eve@example.org " + std::string(300, 'x');
    alert.at = heeler::WallTime{std::chrono::sys_days{std::chrono::year{2026} / 11 / 9} + std::chrono::hours{10}};
    REQUIRE(email.send(alert));
    REQUIRE(email.send(alert));
    alert.key = "another";
    REQUIRE(email.send(alert));
    const auto mails = server.mails();
    REQUIRE(mails.size() == 3);
    CHECK(mails[0].from == "<heeler@example.org>");
    CHECK(mails[0].to == "<ada@example.org>");
    CHECK(line_of(mails[0].text, "Date") == "Mon, 09 Nov 2026 10:00:00 +0000");
    CHECK(line_of(mails[0].text, "Subject").compare(0, 10, "=?UTF-8?B?") == 0);
    CHECK(line_of(mails[0].text, "Bcc").empty());
    CHECK(line_of(mails[0].text, "Message-ID") == line_of(mails[1].text, "Message-ID"));
    CHECK(line_of(mails[0].text, "Message-ID") != line_of(mails[2].text, "Message-ID"));
    CHECK(line_of(mails[0].text, "References") == line_of(mails[2].text, "References"));
    std::string body = mails[0].text.substr(mails[0].text.find("\r\n\r\n") + 4);
    std::erase_if(body, [](char c) { return c == '\r' || c == '\n'; });
    CHECK_THAT(heeler::text::from_base64(body).value_or(""), ContainsSubstring("no progress in 2 intervals"));
}

TEST_CASE("a recipient that was removed hinders nobody else") {
    const FakeSmtp server{{"<gone@example.org>"}};
    {
        EmailNotifier both{email_settings(server.url(), {"gone@example.org", "ada@example.org"})};
        const auto receipt = both.send(heeler::notifier_contract::example_alert());
        REQUIRE(receipt);
        CHECK(receipt->recipients == 1);
    }
    EmailNotifier one{email_settings(server.url(), {"gone@example.org"})};
    CHECK(one.send(heeler::notifier_contract::example_alert()).error().code == ErrorCode::permanent);
    const FakeSmtp full{{"<ada@example.org>"}, "452 too many messages"};
    EmailNotifier later{email_settings(full.url())};
    CHECK(later.send(heeler::notifier_contract::example_alert()).error().code == ErrorCode::delivery_failed);
}

TEST_CASE("what a mail cannot be sent with is said, and nothing is sent in clear unless it may be") {
    const FakeSmtp server;
    const auto refused = [&](EmailSettings settings) {
        auto answer = EmailNotifier{std::move(settings)}.send(heeler::notifier_contract::example_alert());
        REQUIRE_FALSE(answer);
        return answer.error();
    };
    EmailSettings settings = email_settings(server.url());
    settings.in_clear = false;
    static_cast<void>(refused(settings));
    CHECK(server.mails().empty());
    CHECK(refused(email_settings(server.url(), {})).code == ErrorCode::no_recipient);
    CHECK(refused(email_settings(server.url(), {"a@b>\r\nDATA"})).code == ErrorCode::permanent);
    CHECK(refused(email_settings("http://127.0.0.1:1")).code == ErrorCode::permanent);
    settings = email_settings(server.url());
    settings.from = "nobody";
    CHECK(refused(settings).code == ErrorCode::permanent);
}

TEST_CASE("what may be sent in clear to this machine is sent by no proxy of the environment") {
    const FakeSmtp server;
    std::atomic<int> asked{0};
    const heeler_test::LoopbackServer proxy{[&](int, const auto&) { ++asked; }};
    ::setenv("ALL_PROXY", ("http://127.0.0.1:" + std::to_string(proxy.port())).c_str(), 1);
    const auto sent = EmailNotifier{email_settings(server.url())}.send(heeler::notifier_contract::example_alert());
    ::unsetenv("ALL_PROXY");
    CHECK(sent);
    CHECK(server.mails().size() == 1);
    CHECK(asked == 0);
}
