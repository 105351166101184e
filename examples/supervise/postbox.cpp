#include "postbox.hpp"

#include <cstdint>
#include <limits>

#include <heeler/notify/log_notifier.hpp>
#include <heeler/text/duration.hpp>

namespace supervise {

heeler::Result<heeler::Receipt> PostboxNotifier::send(const heeler::Alert& alert) {
    const std::string line = heeler::LogNotifier::line_of(alert);
    const std::string row = heeler::rfc3339(alert.at) + " " + alert.key + " " + line + "\n";
    const auto written = heeler::append_text(log_, row, std::numeric_limits<std::uint64_t>::max(), 0600);
    if (!written) return heeler::fail(heeler::ErrorCode::delivery_failed, written.error().message);
    postbox_->put("alert: " + line);
    return heeler::Receipt{};
}

}  // namespace supervise
