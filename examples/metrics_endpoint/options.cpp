#include "options.hpp"

#include <CLI/CLI.hpp>

#include "../common/channels.hpp"
#include "../common/command_line.hpp"
#include "../common/life_signs.hpp"

namespace metrics_endpoint {

std::optional<int> parse_options(int argc, const char* const* argv, Options& options) {
    CLI::App app{
        "A watchdog over simulated agents, of which some stand still until they are nudged, with its metrics "
        "for Prometheus at /metrics.",
        "heeler-metrics-endpoint"};
    common::prepare(app);
    app.add_option("--host", options.host, "Address to listen at")->capture_default_str();
    app.add_option("--port", options.port, "Port; 0: any that is free")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    app.add_option("--agents", options.agents, "How many")->check(CLI::Range(1, 1000))->capture_default_str();
    app.add_option("--interval", options.interval_s, "How often an agent is looked at, in seconds")
        ->check(CLI::Range(1.0, 3600.0))
        ->capture_default_str();
    app.add_option("--holder", options.holder, "Name among several watchdogs: it then works under a lease");
    app.add_option("--ping", options.ping, common::ping_help)->type_name("URL");
    app.add_option("--notify", options.notify, common::notify_help)->type_name("CHANNEL");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    return std::nullopt;
}

}  // namespace metrics_endpoint
