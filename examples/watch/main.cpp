// heeler-watch [OPTIONS]: watches the sessions of the coding agents in a home. `--help` tells the rest.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/runner.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/spend.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/text/table.hpp>

#include "../common/any_store.hpp"
#include "../common/channels.hpp"
#include "../common/error_news.hpp"
#include "../common/life_signs.hpp"
#include "../common/own_environment.hpp"
#include "../common/words.hpp"
#include "guard.hpp"
#include "hook_config.hpp"
#include "hook_socket.hpp"
#include "hooks_command.hpp"
#include "options.hpp"
#include "rules.hpp"
#include "screen.hpp"
#include "sessions.hpp"

namespace {

using watch::Options;

using Dog = heeler::Watchdog<heeler::SystemClock, common::AnyStore, common::WithChannels<watch::Terminal>>;

int fail(const std::string& message, int status) {
    std::fprintf(stderr, "heeler-watch: %s\n", heeler::text::one_line(message, 4096).c_str());
    return status;
}

/// What agents tell by their hooks is a sign of life, after which their files are read, and takes the words that are
/// left for them. Who asks before a call hears whether it may be made.
class Hooks final : public watch::HookListener {
public:
    Hooks(Dog& dog, const watch::Sessions& sessions, common::Words& words, watch::Guard& guard)
        : dog_{dog}, sessions_{sessions}, words_{words}, guard_{guard} {}

    [[nodiscard]] std::string answer(const watch::HookEvent& event) override {
        const std::string run = event.agent + "/" + event.session;
        if (!sessions_.is_live(run)) return {};  // the store would be asked for it
        if (const auto handle = dog_.find(run)) dog_.observe(*handle, heeler::Heartbeat{});
        if (watch::is_before_call(event.agent, event.name)) return guard_.refusal(run, event.call);
        if (!event.call.empty()) guard_.made(run, event.call);
        return words_.left_for(run).text;
    }
    void told(const watch::HookEvent& event) override {
        if (!watch::is_before_call(event.agent, event.name))
            words_.heard(event.agent + "/" + event.session, event.name);
    }

private:
    Dog& dog_;
    const watch::Sessions& sessions_;
    common::Words& words_;
    watch::Guard& guard_;
};

[[nodiscard]] std::string doing_of(const heeler::TranscriptTotals& totals) {
    if (totals.waits) return "waits for you";
    return totals.doing.empty() ? "thinks" : heeler::text::shown_name(totals.doing, 40);
}

[[nodiscard]] std::string table_of(Dog& dog, const std::vector<watch::SessionRow>& sessions, const Options& options) {
    const heeler::WallTime now = dog.clock().now().wall;
    std::vector<heeler::text::TableRow> rows;
    for (const watch::SessionRow& row : sessions) {
        const auto run = dog.find(row.id);
        const auto status = run ? dog.status(*run) : heeler::Result<heeler::Status>{heeler::Status::healthy};
        const heeler::Duration age = std::max(heeler::Duration{}, now - row.totals.last.value_or(row.changed));
        rows.push_back({heeler::text::shown_name(row.id, 60), row.project, std::string{status ? name_of(*status) : "?"},
                        heeler::text::spoken(age) + " ago", std::to_string(row.totals.calls),
                        std::to_string(row.totals.usage.tokens_in + row.totals.usage.tokens_out),
                        doing_of(row.totals)});
    }
    if (rows.empty())
        return "No session was written to within " + heeler::text::spoken(options.live) + " in " +
               watch::session_folders(options.home) + ".\n";
    return heeler::text::to_table({"Session", "Project", "Status", "Active", "Calls", "Tokens", "Now"}, rows);
}

/// Errors that go on are said once, then hourly. Called from either of the runner's threads.
class Complaints {
public:
    explicit Complaints(watch::Screen& screen) : screen_{screen} {}

