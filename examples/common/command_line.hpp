// What the command lines of all tools have in common: --help and --version of one form, and what is said of a word that
// is nearly one they know.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <heeler/config.hpp>

#include "nearest.hpp"
#include "parse_duration.hpp"

namespace common {

namespace detail {

/// The options of a command and of the groups in which they stand.
inline void add_options_of(const CLI::App& app, std::vector<std::string>& names) {
    for (const CLI::Option* const option : app.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const CLI::App* const part : app.get_subcommands(nullptr))
        if (part->get_name().empty()) add_options_of(*part, names);
}

[[nodiscard]] inline std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> names;
    add_options_of(app, names);
    for (const CLI::App* const given : app.get_subcommands()) add_options_of(*given, names);
    return names;
}

/// Those that are shown.
[[nodiscard]] inline std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_name().empty() && !command->get_group().empty()) names.push_back(command->get_name());
    return names;
}

}  // namespace detail

/// What is wrong with a command line, in one sentence. A word that is known to nobody comes first: what is missing is
/// often what it was meant to be.
[[nodiscard]] inline std::string complaint(const CLI::App& app, const CLI::Error& error) {
    const std::vector<std::string> unknown = app.remaining(true);
    if (unknown.empty()) return error.what();
    const std::string& word = unknown.front();
    if (word.size() > 1 && word.front() == '-') {
        const std::string name = word.substr(0, word.find('='));
        const auto options = detail::options_of(app);
        const std::string meant = did_you_mean(name, options);
        return "there is no option '" + name + "'" + (meant.empty() ? "; --help lists them" : meant);
    }
    const auto commands = detail::commands_of(app);
    if (commands.empty() || !app.get_subcommands().empty()) return "'" + word + "' was not expected";
    return "there is no command '" + word + "'" + did_you_mean_or_known(word, commands);
}

/// Call it first, so that both stand above the tool's own options.
inline void prepare(CLI::App& app) {
    app.set_help_flag("-h,--help", "Print this and exit");
    app.set_version_flag("--version",
                         app.get_name() + " " + std::to_string(HEELER_VERSION_MAJOR) + "." +
                             std::to_string(HEELER_VERSION_MINOR) + "." + std::to_string(HEELER_VERSION_PATCH),
                         "Print name and version, and exit");
    app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
        return failed->get_name() + ": " + complaint(*failed, error) + "\n";
    });
}

/// For programs that start another one: "Usage: heeler-NAME [OPTIONS] -- COMMAND ARGS...".
class UsageWithCommand final : public CLI::Formatter {
public:
    explicit UsageWithCommand(std::string command) : command_{std::move(command)} {}

    std::string make_usage(const CLI::App* app, std::string) const override {
        return "\nUsage: " + app->get_name() + " [OPTIONS] -- " + command_ + " ARGS...\n";
    }

private:
    std::string command_;
};

/// The words before `--`, which stay in `words`, and those behind it: a command that must not be taken for options.
[[nodiscard]] inline std::vector<std::string> take_command(std::vector<std::string>& words) {
    const auto dashes = std::find(words.begin(), words.end(), "--");
    std::vector<std::string> command;
    if (dashes != words.end()) command.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
    return command;
}

/// What to say if the command stands where only options may; empty: it does not.
[[nodiscard]] inline std::string dashes_missing(const CLI::App& app, const std::vector<std::string>& command) {
    const std::vector<std::string> words = app.remaining(true);
    if (!command.empty() || words.empty() || words.front().starts_with('-')) return {};
    return "put -- before the command: " + app.get_name() + " [OPTIONS] -- " + words.front() +
           (words.size() > 1 ? " ..." : "");
}

/// An option that takes a length of time, like 90s or 2h, into `target`.
template <class Target>
CLI::Option* add_duration(CLI::App& app, const char* name, Target& target, const char* help) {
    const auto take = [&target, name](const std::string& text) {
        const auto parsed = parse_duration(text);
        if (!parsed) throw CLI::ValidationError(name, parsed.error().message);
        target = *parsed;
    };
    return app.add_option_function<std::string>(name, take, help)->type_name("DURATION");
}

}  // namespace common
