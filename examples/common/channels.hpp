// Where alerts go besides the terminal: what `--notify` names, for all tools alike.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/all_of.hpp>
#include <heeler/notify/command_notifier.hpp>
#include <heeler/notify/email_notifier.hpp>
#include <heeler/notify/github_notifier.hpp>
#include <heeler/notify/in_background.hpp>
#include <heeler/notify/slack_notifier.hpp>
#include <heeler/notify/telegram_notifier.hpp>
#include <heeler/notify/webhook_notifier.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sha256.hpp>

#include "own_environment.hpp"
#include "own_machine.hpp"

namespace common {

inline constexpr const char* notify_help =
    "Where alerts go as well, also several: telegram:CHAT (HEELER_TELEGRAM_TOKEN), slack (HEELER_SLACK_URL), "
    "webhook (HEELER_WEBHOOK_URL, or webhook:URL; signed with HEELER_WEBHOOK_SECRET), github:OWNER/REPO "
    "(HEELER_GITHUB_TOKEN), email:ADDRESS "
    "(HEELER_SMTP_SERVER, _FROM, _USER, _PASSWORD), command:PROGRAM (which reads JSON). Secrets come from the "
    "environment: others can read a command line";

/// The channels that were asked for, each with a thread of its own. An alert goes to all of them; one that has it is
/// not asked again for it, also by a later process (`heeler::Alert::taken`).
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
        auto added = make(spec);
        // Two of one kind are two, whatever their order is next time.
        if (added) channels_.back().id = channels_.back().name + '#' + heeler::sha256_hex(spec).substr(0, 8);
        return added;
    }

    /// Answers `under_way` while a channel is at it: ask again, with the same alert.
    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        heeler::EachOf each{alert};
        for (Channel& channel : channels_)
            if (!each.has(channel.id)) channel.begin(alert);
        for (Channel& channel : channels_) {
            const auto error = each.ask(channel.id, channel.name, channel.send);
            const bool failed = error && error->code != heeler::ErrorCode::under_way;
            if (say_ && failed && is_told_at(alert.attempt)) say_("not delivered: " + error->message);
        }
        return std::move(each).answer();
    }

    /// By what an alert names them as its takers.
    [[nodiscard]] std::vector<std::string> ids() const {
        std::vector<std::string> ids;
        for (const Channel& channel : channels_) ids.push_back(channel.id);
        return ids;
    }

private:
    struct Channel {
        std::string name;
        std::function<void(const heeler::Alert&)> begin;
        std::function<heeler::Result<heeler::Receipt>(const heeler::Alert&)> send;
        std::string id{};
    };

    [[nodiscard]] heeler::Result<void> make(const std::string& spec) {
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
                     "' must be telegram:CHAT, slack, webhook, webhook:URL, github:OWNER/REPO, "
                     "email:ADDRESS or command:PROGRAM");
    }

    [[nodiscard]] static bool is_told_at(std::uint32_t attempt) noexcept { return (attempt & (attempt - 1)) == 0; }

    [[nodiscard]] static tl::unexpected<heeler::Error> wrong(std::string why) {
        return heeler::fail(heeler::ErrorCode::invalid_argument, "--notify " + std::move(why));
    }

    template <class Notifier>
    heeler::Result<void> keep(const std::string& shown, Notifier notifier) {
        // Whoever ends waits for all of them at once, and not here for one after the other.
        heeler::BackgroundSettings settings;
        settings.at_end = {};
        auto shared = std::make_shared<heeler::InBackground<Notifier>>(std::move(notifier), settings);
        channels_.push_back({shown, [shared](const heeler::Alert& alert) { shared->begin(alert); },
                             [shared](const heeler::Alert& alert) { return shared->send(alert); }});
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
        settings.url = url.empty() ? from_environment("HEELER_WEBHOOK_URL") : url;
        settings.secret = from_environment("HEELER_WEBHOOK_SECRET");
        if (settings.url.empty()) return wrong("webhook: set HEELER_WEBHOOK_URL to the address");
        if (!settings.url.starts_with("https://") && !settings.url.starts_with("http://"))
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

/// First the tool's own outlet, then the channels, whose receipt counts if there are any. Each has it or is asked
/// again.
template <class Local>
class WithChannels {
public:
    static constexpr std::string_view name = Local::name;

    WithChannels(Local local, Channels channels) : local_{std::move(local)}, channels_{std::move(channels)} {}

    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        const std::string here{name};
        const bool known = std::find(alert.taken.begin(), alert.taken.end(), here) != alert.taken.end();
        if (channels_.empty() && known)
            return heeler::fail(heeler::ErrorCode::no_recipient, "it waits for a channel that --notify does not name");
        if (channels_.empty()) return local_.send(alert);
        heeler::Result<heeler::Receipt> local{};
        if (!known) local = local_.send(alert);
        auto answer = channels_.send(alert);
        if (local && answer) return answer;
        if (answer) local.error().taken = channels_.ids();
        if (local) answer.error().taken.push_back(here);
        return answer ? local : answer;
    }

private:
    Local local_;
    Channels channels_;
};

}  // namespace common
