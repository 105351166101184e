// Who is told that a tool's watchdog is alive: systemd, if it started the tool, and a dead man's switch (`--ping`).
// Compiled once for all of them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <heeler/core/events.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/core/vitals.hpp>
#include <heeler/report/self_alerts.hpp>
#include <heeler/report/self_watch.hpp>
#include <heeler/report/service_manager.hpp>

#include "own_environment.hpp"

namespace common {

inline constexpr const char* ping_help =
    "Called once a minute while the watchdog works: the URL of a dead man's switch, which raises the alarm when the "
    "calls stay away; better in HEELER_PING_URL, because others can read a command line. (systemd is told, too, if it "
    "set NOTIFY_SOCKET)";

/// What `--ping` names, else the environment.
[[nodiscard]] inline std::string ping_url(const std::string& option) {
    return option.empty() ? from_environment("HEELER_PING_URL") : option;
}

[[nodiscard]] inline bool is_ping_url(const std::string& url) {
    return url.empty() || url.starts_with("https://") || url.starts_with("http://");
}

/// Made while there is one thread, and before any agent is started. `note` may be called by two threads, as that of
/// `SelfWatch`.
class LifeSigns {
public:
    /// `url` may be empty. `say` is called with a line when nobody could be told.
    LifeSigns(const std::string& url, std::function<void(const std::string&)> say);
    LifeSigns(const LifeSigns&) = delete;
    LifeSigns& operator=(const LifeSigns&) = delete;

    template <class Dog>
    void note(Dog& dog, const heeler::CycleReport& report) {
        if (!is_used_) return;
        heeler::Vitals seen;
        seen.at = dog.clock().now();
        if (report.deliveries > 0) extend_start(seen.at.elapsed);
        if (report.deliveries > 0) {
            seen = dog.vitals();
            status_ = status_of(seen);
        }
        for (heeler::Alert& alert : alerts_.note(report, seen)) dog.say(std::move(alert));
        for (const heeler::Error& error : watch_.note(report, seen.oldest_alert, seen.at.elapsed)) say_(error.message);
    }

    /// What is left to be stored and told may take a while from here on.
    void stopping();

private:
    heeler::Result<void> ready();
    /// While there is no healthy cycle yet, but cycles.
    void extend_start(heeler::Elapsed now);

    [[nodiscard]] static std::string status_of(const heeler::Vitals& seen);

    std::function<void(const std::string&)> say_;
    heeler::ServiceManager manager_ = heeler::ServiceManager::take_from_environment();
    heeler::SelfWatch watch_;
    heeler::SelfAlerts alerts_;
    std::string status_;                                ///< written and sent by the thread that delivers
    std::optional<heeler::Elapsed> began_, extend_at_;  ///< of the thread that delivers
    bool is_ready_ = false;
    bool is_used_ = false;
};

}  // namespace common
