#include "options.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include <CLI/CLI.hpp>

#include "../common/channels.hpp"
#include "../common/command_line.hpp"

namespace github_tree {
namespace {

constexpr const char* purpose =
    R"(Watches a tree of GitHub issues: one issue with its sub-issues. When everything in it has come to rest, an account
is given a review issue and woken, to check whether the work is really done.)";

constexpr const char* conventions =
    R"(The token is in GITHUB_TOKEN; it needs "Issues: read and write" for the repository, and nothing else.
GitHub knows no runs: an agent says by labels what it does. `heeler:run`: it is at work, until it takes the label away.
`heeler:wake`: it is to begin, and puts `heeler:run` in its place. examples/github_tree/README.md has the whole table.)";

std::string wrong_repository(const std::string& text) {
    const auto slash = text.find('/');
    const auto is_odd = [](char c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return !letter && c != '-' && c != '_' && c != '.' && c != '/';
    };
    const bool good = slash != std::string::npos && slash > 0 && slash + 1 < text.size() &&
                      text.find('/', slash + 1) == std::string::npos && std::none_of(text.begin(), text.end(), is_odd);
    return good ? "" : "'" + text + "' is no repository: write OWNER/NAME";
}

/// The token goes there: in clear to this machine only.
std::string wrong_api(const std::string& text) {
    const std::string_view url{text};
    for (const std::string_view here : {"http://127.0.0.1:", "http://localhost:", "https://"})
        if (url.starts_with(here) && url.size() > here.size() && !url.ends_with("/")) return {};
    return "'" + text + "' must begin with https:// (or be http://127.0.0.1:PORT), and end without a slash";
}

void take_token(Options& options) {
    if (const char* const token = std::getenv("GITHUB_TOKEN"); token != nullptr) options.token = token;
    ::unsetenv("GITHUB_TOKEN");  // no process that is started needs it
    if (options.token.empty()) throw CLI::RequiredError("GITHUB_TOKEN, the token for GitHub,");
    const auto is_odd = [](char c) { return c <= ' ' || c > '~'; };
    if (std::any_of(options.token.begin(), options.token.end(), is_odd))
        throw CLI::ValidationError("GITHUB_TOKEN", "it has blanks or other bytes that no token has");
}

}  // namespace

std::optional<int> parse_options(int argc, const char* const* argv, Options& options) {
    CLI::App app{purpose, "heeler-github-tree"};
    common::prepare(app);
    app.footer(conventions);
    const auto duration = [&app](const char* name, heeler::Duration& target, const char* help) {
        common::add_duration(app, name, target, help);
    };
    app.add_option("--repo", options.repository, "Where the tree is")
        ->required()
        ->type_name("OWNER/NAME")
        ->check(wrong_repository, "");
    app.add_option("--issue", options.issue, "Number of the issue that is watched, with all below it")
        ->required()
        ->type_name("NUMBER")
        ->check(CLI::Range(1, 2'000'000'000));
    app.add_option("--reviewer", options.reviewer, "The account that is woken; it counts as an agent")
        ->required()
        ->type_name("LOGIN");
    app.add_option("--agent", options.agents, "An account that is an agent as well, as bots are; repeat it")
        ->type_name("LOGIN")
        ->allow_extra_args(false);
    app.add_option("--instructions", options.instructions,
                   "What the reviewer is to look at; they cannot allow anything")
        ->type_name("TEXT");
    app.add_option("--api", options.api, "Of a GitHub Enterprise Server: https://HOST/api/v3")
        ->type_name("URL")
        ->check(wrong_api, "")
        ->capture_default_str();
    app.add_option("--store", options.store, "SQLite file of the watchdog (default: memory)")->type_name("FILE");
    duration("--every", options.every, "How often the tree is read (default: 1m)");
    duration("--grace", options.grace, "How long a new issue may wait for its first run (default: 5m)");
    duration("--silent", options.silent,
             "An issue that was not updated for so long is not at work, whatever its labels say (default: 2h)");
    app.add_option("--notify", options.notify, common::notify_help)->type_name("CHANNEL");
    app.add_flag("--once", options.once, "Look once, do what is to be done, and end");
    try {
        app.parse(argc, argv);
        if (options.every < std::chrono::seconds{1} || options.every > std::chrono::hours{24})
            throw CLI::ValidationError("--every", "it must be 1s to 1d");
        take_token(options);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exit_usage;
    }
    return std::nullopt;
}

}  // namespace github_tree
