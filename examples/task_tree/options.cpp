#include "options.hpp"

#include <cstdlib>

#include <CLI/CLI.hpp>

#include "../common/channels.hpp"
#include "../common/command_line.hpp"
#include "tokens.hpp"

namespace tracker {
namespace {

constexpr const char* about =
    R"(A small issue tracker whose issues form trees. A tree can be watched: when everything in it has come to rest, an
agent is woken to check whether the work is really done, and may change that tree and nothing else.)";

constexpr const char* more = R"(As a tracker: heeler-task-tree DIR [OPTIONS]
  prints the token of each agent, and its URL with yours: open it in a browser. DIR/tracker.db has the issues,
  DIR/watchdog.db what the watchdog knows, DIR/tokens.key from what the tokens are made. Any process that speaks HTTP and
  JSON can be an agent, with its token as `Authorization: Bearer TOKEN` and `X-Actor-Run: RUN` in a run: see the routes
  in examples/task_tree/routes.cpp.
As an agent: HEELER_TASK_TREE_TOKEN=TOKEN heeler-task-tree --reviewer URL [--once]
  waits for a wake, looks at each stopped leaf, and reopens those that are done without a comment that begins with
  "evidence:". It stands for an agent with a model.
To see both at work: heeler-task-tree --demo)";

}  // namespace

std::optional<int> parse_options(int argc, const char* const* argv, Options& options) {
    CLI::App app{about, "heeler-task-tree"};
    common::prepare(app);
    app.footer(more);
    auto* const directory =
        app.add_option("DIR", options.directory, "Where the databases are")->check(CLI::ExistingDirectory);
    app.add_option("--port", options.port, "On 127.0.0.1; 0: any that is free")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    common::add_duration(app, "--every", options.keeper.every,
                         "How often all watches look, changes or not (default: 60)")
        ->type_name("SECONDS");
    common::add_duration(app, "--grace", options.keeper.first_run_grace,
                         "How long a new issue may wait for its first run (default: 15)")
        ->type_name("SECONDS");
    common::add_duration(
        app, "--silence", options.keeper.silence,
        "How long a run may say nothing before people are told (default: 14400); heeler-ctl shows a quarter of it")
        ->type_name("SECONDS");
    app.add_flag("--sample", options.sample, "Begin with a tree of issues, if there is none");
    auto* const demo =
        app.add_flag("--demo", options.demo, "Play it all once, in a directory that is removed")->excludes(directory);
    app.add_option("--notify", options.notify, common::notify_help)->type_name("CHANNEL")->excludes(demo);
    auto* const reviewer = app.add_option("--reviewer", options.reviewer, "Be an agent of the tracker at this URL")
                               ->type_name("URL")
                               ->excludes(directory)
                               ->excludes(demo);
    app.add_flag("--once", options.once, "End after one review; status 1 if none is asked for within 30 s")
        ->needs(reviewer);
    try {
        app.parse(argc, argv);
        if (!*directory && !*demo && !*reviewer) throw CLI::RequiredError("DIR, --demo or --reviewer");
        if (const char* const token = std::getenv(token_variable); token != nullptr) options.token = token;
        if (options.keeper.every < std::chrono::seconds{1} || options.keeper.every > std::chrono::hours{24})
            throw CLI::ValidationError("--every", "it must be 1s to 1d");
        if (*reviewer && options.token.empty())
            throw CLI::RequiredError(std::string{token_variable} +
                                     ", the token that the tracker printed for the agent,");
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exit_usage;
    }
    return std::nullopt;
}

}  // namespace tracker
