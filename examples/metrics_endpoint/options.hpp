// The command line of heeler-metrics-endpoint.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace metrics_endpoint {

struct Options {
    std::string host = "127.0.0.1";
    int port = 9464;
    int agents = 6;
    double interval_s = 5;
    std::string holder;
    std::string ping;
    std::vector<std::string> notify;
};

/// The options, or the status with which the program ends at once, everything being said.
[[nodiscard]] std::optional<int> parse_options(int argc, const char* const* argv, Options& options);

}  // namespace metrics_endpoint
