// The command line of heeler-fleet, and how long everything takes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <heeler/core/time.hpp>

#include "../common/store_place.hpp"

namespace fleet {

struct Options {
    common::StorePlace store;
    std::string store_text;
    int runs = 10000;
    int watchdogs = 4;
    int stalls = 1000;
    std::uint64_t seed = 1;
    double pace = 1;
    bool json = false;
    bool agents = false;   ///< this process is all agents
    std::string watchdog;  ///< this process is the watchdog of that name
};

/// Seconds that follow from the pace, as multiples of what they are in life.
struct Times {
    double every;   ///< between two checkpoints of an agent
    double stall;   ///< a checkpoint older than this is a stall
    double period;  ///< between two looks at a run; the library knows none below 1 s
    double tick;    ///< between two cycles of a watchdog: it looks at some of its runs, and for runs that nobody holds
    double lease;   ///< shorter ones would be about the machine's load
    double paused;  ///< how long one watchdog sleeps
    double scale;   ///< of everything else

    explicit Times(double pace)
        : every{5 * pace},
          stall{15 * pace},
          period{std::max(2 * pace, 1.0)},
          tick{period / 4},
          lease{std::max(5 * pace, 3.0)},
          paused{2 * lease},
          scale{pace} {}
};

[[nodiscard]] inline heeler::Duration in_seconds(double seconds) {
    return heeler::Duration{static_cast<std::int64_t>(std::llround(seconds * 1e6))};
}

inline constexpr const char* about =
    R"(Several real watchdog processes share the runs of one PostgreSQL store. Agents stall; one watchdog is killed, another
one is paused for longer than its lease. A table tells whether every stall was continued exactly once and nothing else,
and how long a run was without a watchdog. Exit status: 0 if so, 1 if not, 2 for bad arguments. What was stored stays
in the schema.)";

/// The options, or the status with which the program ends at once, everything being said.
[[nodiscard]] inline std::optional<int> parse_options(int argc, const char* const* argv, Options& options) {
    CLI::App app{about, "heeler-fleet"};
    options.store.schema = "heeler_fleet";
    app.add_option("--store", options.store_text, "postgres:URL (libpq); also $HEELER_STORE")
        ->envname("HEELER_STORE")
        ->required();
    app.add_option("--schema", options.store.schema, "A new one")->capture_default_str();
    app.add_option("--runs", options.runs, "How many runs")->check(CLI::Range(1, 100000))->capture_default_str();
    app.add_option("--watchdogs", options.watchdogs, "How many processes watch them")
        ->check(CLI::Range(3, 16))
        ->capture_default_str();
    app.add_option("--stalls", options.stalls, "How many runs stall; every twentieth of them stalls twice")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "The same seed, the same agents")->capture_default_str();
    app.add_option("--pace", options.pace, "How slow everything is: 2 takes twice as long")
        ->check(CLI::Range(0.2, 100.0))
        ->capture_default_str();
    app.add_flag("--json", options.json, "The figures as one line of JSON");
    auto* const agents = app.add_subcommand("agents", "")->group("");
    auto* const watchdog = app.add_subcommand("watchdog", "")->group("");
    watchdog->add_option("name", options.watchdog)->required();
    try {
        app.parse(argc, argv);
        if (!common::read_store(options.store_text, options.store) || options.store.postgres.empty())
            throw CLI::ValidationError("--store: it is 'postgres:URL'");
        if (options.stalls > options.runs) throw CLI::ValidationError("--stalls: there are not so many runs");
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    options.agents = agents->parsed();
    return std::nullopt;
}

}  // namespace fleet
