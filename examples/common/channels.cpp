#include "channels.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <heeler/core/guard.hpp>
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

#include "nearest.hpp"
#include "own_environment.hpp"
#include "own_machine.hpp"

namespace common {

namespace {

bool is_told_at(std::uint32_t attempt) noexcept { return (attempt & (attempt - 1)) == 0; }

tl::unexpected<heeler::Error> wrong(std::string why) {
    return heeler::fail(heeler::ErrorCode::invalid_argument, "--notify " + std::move(why));
}

}  // namespace

heeler::Result<Channels> Channels::named(const std::vector<std::string>& specs, Say say, heeler::AlertFormat wording) {
    Channels channels;
    channels.say_ = std::move(say);
    channels.wording_ = wording;
    for (const std::string& spec : specs)
        if (const auto added = channels.add(spec); !added) return tl::unexpected<heeler::Error>(added.error());
    return channels;
}

heeler::Result<void> Channels::add(const std::string& spec) {
    auto added = make(spec);
    // Two of one kind are two, whatever their order is next time.
    if (added) channels_.back().id = channels_.back().name + '#' + heeler::text::sha256_hex(spec).substr(0, 8);
    return added;
}

heeler::Result<heeler::Receipt> Channels::send(const heeler::Alert& alert) {
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

std::vector<std::string> Channels::ids() const {
    std::vector<std::string> ids;
    for (const Channel& channel : channels_) ids.push_back(channel.id);
    return ids;
}

template <class Notifier>
heeler::Result<void> Channels::keep(const std::string& shown, Notifier notifier) {
    // Whoever ends waits for all of them at once, and not here for one after the other.
    heeler::BackgroundSettings settings;
    settings.at_end = {};
    auto shared = std::make_shared<heeler::InBackground<Notifier>>(std::move(notifier), settings);
    channels_.push_back({shown, [shared](const heeler::Alert& alert) { shared->begin(alert); },
                         [shared](const heeler::Alert& alert) { return shared->send(alert); }});
    return {};
}

heeler::Result<void> Channels::make(const std::string& spec) {
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
    return wrong("'" + heeler::text::redact(spec) +
                 "' must be telegram:CHAT, slack, webhook, webhook:URL, github:OWNER/REPO, "
                 "email:ADDRESS or command:PROGRAM" +
                 did_you_mean(kind, {"telegram", "slack", "webhook", "github", "email", "command"}));
}

heeler::Result<void> Channels::add_telegram(const std::string& chat) {
    heeler::TelegramSettings settings;
    settings.token = from_environment("HEELER_TELEGRAM_TOKEN");
    settings.chat = chat;
    settings.format = wording_;
    if (const std::string api = from_environment("HEELER_TELEGRAM_API"); !api.empty()) settings.api = api;
    if (settings.token.empty()) return wrong("telegram: set HEELER_TELEGRAM_TOKEN to the bot's token");
    if (chat.empty()) return wrong("telegram: which chat? telegram:NUMBER or telegram:@NAME");
    return keep("telegram", heeler::TelegramNotifier{std::move(settings)});
}

heeler::Result<void> Channels::add_slack() {
    heeler::SlackSettings settings;
    settings.url = from_environment("HEELER_SLACK_URL");
    settings.format = wording_;
    if (settings.url.empty()) return wrong("slack: set HEELER_SLACK_URL to the incoming webhook");
    return keep("slack", heeler::SlackNotifier{std::move(settings)});
}

heeler::Result<void> Channels::add_webhook(const std::string& url) {
    heeler::WebhookSettings settings;
    settings.url = url.empty() ? from_environment("HEELER_WEBHOOK_URL") : url;
    settings.secret = from_environment("HEELER_WEBHOOK_SECRET");
    if (settings.url.empty()) return wrong("webhook: set HEELER_WEBHOOK_URL to the address");
    if (!settings.url.starts_with("https://") && !settings.url.starts_with("http://"))
        return wrong("webhook: the address must begin with https:// or http://");
    return keep("webhook", heeler::WebhookNotifier{std::move(settings)});
}

heeler::Result<void> Channels::add_github(const std::string& repository) {
    heeler::GithubSettings settings;
    settings.repository = repository;
    settings.token = from_environment("HEELER_GITHUB_TOKEN");
    if (const std::string api = from_environment("HEELER_GITHUB_API"); !api.empty()) settings.api = api;
    if (repository.find('/') == std::string::npos) return wrong("github: which repository? github:OWNER/REPO");
    if (settings.token.empty()) return wrong("github: set HEELER_GITHUB_TOKEN to a token that may write issues");
    return keep("github", heeler::GithubNotifier{std::move(settings)});
}

heeler::Result<void> Channels::add_email(const std::string& to) {
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

}  // namespace common
