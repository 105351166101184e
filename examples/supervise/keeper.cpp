#include "keeper.hpp"

#include <cerrno>
#include <csignal>

#include <unistd.h>

#include <heeler/agent/process_control.hpp>

#include "standard_streams.hpp"

namespace supervise {

namespace {

[[noreturn]] void keep(const heeler::FileDescriptor& line) {
    ::setsid();
    leave_streams();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
    heeler::ProcessIdentity watched;
    while (true) {
        heeler::ProcessIdentity told;
        const ssize_t size = ::read(line.get(), &told, sizeof told);
        if (size < 0 && errno == EINTR) continue;
        if (size != static_cast<ssize_t>(sizeof told)) break;
        watched = told;
    }
    heeler::ProcessSpec at_once;
    at_once.term_grace = heeler::Duration::zero();
    if (auto left = heeler::ProcessControl::adopt(watched, at_once)) static_cast<void>(left->terminate({}));
    ::_exit(0);
}

}  // namespace

heeler::Result<Keeper> Keeper::start() {
    auto line = heeler::make_pipe();
    if (!line) return tl::unexpected<heeler::Error>(std::move(line.error()));
    const pid_t pid = ::fork();
    if (pid < 0) return tl::unexpected<heeler::Error>(heeler::system_error("cannot start a process", errno));
    if (pid == 0) {
        line->writer.close();
        keep(line->reader);
    }
    return Keeper(std::move(line->writer));
}

heeler::Result<void> Keeper::watch(const heeler::ProcessIdentity& identity) {
    const auto* const bytes = reinterpret_cast<const char*>(&identity);
    if (heeler::write_quietly(line_, {bytes, sizeof identity}) == static_cast<ssize_t>(sizeof identity)) return {};
    return tl::unexpected<heeler::Error>(heeler::system_error("cannot tell the keeper whom to watch", errno));
}

}  // namespace supervise
