#include "supervisor.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <poll.h>

#include <heeler/text/shown_name.hpp>

#include "signals.hpp"

namespace supervise {

using heeler::Duration;
using heeler::Instant;

namespace {

/// While somebody of the family lives, the system gives its group's number to nobody else.
void kill_at_once(const heeler::ProcessIdentity& identity) {
    if (!heeler::family_of(identity).members.empty()) ::kill(-identity.pgid, SIGKILL);
}

}  // namespace

Supervisor::Supervisor(Options options, RunDirectory directory, std::unique_ptr<Metric> metric,
                       std::optional<Keeper> keeper, common::Channels channels, std::shared_ptr<Postbox> postbox,
                       common::LifeSigns& signs, int log)
    : options_(std::move(options)),
      directory_(std::move(directory)),
      end_notes_(directory_.place("ends")),
      metric_(std::move(metric)),
      keeper_(std::move(keeper)),
      display_(log),
      postbox_(std::move(postbox)),
      signs_(signs),
      dog_(heeler::SystemClock(), common::AnyStore::in_file(directory_.file("store.sqlite")),
           Notifier(PostboxNotifier(postbox_, directory_.place("alerts.log")), std::move(channels))) {
    if (!options_.digest) return;
    heeler::DailyDigestSettings settings{.at = *options_.digest, .spent = [this] { return spend_.today(); }};
    if (auto kept = heeler::read_head(directory_.place("digest"), 64); kept && *kept) settings.told = **kept;
    if (!settings.check()) settings.told.clear();
    day_told_ = settings.told;
    digest_.emplace(std::move(settings));
}

Quit Supervisor::run(const GoOn& how) {
    if (auto quit = begin(how)) return *quit;
    loop();
    return end();
}

void Supervisor::loop() {
    delivery_.emplace([this] {
        const heeler::CycleReport report = dog_.deliver();
        page_.happened(report, dog_.clock().now().wall);
        for (std::string& line : narrator_.lines_of(report, dog_.clock().now().elapsed)) postbox_->put(std::move(line));
        if (!report.events.empty()) delivered_ = true;
        signs_.note(dog_, report);
        note_day(report);
    });
    if (metric_->reported()) sampler_.emplace(*metric_);
    while (!over()) {
        wait();
        read_streams(readable(), display_.errors().room());
        watch_reader();
        take_signals();
        move_words();
        if (process_->alive()) cycle();
        for (const std::string& line : postbox_->take()) display_.say(line);
        show();
    }
}

void Supervisor::wait() {
    Outlet& output = display_.output();
    Outlet& errors = display_.errors();
    pollfd sources[] = {{readable() == 0 ? -1 : process_->poll_fd(), POLLIN, 0},
                        {errors.room() == 0 ? -1 : process_->errors_fd(), POLLIN, 0},
                        {signal_fd(), POLLIN, 0},
                        {output.room_fd(), POLLIN, 0},
                        {errors.room_fd(), POLLIN, 0},
                        {messages_ ? messages_->given_fd() : -1, POLLIN, 0},
                        {messages_ ? messages_->room_fd() : -1, POLLOUT, 0}};
    ::poll(sources, std::size(sources), more_output_ ? 0 : 200);
    output.note_room();
    errors.note_room();
}

/// A command whose output is not taken waits, as it would without heeler-supervise. One that writes to a file does not.
std::size_t Supervisor::readable() const { return from_file_ ? std::size_t{1} << 22 : display_.output().room(); }

/// Where the command may have to wait to write to: "standard output"; empty: nowhere.
std::string Supervisor::unread() const {
    if (readable() == 0) return "standard output";
    return display_.errors().room() == 0 && process_->errors_fd() >= 0 ? "standard error" : "";
}

void Supervisor::read_streams(std::size_t output, std::size_t errors) {
    more_output_ = false;
    bool closed = false;
    if (output != 0) {
        const auto read =
            process_->read_output([this](std::string_view chunk) { hear(chunk, display_.output(), output_); }, output);
        if (read) not_shown_ += read->skipped;
        more_output_ = from_file_ && read && read->bytes >= output;
        closed = !read || read->closed;
    }
    if (errors != 0) {
        const auto read =
            process_->read_errors([this](std::string_view chunk) { hear(chunk, display_.errors(), errors_); }, errors);
        closed = closed && (!read || read->closed);
    }
    if (closed && !output_closed_) output_closed_ = dog_.clock().now().elapsed;
}

void Supervisor::hear(std::string_view chunk, Outlet& to, Heard& heard) {
    pass_on(chunk, to);
    last_output_ = dog_.clock().now();
    if (agent_ && &heard == &output_) {
        hear_agent(chunk);
    } else {
        const std::string_view lines = heard.lines.add(chunk);
        report(heeler::Output{lines, lines.empty()}, last_output_);
    }
    heard.cutter.feed(chunk, [this](std::string_view line) {
        ++view_.lines;
        metric_->see_line(line);
    });
}

void Supervisor::pass_on(std::string_view chunk, Outlet& to) {
    if (from_file_ && to.room() < chunk.size()) {
        not_shown_ += chunk.size();
        return;
    }
    if (not_shown_ != 0)
        display_.say(fmt::format("{} bytes of output were not shown: they came faster than they were read",
                                 std::exchange(not_shown_, 0)));
    display_.pass(chunk, to);
}

/// The command goes on: hours of work are not lost with whoever looked on.
void Supervisor::note_closed() {
    if (closed_told_ || !display_.output().closed()) return;
    closed_told_ = true;
    display_.say("standard output is closed: what the command writes there from now on is lost");
}

/// Who does not read the command's output makes the command wait: that must not look like its own fault.
void Supervisor::watch_reader() {
    note_closed();
    const heeler::Elapsed now = dog_.clock().now().elapsed;
    const std::string where = unread();
    if (where.empty()) {
        reader_still_.reset();
        reader_told_ = false;
        return;
    }
    if (!reader_still_) reader_still_ = now;
    if (reader_told_ || now - *reader_still_ < std::chrono::seconds(2)) return;
    reader_told_ = true;
    display_.say(where + " is not read: the command waits with its output until it is");
}

void Supervisor::take_signals() {
    while (const int signal = take_signal()) {
        if (signal_ != 0) {
            kill_at_once(process_->identity());
            continue;
        }
        signal_ = signal;
        asked_ = dog_.clock().now().elapsed;
        if (options_.detach) {
            left_running_ = true;
            continue;
        }
        display_.say("ending the command (once more to end it at once)");
        view_.doing = "ending the command";
        interruption_.emplace([this] {
            const auto ended = process_->terminate({});
            // Asked twice in a hurry, it may be over before this began.
            const bool killed = process_->exit_status() == 128 + SIGKILL;
            postbox_->put("the command: " + (ended    ? ended->note
                                             : killed ? std::string{"ended by SIGKILL"}
                                                      : ended.error().message));
        });
        interruption_->request();
    }
}

void Supervisor::report_to_watchdog() {
    const Instant now = dog_.clock().now();
    // A command that ends closes its output a moment before it is seen to be over.
    if (output_closed_ && !output_lost_ && now.elapsed - *output_closed_ > std::chrono::seconds(1)) {
        output_lost_ = true;
        report(heeler::OutputAccess{false}, now);
    }
    const bool paused = control_.paused();
    if (!paused && (!next_beat_ || now.elapsed >= *next_beat_) && process_->alive()) {
        next_beat_ = now.elapsed + std::chrono::seconds(1);
        heeler::reap_orphans();
        report(heeler::Heartbeat{}, now);
    }
    if (!sampler_) return;
    if (const auto sampled = sampler_->fetch()) {
        view_.value = sampled;
        report(heeler::Progress{*sampled}, now);
    }
    if (next_sample_ && now.elapsed < *next_sample_) return;
    next_sample_ =
        now.elapsed + std::clamp<Duration>(interval_ / 4, std::chrono::milliseconds(250), std::chrono::seconds(10));
    sampler_->request();
}

void Supervisor::cycle() {
    report_to_watchdog();
    if (delivered_.exchange(false)) tell(dog_.tick(heeler::TickCause::outcome));
    tell(dog_.tick());
    if (signal_ == 0) delivery_->request();
}

void Supervisor::tell(const heeler::CycleReport& report) {
    if (report.ticks > 0) signs_.note(dog_, report);
    note_day(report);
    page_.happened(report, dog_.clock().now().wall);
    for (const heeler::Event& event : report.events)
        if (const auto* const status = std::get_if<heeler::StatusEvent>(&event); status && status->run == run_id_)
            view_.status = name_of(status->status);
    for (const std::string& line : narrator_.lines_of(report, dog_.clock().now().elapsed)) display_.say(line);
}

/// The date of what was told is kept, so that the next one of this name does not tell it again.
void Supervisor::note_day(const heeler::CycleReport& report) {
    if (!digest_) return;
    heeler::Vitals seen;
    seen.at = dog_.clock().now();
    if (report.deliveries > 0) seen = dog_.vitals();
    if (auto alert = digest_->note(report, seen)) dog_.say(std::move(*alert));
    if (report.deliveries == 0) return;
    std::string told = digest_->told();
    if (told == day_told_) return;
    day_told_ = std::move(told);
    if (auto kept = heeler::replace_file(directory_.place("digest"), day_told_, 0600); !kept)
        postbox_->put("that the day was told is not noted: " + kept.error().message);
}

void Supervisor::show() {
    const Instant now = dog_.clock().now();
    view_.running = now.elapsed - began_.elapsed;
    view_.quiet = now.elapsed - last_output_.elapsed;
    if (signal_ == 0)
        view_.doing = control_.paused() ? "paused"
                      : reader_told_    ? "its output is not read"
                      : agent_          ? heeler::text::shown_name(agent_->doing(), 40)
                                        : "";
    view_.next = interval_ - view_.running % interval_;
    display_.show(view_, interval_);
}

bool Supervisor::over() {
    if (left_running_) return true;
    const bool busy = delivery_->busy() || (interruption_ && interruption_->busy()) || goes_on_with_;
    return !busy && !process_->alive();
}

}  // namespace supervise
