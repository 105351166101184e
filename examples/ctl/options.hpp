// The command line of heeler-ctl as values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/time.hpp>

#include "../common/store_place.hpp"
#include "exit_status.hpp"

namespace ctl {

enum class Command : std::uint8_t {
    status,
    watch,
    serve,
    explain,
    report,
    outbox,
    holders,
    silences,
    unsilence,
    deliver,
    prune,
    test_alert,
    class_diff,
    decide
};

/// How old what is over must be before it is forgotten.
struct Ages {
    heeler::Duration ended = std::chrono::hours{24 * 14};
    heeler::Duration alerts = std::chrono::hours{24 * 30};
    heeler::Duration audit = std::chrono::hours{24 * 90};
};

struct Options {
    common::StorePlace store;
    bool at_home = false;  // no store was named: those of the tools in this home
    Command command = Command::status;
    std::optional<std::string> run;  // absent: all of them
    heeler::Verb verb = heeler::Verb::ack;
    std::optional<heeler::Duration> lasts_for;  // of a snooze or a silence
    std::optional<heeler::WallTime> lasts_until;
    heeler::AlertMatch about;  // of a silence
    std::string because;       // of a silence or a pause
    heeler::Duration limit{};  // what a run's time limit becomes; 0: it stays
    std::int64_t tokens = 0;   // likewise its budget
    std::int64_t micro_usd = 0;
    std::uint64_t silence = 0;  // to end
    std::string by;
    bool all = false;
    bool json = false;
    bool html = false;                                 // of a report
    heeler::Duration every = std::chrono::seconds{2};  // of a watch
    int port = 8377;                                   // to serve at; 0: any that is free
    Ages ages;                                         // of what is pruned
    bool compact = false;                              // and the file becomes smaller
    std::vector<std::string> classes;                  // to compare
    bool operate = false;                              // whoever has the token may decide
    std::vector<std::string> notify;                   // channels to try, or to deliver to
};

/// The options, or how to end at once (`--help`, or an error that names option, value and limit).
[[nodiscard]] std::variant<Options, Quit> parse_options(int argc, const char* const* argv);

}  // namespace ctl
