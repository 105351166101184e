// heeler-measure [OPTIONS]: how well the checkpoint watchdog does on a day of agents. `--help` tells the rest.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <heeler/report/metrics_text.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/table.hpp>

#include "options.hpp"
#include "simulation.hpp"

namespace {

std::string kinds_of(const measure::Result& result) {
    std::vector<heeler::text::TableRow> rows;
    for (const auto& [kind, tally] : result.kinds)
        rows.push_back({std::string{measure::kind_names[static_cast<std::size_t>(kind)]},
                        is_healthy(kind) ? "no" : "yes", std::to_string(tally.runs), std::to_string(tally.flagged),
                        std::to_string(tally.continued), std::to_string(tally.finished),
                        std::to_string(tally.given_up)});
    return heeler::text::to_table(
        {"What the first agent does", "Stalls", "Runs", "Flagged", "Continued", "Finished", "Given up"}, rows);
}

std::string story_of(const measure::Options& options, const measure::Result& result) {
    const auto n = [](std::uint64_t count) { return std::to_string(count); };
    return std::to_string(options.runs) + " runs, seed " + n(options.seed) + ": " +
           heeler::text::spoken(result.length) + " in virtual time, " + n(result.cycles) + " cycles\n\n" +
           kinds_of(result) + "\n" + to_text(result.metrics) + "\n" + n(result.spawns) + " continuations started, " +
           n(result.failed_spawns) + " more had to be tried again, " + n(result.fenced) +
           " late reports of replaced agents fenced off.\n";
}

int measure_day(const measure::Options& options) {
    auto store = common::AnyStore::at(options.store);
    if (!store) {
        std::fprintf(stderr, "heeler-measure: %s\n", store.error().message.c_str());
        return 2;
    }
    measure::Simulation simulation{options, *std::move(store)};
    const measure::Result result = simulation.play();
    std::fputs(options.json ? (to_json(result.metrics) + "\n").c_str() : story_of(options, result).c_str(), stdout);
    for (std::size_t i = 0; i < result.faults.size() && i < 20; ++i)
        std::fprintf(stderr, "heeler-measure: %s\n", heeler::text::one_line(result.faults[i], 1024).c_str());
    if (!result.faults.empty()) return 1;
    if (!options.json)
        std::puts("Every one as the second reckoning has it: none missing, none twice, none without need.");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        measure::Options options;
        if (const auto status = measure::parse_options(argc, argv, options)) return *status;
        return measure_day(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "heeler-measure: %s\n", error.what());
        return 1;
    }
}
