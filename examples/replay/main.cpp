// heeler-replay: what would the watchdog have done? Scenarios, recorded runs, dry runs and bug reports as JSON lines.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <heeler/settings/overlay.hpp>
#include <heeler/source/environment_settings.hpp>
#include <heeler/source/json_settings.hpp>

#include "input.hpp"
#include "options.hpp"
#include "replay.hpp"
#include "replay_store.hpp"
#include "transcript_input.hpp"

namespace {

constexpr int bad_arguments = 2;
constexpr int unreadable_input = 3;

int give_up(int status, const std::string& message) {
    std::fputs(("heeler-replay: " + message + "\n").c_str(), stderr);
    return status;
}

/// What a coding agent wrote of its own session becomes lines of a scenario, unless the command line says that it is
/// one.
std::vector<replay::InputLine> scenario_of(const replay::Options& options, std::vector<replay::InputLine> lines) {
    if (options.format != "auto") return lines;
    replay::TranscriptInput input = replay::from_transcript(std::move(lines));
    for (const std::string& note : input.notes) std::fputs((options.input_file + ": " + note + "\n").c_str(), stderr);
    return std::move(input.lines);
}

/// The file may be anything that can be read, so that a shell can write it in place.
heeler::Result<replay::Settings> settings_in(const std::string& path) {
    const auto content = replay::read_file(path);
    if (!content) return tl::unexpected<heeler::Error>(content.error());
    auto settings = heeler::settings_from_json(*content);
    if (settings) return settings;
    return heeler::fail(settings.error().code, path + ": " + settings.error().message);
}

int replay_input(const replay::Options& options) {
    std::vector<replay::Settings> settings;
    if (!options.config_file.empty()) {
        auto file = settings_in(options.config_file);
        if (!file) return give_up(bad_arguments, "--config: " + file.error().message);
        settings.push_back(std::move(*file));
    }
    if (options.environment) settings.push_back(heeler::settings_from_environment(heeler::setting_names()));
    auto lines = replay::read_lines(options.input_file);
    if (!lines) return give_up(unreadable_input, lines.error().message);
    auto store = replay::open_backend(options.store);
    if (!store) return give_up(bad_arguments, "--store: " + store.error().message);

    const bool empty = lines->empty();
    replay::Replay replay{options, std::move(settings), std::move(*store), scenario_of(options, std::move(*lines))};
    const auto objects = replay.run();
    if (objects == 0 && !empty)
        return give_up(unreadable_input, options.input_file +
                                             " holds no line of a scenario, and is in none of the formats " +
                                             replay::transcript_formats());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const auto parsed = replay::parse_options(argc, argv);
    if (!parsed.options) return parsed.exit_status;
    return replay_input(*parsed.options);
}
