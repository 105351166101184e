// The command line of heeler-serve as values.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <heeler/core/time.hpp>

#include "../common/store_place.hpp"
#include "exit_status.hpp"

namespace serve {

/// Of the token, without which no exporter is heard.
inline constexpr std::size_t shortest_token = 16;

struct Options {
    std::string name = "serve";
    std::string socket;       ///< where clients connect; empty: one client, on the standard streams
    std::optional<int> http;  ///< a port of this machine
    std::string preset = "recommended";
    std::string config;  ///< a file of settings; empty: none
    std::string state_directory;
    common::StorePlace store;  ///< empty, unless `in_memory`: in the state directory
    bool in_memory = false;
    std::vector<std::string> notify;  ///< channels, besides stderr
    std::string ping;                 ///< of a dead man's switch; empty: none
    heeler::Duration patience = std::chrono::seconds(10);
    bool shadow = false;
    bool clock_stands = false;     ///< until a client moves it
    std::optional<int> otlp_port;  ///< of the receiver of spans and logs; 0: any
    std::string otlp_token;
    std::string otlp_log;                   ///< where verdicts go as log records: a file or a URL; empty: nowhere
    std::vector<std::string> otlp_headers;  ///< for that URL
    bool protocol = false;                  ///< print it, and nothing else
};

/// The options, or how to end at once (`--help`, or an error that names option, value and limit).
[[nodiscard]] std::variant<Options, Quit> parse_options(int argc, const char* const* argv);

}  // namespace serve
