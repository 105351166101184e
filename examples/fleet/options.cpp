#include "options.hpp"

#include <CLI/CLI.hpp>

#include "../common/channels.hpp"
#include "../common/command_line.hpp"

namespace fleet {

namespace {

constexpr const char* about =
    R"(Several real watchdog processes share the runs of one PostgreSQL store. Agents stall; one watchdog is killed, another
one is paused for longer than its lease. A table tells whether every stall was continued exactly once and nothing else,
and how long a run was without a watchdog. Exit status: 0 if so, 1 if not, 2 for bad arguments. What was stored stays
in the schema.)";

}  // namespace

std::optional<int> parse_options(int argc, const char* const* argv, Options& options) {
    CLI::App app{about, "heeler-fleet"};
    common::prepare(app);
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
    app.add_option("--notify", options.notify, common::notify_help)->type_name("CHANNEL");
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
