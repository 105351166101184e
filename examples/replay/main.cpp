// heeler-replay: what would the watchdog have done? Scenarios, recorded runs, dry runs and bug reports as JSON lines.
#include <cstdio>
#include <string>
#include <utility>

#include "input.hpp"
#include "options.hpp"
#include "replay.hpp"
#include "replay_store.hpp"

namespace {

constexpr int bad_arguments = 2;
constexpr int unreadable_input = 3;

int give_up(int status, const std::string& message) {
    std::fputs(("heeler-replay: " + message + "\n").c_str(), stderr);
    return status;
}

int replay_input(const replay::Options& options) {
    std::string settings;
    if (!options.config_file.empty()) {
        auto content = replay::read_file(options.config_file);
        if (!content) return give_up(bad_arguments, "--config: " + content.error().message);
        settings = std::move(*content);
        replay::JsonParser parser;
        try {
            static_cast<void>(parser.parse(settings));
        } catch (const replay::BadLine& bad) {
            return give_up(bad_arguments, "--config: " + options.config_file + ": " + bad.what());
        }
    }
    auto lines = replay::read_lines(options.input_file);
    if (!lines) return give_up(unreadable_input, lines.error().message);
    auto store = replay::open_backend(options.sqlite_file);
    if (!store) return give_up(bad_arguments, "--store: " + store.error().message);

    const bool empty = lines->empty();
    replay::Replay replay{options, std::move(settings), std::move(*store), std::move(*lines)};
    const auto objects = replay.run();
    if (objects == 0 && !empty) return give_up(unreadable_input, options.input_file + " holds no line of a scenario");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const auto parsed = replay::parse_options(argc, argv);
    if (!parsed.options) return parsed.exit_status;
    return replay_input(*parsed.options);
}
