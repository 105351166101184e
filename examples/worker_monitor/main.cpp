// heeler-worker-monitor [OPTIONS] -- ORCHESTRATOR ARGS...: watches workers in panes of tmux. `--help` tells the rest.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/select.h>

#include <heeler/agent/command_reset.hpp>
#include <heeler/agent/tmux_pane.hpp>
#include <heeler/alert/group.hpp>
#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/text/one_line.hpp>

#include "../common/any_store.hpp"
#include "../common/given_settings.hpp"
#include "../common/own_environment.hpp"
#include "options.hpp"
#include "orchestrator.hpp"
#include "panes.hpp"

namespace {

using heeler::Duration;
using worker_monitor::Options;
using worker_monitor::Orchestrator;
using worker_monitor::Panes;
using Dog = heeler::Watchdog<heeler::SystemClock, common::AnyStore, Orchestrator>;

volatile std::sig_atomic_t stop_asked = 0;

extern "C" void ask_to_stop(int) { stop_asked = 1; }

/// From now on Ctrl-C and SIGTERM come while `wait` waits, and at no other time.
sigset_t hold_signals() {
    sigset_t held;
    sigset_t before;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        std::signal(signal, &ask_to_stop);
        sigaddset(&held, signal);
    }
    sigprocmask(SIG_BLOCK, &held, &before);
    return before;
}

/// Until the orchestrator says something, a signal comes, or this time is over.
void wait(Duration length, int heard, const sigset_t& signals) {
    fd_set readable;
    FD_ZERO(&readable);
    if (heard >= 0) FD_SET(heard, &readable);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(length);
    const timespec timeout{seconds.count(), std::chrono::nanoseconds{length - seconds}.count()};
    static_cast<void>(::pselect(heard + 1, &readable, nullptr, nullptr, &timeout, &signals));
}

void say(const std::string& what) {
    std::printf("%s\n", heeler::text::one_line(what, 1024).c_str());
    std::fflush(stdout);
}

int fail(const heeler::Error& error, int status) {
    std::fprintf(stderr, "heeler-worker-monitor: %s\n", heeler::text::one_line(error.message, 4096).c_str());
    return status;
}

/// What the conversation of a monitor is made of: it grows with every cycle.
void tell(const heeler::CycleReport& report) {
    if (report.checked > 0)
        say("checked " + std::to_string(report.checked) + " workers, " + std::to_string(report.healthy) + " healthy");
    for (const heeler::Event& event : report.events) {
        if (const auto* told = std::get_if<heeler::AlertEvent>(&event)) {
            const bool taken = told->row.state == heeler::AlertRow::State::delivered;
            say("  " + told->row.alert.kind + " " + told->row.alert.run.name +
                (taken ? "" : ": not told, " + heeler::reason_of(told->row)));
        }
        if (const auto* error = std::get_if<heeler::ErrorEvent>(&event))
            say("  error in " + error->where + " " + error->run + ": " + error->error.message);
    }
}

void do_as_asked(Orchestrator& orchestrator, Panes& panes) {
    for (const std::string& line : orchestrator.heard()) {
        const auto nudge = worker_monitor::nudge_of(line);
        if (!nudge) {
            say("  the orchestrator says: " + line);
            continue;
        }
        const auto typed = panes.nudge(nudge->worker, nudge->text);
        say("  nudge " + nudge->worker + ": " + (typed ? "typed" : typed.error().message));
    }
}

heeler::Result<heeler::RunClass> worker_rules(const Options& options) {
    heeler::RunClass rules = heeler::presets::worker_monitor();
    rules.schedule.period = options.every;
    rules.interval.fixed = options.every;
    if (!rules.applicability.filter) rules.applicability.filter.emplace();
    const auto laid = common::lay_settings(rules, options.config, [](const std::string& fault) {
        fail({{}, fault}, 0);
    });
    if (!laid) return tl::unexpected<heeler::Error>(laid.error());
    return rules;
}

int watch(const Options& options) {
    auto rules = worker_rules(options);
    if (!rules) return fail(rules.error(), worker_monitor::exit_usage);
    const std::string class_name = rules->name;
    const heeler::TmuxServer server{options.socket};
    heeler::TmuxPane own{server, options.own, options.agent};
    if (!options.own.empty()) {
        const auto there = own.exists();
        if (!there) return fail(there.error(), worker_monitor::exit_usage);
        if (!*there) return fail({{}, "--own: no program runs in a pane " + options.own}, worker_monitor::exit_usage);
    }
    const sigset_t signals = hold_signals();
    auto orchestrator = Orchestrator::start(options.orchestrator);
    if (!orchestrator) return fail(orchestrator.error(), worker_monitor::exit_usage);

    Panes panes{server, {options.here, options.own}, rules->applicability.filter.value_or(heeler::RunFilter{})};
    heeler::CommandReset reset{own, options.clear};
    Dog dog{heeler::SystemClock{}, common::AnyStore::in_file(options.sqlite_file), *orchestrator};
    if (!options.own.empty()) dog.attach(reset);
    if (const auto defined = dog.define(std::move(*rules)); !defined)
        return fail(defined.error(), worker_monitor::exit_usage);
    if (const auto watched = dog.attach(class_name, panes); !watched) return fail(watched.error(), 1);

    const heeler::Elapsed began = dog.clock().now().elapsed;
    while (stop_asked == 0) {
        tell(dog.cycle());
        do_as_asked(*orchestrator, panes);
        const heeler::Elapsed now = dog.clock().now().elapsed;
        if (options.length && now - began >= *options.length) break;
        const auto next = dog.next_deadline().value_or(now + std::chrono::seconds{1});
        wait(std::clamp<Duration>(next - now, Duration::zero(), std::chrono::seconds{1}), orchestrator->poll_fd(),
             signals);
    }
    const auto stored = dog.flush();
    orchestrator->end();
    const heeler::ContextClears clears = dog.context_clears();
    say("cleared " + std::to_string(clears.done) + " times, in vain " + std::to_string(clears.failed) + " times");
    return stored ? 0 : fail(stored.error(), 1);
}

}  // namespace

int main(int argc, char** argv) {
    common::take_environment();
    try {
        Options options;
        if (const auto status = worker_monitor::parse_options(argc, argv, options)) return *status;
        return watch(options);
    } catch (const std::exception& error) {
        return fail({heeler::ErrorCode::failed, error.what()}, 1);
    }
}