    void hear(const heeler::CycleReport& report, heeler::Elapsed now) {
        const std::lock_guard guard{lock_};
        for (const heeler::Event& event : report.events)
            if (const auto* error = std::get_if<heeler::ErrorEvent>(&event);
                error != nullptr && !common::waits_for_agent(*error))
                if (const auto line = errors_.line_of(*error, now))
                    screen_.news("heeler-watch: " + heeler::text::one_line(*line, 1024));
    }

private:
    watch::Screen& screen_;
    std::mutex lock_;
    common::ErrorNews errors_{std::chrono::hours{1}};
};

/// The table, as of now, without a word to anybody.
int show_once(Dog& dog, const watch::Sessions& sessions, const Options& options, Complaints& complaints) {
    constexpr int most_rounds = 1000;
    int rounds = 0;
    do complaints.hear(dog.tick(heeler::TickCause::on_demand), dog.clock().now().elapsed);
    while (sessions.behind() && ++rounds < most_rounds);
    std::fputs(table_of(dog, sessions.rows(), options).c_str(), stdout);
    return 0;
}

int watch_sessions(const Options& options) {
    sigset_t interruptions;
    sigemptyset(&interruptions);
    for (const int signal : {SIGINT, SIGTERM}) sigaddset(&interruptions, signal);
    ::pthread_sigmask(SIG_BLOCK, &interruptions, nullptr);
    watch::Screen screen;
    common::LifeSigns signs{options.ping, [&](const std::string& line) { screen.news("heeler-watch: " + line); }};
    auto channels = common::Channels::named(options.notify);
    if (!channels) return fail(channels.error().message, watch::exit_usage);
    auto rules = watch::rules_of(options);
    if (!rules) return fail(rules.error().message, watch::exit_usage);
    std::error_code error;
    if (const std::filesystem::path file = options.store.sqlite_file; file.has_parent_path())
        std::filesystem::create_directories(file.parent_path(), error);
    auto store = options.once ? common::AnyStore::in_file({}) : common::AnyStore::at(options.store);
    if (!store) return fail(store.error().message, watch::exit_usage);

    std::vector<std::string> plain;
    std::vector<std::string> hooked;
    for (const std::string& agent : watch::known_agents())
        (!options.once && watch::has_hooks(agent, options.home) ? hooked : plain).push_back(agent);
    watch::Sessions sessions{options.home, plain, options.live};
    watch::Sessions sessions_with_hooks{options.home, hooked, options.live};
    common::Words words{"no hook of the agent has come to fetch it"};
    Complaints complaints{screen};
    Dog dog{heeler::SystemClock{}, *std::move(store), {watch::Terminal{screen}, *std::move(channels)}};
    heeler::SpendLedger spend{dog.store()};
    dog.attach(spend);
    if (const auto defined = dog.define(*rules); !defined) return fail(defined.error().message, watch::exit_usage);
    if (const auto attached = dog.attach(rules->name, sessions); !attached) return fail(attached.error().message, 1);
    if (options.once) return show_once(dog, sessions, options, complaints);
    const heeler::RunClass with_hooks = watch::rules_with_hooks(*rules);
    if (const auto defined = dog.define(with_hooks); !defined) return fail(defined.error().message, watch::exit_usage);
    if (const auto attached = dog.attach(with_hooks.name, sessions_with_hooks); !attached)
        return fail(attached.error().message, 1);
    if (const auto attached = dog.attach(with_hooks.name, words); !attached) return fail(attached.error().message, 1);
    watch::Guard guard;
    Hooks hooks{dog, sessions_with_hooks, words, guard};
    auto socket = watch::HookSocket::listen(watch::hook_socket_path(), hooks);
    if (!socket) screen.news("heeler-watch: no hook is heard: " + socket.error().message);

    const heeler::Elapsed began = dog.clock().now().elapsed;
    {
        heeler::Runner runner{dog, options.every, [&](const heeler::CycleReport& cycle) {
                                  complaints.hear(cycle, dog.clock().now().elapsed);
                                  guard.hear(cycle);
                                  signs.note(dog, cycle);
                              }};
        const timespec second{1, 0};
        while (!options.length || dog.clock().now().elapsed - began < *options.length) {
            if (screen.on_terminal()) {
                auto rows = sessions.rows();
                for (watch::SessionRow& row : sessions_with_hooks.rows()) rows.push_back(std::move(row));
                screen.draw(table_of(dog, rows, options));
            }
            if (::sigtimedwait(&interruptions, nullptr, &second) > 0) break;
        }
    }
    if (socket) socket->reset();
    signs.stopping();
    const auto stored = dog.flush();
    return stored ? 0 : fail(stored.error().message, 1);
}

}  // namespace

int main(int argc, char** argv) {
    common::take_environment();
    try {
        Options options;
        if (const auto status = watch::parse_options(argc, argv, options)) return *status;
        if (options.hooks == watch::HookVerb::run) {
            watch::run_hook(options.agent);
            return 0;
        }
        return options.hooks == watch::HookVerb::none ? watch_sessions(options) : watch::hooks_command(options);
    } catch (const std::exception& error) {
        return fail(error.what(), 1);
    }
}
