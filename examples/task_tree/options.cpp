#include "options.hpp"

#include <CLI/CLI.hpp>

#include "../common/command_line.hpp"
#include "../common/parse_duration.hpp"

namespace tracker {
namespace {

constexpr const char* about =
    R"(A small issue tracker whose issues form trees. A tree can be watched: when everything in it has come to rest, an
agent is woken to check whether the work is really done, and may change that tree and nothing else.)";

constexpr const char* more = R"(As a tracker: heeler-task-tree DIR [OPTIONS]
  prints its URL; open it in a browser. DIR/tracker.db has the issues, DIR/watchdog.db what the watchdog knows. Any
  process that speaks HTTP and JSON can be an agent: see the routes in examples/task_tree/server.cpp.
As an agent: heeler-task-tree --reviewer URL [--once]
  waits for a wake, looks at each stopped leaf, and reopens those that are done without a comment that begins with
  "evidence:". It stands for an agent with a model.
To see both at work: heeler-task-tree --demo)";

}  // namespace

std::optional<int> parse_options(int argc, const char* const* argv, Options& options) {
    CLI::App app{about, "heeler-task-tree"};
    common::prepare(app);
    app.footer(more);
    const auto duration = [&app](const char* name, heeler::Duration& target, const char* help) {
        const auto take = [&target](const std::string& text) {
            const auto parsed = common::parse_duration(text);
            if (!parsed) throw CLI::ValidationError(parsed.error().message);
            target = *parsed;
        };
        app.add_option_function<std::string>(name, take, help)->type_name("SECONDS");
    };
    auto* const directory =
        app.add_option("DIR", options.directory, "Where the databases are")->check(CLI::ExistingDirectory);
    app.add_option("--port", options.port, "On 127.0.0.1; 0: any that is free")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    duration("--every", options.keeper.every, "How often all watches look, changes or not (default: 60)");
    duration("--grace", options.keeper.first_run_grace,
             "How long a new issue may wait for its first run (default: 15)");
    app.add_flag("--orphans", options.keeper.orphans, "Wake agents for what they left in progress, watched or not");
    app.add_flag("--sample", options.sample, "Begin with a tree of issues, if there is none");
    auto* const demo =
        app.add_flag("--demo", options.demo, "Play it all once, in a directory that is removed")->excludes(directory);
    auto* const reviewer = app.add_option("--reviewer", options.reviewer, "Be an agent of the tracker at this URL")
                               ->type_name("URL")
                               ->excludes(directory)
                               ->excludes(demo);
    app.add_option("--tenant", options.tenant, "Of the reviewer")->needs(reviewer)->capture_default_str();
    app.add_option("--agent", options.agent, "Name of the reviewer")->needs(reviewer)->capture_default_str();
    app.add_flag("--once", options.once, "End after one review; status 1 if none is asked for within 30 s")
        ->needs(reviewer);
    try {
        app.parse(argc, argv);
        if (!*directory && !*demo && !*reviewer) throw CLI::RequiredError("DIR, --demo or --reviewer");
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exit_usage;
    }
    return std::nullopt;
}

}  // namespace tracker
