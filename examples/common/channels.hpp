// Where alerts go besides the terminal: what `--notify` names, for all tools alike. Compiled once for all of them.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/alert/text.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>

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

    /// Hears a line when a channel fails, at the attempts 1, 2, 4, 8 and so on.
    using Say = std::function<void(const std::string&)>;

    /// What `--notify` named, or what is wrong with one of them, and what to set. `wording`: how chats word an alert.
    [[nodiscard]] static heeler::Result<Channels> named(const std::vector<std::string>& specs, Say say = {},
                                                        heeler::AlertFormat wording = &heeler::format_alert);

    [[nodiscard]] bool empty() const noexcept { return channels_.empty(); }

    /// Answers `under_way` while a channel is at it: ask again, with the same alert.
    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert& alert);

    /// By what an alert names them as its takers.
    [[nodiscard]] std::vector<std::string> ids() const;

private:
    struct Channel {
        std::string name;
        std::function<void(const heeler::Alert&)> begin;
        std::function<heeler::Result<heeler::Receipt>(const heeler::Alert&)> send;
        std::string id{};
    };

    [[nodiscard]] heeler::Result<void> add(const std::string& spec);
    [[nodiscard]] heeler::Result<void> make(const std::string& spec);
    template <class Notifier>
    heeler::Result<void> keep(const std::string& shown, Notifier notifier);
    [[nodiscard]] heeler::Result<void> add_telegram(const std::string& chat);
    [[nodiscard]] heeler::Result<void> add_slack();
    [[nodiscard]] heeler::Result<void> add_webhook(const std::string& url);
    [[nodiscard]] heeler::Result<void> add_github(const std::string& repository);
    [[nodiscard]] heeler::Result<void> add_email(const std::string& to);

    std::vector<Channel> channels_;
    Say say_;
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
