// Clients that come by HTTP: each is carried to the socket that others connect to.
#pragma once

#include <memory>
#include <string>

#include <heeler/core/result.hpp>

namespace serve {

/// On 127.0.0.1, for who knows its token. `GET /client` is a stream of what a new client is told, the first line its
/// name; what is posted to `/client/NAME` is what it says. The client goes with its stream.
class HttpDoor {
public:
    /// Behind it is the socket at this path. Ends with the object.
    [[nodiscard]] static heeler::Result<std::unique_ptr<HttpDoor>> open(int port, std::string socket);
    virtual ~HttpDoor() = default;

    [[nodiscard]] virtual std::string address() const = 0;
    [[nodiscard]] virtual const std::string& token() const = 0;
};

}  // namespace serve
