#include "signals.hpp"

#include <cerrno>
#include <csignal>

#include <unistd.h>

#include <heeler/posix/file_descriptor.hpp>

namespace supervise {

namespace {

heeler::Pipe noted;  // NOLINT: a signal handler reaches nothing else

extern "C" void note_signal(int signal) {
    const int before = errno;
    const char byte = static_cast<char>(signal);
    static_cast<void>(::write(noted.writer.get(), &byte, 1) == 1);
    errno = before;
}

}  // namespace

heeler::Result<void> note_signals() {
    auto made = heeler::make_pipe();
    if (!made) return tl::unexpected<heeler::Error>(std::move(made.error()));
    noted = std::move(*made);
    heeler::set_non_blocking(noted.reader);
    heeler::set_non_blocking(noted.writer);
    struct sigaction action {};
    action.sa_handler = &note_signal;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    return {};
}

int signal_fd() noexcept { return noted.reader.get(); }

int take_signal() noexcept {
    char byte = 0;
    return ::read(noted.reader.get(), &byte, 1) == 1 ? byte : 0;
}

}  // namespace supervise
