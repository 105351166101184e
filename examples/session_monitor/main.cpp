// heeler-session-monitor DIR [OPTIONS]: watches the sessions of agents in a directory. `--help` tells the rest.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <sys/select.h>

#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/notify/fallback.hpp>
#include <heeler/notify/log_notifier.hpp>
#include <heeler/spend.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>

#include "../common/any_store.hpp"
#include "../common/background.hpp"
#include "../common/channels.hpp"
#include "../common/error_news.hpp"
#include "../common/life_signs.hpp"
#include "../common/own_environment.hpp"
#include "../common/store_place.hpp"
#include "chat.hpp"
#include "issues.hpp"
#include "options.hpp"
#include "rules.hpp"
#include "sessions.hpp"

namespace {

/// What the chat or a channel cannot take is said on stderr, and tried again.
using Notifier = heeler::FallbackNotifier<common::WithChannels<monitor::Chat>, heeler::LogNotifier>;
using Dog = heeler::Watchdog<heeler::SystemClock, common::AnyStore, Notifier>;

volatile std::sig_atomic_t stop_asked = 0;

extern "C" void ask_to_stop(int) { stop_asked = 1; }

/// From now on Ctrl-C and SIGTERM come while `wait` waits, and at no other time.
sigset_t hold_signals() {
    sigset_t held;
    sigset_t before;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM}) {
        std::signal(signal, &ask_to_stop);
        sigaddset(&held, signal);
    }
    sigprocmask(SIG_BLOCK, &held, &before);
    return before;
}

void wait(heeler::Duration length, const sigset_t& signals) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(length);
    const timespec timeout{seconds.count(), std::chrono::nanoseconds{length - seconds}.count()};
    static_cast<void>(::pselect(0, nullptr, nullptr, nullptr, &timeout, &signals));
}

/// Alerts speak for themselves; this is the rest. Both threads speak.
class Narrator {
public:
    explicit Narrator(heeler::Duration again) : errors_{again} {}

    void tell(const heeler::CycleReport& report, heeler::Elapsed now) {
        const std::lock_guard one{lock_};
        for (const heeler::Event& event : report.events) {
            if (const auto* done = std::get_if<heeler::ActionEvent>(&event)) {
                const std::string what = std::string{name_of(done->action.kind)} + " " +
                                         std::string{name_of(done->action.outcome)} + " " + done->action.note;
                std::printf("%s: %s\n\n", heeler::text::shown_name(done->run, 160).c_str(),
                            heeler::text::one_line(what, 512).c_str());
            } else if (const auto* error = std::get_if<heeler::ErrorEvent>(&event)) {
                if (const auto line = errors_.line_of(*error, now))
                    std::fprintf(stderr, "heeler-session-monitor: %s\n", heeler::text::one_line(*line, 1024).c_str());
            }
        }
        std::fflush(stdout);
    }

private:
    std::mutex lock_;
    common::ErrorNews errors_;
};

int fail(const heeler::Error& error, int status) {
    std::fprintf(stderr, "heeler-session-monitor: %s\n", heeler::text::one_line(error.message, 4096).c_str());
    return status;
}

/// Whether every session is over.
bool is_idle(Dog& dog) {
    const auto open = dog.store().load();
    return open && open->runs.empty();
}

/// Judges in this thread, and carries out in one of its own.
class Rounds {
public:
    Rounds(Dog& dog, monitor::Issues& issues, common::LifeSigns& signs, const monitor::Options& options)
        : dog_{dog},
          issues_{issues},
          signs_{signs},
          options_{options},
          narrator_{std::max<heeler::Duration>(std::chrono::minutes{1}, 3 * options.every)},
          delivery_{std::make_unique<common::Background>([this] { deliver(); })} {}

    void judge() { tick(heeler::TickCause::period); }

    /// What came of it may decide what follows.
    void carry_out() {
        if (settled_.exchange(false)) tick(heeler::TickCause::outcome);
        delivery_->request();
    }

    /// Whether nothing is being carried out, nor follows from what was.
    [[nodiscard]] bool rest() {
        for (int round = 0; round < 50 && delivery_->busy(); ++round)
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        return !delivery_->busy() && !settled_;
    }

