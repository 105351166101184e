#include "life_signs.hpp"

#include <chrono>
#include <cstdint>
#include <numeric>
#include <utility>

#include <heeler/notify/http/http_ping.hpp>

namespace common {

namespace {

using namespace std::chrono_literals;

constexpr heeler::Duration first_cycle = 3min;     ///< it reads what the store has kept
constexpr heeler::Duration next_cycle = 1min;      ///< the store may not be there yet
constexpr heeler::Duration longest_start = 10min;  ///< then systemd's own limit counts: to start anew may help
constexpr heeler::Duration last_cycle = 2min;      ///< what is left is stored, and alerts are tried for a minute

}  // namespace

LifeSigns::LifeSigns(const std::string& url, std::function<void(const std::string&)> say) : say_{std::move(say)} {
    if (!url.empty()) watch_.tell(60s, heeler::HttpPing{url});
    if (manager_.present()) {
        watch_.tell(1s, [this] { return ready(); });
        watch_.tell(5s, [this] { return manager_.status(status_); });
    }
    if (const auto every = manager_.alive_every()) watch_.tell(*every, [this] { return manager_.alive(); });
    is_used_ = manager_.present() || !url.empty();
    if (const auto told = manager_.extend(first_cycle); !told) say_(told.error().message);
}

void LifeSigns::stopping() {
    auto told = manager_.stopping();
    if (told) told = manager_.extend(last_cycle);
    if (!told) say_(told.error().message);
}

void LifeSigns::extend_start(heeler::Elapsed now) {
    if (is_ready_ || !manager_.present()) return;
    if (!began_) began_ = now;
    if (now - *began_ >= longest_start || (extend_at_ && now < *extend_at_)) return;
    extend_at_ = now + next_cycle / 4;
    if (const auto told = manager_.extend(next_cycle); !told) say_(told.error().message);
}

heeler::Result<void> LifeSigns::ready() {
    if (is_ready_) return {};
    auto told = manager_.ready();
    is_ready_ = told.has_value();
    return told;
}

std::string LifeSigns::status_of(const heeler::Vitals& seen) {
    const auto runs = std::accumulate(seen.runs.begin(), seen.runs.end(), std::uint64_t{0});
    return std::to_string(runs) + " runs watched, " + std::to_string(seen.open_incidents) + " incidents open, " +
           std::to_string(seen.alerts_pending) + " alerts waiting";
}

}  // namespace common
