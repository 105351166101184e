// What whoever sits here sees of the watchdog.
#pragma once

#include <cstddef>
#include <cstdio>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include <unistd.h>

#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/notify/log_notifier.hpp>

namespace watch {

/// On a terminal a table with the newest news below it, drawn anew; otherwise a line for each piece of news.
/// Thread-safe.
class Screen {
public:
    void news(const std::string& line) {
        const std::lock_guard guard{lock_};
        if (!on_terminal_) {
            std::printf("%s\n", line.c_str());
            std::fflush(stdout);
            return;
        }
        newest_.push_back(line);
        if (newest_.size() > most_news) newest_.pop_front();
    }

    [[nodiscard]] bool on_terminal() const noexcept { return on_terminal_; }

    void draw(const std::string& table) const {
        const std::lock_guard guard{lock_};
        // Home, and clear from there on.
        std::printf("\x1b[H\x1b[J%s\n", table.c_str());
        for (const std::string& line : newest_) std::printf("%s\n", line.c_str());
        std::fflush(stdout);
    }

private:
    static constexpr std::size_t most_news = 12;

    mutable std::mutex lock_;
    std::deque<std::string> newest_;
    bool on_terminal_ = ::isatty(STDOUT_FILENO) == 1;
};

/// Where alerts are read by whoever sits here.
class Terminal {
public:
    static constexpr std::string_view name = "terminal";

    explicit Terminal(Screen& screen) : screen_{&screen} {}

    [[nodiscard]] heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        screen_->news(heeler::LogNotifier::line_of(alert));
        return heeler::Receipt{};
    }

private:
    Screen* screen_;
};

}  // namespace watch
