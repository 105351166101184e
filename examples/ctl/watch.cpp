#include "watch.hpp"

#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>

#include <unistd.h>

#include <heeler/clock/system_clock.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>

#include "print.hpp"
#include "status.hpp"

namespace ctl {

namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void note_interruption(int) { interrupted = 1; }

/// Ends early when it is interrupted.
void sleep_for(heeler::Duration length) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(length);
    const timespec rest{static_cast<std::time_t>(seconds.count()),
                        static_cast<long>(std::chrono::nanoseconds{length - seconds}.count())};
    ::nanosleep(&rest, nullptr);
}

}  // namespace

Quit watch_status(const Options& options, std::span<Store> stores) {
    std::signal(SIGINT, note_interruption);
    std::signal(SIGTERM, note_interruption);
    std::signal(SIGPIPE, SIG_IGN);
    const bool on_terminal = ::isatty(STDOUT_FILENO) == 1;
    while (interrupted == 0) {
        const heeler::Instant now = heeler::SystemClock{}.now();
        // Home, and clear from there on.
        if (on_terminal) std::fputs("\x1b[H\x1b[J", stdout);
        print(heeler::text::rfc3339(now.wall) + "\n");
        if (const Quit quit = show_status(options, stores, now); !quit.message.empty())
            print(heeler::text::one_line(quit.message, 4096) + "\n");
        if (std::fflush(stdout) != 0) return {};
        if (interrupted == 0) sleep_for(options.every);
    }
    return {};
}

}  // namespace ctl
