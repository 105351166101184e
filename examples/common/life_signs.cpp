#include "life_signs.hpp"

#include <chrono>
#include <cstdint>
#include <numeric>
#include <utility>

#include <heeler/notify/http/http_ping.hpp>

namespace common {

LifeSigns::LifeSigns(const std::string& url, std::function<void(const std::string&)> say) : say_{std::move(say)} {
    using namespace std::chrono_literals;
    if (!url.empty()) watch_.tell(60s, heeler::HttpPing{url});
    if (manager_.present()) {
        watch_.tell(1s, [this] { return ready(); });
        watch_.tell(5s, [this] { return manager_.status(status_); });
    }
    if (const auto every = manager_.alive_every()) watch_.tell(*every, [this] { return manager_.alive(); });
    is_used_ = manager_.present() || !url.empty();
}

void LifeSigns::stopping() {
    if (const auto told = manager_.stopping(); !told) say_(told.error().message);
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
