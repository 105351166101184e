// heeler-fleet --store postgres:URL [OPTIONS]: several watchdogs, one store, one of them killed. `--help` tells the
// rest.
#include <cstdio>
#include <exception>
#include <string>

#include <heeler/text/one_line.hpp>

#include "../common/channels.hpp"
#include "../common/own_environment.hpp"
#include "agents.hpp"
#include "options.hpp"
#include "reckoning.hpp"
#include "story.hpp"
#include "watchdog.hpp"

namespace {

int tell(const fleet::Options& options, const fleet::Figures& figures) {
    std::fputs((options.json ? to_json(figures) + "\n" : to_text(options, figures)).c_str(), stdout);
    for (std::size_t i = 0; i < figures.faults.size() && i < 50; ++i)
        std::fprintf(stderr, "heeler-fleet: %s\n", heeler::text::one_line(figures.faults[i], 1024).c_str());
    if (!figures.faults.empty()) return 1;
    if (!options.json) std::puts("Every stall was continued once, and nothing else was.");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        fleet::Options options;
        if (const auto status = fleet::parse_options(argc, argv, options)) return *status;
        common::take_environment();
        if (const auto channels = common::Channels::named(options.notify); !channels) {
            std::fprintf(stderr, "heeler-fleet: %s\n", channels.error().message.c_str());
            return 2;
        }
        if (options.agents) {
            fleet::play_agents(options);
            return 0;
        }
        if (!options.watchdog.empty()) {
            fleet::watch(options);
            return 0;
        }
        return tell(options, fleet::play(options));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "heeler-fleet: %s\n", error.what());
        return 1;
    }
}
