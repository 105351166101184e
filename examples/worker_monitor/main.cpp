// heeler-worker-monitor [OPTIONS] [-- ORCHESTRATOR ARGS...]: watches workers in panes of tmux. `--help` tells the rest.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <sys/select.h>

#include <heeler/agent/command_reset.hpp>
#include <heeler/agent/tmux_pane.hpp>
#include <heeler/alert/group.hpp>
#include <heeler/alert/timer_set.hpp>
#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/report/prometheus.hpp>
#include <heeler/report/telemetry.hpp>
#include <heeler/settings/name_regex_settings.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/settings/worker_monitor.hpp>
#include <heeler/text/one_line.hpp>

#include "../common/any_store.hpp"
#include "../common/channels.hpp"
#include "../common/given_settings.hpp"
#include "../common/own_environment.hpp"
#include "clear_tool.hpp"
#include "metrics_file.hpp"
#include "options.hpp"
#include "orchestrator.hpp"
#include "panes.hpp"
#include "session_settings.hpp"

namespace {

using heeler::Duration;
using worker_monitor::Listener;
using worker_monitor::Options;
using worker_monitor::Orchestrator;
using worker_monitor::OrchestratorPanes;
using worker_monitor::Panes;
using Dog = heeler::Watchdog<heeler::SystemClock, common::AnyStore, common::WithChannels<Listener>>;

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
    // As long as something can be read, no signal comes.
    const timespec none{};
    static_cast<void>(::pselect(0, nullptr, nullptr, nullptr, &none, &signals));
    if (stop_asked != 0) return;
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

void warn(const std::string& what) {
    std::fprintf(stderr, "heeler-worker-monitor: %s\n", heeler::text::one_line(what, 4096).c_str());
}

int fail(const heeler::Error& error, int status) {
    warn(error.message);
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

void do_as_asked(const std::string& line, Panes& panes) {
    const auto nudge = worker_monitor::nudge_of(line);
    if (!nudge) return say("  the orchestrator says: " + line);
    const auto typed = panes.nudge(nudge->worker, nudge->text);
    say("  nudge " + nudge->worker + ": " + (typed ? "typed" : typed.error().message));
}

/// Says that the orchestrator has ended, and starts it again where that is wanted.
class Keeper {
public:
    Keeper(Orchestrator* orchestrator, bool restarts) : orchestrator_{orchestrator}, restarts_{restarts} {}

    /// Whether there is one, or will be.
    [[nodiscard]] bool keep(heeler::Elapsed now) {
        if (orchestrator_ == nullptr || orchestrator_->runs()) return true;
        if (!std::exchange(said_, true))
            warn("the orchestrator has ended: " + orchestrator_->how_it_ended() +
                 (restarts_ ? "; it is started again" : ""));
        if (!restarts_) return false;
        const auto started = orchestrator_->start_again(now);
        if (!started) warn(started.error().message);
        if (started && *started) said_ = false;
        return true;
    }

private:
    Orchestrator* orchestrator_;
    bool restarts_;
    bool said_ = false;
};

/// Clears the monitor's own pane; if it is to be known, the orchestrator hears of it. Where something is to survive,
/// the agent is told of it after.
class OwnContext {
public:
    OwnContext(heeler::TmuxPane& own, const Options& options, Listener& listener)
        : own_{own}, reset_{own, options.clear}, options_{options}, listener_{listener} {}

    [[nodiscard]] heeler::Result<void> clear() {
        const auto size = reset_.size();
        auto cleared = reset_.clear();
        if (!cleared) return cleared;
        if (options_.tell_clears) listener_.note(worker_monitor::clear_json(size));
        if (options_.after_clear.empty()) return {};
        const auto typed = heeler::submit_line(own_, options_.after_clear);
        if (!typed) warn("after the clear nothing was typed: " + typed.error().message);
        return {};
    }
    [[nodiscard]] std::optional<std::uint64_t> size() { return reset_.size(); }

private:
    heeler::TmuxPane& own_;
    heeler::CommandReset<heeler::TmuxPane> reset_;
    const Options& options_;
    Listener& listener_;
};

heeler::Result<heeler::RunClass> worker_rules(const Options& options, const heeler::TmuxServer& server) {
    heeler::RunClass rules = heeler::presets::worker_monitor();
    rules.schedule.period = options.every;
    rules.interval.fixed = options.every;
    if (!rules.applicability.filter) rules.applicability.filter.emplace();
    if (!options.here.empty()) {
        const auto session = worker_monitor::settings_of_session(server, options.here);
        if (session)  // a pane of another server tells nothing about this one
            for (const heeler::SettingFault& fault : heeler::overlay(rules, *session)) warn(fault.message);
    }
    const auto laid = common::lay_settings(rules, options.config, warn);
    if (!laid) return tl::unexpected<heeler::Error>(laid.error());
    if (options.name_regex.empty()) return rules;
    const auto taken = heeler::set_name_regex(*rules.applicability.filter, options.name_regex);
    if (!taken) return heeler::fail(taken.error().code, "--name-regex: " + taken.error().message);
    return rules;
}

heeler::Result<Listener> listener_of(const Options& options, const heeler::TmuxServer& server, const std::string& tag) {
    if (options.orchestrator.empty()) {
        OrchestratorPanes panes{server, tag};
        const auto found = panes.find();
        if (!found) return tl::unexpected<heeler::Error>(found.error());
        if (found->empty())
            return heeler::fail(heeler::ErrorCode::no_recipient,
                                "no orchestrator: give a command behind --, or a pane the tag " + tag);
        return Listener{std::move(panes)};
    }
    auto process = Orchestrator::start(options.orchestrator);
    if (!process) return tl::unexpected<heeler::Error>(process.error());
    return Listener{std::move(*process)};
}

heeler::Result<void> check_own(heeler::TmuxPane& own) {
    const auto there = own.exists();
    if (!there) return tl::unexpected<heeler::Error>(there.error());
    if (*there) return {};
    return heeler::fail(heeler::ErrorCode::ended, "--own: no program runs in a pane " + own.id());
}

/// One round after the other until somebody says that it is enough, or the orchestrator is gone for good.
class Rounds {
public:
    Rounds(Dog& dog, Listener& listener, Panes& panes, heeler::TmuxPane& own, const Options& options)
        : dog_{dog}, listener_{listener}, panes_{panes}, own_{own}, options_{options} {
        if (!options.check.empty())
            static_cast<void>(timers_.start({.interval = options.every, .message = options.check}, now()));
    }

    /// Whether there still was an orchestrator at the end.
    [[nodiscard]] bool run(const sigset_t& signals) {
        const heeler::Elapsed began = now();
        Orchestrator* const process = listener_.process();
        Keeper keeper{process, options_.restart};
        while (stop_asked == 0) {
            told(dog_.cycle());
            check();
            // One at a time: whoever asks without end stops no cycle.
            const auto line = process == nullptr ? std::nullopt : process->heard();
            if (line) do_as_asked(*line, panes_);
            if (!line && !keeper.keep(now())) return false;
            if (options_.length && now() - began >= *options_.length) break;
            wait(line ? Duration::zero() : until_next(), process == nullptr ? -1 : process->poll_fd(), signals);
        }
        return true;
    }

    /// What nobody has yet is tried for some seconds, where it goes elsewhere as well, then said.
    void end() {
        const heeler::Elapsed until = now() + std::chrono::seconds{7};
        while (!options_.notify.empty() && owed() > 0 && now() < until) {
            told(dog_.deliver());
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
        }
        if (owed() == 0) return;
        warn(std::to_string(owed()) + (owed() == 1 ? " alert is" : " alerts are") + " not delivered, " +
             (options_.sqlite_file.empty() ? "and lost with this process, which has no --store"
                                           : "and kept: the next start tries again"));
    }

private:
    [[nodiscard]] heeler::Elapsed now() { return dog_.clock().now().elapsed; }
    [[nodiscard]] std::uint64_t owed() { return dog_.vitals().alerts_pending; }

    [[nodiscard]] Duration until_next() {
        const auto next = dog_.next_deadline().value_or(now() + std::chrono::seconds{1});
        return std::clamp<Duration>(next - now(), Duration::zero(), std::chrono::seconds{1});
    }

    void told(const heeler::CycleReport& report) {
        tell(report);
        if (options_.metrics.empty()) return;
        telemetry_.add(report, dog_.clock().now().wall);
        const auto written =
            worker_monitor::write_anew(options_.metrics, heeler::prometheus_text(dog_.vitals(), telemetry_.counts()) +
                                                             heeler::prometheus_text(dog_.context_clears()));
        if (!written) warn("--metrics: " + written.error().message);
    }

    /// Wakes the agent in the monitor's own pane.
    void check() {
        const auto fired = timers_.fire(
            now(), [this](const heeler::Timer& timer) { return heeler::submit_line(own_, timer.message); });
        for (const heeler::FiredTimer& each : fired)
            if (each.warning) warn("not checked: " + each.warning->message);
    }

    Dog& dog_;
    Listener& listener_;
    Panes& panes_;
    heeler::TmuxPane& own_;
    const Options& options_;
    heeler::TimerSet timers_;
    heeler::Telemetry telemetry_;
};

int watch(const Options& options) {
    const heeler::TmuxServer server{options.socket};
    auto rules = worker_rules(options, server);
    if (!rules) return fail(rules.error(), worker_monitor::exit_usage);
    const std::string class_name = rules->name;
    heeler::TmuxPane own{server, options.own, options.agent};
    if (!options.own.empty())
        if (const auto there = check_own(own); !there) return fail(there.error(), worker_monitor::exit_usage);
    if (options.clear_tool) return worker_monitor::serve_clear_tool(own, options.clear);
    auto channels = common::Channels::named(options.notify, warn);
    if (!channels) return fail(channels.error(), worker_monitor::exit_usage);
    const sigset_t signals = hold_signals();
    auto listener = listener_of(options, server, rules->alerts.to);
    if (!listener) return fail(listener.error(), worker_monitor::exit_usage);

    Panes panes{server, {options.here, options.own}, rules->applicability.filter.value_or(heeler::RunFilter{})};
    OwnContext context{own, options, *listener};
    Dog dog{heeler::SystemClock{}, common::AnyStore::in_file(options.sqlite_file), {*listener, *std::move(channels)}};
    if (!options.own.empty()) dog.attach(context);
    if (const auto defined = dog.define(std::move(*rules)); !defined)
        return fail(defined.error(), worker_monitor::exit_usage);
    if (const auto watched = dog.attach(class_name, panes); !watched) return fail(watched.error(), 1);

    Rounds rounds{dog, *listener, panes, own, options};
    const bool heard = rounds.run(signals);
    rounds.end();
    const auto stored = dog.flush();
    if (Orchestrator* const process = listener->process()) process->end();
    const heeler::ContextClears clears = dog.context_clears();
    say("cleared " + std::to_string(clears.done) + " times, in vain " + std::to_string(clears.failed) + " times");
    if (!stored) return fail(stored.error(), 1);
    return heard ? 0 : 1;
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
