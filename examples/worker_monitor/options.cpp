#include "options.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "../common/channels.hpp"
#include "../common/command_line.hpp"
#include "../common/given_settings.hpp"
#include "../common/parse_duration.hpp"

namespace worker_monitor {

namespace {

constexpr const char* about =
    R"(Watches workers in panes of tmux: stuck, failed, complete, waiting for a person. Says so to an
orchestrator, once each time it begins, types what that wants to be typed, and clears the pane of the agent to which
it belongs after each cycle, where that is named.)";

constexpr const char* layout =
    R"(A pane is a worker if its user option @tags (of the pane, its window or session) holds the word "worker":
  tmux set-option -p -t %3 @tags worker     and @name to give it a name, else that of its session
  tmux set-option -p -t %3 @status error    what its program reports: error, needs_input, complete, ...
An orchestrator reads {"msg_type":"worker.stuck","payload":{...}} from its input, one object a line, and may write
{"nudge":"NAME","text":"..."} to its output. In NAME's pane the text is typed as one line. Without a command the
orchestrator is every pane with the tag "orchestrator", into which these lines are typed.
The user options of the session that this runs in are settings as well: @heeler_stuck_threshold 5.)";

void check_need_of_own(const Options& options) {
    const std::pair<const char*, bool> given[] = {{"--check", !options.check.empty()},
                                                  {"--tell-clears", options.tell_clears},
                                                  {"--after-clear", !options.after_clear.empty()},
                                                  {"--clear-tool", options.clear_tool}};
    for (const auto& [option, is_given] : given)
        if (is_given && options.own.empty())
            throw CLI::ValidationError(std::string{option} + " needs --own and --agent: whose pane is it");
    if (options.clear_tool && !options.orchestrator.empty())
        throw CLI::ValidationError("--clear-tool watches nothing, and has no orchestrator");
}

}  // namespace

std::optional<int> parse_options(int argc, const char* const* argv, Options& options) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    options.orchestrator = common::take_command(words);
    if (const char* const pane = std::getenv("TMUX_PANE"); pane != nullptr) options.here = pane;

    CLI::App app{about, "heeler-worker-monitor"};
    common::prepare(app);
    app.formatter(std::make_shared<common::UsageWithCommand>("ORCHESTRATOR"));
    app.footer(layout);
    const auto duration = [&app](const char* name, auto& target, const char* help) {
        common::add_duration(app, name, target, help)->type_name("SECONDS");
    };
    const auto take_store = [&options](const std::string& text) {
        constexpr std::string_view sqlite = "sqlite:";
        if (text.starts_with(sqlite)) options.sqlite_file = text.substr(sqlite.size());
        if (options.sqlite_file.empty() && text != "memory")
            throw CLI::ValidationError("--store " + text + ": it is 'memory' or 'sqlite:PATH'");
    };
    app.add_option("--socket", options.socket.path, "Socket of the tmux server (default: the one it runs in)")
        ->type_name("PATH");
    app.add_option("--own", options.own, "Clear this pane after each cycle: its id, or self (default: none)")
        ->type_name("%N");
    app.add_option("--agent", options.agent, "Only while this program, or script, has the keyboard there: claude")
        ->type_name("NAME");
    app.add_option("--clear", options.clear, "What is typed to clear it")->capture_default_str();
    app.add_option("--check", options.check, "What is typed there every so often, to have its agent look: check")
        ->type_name("TEXT");
    app.add_flag("--tell-clears", options.tell_clears, "Tell the orchestrator of each clear (monitor.clear)");
    app.add_option("--after-clear", options.after_clear, "What is typed there after a clear: Read monitor-notes")
        ->type_name("TEXT");
    app.add_flag("--clear-tool", options.clear_tool,
                 "Watch nothing: be an MCP server for the agent, with the tool watchdog_clear, which clears its pane");
    app.add_option("--name-regex", options.name_regex,
                   "Workers by name: a regular expression, in place of name_pattern")
        ->type_name("PATTERN");
    app.add_flag("--restart", options.restart,
                 "Start the orchestrator again when it ends, after 1 s, 2 s ... 60 s; else this ends as well, with 1");
    duration("--every", options.every, "How often it is looked, 1s or more (default: 30)");
    duration("--for", options.length, "End after so long");
    app.add_option("--config", options.config, common::config_help)->type_name("FILE.json");
    app.add_option("--metrics", options.metrics, "Write the metrics for Prometheus here, after each cycle")
        ->type_name("FILE");
    app.add_option("--notify", options.notify, common::notify_help)->type_name("CHANNEL");
    app.add_option_function<std::string>("--store", take_store, "sqlite:PATH, or memory, which is the default");
    try {
        std::reverse(words.begin(), words.end());
        app.parse(words);
        if (options.restart && options.orchestrator.empty())
            throw CLI::ValidationError("--restart: of what? heeler-worker-monitor --restart -- ORCHESTRATOR ARGS...");
        if (options.own == "none") options.own.clear();
        if (options.own == "self" && options.here.empty())
            throw CLI::ValidationError("--own self: there is no $TMUX_PANE, so this runs in no pane");
        if (options.own == "self") options.own = options.here;
        if (options.own.empty() != options.agent.empty())
            throw CLI::ValidationError("--own and --agent belong together: which pane is cleared, and whose it is");
        check_need_of_own(options);
        // What is typed would wait for the shell that this was started from, which would execute it.
        if (argc > 0 && options.agent == std::filesystem::path(argv[0]).filename())
            throw CLI::ValidationError("--agent " + options.agent + ": it reads nothing that is typed; name the agent");
    } catch (const CLI::ParseError& error) {
        const std::string dashes = common::dashes_missing(app, options.orchestrator);
        if (!dashes.empty()) return std::fprintf(stderr, "heeler-worker-monitor: %s\n", dashes.c_str()), exit_usage;
        return app.exit(error) == 0 ? 0 : exit_usage;
    }
    return std::nullopt;
}

}  // namespace worker_monitor
