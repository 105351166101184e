// How well loops are found: over recorded runs with labels, or over made-up ones.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "goals.hpp"
#include "judge.hpp"
#include "measure.hpp"
#include "recording.hpp"

namespace {

using namespace detection;

constexpr std::string_view usage =
    "usage: heeler_detection FOLDER [--alarms] [--families] [--disguise=NAME]   over the recorded runs in a folder\n"
    "       heeler_detection --generated [--quick] [--seed=N] [--runs=N] [--events=N] [--compare] [--families]\n"
    "           over made-up ones; 1 if recommended misses a goal\n"
    "       heeler_detection --harder [--seed=N]   over made-up ones that look like something else\n"
    "--alarms: each alarm that no label confirms. --families: each family of the loop detector alone, and left out.\n"
    "--compare: with what other products do. NAME: warning, footer, carriage_returns, opaque_names, later\n";

struct Options {
    std::string folder{};
    Disguise disguise = Disguise::none;
    bool generated = false, harder = false, families = false, alarms = false, quick = false, compare = false;
    Scale scale{};
};

std::optional<Options> read_options(int argc, char** argv) {
    Options options;
    const auto number = [](std::string_view text) { return std::stoull(std::string{text.substr(text.find('=') + 1)}); };
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument{argv[i]};
        if (argument == "--families")
            options.families = true;
        else if (argument == "--alarms")
            options.alarms = true;
        else if (argument == "--quick")
            options.quick = true;
        else if (argument == "--compare")
            options.compare = true;
        else if (argument == "--generated")
            options.generated = true;
        else if (argument == "--harder")
            options.generated = options.harder = true;
        else if (argument.starts_with("--disguise=")) {
            const auto found = std::find(disguise_names.begin(), disguise_names.end(), argument.substr(11));
            if (found == disguise_names.end()) return std::nullopt;
            options.disguise = static_cast<Disguise>(found - disguise_names.begin());
        } else if (argument.starts_with("--seed="))
            options.scale.seed = static_cast<std::uint32_t>(number(argument));
        else if (argument.starts_with("--runs="))
            options.scale.runs = number(argument);
        else if (argument.starts_with("--events="))
            options.scale.events = number(argument);
        else if (argument.starts_with("--") || !options.folder.empty())
            return std::nullopt;
        else
            options.folder = argument;
    }
    if (options.quick) options.scale = {options.scale.seed, 20, 600, 2, 1'000, 40};
    if (options.folder.empty() == !options.generated) return std::nullopt;
    return options;
}

void print_head() {
    fmt::print("| {:<28} | {:<17} | {:<17} | {:<17} | {:<17} | delay 50/75/90 % | early | alarms/1000 |\n", "detector",
               "precision", "recall", "stop precision", "stop recall");
    fmt::print("|{:-<30}|{:-<19}|{:-<19}|{:-<19}|{:-<19}|------------------|-------|-------------|\n", "", "", "", "",
               "");
}

void print(std::string_view name, const Score& score) {
    fmt::print("| {:<28} | {:<17} | {:<17} | {:<17} | {:<17} | {:>4} {:>4} {:>4}   | {:>5} | {:>11.2f} |\n", name,
               score.precision().text(), score.recall().text(), score.stop_precision().text(),
               score.stop_recall().text(), score.delay(50), score.delay(75), score.delay(90), score.premature,
               score.lines == 0 ? 0.0 : 1'000.0 * double(score.alarms) / double(score.lines));
    std::fflush(stdout);
}

/// The score of one judge over all runs, and apart by kind of label and by source.
void measure(const Candidate& candidate, const std::vector<Recording>& runs, bool by_parts, bool alarms) {
    Score all;
    std::map<std::string, Score> parts;
    std::string list;
    for (const Recording& run : runs) {
        const Verdict verdict = judge(candidate, run);
        all.add(run, verdict);
        parts["source " + run.source].add(run, verdict);
        if (run.label && !run.label->uncertain) parts["kind " + run.label->kind].add(run, verdict);
        const bool right = run.label && run.label->loop == verdict.nudge.has_value();
        if (!alarms || right || (!run.label && !verdict.nudge)) continue;
        list += fmt::format("  {} {}: {}{}\n",
                            !run.label             ? "unlabelled"
                            : run.label->uncertain ? "uncertain"
                            : verdict.nudge        ? "FALSE"
                                                   : "MISSED",
                            run.id(), verdict.nudge ? fmt::format("line {} by {}", *verdict.nudge, verdict.rule) : "",
                            verdict.stop ? fmt::format(", stop at {}", *verdict.stop) : "");
    }
    print(candidate.name, all);
    if (by_parts)
        for (const auto& [name, score] : parts) {
            const std::size_t labelled = score.loops + score.healthy;
            fmt::print(
                "    {:<32} {:>4} loops, found {:>4}, stopped {:>4} | {:>4} healthy, alarmed {:>3}, stopped {:>3} | "
                "{:>6} lines, {:>4} alarms{}\n",
                name, score.loops, score.found, score.stopped, score.healthy, score.false_alarms, score.falsely_stopped,
                score.lines, score.alarms, labelled == 0 ? " (none labelled)" : "");
        }
    fmt::print("{}", list);
}

int over_recordings(const Options& options) {
    std::vector<Recording> runs = read_recordings(options.folder);
    for (Recording& run : runs) run = disguised(std::move(run), options.disguise);
    std::size_t lines = 0, labelled = 0, loops = 0;
    for (const Recording& run : runs) {
        lines += run.lines.size();
        labelled += run.label && !run.label->uncertain ? 1 : 0;
        loops += run.label && !run.label->uncertain && run.label->loop ? 1 : 0;
    }
    fmt::print("{} runs, {} lines; {} labelled with certainty, of these {} loops\n\n", runs.size(), lines, labelled,
               loops);
    print_head();
    measure(recommended(), runs, true, options.alarms);
    for (const Candidate& each : simple_ones()) measure(each, runs, false, false);
    if (options.families)
        for (const Candidate& each : families()) measure(each, runs, false, false);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::optional<Options> options = read_options(argc, argv);
        if (!options) return fmt::print(stderr, "{}", usage), 64;
        if (!options->generated) return over_recordings(*options);
        if (options->harder) return over_harder(options->scale) ? 0 : 1;
        return over_generated(options->scale, options->families, options->compare) ? 0 : 1;
    } catch (const std::exception& error) {
        fmt::print(stderr, "heeler_detection: {}\n", error.what());
        return 1;
    }
}
