#include "options.hpp"

#include <CLI/CLI.hpp>

#include "../common/command_line.hpp"

namespace measure {

namespace {

constexpr const char* about =
    R"(Plays a day of agents that only write checkpoints, in virtual time, under the preset checkpoint_continuation: most
work, some stop, loop or wait for input without a word. It prints how well the watchdog did, against its targets, and
checks every continuation against a second reckoning.)";

}  // namespace

std::optional<int> parse_options(int argc, const char* const* argv, Options& options) {
    CLI::App app{about, "heeler-measure"};
    common::prepare(app);
    const auto share = [&app](const char* name, double& target, const char* help) {
        app.add_option(name, target, help)->check(CLI::Range(0.0, 1.0))->capture_default_str();
    };
    app.add_option("--runs", options.runs, "How many runs")->check(CLI::Range(1, 10000))->capture_default_str();
    app.add_option("--seed", options.seed, "The same seed, the same day")->capture_default_str();
    share("--stalled", options.stalled, "Which share of the runs stalls");
    share("--careless", options.careless,
          "Which share of each kind does not play by the rules: works without\n"
          "checkpoints, or writes checkpoints in an endless loop");
    share("--recovers", options.recovers, "Which share of the continuations finishes the work");
    share("--spawn-fails", options.spawn_fails, "Which share of the continuations cannot be started at first");
    const auto take_store = [&options](const std::string& text) {
        if (text != "memory" && !common::read_store(text, options.store))
            throw CLI::ValidationError("--store " + text + ": it is 'memory', 'sqlite:PATH' or 'postgres:URL'");
    };
    app.add_option_function<std::string>("--store", take_store,
                                         "memory (default), sqlite:PATH or postgres:URL; one without runs");
    app.add_option("--schema", options.store.schema, "Of the PostgreSQL store")->capture_default_str();
    app.add_flag("--json", options.json, "The metrics as one line of JSON");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    return std::nullopt;
}

}  // namespace measure
