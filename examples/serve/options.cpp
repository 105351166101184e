#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <CLI/CLI.hpp>

#include <heeler/text/redact.hpp>

#include "../common/channels.hpp"
#include "../common/command_line.hpp"
#include "../common/given_settings.hpp"
#include "../common/life_signs.hpp"
#include "../common/own_environment.hpp"
#include "../common/presets.hpp"
#include "../common/state_directory.hpp"

namespace serve {

namespace {

constexpr const char* about =
    R"(A watchdog for agents in any language: lines of JSON on standard input and output, or on a Unix socket. A client
starts runs and tells what they do; it is told of verdicts and alerts, and asked to nudge, pause, end or continue them.)";

constexpr const char* statuses = R"(Exit status:
    2  the options make no sense
   69  another one listens on the socket, or its path cannot be used
   73  the state directory cannot be written
   74  the store cannot be used, or another watchdog is at work on it)";

bool is_name(const std::string& name) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
               c == '.';
    };
    return !name.empty() && name.size() <= 64 && name.front() != '.' && std::all_of(name.begin(), name.end(), allowed);
}

/// Of a header, with %XX for what has a meaning there. Absent: it cannot be one.
std::optional<std::string> decoded(std::string_view text) {
    std::string header;
    for (; !text.empty(); text.remove_prefix(1)) {
        unsigned char read = static_cast<unsigned char>(text.front());
        if (read == '%') {
            if (text.size() < 3 || std::from_chars(text.data() + 1, text.data() + 3, read, 16).ptr != text.data() + 3)
                return std::nullopt;
            text.remove_prefix(2);
        }
        if (read < ' ' || read == 0x7f) return std::nullopt;
        header += static_cast<char>(read);
    }
    return header;
}

/// As OpenTelemetry writes them: `name=value,name=value`. Absent: it is none of that.
std::optional<std::vector<std::string>> headers_in(std::string_view text) {
    std::vector<std::string> headers;
    while (!text.empty()) {
        std::string_view pair = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), pair.size() + 1));
        pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
        if (pair.empty()) continue;
        const auto end = pair.find('=');
        const auto name = decoded(pair.substr(0, end));
        const auto value = end == std::string_view::npos ? std::nullopt : decoded(pair.substr(end + 1));
        if (!name || name->empty() || !value) return std::nullopt;
        headers.push_back(*name + ": " + *value);
    }
    return headers;
}

/// What the options mean together, and what they must not.
std::string contradiction(const Options& options, const std::string& store) {
    if (!is_name(options.name))
        return "--name \"" + options.name + "\": 1 to 64 letters, digits, '-', '_' and '.', not beginning with '.'";
    if (options.http && options.socket.empty()) return "--http goes with --socket PATH, which it leads to";
    if (!common::is_ping_url(options.ping)) return "--ping, or HEELER_PING_URL: it begins with https:// or http://";
    if (options.patience < std::chrono::milliseconds(100) || options.patience > std::chrono::minutes(10))
        return "--patience: from 100ms to 10m";
    if (options.otlp_port && options.otlp_token.size() < shortest_token)
        return "--otlp: HEELER_OTLP_TOKEN must hold a secret of at least " + std::to_string(shortest_token) +
               " characters, which exporters send: others on this machine could report in their name";
    if (!store.empty() && !options.in_memory && options.store.sqlite_file.empty() && options.store.postgres.empty())
        return "--store is '" + heeler::text::redact(store) +
               "', but must be 'memory', 'sqlite:PATH' or 'postgres:URL'";
    return {};
}

}  // namespace

std::variant<Options, Quit> parse_options(int argc, const char* const* argv) {
    Options options;
    options.state_directory = common::state_directory();
    std::string store;
    CLI::App app{about, "heeler-serve"};
    common::prepare(app);
    app.footer(statuses);
    app.add_option("--socket", options.socket,
                   "Where clients connect, each of them you: a Unix socket (default: one client, on the standard "
                   "streams)")
        ->type_name("PATH");
    app.add_option("--http", options.http, "A port of 127.0.0.1 where clients come as well, who know the token; 0: any")
        ->check(CLI::Range(0, 65535))
        ->type_name("PORT");
    app.add_option("--name", options.name, "Of the store in the state directory")->capture_default_str();
    app.add_option("--preset", options.preset, "Of runs that name none")
        ->check(CLI::IsMember(common::preset_names()))
        ->capture_default_str();
    app.add_option("--config", options.config, common::config_help)->type_name("FILE.json");
    app.add_option("--store", store,
                   "memory, sqlite:PATH or postgres:URL (default: runs/NAME/store.sqlite in the state directory)")
        ->type_name("STORE");
    app.add_option("--state-dir", options.state_directory, "Where state is kept")
        ->type_name("DIR")
        ->capture_default_str();
    app.add_option("--notify", options.notify, common::notify_help)->type_name("CHANNEL");
    app.add_option("--ping", options.ping, common::ping_help)->type_name("URL");
    common::add_duration(app, "--patience", options.patience,
                         "How long a client's answer is waited for, the client itself, and PostgreSQL at the start "
                         "(default: 10s)");
    std::string clock = "system";
    app.add_option("--clock", clock, "system, or manual: it stands at 0 until a client moves it, for tests of hosts")
        ->check(CLI::IsMember({"system", "manual"}))
        ->type_name("CLOCK")
        ->capture_default_str();
    app.add_option("--otlp", options.otlp_port,
                   "Read spans and logs of OpenTelemetry there, on this machine alone, with the token in "
                   "HEELER_OTLP_TOKEN; 0: any port")
        ->type_name("PORT")
        ->check(CLI::Range(0, 65535));
    app.add_option("--otlp-log", options.otlp_log,
                   "Write verdicts as log records of OpenTelemetry: a file, or the URL of a collector (.../v1/logs), "
                   "with the headers in OTEL_EXPORTER_OTLP_HEADERS")
        ->type_name("WHERE");
    app.add_flag("--shadow", options.shadow, "Decide and record everything, ask clients for nothing");
    app.add_flag("--protocol", options.protocol, "Print what both sides may say, as a JSON Schema, and exit");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return Quit{exit_ok, app.help()};
    } catch (const CLI::CallForVersion&) {
        return Quit{exit_ok, app.version() + "\n"};
    } catch (const CLI::ParseError& error) {
        return Quit{exit_usage, common::complaint(app, error)};
    }
    options.ping = common::ping_url(options.ping);
    options.otlp_token = common::from_environment("HEELER_OTLP_TOKEN");
    options.in_memory = store == "memory";
    options.clock_stands = clock == "manual";
    if (!options.in_memory) static_cast<void>(common::read_store(store, options.store));
    // Exporters that are started from here read it as well, so it stays in the environment.
    const char* const written = options.otlp_log.empty() ? nullptr : std::getenv("OTEL_EXPORTER_OTLP_HEADERS");
    auto headers = headers_in(written != nullptr ? written : "");
    if (!headers) return Quit{exit_usage, "OTEL_EXPORTER_OTLP_HEADERS: it is written as name=value,name=value"};
    options.otlp_headers = *std::move(headers);
    if (std::string wrong = contradiction(options, store); !wrong.empty()) return Quit{exit_usage, std::move(wrong)};
    return options;
}

}  // namespace serve
