// The command line of heeler-supervise as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

#include "exit_status.hpp"

namespace supervise {

/// What to do when a command of an earlier heeler-supervise with this run name is still alive.
enum class Previous { refuse, adopt, kill, wait };

/// What the command reads.
enum class Input {
    pass,    ///< what heeler-supervise was given
    none,    ///< nothing
    nudges,  ///< what the watchdog says
};

struct Options {
    std::string name;
    std::string goal;
    std::string metric = "lines";
    std::string preset = "recommended";
    std::string config;  ///< a file of settings; empty: none
    std::string report = "text";
    std::string html;  ///< a page that shows what happened; empty: none
    std::string snapshot_directory;
    std::string state_directory;
    std::string ping;                        ///< of a dead man's switch; empty: none
    std::optional<heeler::Duration> digest;  ///< the time of the day at which it is told; absent: never
    std::optional<heeler::Duration> expected;
    std::optional<heeler::Duration> timeout;
    std::optional<heeler::Duration> interval;
    heeler::Duration grace = std::chrono::seconds(5);
    heeler::Duration linger = std::chrono::seconds(60);
    std::uint64_t output_limit = std::uint64_t{64} << 20;
    Previous previous = Previous::refuse;
    std::vector<std::string> notify;  // channels, besides the terminal
    std::string log = "stderr";       // where heeler-supervise speaks; or a file, or fd:N
    Input input = Input::pass;
    std::string agent;   // whose stream is on standard output; empty: nobody's
    std::string resume;  // the shell command by which an agent that was interrupted goes on; empty: none
    bool pty = false;
    bool shadow = false;
    bool detach = false;
    std::vector<std::string> command;
};

/// The options, or how to end at once (`--help`, or an error that names option, value and limit).
[[nodiscard]] std::variant<Options, Quit> parse_options(int argc, const char* const* argv);

}  // namespace supervise