    /// Takes 10 s at most: what nobody has by then is said, and kept if there is a store.
    [[nodiscard]] int end() {
        const heeler::Elapsed until = dog_.clock().now().elapsed + most_at_end;
        while ((owed() != 0 || issues_.any() || !rest()) && dog_.clock().now().elapsed < until) {
            carry_out();
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
        }
        const auto stored = dog_.flush();
        if (const std::uint64_t left = owed(); left != 0) say_untold(left);
        int status = stored ? 0 : fail(stored.error(), 1);
        if (delivery_->busy()) leave(status);
        delivery_.reset();
        return status;
    }

private:
    static constexpr heeler::Duration most_at_end = std::chrono::seconds{7};

    [[nodiscard]] std::uint64_t owed() { return dog_.vitals().alerts_pending; }

    void tick(heeler::TickCause cause) {
        const heeler::CycleReport report = dog_.tick(cause);
        narrator_.tell(report, dog_.clock().now().elapsed);
        signs_.note(dog_, report);
        delivery_->request();
    }

    void deliver() {
        const heeler::CycleReport report = dog_.deliver();
        narrator_.tell(report, dog_.clock().now().elapsed);
        signs_.note(dog_, report);
        if (!report.events.empty()) settled_ = true;
    }

    void say_untold(std::uint64_t left) const {
        const std::string kept = options_.sqlite_file.empty() ? "and lost with this process, which has no --store"
                                                              : "and kept: the next start tries again, and " +
                                                                    common::ctl_command({options_.sqlite_file, {}}) +
                                                                    " deliver --notify CHANNEL";
        std::fprintf(stderr, "heeler-session-monitor: %s not delivered, %s\n",
                     left == 1 ? "1 alert is" : (std::to_string(left) + " alerts are").c_str(), kept.c_str());
    }

    /// Somebody does not come back from what it was asked for, and nobody can end that: everything is stored.
    [[noreturn]] static void leave(int status) {
        std::fflush(nullptr);
        std::_Exit(status);
    }

    Dog& dog_;
    monitor::Issues& issues_;
    common::LifeSigns& signs_;
    const monitor::Options& options_;
    Narrator narrator_;
    std::atomic<bool> settled_{false};
    std::unique_ptr<common::Background> delivery_;  ///< last: its thread uses what stands above
};

int watch(const monitor::Options& options) {
    const sigset_t signals = hold_signals();
    common::LifeSigns signs{options.ping, [](const std::string& line) {
                                std::fprintf(stderr, "heeler-session-monitor: %s\n", line.c_str());
                            }};
    auto rules = monitor::session_rules(options);
    if (!rules) return fail(rules.error(), monitor::exit_usage);
    const std::string class_name = rules->name;
    monitor::Inboxes inboxes{options.directory};
    monitor::Sessions sessions{options.directory, options.project};
    monitor::Issues issues{options};
    auto channels = common::Channels::named(options.notify, {}, &heeler::format_session_alert);
    if (!channels) return fail(channels.error(), monitor::exit_usage);
    Dog dog{heeler::SystemClock{}, common::AnyStore::in_file(options.sqlite_file),
            Notifier{{monitor::Chat{{options.directory.string(), "alerts.jsonl"}}, *std::move(channels)},
                     heeler::LogNotifier{}}};
    dog.attach(inboxes);
    heeler::SpendLedger spend{dog.store()};
    dog.attach(spend);
    dog.attach(issues);
    if (const auto defined = dog.define(std::move(*rules)); !defined) return fail(defined.error(), monitor::exit_usage);

    dog.attach(class_name, sessions);

    Rounds rounds{dog, issues, signs, options};
    const heeler::Elapsed began = dog.clock().now().elapsed;
    while (stop_asked == 0) {
        rounds.judge();
        // Judging waits for nobody who is told or acted upon.
        for (const heeler::Elapsed next = dog.clock().now().elapsed + options.every; stop_asked == 0;) {
            const heeler::Elapsed now = dog.clock().now().elapsed;
            if (now >= next) break;
            wait(std::min<heeler::Duration>(next - now, std::chrono::milliseconds{200}), signals);
            rounds.carry_out();
        }
        if (options.until_idle && sessions.any() && rounds.rest() && is_idle(dog)) break;
        if (options.length && dog.clock().now().elapsed - began >= *options.length) break;
    }
    signs.stopping();
    return rounds.end();
}

}  // namespace

int main(int argc, char** argv) {
    common::take_environment();
    try {
        monitor::Options options;
        if (const auto status = monitor::parse_options(argc, argv, options)) return *status;
        return watch(options);
    } catch (const std::exception& error) {
        return fail({heeler::ErrorCode::failed, error.what()}, 1);
    }
}
