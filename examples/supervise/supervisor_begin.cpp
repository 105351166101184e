#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include <heeler/agent/fence_file.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/recover/recovery_ladder.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/text/duration.hpp>

#include "../common/given_settings.hpp"
#include "command_text.hpp"
#include "standard_streams.hpp"
#include "supervisor.hpp"

namespace supervise {

using heeler::ErrorCode;

namespace {

constexpr const char* class_name = "supervised";

Quit store_problem(const heeler::Error& error) { return {exit_store, error.message}; }

std::string ways_to_speak(const Options& options) {
    if (options.agent.empty()) return "--pty, or --stdin nudges";
    return options.agent == "claude" ? "its --input-format stream-json, or --resume" : "--resume";
}

/// The preset, but for its pauses: whoever started the command waits for its end, perhaps where nobody is there to
/// resume it.
heeler::RunClass that_only_tells() {
    heeler::RunClass rules = heeler::presets::recommended();
    auto& ladder = *rules.ladder.as<heeler::RecoveryLadder>();
    ladder.final_rung = {{heeler::ActionKind::snapshot, {}, {}}, {heeler::ActionKind::escalate, {}, {}}};
    return rules;
}

}  // namespace

heeler::Result<heeler::RunClass> Supervisor::run_class() {
    heeler::RunClass rules = options_.preset == "long_run" ? heeler::presets::long_run() : that_only_tells();
    rules.name = class_name;
    rules.mode = options_.shadow ? heeler::Mode::shadow : heeler::Mode::active;
    // Whoever starts a command this way wants it to be watched, however short it is.
    rules.applicability.shortest = heeler::Duration(1);
    rules.alerts.outbox.group_interval = {};  // there is one run, and this ends with it
    const auto laid =
        common::lay_settings(rules, options_.config, [this](const std::string& fault) { display_.say(fault); });
    if (!laid) return tl::unexpected<heeler::Error>(laid.error());
    if (options_.interval) {
        rules.interval.fixed = options_.interval;
        rules.schedule.period = std::min(rules.schedule.period, *options_.interval);
    }
    return rules;
}

heeler::RunSpec Supervisor::run_spec() const {
    heeler::RunSpec spec;
    spec.id = run_id_;
    spec.name = options_.name;
    spec.task = options_.goal.empty() ? command_text(options_.command) : options_.goal;
    spec.expected = options_.expected;
    spec.timeout = options_.timeout;
    spec.metric = metric_->reported() ? heeler::MetricKind::reported : heeler::MetricKind::output_lines;
    spec.metric_name = metric_->name();
    if (agent_ && !metric_->reported()) {  // it prints a line for all that it does, progress or not
        spec.metric = heeler::MetricKind::undefined;
        spec.metric_name.clear();
    }
    return spec;
}

heeler::ProcessSpec Supervisor::process_spec() const {
    heeler::ProcessSpec spec;
    spec.argv = options_.command;
    if (options_.detach) spec.argv = with_waiter(options_.command, directory_.place(status_file), run_id_);
    spec.io = options_.pty ? heeler::ProcessIo::pty : heeler::ProcessIo::pipe;
    spec.errors_apart = display_.apart() && !options_.pty && !options_.detach;
    if (options_.detach) spec.output_file = directory_.file("output");
    spec.output_limit = options_.output_limit;
    spec.snapshot_source = options_.snapshot_directory;
    spec.snapshot_destination = directory_.file("snapshots");
    spec.term_grace = options_.grace;
    spec.die_with_parent = !options_.detach;
    spec.owns_orphans = true;  // whatever else is started here starts nothing that stays
    return spec;
}

/// Who is started now owns the run: what is left of earlier ones learns that from the fence.
heeler::Result<heeler::ProcessSpec> Supervisor::fenced_spec() const {
    heeler::FenceFile fence{directory_.place("fence")};
    const auto before = fence.owner();
    if (!before) return tl::unexpected<heeler::Error>(before.error());
    if (auto raised = fence.raise(*before + 1); !raised) return tl::unexpected<heeler::Error>(raised.error());
    heeler::ProcessSpec spec = process_spec();
    spec.environment = fence.environment(*before + 1);
    return spec;
}

std::optional<Quit> Supervisor::begin(const GoOn& how) {
    auto rules = run_class();
    if (!rules) return Quit{exit_usage, "--config: " + rules.error().message};
    if (auto defined = dog_.define(*rules); !defined) return Quit{exit_usage, defined.error().message};
    const std::optional<WaitedEnd> earlier = waited_end(directory_.place(status_file));
    auto stored = dog_.store().load();
    if (!stored) return store_problem(stored.error());
    dog_.attach(control_);
    dog_.attach(spend_);
    if (!options_.agent.empty()) agent_.emplace();
    view_.name = options_.name;
    if (metric_->reported()) view_.metric = metric_->name();
    if (auto quit = how.adopt ? take_over(*how.adopt) : start_command()) return quit;
    close_old_runs(*stored, earlier);
    tell_lost_ends(*stored);
    from_file_ = process_->output_in_file();
    interval_ = rules->interval.interval_for(options_.expected);
    began_ = last_output_ = dog_.clock().now();
    if (!options_.html.empty()) page_.begin(run_id_, began_.wall);
    return std::nullopt;
}

std::optional<Quit> Supervisor::take_over(const ChildRecord& record) {
    heeler::ProcessSpec spec = process_spec();
    spec.output_file = record.output_file;
    auto process = heeler::ProcessControl::adopt(record.identity, std::move(spec));
    if (!process) return Quit{exit_usage, "--adopt: " + process.error().message};
    process_.emplace(std::move(*process));
    run_id_ = record.run;
    control_.attach(*process_, run_id_);
    options_.detach = options_.detach || !keeper_;
    if (keeper_)
        if (auto told = keeper_->watch(record.identity); !told) return Quit{exit_state, told.error().message};
    tell(dog_.tick(heeler::TickCause::startup));
    auto found = dog_.find(run_id_);
    if (!found) {
        // It was started, but nothing of the run could be stored, or the run was marked as over meanwhile.
        run_id_ += "+" + heeler::text::rfc3339(dog_.clock().now().wall);
        control_.attach(*process_, run_id_);
        auto registered = dog_.start(run_spec(), class_name);
        if (!registered) return store_problem(registered.error());
        found = *registered;
    }
    handle_ = *found;
    display_.say("went on watching " + record.command);
    return std::nullopt;
}

std::optional<Quit> Supervisor::start_command() {
    run_id_ = options_.name + "@" + heeler::text::rfc3339(dog_.clock().now().wall);
    auto registered = dog_.start(run_spec(), class_name);
    if (!registered) return store_problem(registered.error());
    if (registered->not_stored) return store_problem(*registered->not_stored);
    handle_ = *registered;
    auto spec = fenced_spec();
    if (!spec) return Quit{exit_state, spec.error().message};
    CommandInput input = take_input(options_);
    if (auto taken = take_input_of(*spec, input); !taken) return Quit{exit_state, taken.error().message};
    if (!input.note.empty()) display_.say(input.note);
    spec->on_prepared = [this](const heeler::ProcessIdentity& identity) { return prepared(identity); };
    auto process = heeler::ProcessControl::start(*std::move(spec));
    if (!process) {
        static_cast<void>(dog_.finish(handle_, heeler::RunEnd::failed));
        directory_.forget_child();
        const std::string& why = process.error().message;
        const bool missing = why.find(std::strerror(ENOENT)) != std::string::npos;
        return Quit{not_recorded_ ? exit_state : missing ? exit_not_found : exit_not_executable, why};
    }
    process_.emplace(std::move(*process));
    if (messages_) messages_->started();
    control_.attach(*process_, run_id_);
    if (messages_ || !options_.resume.empty())
        control_.leave_words(words_);
    else if (!options_.shadow && !process_->can_inject())
        display_.say("nothing can be said to the command: its nudges are told to you (or " + ways_to_speak(options_) +
                     ")");
    return std::nullopt;
}

heeler::Result<void> Supervisor::take_input_of(heeler::ProcessSpec& spec, CommandInput& input) {
    spec.input = input.kind;
    spec.given_input = input.given.get();
    if (!reads_messages(options_)) return {};
    auto opened = MessageInput::open(std::move(input.given));
    if (!opened) return tl::unexpected<heeler::Error>(std::move(opened.error()));
    messages_.emplace(std::move(*opened));
    spec.input = heeler::ProcessInput::given;
    spec.given_input = messages_->reader();
    return {};
}

/// The command does not run yet: whatever happens from here on, it is known who it is.
heeler::Result<void> Supervisor::prepared(const heeler::ProcessIdentity& identity) {
    ChildRecord record{identity, boot_id(), run_id_, {}, command_text(options_.command)};
    if (options_.detach) record.output_file = directory_.file("output");
    auto written = directory_.write_child(record);
    if (written && keeper_) written = keeper_->watch(identity);
    not_recorded_ = !written;
    return written;
}

/// Runs whose end an earlier heeler-supervise could not record, or not see: their commands are gone.
void Supervisor::close_old_runs(const heeler::Snapshot& stored, const std::optional<WaitedEnd>& earlier) {
    for (const heeler::StoredRun& old : stored.runs) {
        if (old.row.id == run_id_ || is_terminal(old.row.state)) continue;
        const auto handle = dog_.find(old.row.id);
        if (!handle) continue;
        const EndNote* const note = end_notes_.of(old.row.id);
        const bool ended_well = earlier && earlier->run == old.row.id && earlier->status == 0;
        const auto otherwise = ended_well ? heeler::RunEnd::completed : heeler::RunEnd::failed;
        const auto finished = dog_.finish(*handle, note != nullptr ? note->end() : otherwise);
        if (!finished) {
            display_.say(fmt::format("the end of {} is not recorded yet: {}", old.row.id, finished.error().message));
        } else if (note != nullptr) {
            display_.say(fmt::format("recorded now how {} ended: {}", old.row.id, note->text()));
            end_notes_.forget(old.row.id);
        }
    }
}

/// Of runs that the store holds no more, or holds as ended.
void Supervisor::tell_lost_ends(const heeler::Snapshot& stored) {
    const std::vector<EndNote> notes = end_notes_.all();
    for (const EndNote& note : notes) {
        const auto is_it = [&](const heeler::StoredRun& each) { return each.row.id == note.run; };
        const bool open = std::any_of(stored.runs.begin(), stored.runs.end(), is_it);
        const auto known = dog_.store().history(note.run);
        if (note.run == run_id_ || !known || (known->row && open && !is_terminal(known->row->state))) continue;
        if (!known->row)
            display_.say(fmt::format("the store knows nothing of {}, which ended: {}", note.run, note.text()));
        end_notes_.forget(note.run);
    }
}

}  // namespace supervise
