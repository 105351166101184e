// heeler-serve [OPTIONS]: a watchdog for agents in any language. `--help` tells the rest.
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include <unistd.h>

#include <heeler/engine/runner.hpp>
#include <heeler/spend.hpp>
#include <heeler/text/one_line.hpp>

#include "../common/error_news.hpp"
#include "../common/event_lines.hpp"
#include "../common/given_settings.hpp"
#include "../common/life_signs.hpp"
#include "../common/own_environment.hpp"
#include "../common/own_socket.hpp"
#include "../common/presets.hpp"
#include "../common/words.hpp"
#include "client_control.hpp"
#include "holders.hpp"
#include "http_door.hpp"
#include "options.hpp"
#include "otlp.hpp"
#include "protocol.hpp"
#include "requests.hpp"
#include "server.hpp"
#include "span_runs.hpp"
#include "verdict_log.hpp"

namespace {

using serve::Quit;

/// So long the engine is held up for an answer, before it asks again.
constexpr std::chrono::milliseconds moment{200};

void say(const std::string& line) {
    std::fprintf(stderr, "heeler-serve: %s\n", heeler::text::one_line(line, 4096).c_str());
}

std::string run_of(const heeler::Event& event) {
    if (const auto* alert = std::get_if<heeler::AlertEvent>(&event)) return alert->row.alert.run.id;
    if (const auto* audit = std::get_if<heeler::AuditEvent>(&event)) return audit->row.run;
    return std::visit(
        [](const auto& each) {
            if constexpr (requires { each.run; })
                return each.run;
            else
                return std::string{};
        },
        event);
}

/// Passes on what cycles report: of a run to the client that has it, of none to all.
class Teller {
public:
    Teller(serve::Dog& dog, serve::Holders& holders, common::LifeSigns& signs, serve::VerdictLog& log)
        : dog_{dog}, holders_{holders}, signs_{signs}, log_{log} {}

    void tell(const heeler::CycleReport& report) {
        const heeler::Instant now = dog_.clock().now();
        for (const heeler::Event& event : report.events) {
            const auto* const error = std::get_if<heeler::ErrorEvent>(&event);
            if (error != nullptr && common::waits_for_agent(*error)) continue;
            if (error != nullptr)
                if (const auto line = errors_.line_of(*error, now.elapsed)) say(*line);
            pass_on(event, {{}, now.wall - heeler::WallTime{}});
        }
        log_.note(report, now.wall);
        signs_.note(dog_, report);
    }

private:
    void pass_on(const heeler::Event& event, common::Moment at) {
        const std::string run = run_of(event);
        const std::string line = common::line_of(event, at);
        if (run.empty())
            for (const serve::Client& client : holders_.all()) client->put(line);
        else if (const auto held = holders_.of(run))
            held->client->put(line);
    }

    serve::Dog& dog_;
    serve::Holders& holders_;
    common::LifeSigns& signs_;
    serve::VerdictLog& log_;
    common::ErrorNews errors_;
};

/// In the state directory unless another place was named.
heeler::Result<common::AnyStore> store_of(const serve::Options& options) {
    if (options.in_memory) return common::AnyStore::in_file({});
    if (!options.store.postgres.empty() || !options.store.sqlite_file.empty())
        return common::AnyStore::at(options.store);
    const auto folder = std::filesystem::path{options.state_directory} / "runs" / options.name;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!error) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    if (error) return heeler::fail(heeler::ErrorCode::io, folder.string() + ": " + error.message());
    return common::AnyStore::in_file((folder / "store.sqlite").string());
}

/// All presets are defined: the store may hold runs of any.
heeler::Result<void> define_presets(serve::Dog& dog, const serve::Options& options) {
    for (const std::string& name : common::preset_names()) {
        heeler::RunClass rules = *common::preset_named(name);
        rules.mode = options.shadow ? heeler::Mode::shadow : rules.mode;
        // A client that starts a run means it, with tags or without.
        if (auto& filter = rules.applicability.filter) filter->untagged = true;
        // What is no setting of this class is one of another.
        const auto laid = common::lay_settings(rules, options.config, [&](const std::string& fault) {
            if (name == options.preset) say(fault);
        });
        if (!laid) return laid;
        if (auto defined = dog.define(std::move(rules)); !defined) return defined;
    }
    return {};
}

/// Channels have 5 s for what they have not got yet.
void tell_the_rest(const serve::Dog& dog, const serve::Options& options) {
    for (int round = 0; round < 50 && !options.notify.empty() && dog.vitals().alerts_pending != 0; ++round)
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
}

/// Why the store was not read, if it was not.
std::optional<heeler::Error> refusal(const heeler::CycleReport& first) {
    for (const heeler::Event& event : first.events)
        if (const auto* const error = std::get_if<heeler::ErrorEvent>(&event); error != nullptr && first.whole == 0)
            return error->error;
    return std::nullopt;
}

