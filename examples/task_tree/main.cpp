// heeler-task-tree DIR | --demo | --reviewer URL: an issue tracker whose trees are watched. `--help` tells the rest.
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include <heeler/text/one_line.hpp>

#include "../common/channels.hpp"
#include "../common/own_environment.hpp"
#include "../common/scratch.hpp"
#include "../common/stop_signals.hpp"
#include "client.hpp"
#include "demo.hpp"
#include "keeper.hpp"
#include "options.hpp"
#include "reviewer.hpp"
#include "server.hpp"
#include "service.hpp"
#include "tokens.hpp"
#include "tracker.hpp"

namespace {

void complain(const std::string& what) {
    std::fprintf(stderr, "heeler-task-tree: %s\n", heeler::text::one_line(what, 1024).c_str());
}

bool is_empty(tracker::Tracker& issues) {
    return issues.with([](tracker::Database& database) { return !database.query("SELECT 1 FROM issues").next(); });
}

/// The tracker with its watchdog, as long as `use(url, keeper, service)` lasts.
template <class Use>
int with_server(const tracker::Options& options, common::Channels channels, Use&& use) {
    tracker::Tracker issues{(options.directory / "tracker.db").string()};
    tracker::KeeperSettings settings = options.keeper;
    settings.store = (options.directory / "watchdog.db").string();
    tracker::Keeper keeper{issues, settings, std::move(channels)};
    const tracker::Tokens tokens{options.directory / "tokens.key"};
    tracker::Service service{issues, keeper, tokens};
    const bool fill = options.sample && is_empty(issues);
    const tracker::Server server{service, options.port};
    if (fill) {
        tracker::Client client{server.url()};
        tracker::add_sample(client, tokens);
    }
    return use(server.url(), keeper, service);
}

int serve(const tracker::Options& options) {
    const common::StopSignals stop;
    auto channels = common::Channels::named(options.notify, complain);
    if (!channels) {
        complain(channels.error().message);
        return tracker::exit_usage;
    }
    return with_server(options, *std::move(channels),
                       [&](const std::string& url, tracker::Keeper& keeper, tracker::Service& service) {
                           for (const auto& [agent, token] : service.tokens_of_agents())
                               std::printf("token of %s: %s\n", agent.c_str(), token.c_str());
                           std::printf("%s/#%s\n", url.c_str(), service.tokens().of_person().c_str());
                           std::fflush(stdout);
                           while (!stop.come_within(keeper.idle())) keeper.look();
                           return 0;
                       });
}

int demo(tracker::Options options) {
    const common::Scratch scratch{"heeler-task-tree"};
    options.directory = scratch.path();
    options.port = 0;
    options.keeper.first_run_grace = {};
    return with_server(options, {}, [](const std::string& url, tracker::Keeper&, tracker::Service& service) {
        return tracker::play_demo(url, service.tokens());
    });
}

}  // namespace

int main(int argc, char** argv) {
    common::take_environment();
    try {
        tracker::Options options;
        if (const auto status = tracker::parse_options(argc, argv, options)) return *status;
        if (options.demo) return demo(options);
        if (!options.reviewer.empty()) return tracker::run_reviewer(options.reviewer, options.token, options.once);
        return serve(options);
    } catch (const std::exception& error) {
        complain(error.what());
        return 1;
    }
}
