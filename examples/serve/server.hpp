// The loop that hears clients and passes on what they are told.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/posix/file_descriptor.hpp>

#include "client_control.hpp"
#include "holders.hpp"
#include "requests.hpp"

namespace serve {

/// From now on SIGINT and SIGTERM are heard by a `Server` alone: first of all, while there is one thread.
void hold_signals();

/// Waits so long; true: somebody asked for the end by a signal meanwhile.
[[nodiscard]] bool is_asked_to_end(std::chrono::milliseconds within);

/// On the standard streams it ends with its one client; on a socket when somebody asks for it by a signal.
class Server {
public:
    Server(Requests& requests, Holders& holders, ClientControl& control);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Errors: clients cannot be waited for.
    [[nodiscard]] heeler::Result<void> serve_standard_streams();
    [[nodiscard]] heeler::Result<void> serve_socket(const heeler::FileDescriptor& listening);

private:
    void join(int in, int out);
    void drop(std::size_t at);
    /// One wait and what came of it. False: it is to end.
    [[nodiscard]] heeler::Result<bool> round(int listening);
    void accept(int listening);
    void pass_rest();

    Requests& requests_;
    Holders& holders_;
    ClientControl& control_;
    heeler::FileDescriptor woken_;
    heeler::FileDescriptor signals_;
    std::vector<Client> clients_;
    std::vector<heeler::FileDescriptor> sockets_;  ///< of the clients, in their order; none for the standard streams
};

}  // namespace serve