/// Who starts it learns now that the store cannot be used, or is another's, and not when a run is to be stored. A
/// server of databases that is about to start is waited for.
heeler::CycleReport first_look(serve::Dog& dog, heeler::Duration patience) {
    constexpr std::chrono::milliseconds pause{500};
    heeler::CycleReport first = dog.tick(heeler::TickCause::startup);
    for (heeler::Duration waited{}; waited < patience; waited += pause) {
        const auto why = refusal(first);
        if (!why || why->code != heeler::ErrorCode::lost) break;
        if (waited == heeler::Duration{}) say(why->message + "; it is waited for");
        if (serve::is_asked_to_end(pause)) break;
        first = dog.tick(heeler::TickCause::startup);
    }
    return first;
}

Quit listen_for_spans(std::optional<serve::OtlpReceiver>& otlp, serve::SpanRuns& spans, const serve::Options& options) {
    if (!options.otlp_port) return {};
    otlp.emplace(spans, options.otlp_token);
    const auto port = otlp->listen(*options.otlp_port);
    if (!port) return {serve::exit_socket, port.error().message};
    say("spans are read at http://127.0.0.1:" + std::to_string(*port));
    return {};
}

/// The file of a socket, which goes with who listens there.
struct BoundSocket {
    std::string path{};

    BoundSocket() = default;
    BoundSocket(const BoundSocket&) = delete;
    BoundSocket& operator=(const BoundSocket&) = delete;
    ~BoundSocket() { remove(); }
    void remove() {
        if (!path.empty()) ::unlink(std::exchange(path, {}).c_str());
    }
};

Quit watch(const serve::Options& options) {
    serve::hold_signals();
    common::LifeSigns signs{options.ping, say};
    auto channels = common::Channels::named(options.notify, say);
    if (!channels) return {serve::exit_usage, channels.error().message};
    auto store = store_of(options);
    if (!store) return {serve::exit_state, store.error().message};
    serve::Holders holders;
    const serve::Clock clock = options.clock_stands ? serve::Clock::standing() : serve::Clock{};
    serve::ClientControl control{holders, options.patience, options.clock_stands ? options.patience : moment};
    serve::Dog dog{clock, std::move(*store),
                   common::WithChannels<heeler::LogNotifier>{heeler::LogNotifier{}, *std::move(channels)}};
    dog.attach(control);
    heeler::SpendLedger spend{dog.store()};
    dog.attach(spend);
    if (const auto defined = define_presets(dog, options); !defined)
        return {serve::exit_usage, "--config: " + defined.error().message};
    const heeler::CycleReport first = first_look(dog, options.patience);
    if (const auto why = refusal(first)) return {serve::exit_store, why->message};
    heeler::FileDescriptor listening;
    BoundSocket bound;
    if (!options.socket.empty()) {
        auto listens = common::listen_at(options.socket, "heeler-serve");
        if (!listens) return {serve::exit_socket, listens.error().message};
        listening = std::move(*listens);
        bound.path = options.socket;
    }
    serve::VerdictLog log{options.otlp_log, options.otlp_headers, say};
    if (const auto written = log.open(); !written) return {serve::exit_usage, written.error().message};
    Teller teller{dog, holders, signs, log};
    serve::SpanRuns spans{dog, options.preset, say};
    const auto tell = [&](const heeler::CycleReport& report) {
        teller.tell(report);
        spans.end_silent_ones();
    };
    serve::Requests requests{dog, holders, control, clock, options.preset, tell};
    serve::Server server{requests, holders, control};
    teller.tell(first);
    std::optional<serve::OtlpReceiver> otlp;
    if (auto quit = listen_for_spans(otlp, spans, options); quit.status != serve::exit_ok) return quit;
    std::optional<heeler::Runner> runner;
    if (!options.clock_stands) runner.emplace(dog, std::chrono::seconds{1}, tell);
    std::unique_ptr<serve::HttpDoor> door;
    if (options.http) {
        auto opened = serve::HttpDoor::open(*options.http, options.socket);
        if (!opened) return {serve::exit_socket, opened.error().message};
        door = std::move(*opened);
        std::printf("%s\ntoken: %s\n", door->address().c_str(), door->token().c_str());
        std::fflush(stdout);
    }
    const auto served = options.socket.empty() ? server.serve_standard_streams() : server.serve_socket(listening);
    door.reset();
    otlp.reset();
    bound.remove();
    signs.stopping();
    tell_the_rest(dog, options);
    if (runner) runner->stop();
    if (const auto stored = dog.flush(); !stored) return {serve::exit_store, stored.error().message};
    if (!served) return {serve::exit_internal, served.error().message};
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    common::take_environment();
    Quit quit;
    try {
        auto parsed = serve::parse_options(argc, argv);
        if (auto* const early = std::get_if<Quit>(&parsed)) {
            quit = *early;
            if (quit.status == serve::exit_ok) std::fputs(std::exchange(quit.message, {}).c_str(), stdout);
        } else if (std::get<serve::Options>(parsed).protocol) {
            std::fputs(serve::protocol_schema().c_str(), stdout);
        } else {
            quit = watch(std::get<serve::Options>(parsed));
        }
    } catch (const std::exception& error) {
        quit = {serve::exit_internal, error.what()};
    }
    if (!quit.message.empty()) say(quit.message);
    return quit.status;
}
