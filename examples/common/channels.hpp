// Where alerts go besides the terminal: what `--notify` names, for all tools alike.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/command_notifier.hpp>
#include <heeler/notify/email_notifier.hpp>
#include <heeler/notify/github_notifier.hpp>
#include <heeler/notify/slack_notifier.hpp>
#include <heeler/notify/telegram_notifier.hpp>
#include <heeler/notify/webhook_notifier.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/redact.hpp>

#include "own_environment.hpp"
#include "own_machine.hpp"

namespace common {

inline constexpr const char* notify_help =
    "Where alerts go as well, also several: telegram:CHAT (HEELER_TELEGRAM_TOKEN), slack (HEELER_SLACK_URL), "
    "webhook:URL (signed with HEELER_WEBHOOK_SECRET), github:OWNER/REPO (HEELER_GITHUB_TOKEN), email:ADDRESS "
    "(HEELER_SMTP_SERVER, _FROM, _USER, _PASSWORD), command:PROGRAM (which reads JSON). Secrets come from the "
    "environment alone";

/// The channels that were asked for. An alert goes to all of them; one that has it is not asked again for it.
class Channels {
public:
    static constexpr std::string_view name = "channels";

    /// `say` is called with a line when a channel fails, at the attempts 1, 2, 4, 8 and so on.
    void tell(std::function<void(const std::string&)> say) { say_ = std::move(say); }

    /// How chats word an alert; for channels that are added later.
    void format(heeler::AlertFormat wording) noexcept { wording_ = wording; }

    [[nodiscard]] bool empty() const noexcept { return channels_.empty(); }

    /// Error: what is wrong with it, and what to set.
    [[nodiscard]] heeler::Result<void> add(const std::string& spec) {
        const std::size_t colon = spec.find(':');
        const std::string kind = spec.substr(0, colon);
        const std::string rest = colon == std::string::npos ? "" : spec.substr(colon + 1);
        if (kind == "telegram") return add_telegram(rest);
        if (kind == "slack" && rest.empty()) return add_slack();
        if (kind == "webhook") return add_webhook(rest);
        if (kind == "github") return add_github(rest);
        if (kind == "email") return add_email(rest);
        if (kind == "command" && !rest.empty())
            return keep(spec, heeler::CommandNotifier{{{rest}, std::chrono::seconds{30}}});
        return wrong("'" + heeler::redact(spec) +
                     "' must be telegram:CHAT, slack, webhook:URL, github:OWNER/REPO, "
                     "email:ADDRESS or command:PROGRAM");
    }

    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        heeler::Receipt receipt{0};
        heeler::Result<heeler::Receipt> failed{receipt};
        for (Channel& channel : channels_) {
            if (channel.taken.count(alert.key) != 0) {
                receipt.add({1, {channel.spec}}, channel.spec);
                continue;
            }
            auto answer = heeler::detail::guarded(heeler::ErrorCode::delivery_failed, channel.spec,
                                                  [&] { return channel.send(alert); });
            if (answer && answer->recipients == 0)
                answer = heeler::fail(heeler::ErrorCode::no_recipient, channel.spec + ": nobody listens on this route");
            if (answer) {
                receipt.add(*std::move(answer), channel.spec);
                channel.taken.insert(alert.key);
                continue;
            }
            // What may be mended by trying again counts for more than what may not.
            if (failed || failed.error().code == heeler::ErrorCode::permanent) failed = std::move(answer);
            if (say_ && !failed && is_told_at(alert.attempt)) say_("not delivered: " + failed.error().message);
        }
        // Nobody has it, or somebody who does not may still get it.
        const bool is_over = failed.has_value() || failed.error().code == heeler::ErrorCode::permanent;
        if (!failed && (receipt.recipients == 0 || !is_over)) return failed;
        for (Channel& channel : channels_) channel.taken.erase(alert.key);
        return receipt;
    }

private:
    struct Channel {
        std::string spec;
        std::function<heeler::Result<heeler::Receipt>(const heeler::Alert&)> send;
        std::set<std::string> taken{};  ///< keys of alerts that others still try to deliver
    };

    [[nodiscard]] static bool is_told_at(std::uint32_t attempt) noexcept { return (attempt & (attempt - 1)) == 0; }

