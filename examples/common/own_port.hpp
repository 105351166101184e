// A server at a port of its own: a second one there is refused.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include <httplib.h>
#include <sys/socket.h>

namespace common {

/// The port, which is another one if 0 is asked for; below 1 if it is taken. By default cpp-httplib lets several
/// servers share a port, and each gets some of the requests.
[[nodiscard]] inline int bind_at(httplib::Server& server, const std::string& host, int port) {
    server.set_socket_options([](socket_t socket) {
        const int yes = 1;  // but not one that is about to be closed
        ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    if (port == 0) return server.bind_to_any_port(host.c_str());
    return server.bind_to_port(host.c_str(), port) ? port : -1;
}

/// Answers from now on, until `server.stop()`, which does nothing to one that has not begun.
[[nodiscard]] inline std::thread answering(httplib::Server& server) {
    std::thread thread{[&server] { server.listen_after_bind(); }};
    while (!server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    return thread;
}

}  // namespace common
