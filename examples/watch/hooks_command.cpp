#include "hooks_command.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include <heeler/text/one_line.hpp>

#include "../common/nearest.hpp"
#include "hook_config.hpp"

namespace watch {

namespace {

int fail(const heeler::Error& error) {
    std::fprintf(stderr, "heeler-watch: %s\n", heeler::text::one_line(error.message, 4096).c_str());
    return 1;
}

std::multiset<std::string_view> lines_of(std::string_view text) {
    std::multiset<std::string_view> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.insert(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

/// The lines of `text` that `other` has not.
void print_lines(std::string_view text, std::string_view other, char mark) {
    auto known = lines_of(other);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        if (const auto same = known.find(line); same != known.end())
            known.erase(same);
        else
            std::printf("%c %s\n", mark, heeler::text::one_line(line, 4096).c_str());
        at = end + 1;
    }
}

bool is_wanted() {
    std::printf("Write it? [y/N] ");
    std::fflush(stdout);
    const int said = std::getchar();
    return said == 'y' || said == 'Y';
}

int show_status(const Options& options) {
    for (const std::string& agent : agents_with_hooks())
        if (options.agent.empty() || options.agent == agent)
            std::printf("%s: %s\n", agent.c_str(),
                        has_hooks(agent, options.home) ? "has the hooks" : "has not all of the hooks");
    return 0;
}

}  // namespace

int hooks_command(const Options& options) {
    const auto known = agents_with_hooks();
    if (!options.agent.empty() && std::find(known.begin(), known.end(), options.agent) == known.end()) {
        std::fprintf(stderr, "heeler-watch: '%s' has no hooks that are known%s\n", options.agent.c_str(),
                     common::did_you_mean_or_known(options.agent, known).c_str());
        return exit_usage;
    }
    if (options.hooks == HookVerb::status) return show_status(options);
    std::error_code error;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
    const auto change = options.hooks == HookVerb::install
                            ? with_hooks(options.agent, options.home, program, options.guard)
                            : without_hooks(options.agent, options.home);
    if (!change) return fail(change.error());
    if (!change->any()) {
        std::printf("%s: nothing to change\n", change->file.c_str());
        return 0;
    }
    std::printf("%s\n", change->file.c_str());
    print_lines(change->before, change->after, '-');
    print_lines(change->after, change->before, '+');
    const bool asks = ::isatty(STDIN_FILENO) == 1;
    if (!options.yes && !(asks && is_wanted())) {
        std::printf("Nothing was written%s.\n", asks ? "" : "; --yes writes it");
        return asks ? 0 : 1;
    }
    if (const auto written = write_change(*change); !written) return fail(written.error());
    std::printf("Written. %s%sSessions that are open take it up when they are started anew.\n",
                change->before.empty() ? "" : ("As it was before: " + change->file + ".before-heeler. ").c_str(),
                change->then.c_str());
    return 0;
}

}  // namespace watch
