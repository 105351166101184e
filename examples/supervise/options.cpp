#include "options.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include <heeler/report/daily_digest.hpp>

#include "../common/channels.hpp"
#include "../common/command_line.hpp"
#include "../common/given_settings.hpp"
#include "../common/life_signs.hpp"
#include "../common/state_directory.hpp"

namespace supervise {

namespace {

using heeler::Duration;

constexpr const char* about =
    R"(Runs a command under a watchdog: notices when it stalls, loops, runs away or takes too long, tells it so where it
can be spoken to (--pty or --stdin nudges), and goes on step by step from there. What the command writes is passed on;
what the watchdog does is said on standard error.)";

constexpr const char* statuses = R"(Exit status: the command's own (128 + n if signal n ended it), or
   64  the options make no sense, or there is nothing to adopt
   69  another heeler-supervise watches this run name
   73  the state directory cannot be written
   74  the database in the state directory cannot be used
   75  a command of an earlier heeler-supervise is still alive: --adopt, --kill or --wait
  124  the watchdog ended the command
  126  the command cannot be executed
  127  the command was not found
  130  Ctrl-C (143 for SIGTERM, 129 for SIGHUP): the command was ended first)";

bool valid_name(const std::string& name) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
    };
    return !name.empty() && name.size() <= 64 && name.front() != '.' && std::all_of(name.begin(), name.end(), allowed);
}

std::string name_of_command(const std::vector<std::string>& command) {
    if (command.empty()) return {};
    std::string name = std::filesystem::path(command.front()).filename().string();
    for (char& c : name)
        if (!valid_name("x" + std::string(1, c))) c = '_';
    if (!name.empty() && name.front() == '.') name.front() = '_';
    return name.substr(0, 64);
}

std::string unusable_file(const std::string& option, const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path file(path);
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    const std::string named = option + " \"" + path + "\"";
    if (fs::exists(file, error) && !fs::is_regular_file(file, error))
        return named + " is not a file that can be replaced";
    if (!file.has_filename() || !fs::is_directory(folder, error))
        return named + ": \"" + folder.string() + "\" is not a directory";
    if (::access(folder.c_str(), W_OK | X_OK) != 0) return named + ": \"" + folder.string() + "\" cannot be written";
    return {};
}

/// Who names a place that cannot be used learns it now, not when hours of work are to be saved there.
std::string unusable_path(const Options& options) {
    namespace fs = std::filesystem;
    std::error_code error;
    const std::string& saved = options.snapshot_directory;
    if (!saved.empty() && !fs::is_directory(saved, error)) return "--snapshot \"" + saved + "\" is not a directory";
    if (!saved.empty() && ::access(saved.c_str(), R_OK | X_OK) != 0)
        return "--snapshot \"" + saved + "\" cannot be read";
    if (!options.html.empty())
        if (std::string wrong = unusable_file("--html", options.html); !wrong.empty()) return wrong;
    if (options.report == "text" || options.report == "json") return {};
    return unusable_file("--report", options.report);
}

/// What the options mean together, and what they must not.
std::string contradiction(const Options& options) {
    if (options.command.empty() && options.previous == Previous::refuse)
        return "no command given: heeler-supervise [OPTIONS] -- COMMAND ARGS...";
    if (options.command.empty() && options.name.empty()) return "--adopt, --kill and --wait need --name";
    if (!options.command.empty() && options.previous == Previous::adopt)
        return "--adopt takes over a command that runs already: leave out -- COMMAND";
    if (!valid_name(options.name))
        return "--name \"" + options.name + "\": 1 to 64 letters, digits, '-', '_' and '.', not beginning with '.'";
    if (!common::is_ping_url(options.ping)) return "--ping, or HEELER_PING_URL: it begins with https:// or http://";
    if (options.pty && options.detach) return "--pty and --detach: a terminal ends with heeler-supervise";
    if (!options.resume.empty() && options.agent.empty()) return "--resume needs --agent: whose session goes on";
    if (!options.resume.empty() && options.detach) return "--resume and --detach: nobody would be there to start it";
    if (!options.resume.empty() && options.previous == Previous::adopt)
        return "--resume and --adopt: which session would go on is not known any more";
    if (options.interval && *options.interval < std::chrono::seconds(1)) return "--interval: at least 1s";
    if (options.output_limit < (std::uint64_t{1} << 20)) return "--output-limit: at least 1MB";
    if (std::string wrong = unusable_path(options); !wrong.empty()) return wrong;
    if (options.timeout && options.expected && *options.timeout < *options.expected)
        return "--timeout is shorter than --expected";
    return {};
}

}  // namespace

