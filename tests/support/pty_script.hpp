// A shell script in a terminal of its own.
#pragma once

#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <heeler/agent/terminal_input.hpp>

#include "catch.hpp"
#include "real_process.hpp"

namespace heeler_test {

class PtyScript {
public:
    explicit PtyScript(const std::string& script) : terminal{heeler::FileDescriptor(open_pty())} {
        const std::string name = ::ptsname(terminal.descriptor().get());
        pid = ::fork();
        REQUIRE(pid >= 0);
        if (pid > 0) return;
        ::setsid();
        const int tty = ::open(name.c_str(), O_RDWR);
        ::ioctl(tty, TIOCSCTTY, 0);
        for (int number = 0; number < 3; ++number) ::dup2(tty, number);
        ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
        ::_exit(127);
    }
    PtyScript(const PtyScript&) = delete;
    PtyScript& operator=(const PtyScript&) = delete;
    ~PtyScript() {
        ::kill(-pid, SIGKILL);
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }

    /// Whether it shows this in time.
    [[nodiscard]] bool shows(std::string_view text, std::chrono::milliseconds limit = std::chrono::seconds(60)) {
        return wait_for(
            [&] {
                char chunk[4096];
                for (ssize_t size = 0; (size = ::read(terminal.descriptor().get(), chunk, sizeof chunk)) > 0;)
                    seen.append(chunk, static_cast<std::size_t>(size));
                return seen.find(text) != std::string::npos;
            },
            limit);
    }

    heeler::PtyTerminal terminal;
    pid_t pid = -1;
    std::string seen;

private:
    [[nodiscard]] static int open_pty() {
        const int pty = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        ::grantpt(pty);
        ::unlockpt(pty);
        return pty;
    }
};

}  // namespace heeler_test
