// What other threads have to tell the main loop, and the alerts of the watchdog on their way to people.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/posix/regular_file.hpp>

namespace supervise {

/// Lines that wait to be shown. Thread-safe.
class Postbox {
public:
    void put(std::string line) {
        const std::lock_guard<std::mutex> lock(mutex_);
        lines_.push_back(std::move(line));
    }

    [[nodiscard]] std::vector<std::string> take() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::exchange(lines_, {});
    }

private:
    std::mutex mutex_;
    std::vector<std::string> lines_;
};

/// Delivers an alert to the person at the terminal and to a log file; the file is the receipt. What cannot be written
/// is shown once, and tried again.
class PostboxNotifier {
public:
    static constexpr std::string_view name = "supervise";

    PostboxNotifier(std::shared_ptr<Postbox> postbox, heeler::FilePlace log)
        : postbox_(std::move(postbox)), log_(std::move(log)) {}

    heeler::Result<heeler::Receipt> send(const heeler::Alert& alert);

private:
    [[nodiscard]] heeler::Result<void> write(const heeler::Alert& alert, const std::string& line) const;

    std::shared_ptr<Postbox> postbox_;
    heeler::FilePlace log_;
    std::set<std::string> told_;  ///< keys of alerts that were shown and not written yet
};

}  // namespace supervise
