// heeler-supervise [OPTIONS] -- COMMAND ARGS...: runs any command under the watchdog. `--help` tells the rest.
#include <cstdio>
#include <exception>
#include <memory>

#include <heeler/posix/process_strays.hpp>

#include "../common/channels.hpp"
#include "../common/life_signs.hpp"
#include "../common/own_environment.hpp"
#include "keeper.hpp"
#include "metric.hpp"
#include "options.hpp"
#include "outlet.hpp"
#include "previous.hpp"
#include "run_directory.hpp"
#include "signals.hpp"
#include "standard_streams.hpp"
#include "supervisor.hpp"
#include "waiter.hpp"

namespace {

using supervise::Quit;

Quit supervise_command(const supervise::Options& options) {
    // First of all, so that nobody who is started from here on speaks to systemd for this process.
    const auto postbox = std::make_shared<supervise::Postbox>();
    common::LifeSigns signs{options.ping, [postbox](const std::string& line) { postbox->put(line); }};
    auto channels =
        common::Channels::named(options.notify, [postbox](const std::string& line) { postbox->put("alert " + line); });
    if (!channels) return {supervise::exit_usage, channels.error().message};
    // Early, while there is one thread and no open file that it could inherit.
    std::optional<supervise::Keeper> keeper;
    if (!options.detach) {
        auto started = supervise::Keeper::start();
        if (!started) return {supervise::exit_state, started.error().message};
        keeper.emplace(std::move(*started));
    }
    // Without it, whoever leaves the command's session and its environment behind is not found.
    static_cast<void>(heeler::adopt_orphans());
    if (auto noted = supervise::note_signals(); !noted) return {supervise::exit_state, noted.error().message};
    auto opened = supervise::open_run_directory(options.state_directory, options.name);
    if (auto* const quit = std::get_if<Quit>(&opened)) return *quit;
    auto& directory = std::get<supervise::RunDirectory>(opened);
    auto settled = supervise::settle_previous(options, directory);
    if (auto* const quit = std::get_if<Quit>(&settled)) return *quit;
    const auto log = supervise::open_log(options.log);
    if (!log) {
        const bool wrong = log.error().code == heeler::ErrorCode::invalid_argument;
        return {wrong ? supervise::exit_usage : supervise::exit_state, log.error().message};
    }
    auto metric = supervise::make_metric(options.metric);
    if (!metric) return {supervise::exit_usage, metric.error().message};
    supervise::Supervisor supervisor(options, std::move(directory), std::move(*metric), std::move(keeper),
                                     *std::move(channels), postbox, signs, *log);
    return supervisor.run(std::get<supervise::GoOn>(settled));
}

}  // namespace

int main(int argc, char** argv) {
    if (supervise::is_waiter(argc, argv)) supervise::wait_for_command(argc, argv);
    supervise::open_closed_streams();
    common::take_environment();
    Quit quit;
    try {
        auto parsed = supervise::parse_options(argc, argv);
        if (auto* const early = std::get_if<Quit>(&parsed)) {
            quit = *early;
            if (quit.status == supervise::exit_ok) {
                std::fputs(quit.message.c_str(), stdout);
                return quit.status;
            }
        } else {
            quit = supervise_command(std::get<supervise::Options>(parsed));
        }
    } catch (const std::exception& error) {
        quit = {supervise::exit_internal, error.what()};
    }
    if (!quit.message.empty()) supervise::say_at_once("heeler-supervise: " + quit.message);
    return quit.status;
}
