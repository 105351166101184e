#include <algorithm>

#include <fmt/format.h>
#include <poll.h>

#include <heeler/text/duration.hpp>

#include "../common/store_place.hpp"
#include "command_text.hpp"
#include "signals.hpp"
#include "supervisor.hpp"

namespace supervise {

using heeler::RunState;

namespace {

/// How long a store that is busy or gone is asked again to take the end of the run.
constexpr std::chrono::seconds store_patience{10};

/// How long alerts are tried after somebody asked for the end, what the command took to end included: so it takes 10 s
/// at most, unless `--grace` is longer.
constexpr std::chrono::seconds hurry{8};
constexpr std::chrono::seconds shortest{1};

std::string alerts_text(std::uint64_t count) { return count == 1 ? "1 alert is" : fmt::format("{} alerts are", count); }

}  // namespace

/// What was decided or has happened until now takes its course, and comes back into the record.
void Supervisor::settle() {
    tell(dog_.cycle(heeler::TickCause::outcome));
    for (const std::string& line : postbox_->take()) display_.say(line);
}

/// Of an adopted command only its waiter knows.
std::optional<int> Supervisor::command_status() {
    if (const auto own = process_->exit_status()) return own;
    const auto waited = waited_end(directory_.place(status_file));
    return waited && waited->run == run_id_ ? std::optional{waited->status} : std::nullopt;
}

RunState Supervisor::end_state() {
    if (signal_ != 0) return RunState::cancelled;
    return command_status() == 0 ? RunState::completed : RunState::failed;
}

/// Empty if the store has it. A file that was removed, or replaced, is not what the store takes for itself.
std::string Supervisor::why_unrecorded() {
    const auto found = dog_.store().history(run_id_);
    if (!found) return found.error().message;
    if (!found->row) return "the store knows nothing of the run";
    return is_terminal(found->row->state) ? "" : "the store holds it as " + std::string(name_of(found->row->state));
}

/// What the store does not take in time is left beside it, for the next start.
void Supervisor::record_end() {
    EndNote note{run_id_, end_state(), command_status(), heeler::text::rfc3339(dog_.clock().now().wall)};
    auto left_beside = end_notes_.put(note);
    auto finished = dog_.finish(handle_, note.end());
    if (!finished && finished.error().code == heeler::ErrorCode::ended) {  // the watchdog did it
        note.state = RunState::terminated;
        left_beside = end_notes_.put(note);
    }
    const heeler::Elapsed until = dog_.clock().now().elapsed + store_patience;
    for (int round = 0; !(unrecorded_ = why_unrecorded()).empty(); ++round) {
        if (!finished && finished.error().code != heeler::ErrorCode::ended) unrecorded_ = finished.error().message;
        if (round == 0)
            display_.say(fmt::format("the end of the run is not recorded yet ({}): trying for {} s; Ctrl-C ends that",
                                     unrecorded_, store_patience.count()));
        pollfd noticed{signal_fd(), POLLIN, 0};
        ::poll(&noticed, 1, 200);
        if (take_signal() != 0 || dog_.clock().now().elapsed >= until) break;
        tell(dog_.tick(heeler::TickCause::on_demand));
    }
    if (unrecorded_.empty()) return end_notes_.forget(run_id_);
    unrecorded_ =
        fmt::format("the end of the run ({}) is not recorded: {}. {}", note.text(), unrecorded_,
                    left_beside ? "The next start does that" : "Nor can it be noted: " + left_beside.error().message);
}

/// Whatever goes wrong at the end, the command's own status is said.
Quit Supervisor::troubled(int status, const std::string& why) { return {status, why + "; " + fate_of_command()}; }

std::string Supervisor::fate_of_command() {
    if (left_running_) return "the command goes on";
    if (const auto known = command_status()) return fmt::format("the command's own exit status is {}", *known);
    return "the command's own exit status cannot be known";
}

Ending Supervisor::ending(const heeler::Report& report) {
    Ending ending{run_id_, command_text(options_.command), command_status(), exit_ok, {}};
    ending.own_status = ending.exit_status.value_or(exit_ok);
    if (report.final_status == "terminated") {
        ending.own_status = exit_terminated;
        ending.note = "by the watchdog";
    } else if (left_running_) {
        ending.own_status = 128 + signal_;
        ending.note = "not: it goes on without heeler-supervise; --adopt takes it over again";
    } else if (signal_ != 0) {
        ending.own_status = 128 + signal_;
        ending.note = "by a signal to heeler-supervise";
    } else if (!ending.exit_status) {
        ending.note = "by itself; its status cannot be known";
    }
    return ending;
}

heeler::Result<void> Supervisor::write_report(const heeler::Report& report, const Ending& ending) {
    const std::string text = report_text(report, ending);
    const std::string json = report_json(report, ending);
    auto written = heeler::replace_file(directory_.place("report.txt"), text, 0600);
    if (written) written = heeler::replace_file(directory_.place("report.json"), json, 0600);
    if (options_.report == "text") {
        display_.tell(text);
    } else if (options_.report == "json") {
        display_.output().put(json);
    } else if (written) {
        written = heeler::replace_file(options_.report, options_.report.ends_with(".json") ? json : text, 0600);
        if (!written) display_.tell(text);
    }
    return written;
}

/// Everything is recorded by now. Who reads slowly after an orderly end is waited for, and Ctrl-C ends that.
void Supervisor::pass_rest() {
    const bool orderly = !left_running_ && signal_ == 0 && own_status_ != exit_terminated;
    const auto patience = orderly ? std::chrono::milliseconds(200) : std::chrono::seconds(2);
    while (display_.output().owes() || display_.errors().owes()) {
        const bool moved = display_.output().drained(patience) && display_.errors().drained(patience);
        if (!moved && (!orderly || take_signal() != 0)) break;
    }
    note_closed();
    if (const std::size_t left = display_.output().waiting(); left != 0)
        display_.say(fmt::format("{} bytes of output were not read", left));
}

std::uint64_t Supervisor::untold() { return dog_.vitals().alerts_pending; }

/// Whoever ends it does not wait long. What nobody has by then stays in the store.
void Supervisor::tell_the_rest() {
    if (options_.notify.empty()) return;  // what is told here was shown here
    const heeler::Elapsed began = dog_.clock().now().elapsed;
    heeler::Duration most = options_.linger;
    if (signal_ != 0) most = std::min(most, std::max<heeler::Duration>(shortest, hurry - (began - asked_)));
    bool said = false;
    while (untold() != 0) {
        const heeler::Duration spent = dog_.clock().now().elapsed - began;
        if (spent >= most || take_signal() != 0) break;
        if (!said && spent >= std::chrono::seconds(2)) {
            said = true;
            display_.say(fmt::format("{} not delivered yet: trying for {}; Ctrl-C ends that", alerts_text(untold()),
                                     heeler::text::spoken(most)));
        }
        pollfd noticed{signal_fd(), POLLIN, 0};
        ::poll(&noticed, 1, 100);
        settle();
    }
    if (const std::uint64_t left = untold(); left != 0)
        display_.say(fmt::format("{} not delivered, and kept: {} deliver --notify CHANNEL tries again; {}",
                                 alerts_text(left), common::ctl_command({directory_.file("store.sqlite"), {}}),
                                 fate_of_command()));
}

/// Everything is on record and shown before alerts are waited for.
Quit Supervisor::end() {
    const Quit quit = conclude();
    tell_the_rest();
    return quit;
}

Quit Supervisor::conclude() {
    signs_.stopping();
    interruption_.reset();
    delivery_.reset();
    sampler_.reset();
    if (!left_running_) {
        // More may follow only from what the command left running.
        constexpr std::size_t rest = std::size_t{1} << 20;
        for (int round = 0; round < 100 && !output_closed_ && display_.output().waiting() < 2 * rest; ++round) {
            const auto before = last_output_.elapsed;
            read_streams(rest, rest);
            if (before == last_output_.elapsed) break;
        }
        say_that_agent_is_unknown(1);
        settle();
        if (!options_.detach && process_->prove_stopped(run_id_) != heeler::StopProof::stopped) {
            const auto ended = process_->terminate_session();
            if (ended) display_.say("what the command left running: " + ended->note);
            if (!ended && ended.error().code != heeler::ErrorCode::ended) display_.say(ended.error().message);
            if (const auto strays = process_->strays(); !ended && !strays.empty())
                display_.say("the command left running, in a session of their own: " +
                             heeler::detail::listed_pids(strays));
        }
        // Who is left may stay.
        if (keeper_) static_cast<void>(keeper_->watch({}));
        record_end();
        settle();
        if (heeler::family_of(process_->identity()).members.empty()) directory_.forget_child();
    }
    display_.clear();
    const heeler::Result<heeler::Report> report = dog_.report(run_id_);
    if (!report) {
        pass_rest();
        return troubled(exit_store, unrecorded_.empty() ? report.error().message : unrecorded_);
    }
    const Ending how = ending(*report);
    own_status_ = how.own_status;
    auto written = write_report(*report, how);
    if (const auto page =
            page_.of(*report, left_running_ ? std::nullopt : std::optional{end_state()}, dog_.clock().now().wall);
        written && page)
        written = heeler::replace_file(options_.html, *page, 0600);
    pass_rest();
    if (!unrecorded_.empty()) return troubled(exit_store, unrecorded_);
    if (!written) return troubled(exit_state, written.error().message);
    return {how.own_status, {}};
}

}  // namespace supervise
