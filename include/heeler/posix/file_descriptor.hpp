// Owned POSIX file descriptors and pipes that no other command inherits; for adapters that talk to the system directly.
#pragma once

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

/// A file descriptor that is closed with its owner. One thread at a time.
class FileDescriptor {
public:
    FileDescriptor() noexcept = default;
    explicit FileDescriptor(int number) noexcept : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        if (this != &other) {
            close();
            number_ = std::exchange(other.number_, -1);
        }
        return *this;
    }
    ~FileDescriptor() { close(); }

    [[nodiscard]] int get() const noexcept { return number_; }
    [[nodiscard]] explicit operator bool() const noexcept { return number_ >= 0; }

    void close() noexcept {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }

private:
    int number_ = -1;
};

/// `what` followed by the text of `number` (an errno value).
[[nodiscard]] inline Error system_error(std::string_view what, int number, ErrorCode code = ErrorCode::failed) {
    char text[128] = {};
#if defined(__GLIBC__)
    const char* const said = ::strerror_r(number, text, sizeof text);
#else
    ::strerror_r(number, text, sizeof text);
    const char* const said = text;
#endif
    return Error{code, std::string(what) + ": " + said};
}

struct Pipe {
    FileDescriptor reader;
    FileDescriptor writer;
};

namespace detail {

/// Moves a descriptor above the three standard ones and marks it close-on-exec, so that `dup2` never meets itself.
[[nodiscard]] inline FileDescriptor lifted(int number) {
    if (number < 0) return {};
    const FileDescriptor given(number);
    return FileDescriptor(::fcntl(number, F_DUPFD_CLOEXEC, 3));
}

}  // namespace detail

/// A pipe whose ends are close-on-exec.
[[nodiscard]] inline Result<Pipe> make_pipe() {
    int ends[2] = {-1, -1};
#if defined(__linux__)
    const int made = ::pipe2(ends, O_CLOEXEC);
#else
    const int made = ::pipe(ends);
#endif
    if (made != 0) return tl::unexpected<Error>(system_error("cannot create a pipe", errno));
    Pipe pipe{detail::lifted(ends[0]), detail::lifted(ends[1])};
    if (!pipe.reader || !pipe.writer) return tl::unexpected<Error>(system_error("cannot create a pipe", errno));
    return pipe;
}

/// Makes reads and writes return at once. Only for a descriptor that no other process shares.
inline void set_non_blocking(const FileDescriptor& descriptor) noexcept {
    const int flags = ::fcntl(descriptor.get(), F_GETFL);
    ::fcntl(descriptor.get(), F_SETFL, flags | O_NONBLOCK);
}

/// `write`, but a reader that is gone is the errno EPIPE and never a signal to this process.
[[nodiscard]] inline ssize_t write_quietly(const FileDescriptor& descriptor, std::string_view text) noexcept {
    sigset_t broken_pipe;
    sigset_t before;
    sigset_t pending;
    ::sigemptyset(&broken_pipe);
    ::sigaddset(&broken_pipe, SIGPIPE);
    ::sigpending(&pending);
    const bool was_pending = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
    const ssize_t written = ::write(descriptor.get(), text.data(), text.size());
    const int number = errno;
    ::sigpending(&pending);
    if (written < 0 && number == EPIPE && !was_pending && ::sigismember(&pending, SIGPIPE) == 1) {
        int taken = 0;
        ::sigwait(&broken_pipe, &taken);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = number;
    return written;
}

/// Writes all of `rest` to a non-blocking descriptor. Errors: `rejected` if nobody reads or there is no room at all,
/// `timed_out` if there was no more room for `patience` in the middle.
[[nodiscard]] inline Result<void> write_within(const FileDescriptor& descriptor, std::string_view rest,
                                               std::chrono::milliseconds patience) {
    const std::size_t whole = rest.size();
    while (!rest.empty()) {
        const ssize_t written = write_quietly(descriptor, rest);
        if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
        if (written >= 0 || errno == EINTR) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK)
            return tl::unexpected<Error>(system_error("nobody reads the input any more", errno, ErrorCode::rejected));
        if (rest.size() == whole) return fail(ErrorCode::rejected, "the input is not read, and full");
        pollfd room{descriptor.get(), POLLOUT, 0};
        if (::poll(&room, 1, static_cast<int>(patience.count())) == 0)
            return fail(ErrorCode::timed_out, "the input was not read any more in the middle of the text");
    }
    return {};
}

}  // namespace heeler::inline HEELER_ABI