    [[nodiscard]] static tl::unexpected<heeler::Error> wrong(std::string why) {
        return heeler::fail(heeler::ErrorCode::invalid_argument, "--notify " + std::move(why));
    }

    template <class Notifier>
    heeler::Result<void> keep(const std::string& spec, Notifier notifier) {
        auto shared = std::make_shared<Notifier>(std::move(notifier));
        channels_.push_back({spec, [shared](const heeler::Alert& alert) { return shared->send(alert); }});
        return {};
    }

    [[nodiscard]] heeler::Result<void> add_telegram(const std::string& chat) {
        heeler::TelegramSettings settings;
        settings.token = from_environment("HEELER_TELEGRAM_TOKEN");
        settings.chat = chat;
        settings.format = wording_;
        if (const std::string api = from_environment("HEELER_TELEGRAM_API"); !api.empty()) settings.api = api;
        if (settings.token.empty()) return wrong("telegram: set HEELER_TELEGRAM_TOKEN to the bot's token");
        if (chat.empty()) return wrong("telegram: which chat? telegram:NUMBER or telegram:@NAME");
        return keep("telegram", heeler::TelegramNotifier{std::move(settings)});
    }

    [[nodiscard]] heeler::Result<void> add_slack() {
        heeler::SlackSettings settings;
        settings.url = from_environment("HEELER_SLACK_URL");
        settings.format = wording_;
        if (settings.url.empty()) return wrong("slack: set HEELER_SLACK_URL to the incoming webhook");
        return keep("slack", heeler::SlackNotifier{std::move(settings)});
    }

    [[nodiscard]] heeler::Result<void> add_webhook(const std::string& url) {
        heeler::WebhookSettings settings;
        settings.url = url;
        settings.secret = from_environment("HEELER_WEBHOOK_SECRET");
        if (!url.starts_with("https://") && !url.starts_with("http://"))
            return wrong("webhook: the address must begin with https:// or http://");
        return keep("webhook", heeler::WebhookNotifier{std::move(settings)});
    }

    [[nodiscard]] heeler::Result<void> add_github(const std::string& repository) {
        heeler::GithubSettings settings;
        settings.repository = repository;
        settings.token = from_environment("HEELER_GITHUB_TOKEN");
        if (const std::string api = from_environment("HEELER_GITHUB_API"); !api.empty()) settings.api = api;
        if (repository.find('/') == std::string::npos) return wrong("github: which repository? github:OWNER/REPO");
        if (settings.token.empty()) return wrong("github: set HEELER_GITHUB_TOKEN to a token that may write issues");
        return keep("github", heeler::GithubNotifier{std::move(settings)});
    }

    [[nodiscard]] heeler::Result<void> add_email(const std::string& to) {
        heeler::EmailSettings settings;
        settings.server = from_environment("HEELER_SMTP_SERVER");
        settings.from = from_environment("HEELER_SMTP_FROM");
        settings.user = from_environment("HEELER_SMTP_USER");
        settings.password = from_environment("HEELER_SMTP_PASSWORD");
        settings.in_clear = is_on_own_machine(settings.server);
        settings.to = {to};
        settings.format = wording_;
        if (settings.server.empty() || settings.from.empty())
            return wrong("email: set HEELER_SMTP_SERVER (smtps://HOST) and HEELER_SMTP_FROM (an address)");
        return keep("email", heeler::EmailNotifier{std::move(settings)});
    }

    std::vector<Channel> channels_;
    std::function<void(const std::string&)> say_;
    heeler::AlertFormat wording_ = &heeler::format_alert;
};

/// First the tool's own outlet, once; then the channels, whose receipt counts if there are any.
template <class Local>
class WithChannels {
public:
    static constexpr std::string_view name = Local::name;

    WithChannels(Local local, Channels channels) : local_{std::move(local)}, channels_{std::move(channels)} {}

    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        if (channels_.empty()) return local_.send(alert);
        heeler::Result<heeler::Receipt> local{};
        if (shown_.count(alert.key) == 0) {
            local = local_.send(alert);
            if (local) shown_.insert(alert.key);
        }
        auto answer = channels_.send(alert);
        if (!answer) return answer;
        if (local) shown_.erase(alert.key);
        return local ? answer : local;
    }

private:
    Local local_;
    Channels channels_;
    std::set<std::string> shown_;  ///< keys of alerts that the channels do not have yet
};

}  // namespace common
