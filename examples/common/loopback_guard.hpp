// Who may ask a server of this machine: who asks it by its own name.
#pragma once

#include <string>

#include <httplib.h>

namespace common {

/// A name that somebody else's server gave to this machine is none of ours.
inline bool is_for_us(const httplib::Request& request, const std::string& port) {
    const auto is_ours = [&](const std::string& host) {
        return host == "127.0.0.1:" + port || host == "localhost:" + port;
    };
    if (!is_ours(request.get_header_value("Host"))) return false;
    if (!request.has_header("Origin")) return true;
    const std::string origin = request.get_header_value("Origin");
    return origin.rfind("http://", 0) == 0 && is_ours(origin.substr(7));
}

}  // namespace common
