// Stories that are broken, as short as they can be.
#include "sim/report.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sim/scenario.hpp"
#include "sim/world.hpp"

namespace sim {
namespace {

/// Which promise is broken.
[[nodiscard]] std::string fault_of(const Story& story) {
    World world{story};
    world.live();
    return world.fault().substr(0, world.fault().find(':'));
}

/// Where the world is as a scenario, if it fails there as well; what no scenario can say of it.
[[nodiscard]] std::string scenario_of(const Story& story) {
    const Tellable told = tellable(story);
    World world{told.story};
    world.live();
    const std::string fault = world.fault().substr(0, world.fault().find(':'));
    const auto script = world.script();
    std::string text;
    for (const std::string& each : told.cannot) text += (text.empty() ? "" : ", ") + each;
    if (!script || fault != fault_of(story))
        return "\nno scenario shows it: none can say: " + (text.empty() ? "when it happens" : text);
    const std::string directory = std::filesystem::temp_directory_path().string();
    return "\nas a scenario" + (text.empty() ? "" : " (without: " + text + ")") + ": heeler-replay " +
           write_scenario(told, *script, directory);
}

}  // namespace

Story shrunk(Story story) {
    const std::string fault = fault_of(story);
    const auto take = [&](Story less) {
        const bool is_enough = fault_of(less) == fault;
        if (is_enough) story = std::move(less);
        return is_enough;
    };
    for (std::size_t part = std::max<std::size_t>(story.happenings.size() / 2, 1); part > 0; part /= 2)
        for (std::size_t at = 0; at + part <= story.happenings.size();) {
            Story less = story;
            const auto from = less.happenings.begin() + static_cast<std::ptrdiff_t>(at);
            less.happenings.erase(from, from + static_cast<std::ptrdiff_t>(part));
            if (!take(std::move(less))) at += part;
        }
    for (unsigned Story::*const count : {&Story::dogs, &Story::runs})
        for (bool is_enough = true; is_enough && story.*count > 1;) {
            Story less = story;
            --(less.*count);
            is_enough = take(std::move(less));
        }
    return story;
}

std::string report_of(const Story& story) {
    World world{story};
    world.live();
    std::string text = "seed " + std::to_string(story.seed) + ": " + world.fault() + "\n" + told(story) + "\ntrace:";
    for (const std::string& line : world.trace()) text += "\n  " + line;
    return text + scenario_of(story);
}

}  // namespace sim
