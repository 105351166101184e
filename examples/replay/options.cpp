#include "options.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include <heeler/text/redact.hpp>

#include "../common/command_line.hpp"
#include "../common/presets.hpp"

namespace replay {
namespace {

constexpr std::string_view about =
    "Feeds a scenario, a recorded run (JSON lines), or a session file of a coding agent (Claude Code, Codex, Gemini "
    "CLI,\n"
    "OpenHands, SWE-agent, pi) to a watchdog and prints, as JSON lines, what it does; or, in words, which loops are in "
    "it\n"
    "(--loops), which limits would fit (--limits), and why an event had its verdict (--explain).\n"
    "Nothing outside is touched: clock, agents and notifications are doubles. The same input gives the same output.";

constexpr std::string_view footer =
    "Exit status: 0 read to the end; 2 bad arguments, or --explain names a run or an event that is not there; 3 the "
    "input\n"
    "could not be read, or no line of it (of several files: of none).\n"
    "A bad line is reported on stderr as FILE:LINE: MESSAGE, counted in the summary, and skipped.";

std::string preset_list() { return CLI::detail::join(common::preset_names(), ", "); }

/// Fills `place`; answers what is wrong, or nothing.
std::string check_store(const std::string& store, StorePlace& place) {
    if (store == "memory" || common::read_store(store, place)) return {};
    return "--store is '" + heeler::text::redact(store) + "', but must be 'memory', 'sqlite:PATH' or 'postgres:URL'";
}

std::string check_format(const std::string& format) {
    if (format == "auto" || format == "heeler") return {};
    return "--format is '" + format + "', but must be 'auto' or 'heeler'";
}

std::string check_event(const std::string& text, std::optional<EventName>& event) {
    if (text.empty()) return {};
    event = event_named(text);
    if (event) return {};
    return "--explain is '" + heeler::text::redact(text) +
           "', but must be RUN@EVENT: the id of a run, and the number of one of its events, as in 'demo@7'";
}

std::string check_files(Options& options) {
    if (options.files.empty()) options.files.push_back(options.input_file);
    options.input_file = options.files.front();
    if (options.loops && options.explain) return "--loops and --explain exclude each other";
    if (options.limits && (options.loops || options.explain))
        return "--limits excludes --loops and --explain, which print something else";
    if (!options.html_file.empty() && (options.loops || options.limits || options.explain))
        return "--html is what happened: it excludes --loops, --limits and --explain, which print something else";
    if (options.files.size() < 2 || options.loops || options.limits) return {};
    return "'" + options.files[1] + "' was not expected: only --loops and --limits take more than one file";
}

std::string check_preset(const std::string& preset) {
    if (common::preset_named(preset)) return {};
    return "--preset is '" + preset + "', but must be one of " + preset_list() +
           common::did_you_mean(preset, common::preset_names());
}

}  // namespace

Parsed parse_options(int argc, char** argv) {
    Options options;
    std::string store = "memory", event;

    CLI::App app{std::string{about}, "heeler-replay"};
    common::prepare(app);
    app.footer(std::string{footer});
    app.add_option("--preset", options.preset, "Class of the runs: " + preset_list())->capture_default_str();
    app.add_option("--config", options.config_file, "JSON file with settings that change the preset");
    app.add_flag("--env", options.environment, "Settings from variables like HEELER_INTERVAL_S=60, over --config");
    app.add_option("--store", store, "memory, sqlite:PATH, or postgres:URL")->capture_default_str();
    app.add_option("--schema", options.store.schema, "Schema of the PostgreSQL store")->capture_default_str();
    app.add_option("--format", options.format, "auto: known by its content; heeler: a scenario, whatever it looks like")
        ->capture_default_str();
    app.add_option("--explain", event,
                   "RUN@EVENT: print instead why the loop detector gave a verdict at this event of the run, or none")
        ->type_name("RUN@EVENT");
    app.add_flag("--loops", options.loops,
                 "Print instead one line for each loop that is found in the files; nothing is done about it");
    app.add_flag("--limits", options.limits,
                 "Print instead which limits would fit, by how long the healthy silences, calls and runs in the files "
                 "were; nothing is done");
    app.add_option("--html", options.html_file,
                   "Besides, a page that shows what happened to the run; of more runs one each")
        ->type_name("FILE");
    app.add_option("FILE", options.files, "The input; - is standard input, FILE.gz is unpacked")
        ->default_str(options.input_file);
    try {
        app.parse(argc, argv);
        for (const std::string& wrong :
             {check_store(store, options.store), check_format(options.format), check_preset(options.preset),
              check_event(event, options.explain), check_files(options)})
            if (!wrong.empty()) throw CLI::ValidationError{wrong, CLI::ExitCodes::ValidationError};
    } catch (const CLI::Success& done) {
        return {std::nullopt, app.exit(done)};
    } catch (const CLI::Error& wrong) {
        app.exit(wrong);
        return {std::nullopt, 2};
    }
    return {std::move(options), 0};
}

}  // namespace replay
