#include "supervisor.hpp"

#include <algorithm>

#include <poll.h>

#include "signals.hpp"

namespace supervise {

using heeler::Duration;
using heeler::Instant;

Supervisor::Supervisor(Options options, RunDirectory directory, std::unique_ptr<Metric> metric,
                       std::optional<Keeper> keeper)
    : options_(std::move(options)),
      directory_(std::move(directory)),
      metric_(std::move(metric)),
      keeper_(std::move(keeper)),
      dog_(heeler::SystemClock(), heeler::SqliteStore(directory_.file("store.sqlite")),
           PostboxNotifier(postbox_, directory_.place("alerts.log"))) {}

Quit Supervisor::run(const GoOn& how) {
    if (auto quit = begin(how)) return *quit;
    loop();
    return end();
}

void Supervisor::loop() {
    delivery_.emplace([this] {
        const heeler::CycleReport report = dog_.deliver();
        for (std::string& line : lines_of(report)) postbox_->put(std::move(line));
        if (!report.events.empty()) delivered_ = true;
    });
    while (!over()) {
        wait();
        read_output();
        take_signals();
        if (process_->alive()) cycle();
        for (const std::string& line : postbox_->take()) display_.say(line);
        show();
    }
}

void Supervisor::wait() {
    pollfd sources[] = {{process_->poll_fd(), POLLIN, 0}, {signal_fd(), POLLIN, 0}};
    ::poll(sources, 2, 200);
}

void Supervisor::read_output() {
    const auto sink = [this](std::string_view chunk) {
        display_.pass(chunk);
        last_output_ = dog_.clock().now();
        dog_.observe(handle_, heeler::Output{chunk, chunk.back() != '\n'}, last_output_);
        cutter_.feed(chunk, [this](std::string_view line) {
            ++view_.lines;
            metric_->see_line(line);
        });
    };
    const auto read = process_->read_output(sink);
    if ((!read || read->closed) && !output_closed_) output_closed_ = dog_.clock().now().elapsed;
}

void Supervisor::take_signals() {
    while (const int signal = take_signal()) {
        if (signal_ != 0) {
            ::kill(-process_->identity().pgid, SIGKILL);
            continue;
        }
        signal_ = signal;
        if (options_.detach) {
            left_running_ = true;
            continue;
        }
        display_.say("ending the command (once more to end it at once)");
        view_.doing = "ending the command";
        interruption_.emplace([this] {
            const auto ended = process_->terminate({});
            postbox_->put("the command: " + (ended ? ended->note : ended.error().message));
        });
        interruption_->request();
    }
}

void Supervisor::report_to_watchdog() {
    const Instant now = dog_.clock().now();
    // A command that ends closes its output a moment before it is seen to be over.
    if (output_closed_ && !output_lost_ && now.elapsed - *output_closed_ > std::chrono::seconds(1)) {
        output_lost_ = true;
        dog_.observe(handle_, heeler::OutputAccess{false}, now);
    }
    const bool paused = control_.paused();
    if (!paused && (!next_beat_ || now.elapsed >= *next_beat_) && process_->alive()) {
        next_beat_ = now.elapsed + std::chrono::seconds(1);
        dog_.observe(handle_, heeler::Heartbeat{}, now);
    }
    if (!metric_->reported() || (next_sample_ && now.elapsed < *next_sample_)) return;
    next_sample_ =
        now.elapsed + std::clamp<Duration>(interval_ / 4, std::chrono::milliseconds(250), std::chrono::seconds(10));
    view_.value = metric_->sample();
    if (view_.value) dog_.observe(handle_, heeler::Progress{*view_.value}, now);
}

void Supervisor::cycle() {
    report_to_watchdog();
    if (delivered_.exchange(false)) tell(dog_.tick(heeler::TickCause::outcome));
    tell(dog_.tick());
    if (signal_ == 0) delivery_->request();
}

void Supervisor::tell(const heeler::CycleReport& report) {
    for (const heeler::Event& event : report.events)
        if (const auto* const status = std::get_if<heeler::StatusEvent>(&event); status && status->run == run_id_)
            view_.status = name_of(status->status);
    for (const std::string& line : lines_of(report)) display_.say(line);
}

void Supervisor::show() {
    const Instant now = dog_.clock().now();
    view_.running = now.elapsed - began_.elapsed;
    view_.quiet = now.elapsed - last_output_.elapsed;
    if (signal_ == 0) view_.doing = control_.paused() ? "paused" : "";
    view_.next = interval_ - view_.running % interval_;
    display_.show(view_, interval_);
}

bool Supervisor::over() {
    if (left_running_) return true;
    const bool busy = delivery_->busy() || (interruption_ && interruption_->busy());
    return !busy && !process_->alive();
}

}  // namespace supervise
