// Tells systemd, or whoever else set NOTIFY_SOCKET, that this process is ready, alive, or about to end. POSIX; no
// library.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/posix/file_descriptor.hpp>
#include <heeler/text/one_line.hpp>

namespace heeler::inline HEELER_ABI {

/// Each call sends one datagram and never waits. Without a socket they do nothing. Errors: `invalid_argument` for an
/// address that is none; `failed`: nobody listens, or is too slow. Any thread.
class ServiceManager {
public:
    /// `socket`: a path, or a name of Linux's abstract space after an `@`; empty: there is no manager. `watchdog`: how
    /// long it waits for a sign of life.
    explicit ServiceManager(std::string socket = {}, std::optional<Duration> watchdog = {})
        : socket_{std::move(socket)}, watchdog_{watchdog} {}

    /// As NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID say; then removes them, so that no agent speaks for this
    /// process. While there is one thread only.
    [[nodiscard]] static ServiceManager take_from_environment() {
        const std::string pid = taken("WATCHDOG_PID");
        const std::string length = taken("WATCHDOG_USEC");
        std::optional<Duration> watchdog;
        if (pid.empty() || pid == std::to_string(::getpid())) watchdog = microseconds_of(length);
        return ServiceManager{taken("NOTIFY_SOCKET"), watchdog};
    }

    [[nodiscard]] bool present() const noexcept { return !socket_.empty(); }

    /// How often to call `alive`: half of what the manager waits; absent: it does not watch.
    [[nodiscard]] std::optional<Duration> alive_every() const noexcept {
        if (!present() || !watchdog_) return std::nullopt;
        return *watchdog_ / 2;
    }

    Result<void> ready() const { return send("READY=1"); }
    Result<void> alive() const { return send("WATCHDOG=1"); }
    Result<void> stopping() const { return send("STOPPING=1"); }
    /// What it waits for, `ready` or the end of this process, takes so long from now, whatever limit was set: to be
    /// told again before that is over. Nothing is sent for no time at all.
    Result<void> extend(Duration length) const {
        const auto count = std::chrono::duration_cast<std::chrono::microseconds>(length).count();
        return count <= 0 ? Result<void>{} : send("EXTEND_TIMEOUT_USEC=" + std::to_string(count));
    }
    /// One line for people.
    Result<void> status(std::string_view text) const { return send("STATUS=" + text::one_line(text, 512)); }

private:
    [[nodiscard]] static std::string taken(const char* name) {
        const char* const value = std::getenv(name);
        std::string text = value == nullptr ? "" : value;
        ::unsetenv(name);
        return text;
    }

    [[nodiscard]] static std::optional<Duration> microseconds_of(const std::string& text) {
        if (text.empty() || text.size() > 15 || text.find_first_not_of("0123456789") != std::string::npos) return {};
        const std::chrono::microseconds length{std::strtoll(text.c_str(), nullptr, 10)};
        return length.count() == 0 ? std::nullopt : std::optional<Duration>{length};
    }

    Result<void> send(std::string_view text) const {
        if (!present()) return {};
        sockaddr_un to{};
        to.sun_family = AF_UNIX;
        const bool fits = socket_.size() > 1 && socket_.size() < sizeof to.sun_path;
        if (!fits || (socket_[0] != '/' && socket_[0] != '@'))
            return fail(ErrorCode::invalid_argument,
                        "NOTIFY_SOCKET must be an absolute path or `@name`, of less than 108 bytes");
        std::memcpy(to.sun_path, socket_.data(), socket_.size());
        if (socket_[0] == '@') to.sun_path[0] = '\0';
        const FileDescriptor from{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
        if (!from || ::sendto(from.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                              reinterpret_cast<const sockaddr*>(&to), size) < 0)
            return tl::unexpected<Error>(system_error("cannot tell the service manager", errno));
        return {};
    }

    std::string socket_;
    std::optional<Duration> watchdog_;
};

}  // namespace heeler::inline HEELER_ABI
