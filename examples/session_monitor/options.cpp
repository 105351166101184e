#include "options.hpp"

#include <cstdio>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>

#include "../common/channels.hpp"
#include "../common/command_line.hpp"
#include "../common/given_settings.hpp"
#include "../common/life_signs.hpp"

namespace monitor {

namespace {

constexpr const char* about = R"(Watches a directory of agents' sessions: silence, the same call again and again,
errors that pile up, sessions that take too long. It says so, tells the session, and gives up what is beyond help.)";

constexpr const char* layout = R"(DIR/SESSION/ is one session:
  tool_use.jsonl  which tools it uses, one JSON object a line; read, never written
  origin          where its alerts go, one line; may be missing
  project         what it works on, one line; may be missing
  done            there when the session is over
  inbox           what the monitor tells the session, appended
DIR/alerts.jsonl has one line for each alert. Only regular files are opened, and no link below DIR is followed.)";

std::string name_of_directory(const std::filesystem::path& directory) {
    std::error_code error;
    const std::string name = std::filesystem::canonical(directory, error).filename().string();
    return error || name.empty() ? directory.string() : name;
}

}  // namespace

std::optional<int> parse_options(int argc, const char* const* argv, Options& options) {
    CLI::App app{about, "heeler-session-monitor"};
    common::prepare(app);
    app.footer(layout);
    const auto duration = [&app](const char* name, auto& target, const char* help) {
        return common::add_duration(app, name, target, help)->type_name("SECONDS");
    };
    const auto take_store = [&options](const std::string& text) {
        constexpr std::string_view sqlite = "sqlite:";
        if (text.starts_with(sqlite)) options.sqlite_file = text.substr(sqlite.size());
        if (options.sqlite_file.empty() && text != "memory")
            throw CLI::ValidationError("--store " + text + ": it is 'memory' or 'sqlite:PATH'");
    };
    app.add_option("DIR", options.directory, "The directory of the sessions")
        ->required()
        ->check(CLI::ExistingDirectory);
    duration("--every", options.every, "How often it is looked whether something is due (default: 1)");
    auto* const length = duration("--for", options.length, "End after so long");
    app.add_flag("--until-idle", options.until_idle, "End when every session is over")->excludes(length);
    app.add_option("--config", options.config, common::config_help)->type_name("FILE.json");
    app.add_option_function<std::string>("--store", take_store, "sqlite:PATH, or memory, which is the default");
    app.add_option(
           "--issues", options.issues,
           "Where issues are filed: a directory (default: DIR/issues), or github:OWNER/REPO (HEELER_GITHUB_TOKEN)")
        ->type_name("DIR");
    app.add_option("--notify", options.notify, common::notify_help)->type_name("CHANNEL");
    app.add_option("--ping", options.ping, common::ping_help)->type_name("URL");
    app.add_option("--project", options.project, "What sessions work on that do not say it (default: the name of DIR)");
    app.add_option("--scale", options.scale, "All times are divided by this; 60: seconds stand for minutes")
        ->check(CLI::Range(1, 300))
        ->capture_default_str();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exit_usage;
    }
    options.ping = common::ping_url(options.ping);
    if (!common::is_ping_url(options.ping)) {
        std::fputs("--ping, or HEELER_PING_URL: it begins with https:// or http://\n", stderr);
        return exit_usage;
    }
    if (options.project.empty()) options.project = name_of_directory(options.directory);
    return std::nullopt;
}

}  // namespace monitor
