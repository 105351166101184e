// Two programs at one port: the second one is refused.
#pragma once

#include <httplib.h>
#include <sys/socket.h>

namespace common {

/// By default cpp-httplib lets several servers share a port, and each gets some of the requests.
inline void share_no_port(httplib::Server& server) {
    server.set_socket_options([](socket_t socket) {
        const int yes = 1;  // but not one that is about to be closed
        ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
}

}  // namespace common
