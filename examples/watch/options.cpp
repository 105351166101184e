#include "options.hpp"

#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

#include "../common/channels.hpp"
#include "../common/command_line.hpp"
#include "../common/given_settings.hpp"
#include "../common/life_signs.hpp"
#include "../common/state_directory.hpp"

namespace watch {

namespace {

constexpr const char* about =
    R"(Watches the sessions of the coding agents that work in this home: Claude Code, Codex, Gemini CLI, OpenHands and pi.
Shows what each does, and says when one stands still, goes round in circles, burns tokens or has asked something that nobody
answers. Their files are only read, and nothing is done to an agent.)";

constexpr const char* beside =
    R"(On a terminal: a table, drawn anew. Otherwise: a line for each alert. heeler-ctl --store STORE shows and answers
alerts.)";

}  // namespace

std::optional<int> parse_options(int argc, const char* const* argv, Options& options) {
    options.home = common::home_directory();
    CLI::App app{about, "heeler-watch"};
    common::prepare(app);
    app.footer(beside);
    const auto duration = [&app](const char* name, auto& target, const char* help) {
        return common::add_duration(app, name, target, help);
    };
    const auto take_store = [&options](const std::string& text) {
        if (!common::read_store(text, options.store))
            throw CLI::ValidationError("--store " + text + ": it is sqlite:PATH or postgres:URL");
    };
    auto* const once = app.add_flag("--once", options.once, "Print the table once, tell nobody, keep nothing, and end");
    duration("--every", options.every, "How often the files are looked at (default: 5s)");
    duration("--live", options.live,
             "Sessions are watched while their files were written to within this (default: 2h)");
    duration("--for", options.length, "End after so long")->excludes(once);
    app.add_option("--notify", options.notify, common::notify_help)->type_name("CHANNEL")->excludes(once);
    app.add_option_function<std::string>("--store", take_store,
                                         "Where is kept what was seen and told: sqlite:PATH (default: watch.db in "
                                         "$XDG_STATE_HOME/heeler) or postgres:URL")
        ->type_name("STORE")
        ->excludes(once);
    app.add_option("--config", options.config, common::config_help)->type_name("FILE.json");
    app.add_option("--ping", options.ping, common::ping_help)->type_name("URL")->excludes(once);
    app.add_option("--home", options.home, "Whose sessions: the home directory (default: $HOME)")
        ->check(CLI::ExistingDirectory);
    auto* const hooks =
        app.add_subcommand("hooks", "Hooks by which an agent tells at once what it does, and hears of its loops");
    hooks->require_subcommand(1);
    const auto verb = [&](CLI::App& below, const char* name, HookVerb what, const char* help) {
        auto* const command = below.add_subcommand(name, help);
        command->add_option("AGENT", options.agent, "claude, codex or gemini")->required(what != HookVerb::status);
        command->callback([&options, what] { options.hooks = what; });
        return command;
    };
    auto* const install =
        verb(*hooks, "install", HookVerb::install, "Show what the agent's settings get, and write it");
    install->add_flag("--guard", options.guard, "Block a call that a loop repeats, too, when it is at its worst");
    for (auto* const command :
         {install, verb(*hooks, "remove", HookVerb::remove, "Show what the agent's settings lose, and write it")})
        command->add_flag("--yes", options.yes, "Write without a question");
    verb(*hooks, "status", HookVerb::status, "Say which agents have them");
    verb(app, "hook", HookVerb::run, "What an agent starts when something happens")->group("");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exit_usage;
    }
    if (options.every < std::chrono::seconds{1}) {
        std::fputs("heeler-watch: --every: at least 1s\n", stderr);
        return exit_usage;
    }
    options.ping = common::ping_url(options.ping);
    if (!common::is_ping_url(options.ping)) {
        std::fputs("heeler-watch: --ping, or HEELER_PING_URL: it begins with https:// or http://\n", stderr);
        return exit_usage;
    }
    if (!options.once && options.store.sqlite_file.empty() && options.store.postgres.empty())
        options.store.sqlite_file = common::state_directory() + "/watch.db";
    return std::nullopt;
}

}  // namespace watch
