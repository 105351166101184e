// Runs a program of yours for each alert. POSIX.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heeler/alert/json.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>
#include <heeler/posix/child_process.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline HEELER_ABI {

struct CommandSettings {
    std::vector<std::string> argv{};              ///< the program (looked up in PATH) and its arguments; no shell
    Duration timeout = std::chrono::seconds{30};  ///< then it is killed with what it started
};

/// Starts the program for each alert, with `alert_json` and a line end on its standard input. Status 0 is a receipt; 64
/// (usage), 67 (no such user) and 78 (configuration), as sysexits.h names them, are `permanent`; all else is tried
/// again. What it wrote is shown with an error, its last 200 bytes. One thread at a time; waits for the program.
class CommandNotifier {
public:
    static constexpr std::string_view name = "command";

    explicit CommandNotifier(CommandSettings settings) : settings_{std::move(settings)} {}

    [[nodiscard]] Result<Receipt> send(const Alert& alert) {
        auto child = start_child({settings_.argv});
        if (!child) {
            const bool never = child.error().code == ErrorCode::invalid_argument;
            return fail(never ? ErrorCode::permanent : ErrorCode::delivery_failed, "command: " + child.error().message);
        }
        Talk talk{alert_json(alert) + "\n", std::chrono::steady_clock::now() + settings_.timeout, {}};
        const bool in_time = converse(*child, talk);
        if (!in_time) static_cast<void>(::kill(-child->identity.pgid, SIGKILL));
        int status = 0;
        while (::waitpid(child->identity.pid, &status, 0) < 0 && errno == EINTR) {
        }
        if (!in_time)
            return fail(ErrorCode::timed_out,
                        text::concat("command: ", settings_.argv.front(), " was not done in time and was ended"));
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Receipt{1, {std::string{name}}};
        return failure(status, talk.said);
    }

private:
    struct Talk {
        std::string rest;  ///< of what is to be said
        std::chrono::steady_clock::time_point until;
        std::string said;  ///< the end of what was answered
    };

    /// Until the program has closed its output and is over; false: the time ran out.
    [[nodiscard]] static bool converse(ChildProcess& child, Talk& talk) {
        while (!is_over(child.identity.pid)) {
            const auto left =
                std::chrono::ceil<std::chrono::milliseconds>(talk.until - std::chrono::steady_clock::now());
            if (left.count() <= 0) return false;
            pollfd ends[2] = {{child.output.get(), POLLIN, 0}, {child.input.get(), POLLOUT, 0}};
            // One that closed its output, or passed it on, is looked after all the same.
            const auto wait = std::min<std::int64_t>(left.count(), 50);
            static_cast<void>(::poll(ends, 2, static_cast<int>(wait)));
            if (child.input && ends[1].revents != 0) say(child, talk);
            if (child.output && ends[0].revents != 0) hear(child, talk);
        }
        hear(child, talk);
        return true;
    }

    /// Not yet collected, so that its number stays its own.
    [[nodiscard]] static bool is_over(pid_t pid) {
        siginfo_t info{};
        return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
    }

    static void say(ChildProcess& child, Talk& talk) {
        const ssize_t written = write_quietly(child.input, talk.rest);
        if (written > 0) talk.rest.erase(0, static_cast<std::size_t>(written));
        const bool later = written < 0 && (errno == EAGAIN || errno == EINTR);
        if (talk.rest.empty() || (written < 0 && !later)) child.input.close();
    }

    static void hear(ChildProcess& child, Talk& talk) {
        char chunk[4096];
        for (int i = 0; i < 64 && child.output; ++i) {
            const ssize_t read = ::read(child.output.get(), chunk, sizeof chunk);
            if (read < 0) return;
            if (read == 0) return child.output.close();
            talk.said.append(chunk, static_cast<std::size_t>(read));
            if (talk.said.size() > 4096) talk.said.erase(0, talk.said.size() - 2048);
        }
    }

    [[nodiscard]] tl::unexpected<Error> failure(int status, const std::string& said) const {
        const int number = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        const bool never = number == 64 || number == 67 || number == 78;
        std::string message = text::concat("command: ", settings_.argv.front(), " ended with ", std::to_string(number));
        const std::string safe = text::redact(said);  // before it is cut: half a secret is not recognised
        if (!safe.empty()) text::append(message, ": ", text::one_line(text::utf8_tail(safe, 200), 200));
        return fail(never ? ErrorCode::permanent : ErrorCode::delivery_failed, std::move(message));
    }

    CommandSettings settings_;
};

}  // namespace heeler::inline HEELER_ABI
