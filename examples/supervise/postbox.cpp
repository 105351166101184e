#include "postbox.hpp"

#include <cstdio>

#include <heeler/notify/log_notifier.hpp>
#include <heeler/text/duration.hpp>

namespace supervise {

heeler::Result<heeler::Receipt> PostboxNotifier::send(const heeler::Alert& alert) {
    const std::string line = heeler::LogNotifier::line_of(alert);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> log(std::fopen(log_.c_str(), "ae"), &std::fclose);
    const std::string row = heeler::rfc3339(alert.at) + " " + alert.key + " " + line + "\n";
    if (!log || std::fwrite(row.data(), 1, row.size(), log.get()) != row.size() || std::fflush(log.get()) != 0)
        return heeler::fail(heeler::ErrorCode::delivery_failed, "cannot write " + log_);
    postbox_->put("alert: " + line);
    return heeler::Receipt{};
}

}  // namespace supervise
