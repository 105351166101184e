// Who is told that a tool's watchdog is alive: systemd, if it started the tool, and a dead man's switch (`--ping`).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <heeler/core/vitals.hpp>
#include <heeler/notify/http/http_ping.hpp>
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
    LifeSigns(const std::string& url, std::function<void(const std::string&)> say) : say_{std::move(say)} {
        using namespace std::chrono_literals;
        if (!url.empty()) watch_.tell(60s, heeler::HttpPing{url});
        if (manager_.present()) {
            watch_.tell(1s, [this] { return ready(); });
            watch_.tell(5s, [this] { return manager_.status(status_); });
        }
        if (const auto every = manager_.alive_every()) watch_.tell(*every, [this] { return manager_.alive(); });
        is_used_ = manager_.present() || !url.empty();
    }
    LifeSigns(const LifeSigns&) = delete;
    LifeSigns& operator=(const LifeSigns&) = delete;

    template <class Dog>
    void note(Dog& dog, const heeler::CycleReport& report) {
        if (!is_used_) return;
        heeler::Vitals seen;
        seen.at = dog.clock().now();
        if (report.deliveries > 0) {
            seen = dog.vitals();
            status_ = status_of(seen);
        }
        for (const heeler::Error& error : watch_.note(report, seen.oldest_alert, seen.at.elapsed)) say_(error.message);
    }

    void stopping() {
        if (const auto told = manager_.stopping(); !told) say_(told.error().message);
    }

private:
    heeler::Result<void> ready() {
        if (is_ready_) return {};
        auto told = manager_.ready();
        is_ready_ = told.has_value();
        return told;
    }

    [[nodiscard]] static std::string status_of(const heeler::Vitals& seen) {
        const auto runs = std::accumulate(seen.runs.begin(), seen.runs.end(), std::uint64_t{0});
        return std::to_string(runs) + " runs watched, " + std::to_string(seen.open_incidents) + " incidents open, " +
               std::to_string(seen.alerts_pending) + " alerts waiting";
    }

    std::function<void(const std::string&)> say_;
    heeler::ServiceManager manager_ = heeler::ServiceManager::take_from_environment();
    heeler::SelfWatch watch_;
    std::string status_;  ///< written and sent by the thread that delivers
    bool is_ready_ = false;
    bool is_used_ = false;
};

}  // namespace common
