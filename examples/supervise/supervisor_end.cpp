#include <cstdio>

#include "supervisor.hpp"

namespace supervise {

using heeler::RunState;

/// What was decided or has happened until now takes its course, and comes back into the record.
void Supervisor::settle() {
    tell(dog_.cycle(heeler::TickCause::outcome));
    for (const std::string& line : postbox_->take()) display_.say(line);
}

Ending Supervisor::ending(const heeler::Report& report) {
    Ending ending{run_id_, {}, process_->exit_status(), exit_ok, {}};
    for (const std::string& word : options_.command) ending.command += (ending.command.empty() ? "" : " ") + word;
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
        std::fputs(text.c_str(), stderr);
    } else if (options_.report == "json") {
        std::fputs(json.c_str(), stdout);
        std::fflush(stdout);
    } else if (written) {
        written = heeler::replace_file(options_.report, options_.report.ends_with(".json") ? json : text, 0600);
    }
    return written;
}

Quit Supervisor::end() {
    interruption_.reset();
    delivery_.reset();
    if (!left_running_) {
        for (int round = 0; round < 100 && !output_closed_; ++round) {
            const auto before = view_.lines;
            read_output();
            if (before == view_.lines) break;
        }
        settle();
        if (!options_.detach && process_->prove_stopped(run_id_) != heeler::StopProof::stopped) {
            const auto ended = process_->terminate({});
            display_.say("what the command left running: " + (ended ? ended->note : ended.error().message));
        }
        const RunState state = signal_ != 0                   ? RunState::cancelled
                               : process_->exit_status() == 0 ? RunState::completed
                                                              : RunState::failed;
        static_cast<void>(dog_.finish(handle_, state));  // `ended` if the watchdog did it
        settle();
        if (heeler::family_of(process_->identity()).members.empty()) directory_.forget_child();
    }
    display_.clear();
    const heeler::Result<heeler::Report> report = dog_.report(run_id_);
    if (!report) return {exit_store, report.error().message};
    const Ending how = ending(*report);
    if (const auto written = write_report(*report, how); !written) return {exit_state, written.error().message};
    return {how.own_status, {}};
}

}  // namespace supervise
