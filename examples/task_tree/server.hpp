// The tracker over HTTP, on this machine only.
#pragma once

#include <memory>
#include <string>

#include "service.hpp"

namespace tracker {

/// Serves from construction to destruction, with threads of its own.
class Server {
public:
    /// Port 0: any that is free. Throws if it cannot be had.
    Server(Service& service, int port);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    /// "http://127.0.0.1:8080"
    [[nodiscard]] const std::string& url() const noexcept;

private:
    struct Room;

    std::unique_ptr<Room> room_;
};

}  // namespace tracker
