#include "options.hpp"

#include <CLI/CLI.hpp>

#include "../common/channels.hpp"
#include "../common/command_line.hpp"

namespace sql_agents {

std::optional<int> parse_options(int argc, const char* const* argv, Options& options) {
    CLI::App app{"Four runs whose agents have nothing but SQL, in a directory that is empty.", "heeler-sql-agents"};
    common::prepare(app);
    app.add_option("DIR", options.directory, "Where databases, prompts and logs are kept")
        ->required()
        ->check(CLI::ExistingDirectory);
    app.add_option("AGENT", options.agent, "examples/sql_agents/agents/agent.sh, or a program like it")->required();
    app.add_option("--notify", options.notify, common::notify_help)->type_name("CHANNEL");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    return std::nullopt;
}

}  // namespace sql_agents
