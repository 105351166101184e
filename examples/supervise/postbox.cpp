#include "postbox.hpp"

#include <cstdint>
#include <limits>

#include <heeler/notify/log_notifier.hpp>

namespace supervise {

heeler::Result<void> PostboxNotifier::write(const heeler::Alert& alert, const std::string& line) const {
    const std::string row = line + "; key: " + alert.key + "\n";
    return heeler::append_text(log_, row, std::numeric_limits<std::uint64_t>::max(), 0600);
}

heeler::Result<heeler::Receipt> PostboxNotifier::send(const heeler::Alert& alert) {
    const std::string line = heeler::LogNotifier::line_of(alert);
    if (const auto written = write(alert, line); !written) {
        const std::string& why = written.error().message;
        if (told_.insert(alert.key).second) postbox_->put("alert (" + why + "): " + line);
        return heeler::fail(heeler::ErrorCode::delivery_failed, why);
    }
    if (told_.erase(alert.key) == 0) postbox_->put("alert: " + line);
    return heeler::Receipt{};
}

}  // namespace supervise
