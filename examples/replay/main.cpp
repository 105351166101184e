// heeler-replay: what would the watchdog have done? Scenarios, recorded runs, dry runs and bug reports as JSON lines.
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/settings/overlay.hpp>
#include <heeler/source/environment_settings.hpp>
#include <heeler/source/json_settings.hpp>

#include "../common/presets.hpp"
#include "explainer.hpp"
#include "input.hpp"
#include "limit_lister.hpp"
#include "loop_lister.hpp"
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

/// A preset without it says nothing of loops.
bool has_loop_detector(const std::string& preset) {
    const auto rules = common::preset_named(preset);
    return rules && rules->detectors.find<heeler::Loop>() != nullptr;
}

std::string not_readable(const std::string& file) {
    return file + " holds no line of a scenario, and is in none of the formats " + replay::transcript_formats();
}

/// Settings from the file and the environment.
heeler::Result<std::vector<replay::Settings>> given_settings(const replay::Options& options) {
    std::vector<replay::Settings> settings;
    if (!options.config_file.empty()) {
        auto file = settings_in(options.config_file);
        if (!file) return tl::unexpected<heeler::Error>(file.error());
        settings.push_back(std::move(*file));
    }
    if (options.environment) settings.push_back(heeler::settings_from_environment(heeler::setting_names()));
    return settings;
}

/// Replays one of several files for whoever looks on; false: it cannot be read, which is said.
bool look_through(replay::Options options, const std::vector<replay::Settings>& settings, const std::string& file,
                  replay::LoopWatch* watch, replay::LimitLister* limits) {
    options.input_file = file;
    auto lines = replay::read_lines(file);
    auto store = replay::open_backend({});
    if (!store) {
        give_up(0, store.error().message);
        return false;
    }
    const bool empty = lines && lines->empty();
    std::uint64_t objects = 0, skipped = 0;
    if (lines) {
        replay::Replay replay{options, settings, std::move(*store), scenario_of(options, std::move(*lines)), watch,
                              nullptr, limits};
        objects = replay.run();
        skipped = replay.skipped();
    }
    if (objects == 0 && !empty) {
        give_up(0, lines ? not_readable(file) : lines.error().message);
        return false;
    }
    if (skipped > 0)
        give_up(0, file + ": " + std::to_string(skipped) + (skipped == 1 ? " line was" : " lines were") +
                       " skipped; without " + (limits != nullptr ? "--limits" : "--loops") +
                       " it is said which and why");
    return true;
}

/// Of each file which loops are in it.
int list_loops(const replay::Options& options, const std::vector<replay::Settings>& settings) {
    replay::LoopCounts counts;
    for (const std::string& file : options.files) {
        replay::LoopLister lister{file};
        if (!look_through(options, settings, file, &lister, nullptr)) {
            ++counts.unreadable;
            continue;
        }
        ++counts.files;
        std::fputs(lister.finish(counts).c_str(), stdout);
    }
    std::fputs(text_of(counts).c_str(), stdout);
    return counts.files == 0 ? unreadable_input : 0;
}

/// Of all files together which limits would fit.
int list_limits(const replay::Options& options, const std::vector<replay::Settings>& settings) {
    replay::LimitLister lister;
    std::size_t read = 0;
    for (const std::string& file : options.files)
        if (look_through(options, settings, file, nullptr, &lister)) ++read;
    std::fputs(lister.text().c_str(), stdout);
    return read == 0 ? unreadable_input : 0;
}

int replay_input(const replay::Options& options) {
    auto settings = given_settings(options);
    if (!settings) return give_up(bad_arguments, "--config: " + settings.error().message);
    if ((options.loops || options.explain) && !has_loop_detector(options.preset))
        return give_up(bad_arguments, "the preset '" + options.preset +
                                          "' does not have the detector 'loop', which --" +
                                          (options.loops ? "loops" : "explain") + " is about; 'recommended' has it");
    if (options.loops) return list_loops(options, *settings);
    if (options.limits) return list_limits(options, *settings);
    auto lines = replay::read_lines(options.input_file);
    if (!lines) return give_up(unreadable_input, lines.error().message);
    auto store = replay::open_backend(options.store);
    if (!store) return give_up(bad_arguments, "--store: " + store.error().message);

    const bool empty = lines->empty();
    std::optional<replay::Explainer> explainer;
    if (options.explain) explainer.emplace(*options.explain);
    std::optional<replay::Pages> pages;
    if (!options.html_file.empty()) pages.emplace(options.html_file);
    replay::Replay replay{options,
                          std::move(*settings),
                          std::move(*store),
                          scenario_of(options, std::move(*lines)),
                          explainer ? &*explainer : nullptr,
                          pages ? &*pages : nullptr};
    const auto objects = replay.run();
    if (objects == 0 && !empty) return give_up(unreadable_input, not_readable(options.input_file));
    if (!explainer) return 0;
    const auto explained = explainer->text();
    if (!explained) return give_up(bad_arguments, explained.error().message);
    std::fputs(explained->c_str(), stdout);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const auto parsed = replay::parse_options(argc, argv);
    if (!parsed.options) return parsed.exit_status;
    return replay_input(*parsed.options);
}