std::variant<Options, Quit> parse_options(int argc, const char* const* argv) {
    Options options;
    options.state_directory = common::state_directory();
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    options.command = common::take_command(words);

    CLI::App app{about, "heeler-supervise"};
    common::prepare(app);
    app.footer(statuses);
    app.formatter(std::make_shared<common::UsageWithCommand>("COMMAND"));
    const auto duration = [&app](const char* name, auto& target, const char* help) {
        return common::add_duration(app, name, target, help);
    };
    const auto on_previous = [&](const char* name, Previous value, const char* help) {
        return app.add_flag_callback(
            name, [&options, value] { options.previous = value; }, help);
    };
    app.add_option("--name", options.name, "Name of the run (default: that of the command)");
    app.add_option("--goal", options.goal, "What the command is to achieve; nudges restate it");
    app.add_option(
           "--metric", options.metric,
           "What counts as progress: lines (of output), files:DIR (files changed under DIR), commits:REPO (in a "
           "git repository), match:REGEX (the number that it captures in a line of output)")
        ->capture_default_str();
    app.add_option(
           "--agent", options.agent,
           "Read what a coding agent tells of its work on standard output: claude (-p --output-format "
           "stream-json), codex (exec --json), gemini (--output-format stream-json), or generic (any format that "
           "is known)")
        ->type_name("NAME")
        ->check(CLI::IsMember({"claude", "codex", "gemini", "generic"}));
    app.add_option(
           "--resume", options.resume,
           "How an agent that takes no word while it works is told one: it is interrupted, and goes on with this "
           "shell command, which finds $HEELER_SESSION and $HEELER_WORDS")
        ->type_name("COMMAND");
    duration("--expected", options.expected, "How long the command should take");
    duration("--timeout", options.timeout, "How long it may take");
    duration("--interval", options.interval, "How often it is looked at (default: 60s if short, else 300s)");
    app.add_option("--preset", options.preset, "long_run may end the command; recommended only nudges and tells")
        ->check(CLI::IsMember({"long_run", "recommended"}))
        ->capture_default_str();
    app.add_option("--config", options.config, common::config_help)->type_name("FILE.json");
    duration("--grace", options.grace, "From SIGTERM to SIGKILL (default: 5s)");
    duration("--linger", options.linger,
             "At the end, how long an alert is tried that nobody has yet (default: 60s; 10s at most after Ctrl-C)");
    app.add_option("--notify", options.notify, common::notify_help)->type_name("CHANNEL");
    app.add_option("--ping", options.ping, common::ping_help)->type_name("URL");
    const auto take_time = [&options](const std::string& text) {
        const auto time = heeler::time_of_day(text);
        if (!time) throw CLI::ValidationError("--digest", time.error().message);
        options.digest = *time;
    };
    app.add_option_function<std::string>(
           "--digest", take_time,
           "Tell how the day was once a day at this time in UTC, like 09:00: all is well, or what happened")
        ->type_name("HH:MM");
    std::optional<Input> input;
    app.add_flag("--pty", options.pty, "Give the command a terminal, in which the watchdog speaks to it");
    app.add_option("--stdin", input,
                   "What the command reads: pass (what heeler-supervise was given; the default), none, or nudges (what "
                   "the watchdog says; the default with --pty)")
        ->type_name("WHAT")
        ->transform(CLI::CheckedTransformer(
            std::map<std::string, Input>{{"pass", Input::pass}, {"none", Input::none}, {"nudges", Input::nudges}}));
    app.add_option("--log", options.log,
                   "Where heeler-supervise itself speaks: stderr, a file, or fd:N (an open descriptor)")
        ->type_name("WHERE")
        ->capture_default_str();
    app.add_flag("--shadow", options.shadow, "Decide and record everything, touch nothing");
    app.add_option("--snapshot", options.snapshot_directory, "Directory to save before the command is ended")
        ->type_name("DIR");
    app.add_option("--state-dir", options.state_directory, "Where state is kept")
        ->type_name("DIR")
        ->capture_default_str();
    app.add_option("--report", options.report, "At the end: text, json, or a file (JSON if it ends in .json)")
        ->capture_default_str();
    app.add_option("--html", options.html, "At the end: a page that shows what happened and when")->type_name("FILE");
    app.add_flag("--detach", options.detach, "Let the command outlive heeler-supervise; its output goes to a file");
    app.add_option("--output-limit", options.output_limit,
                   "How much of a detached command's output is kept in its file, and as much again of what came before")
        ->type_name("SIZE")
        ->transform(CLI::AsSizeValue(false))
        ->default_str("64MB");
    auto* const adopt =
        on_previous("--adopt", Previous::adopt, "Go on watching the command of an earlier heeler-supervise");
    auto* const kill = on_previous("--kill", Previous::kill, "End it first");
    on_previous("--wait", Previous::wait, "Wait for its end first")->excludes(adopt)->excludes(kill);
    kill->excludes(adopt);

    try {
        std::reverse(words.begin(), words.end());
        app.parse(words);
    } catch (const CLI::CallForHelp&) {
        return Quit{exit_ok, app.help()};
    } catch (const CLI::CallForVersion&) {
        return Quit{exit_ok, app.version() + "\n"};
    } catch (const CLI::ParseError& error) {
        const std::string dashes = common::dashes_missing(app, options.command);
        return Quit{exit_usage, dashes.empty() ? common::complaint(app, error) : dashes};
    }
    options.input = input.value_or(options.pty ? Input::nudges : Input::pass);
    options.ping = common::ping_url(options.ping);
    if (options.name.empty()) options.name = name_of_command(options.command);
    if (std::string wrong = contradiction(options); !wrong.empty()) return Quit{exit_usage, std::move(wrong)};
    return options;
}

}  // namespace supervise
