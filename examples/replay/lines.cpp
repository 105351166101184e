// What each type of line does.
#include <algorithm>
#include <utility>

#include <heeler/settings/name_regex_settings.hpp>
#include <heeler/settings/overlay.hpp>

#include "../common/nearest.hpp"
#include "../common/presets.hpp"
#include "../common/run_spec.hpp"
#include "../common/told.hpp"
#include "replay.hpp"
#include "script_lines.hpp"
#include "tree_lines.hpp"

namespace replay {

using heeler::ErrorCode;
using heeler::RunState;
using heeler::TickCause;

namespace {

template <class T>
T required(std::optional<T> value, std::string_view key) {
    if (!value) throw common::BadLine{"'" + std::string{key} + "' is missing"};
    return *value;
}

/// In the words of whoever asked for a watch over HTTP.
heeler::ScopeAnswer refusal_of(const heeler::Error& error) {
    heeler::ScopeAnswer answer;
    const auto code = error.code == ErrorCode::unknown_run ? std::string_view{"not_found"} : name_of(error.code);
    answer.reason = std::string{code} + ": " + error.message;
    return answer;
}

heeler::Error fenced_error(std::string_view run) {
    return {ErrorCode::fenced,
            "the run " + common::in_quotes(run) + " was taken up by another agent; this one is not heard"};
}

}  // namespace

Replay::Handler Replay::handler_of(std::string_view type) {
    static constexpr std::pair<std::string_view, Handler> handlers[]{
        {"run", &Replay::run_line},           {"heartbeat", &Replay::told_line},
        {"progress", &Replay::told_line},     {"checkpoint", &Replay::checkpoint_line},
        {"expect", &Replay::expect_line},     {"output", &Replay::told_line},
        {"tool_call", &Replay::told_line},    {"tool_result", &Replay::told_line},
        {"message", &Replay::told_line},      {"usage", &Replay::told_line},
        {"state", &Replay::state_line},       {"compaction", &Replay::told_line},
        {"resource", &Replay::told_line},     {"output_access", &Replay::told_line},
        {"liveness", &Replay::told_line},     {"host", &Replay::host_line},
        {"notifier", &Replay::notifier_line}, {"source", &Replay::source_line},
        {"store", &Replay::store_line},       {"context", &Replay::context_line},
        {"timer", &Replay::timer_line},       {"decide", &Replay::decide_line},
        {"mail", &Replay::mail_line},         {"snapshot", &Replay::snapshot_line},
        {"arm", &Replay::arm_line},           {"disarm", &Replay::arm_line},
        {"review", &Replay::review_line},     {"mutate", &Replay::mutate_line},
        {"batch", &Replay::batch_line},       {"tick", &Replay::tick_line},
        {"crash", &Replay::crash_line},       {"restart", &Replay::restart_line},
        {"end", &Replay::end_line},
    };
    for (const auto& [name, handler] : handlers)
        if (name == type) return handler;
    return nullptr;
}

/// What the run itself does, unlike what is done to it and to what is around it.
bool Replay::is_told(std::string_view type) {
    for (const std::string_view told :
         {"run", "heartbeat", "progress", "checkpoint", "expect", "output", "tool_call", "tool_result", "message",
          "usage", "state", "compaction", "resource", "output_access", "liveness", "end"})
        if (told == type) return true;
    return false;
}

// --- runs ------------------------------------------------------------------------------------------------------------

std::string Replay::run_of(const common::JsonObject& line) const {
    const std::string run{line.text_or("run", last_run_)};
    if (run.empty()) throw common::BadLine{"no run is registered yet"};
    return run;
}

heeler::RunClass Replay::rules_named(std::string_view preset) {
    auto rules = common::preset_named(preset);
    if (!rules)
        throw common::BadLine{"the preset " + common::in_quotes(preset) + " is not known" +
                              common::did_you_mean_or_known(preset, common::preset_names())};
    // Whoever writes a run into a recording means it, with tags or without.
    if (auto& filter = rules->applicability.filter) filter->untagged = true;
    for (const Settings& layer : settings_)
        for (const heeler::SettingFault& fault : heeler::overlay(*rules, layer))
            if (warned_.insert(std::string{name_of(fault.kind)} + ' ' + fault.setting).second) print_warning(fault);
    if (watch_ != nullptr) look_on(*rules, *watch_);
    if (limits_ != nullptr) rules->mode = heeler::Mode::shadow;  // the recording knows how it went on
    return std::move(*rules);
}

/// What the environment refuses is part of the story; what the line asks wrongly is not.
void Replay::check(std::string_view where, std::string_view run, const heeler::Result<void>& result) {
    if (result) return;
    const auto code = result.error().code;
    const bool environment = code == ErrorCode::fenced || code == ErrorCode::io || code == ErrorCode::busy ||
                             code == ErrorCode::full || code == ErrorCode::lost || code == ErrorCode::conflict ||
                             code == ErrorCode::read_only || code == ErrorCode::corrupt;
    if (host_.process().dead) return;
    if (!environment && code == ErrorCode::ended) refuse_if_over(run);
    if (!environment) throw common::BadLine{result.error().message};
    print(heeler::ErrorEvent{std::string{where}, std::string{run}, result.error()});
}

/// Says once per run that it is over; later lines about it are only counted.
void Replay::refuse_if_over(std::string_view run) {
    const auto known = host_.runs().find(run);
    if (known != host_.runs().end() && std::exchange(known->second.told_that_it_is_over, true))
        throw common::BadLine{""};
    throw common::BadLine{"the run " + common::in_quotes(run) +
                          " is over; this and all further lines about it are skipped"};
}

template <class What>
bool Replay::observe(const common::JsonObject& line, const What& what) {
    const std::string run = run_of(line);
    if (watch_ != nullptr) watch_->turn_to(run, line_number_, heeler::in_seconds(host_.t()));
    const heeler::Observed observed = host_.observe(run, what, common::incarnation_of(line));
    if (watch_ != nullptr) watch_->turn_away();
    switch (observed) {
        case heeler::Observed::ok:
            heard(run, what);
            return true;
        case heeler::Observed::unknown:
            throw common::BadLine{"the run " + common::in_quotes(run) +
                                  " is not known; register it with a 'run' line first"};
        case heeler::Observed::ended:
        case heeler::Observed::elsewhere:
            refuse_if_over(run);
            break;
        case heeler::Observed::fenced:
            print(heeler::ErrorEvent{"observe", run, fenced_error(run)});
            break;
        case heeler::Observed::refused:
            throw common::BadLine{"the run " + common::in_quotes(run) +
                                  " cannot take this value; it is outside its limits"};
    }
    return false;
}

void Replay::run_line(const common::JsonObject& line) {
    heeler::RunSpec spec = common::spec_of(line, host_.epoch());
    if (!line.has("run")) spec.id = line.text_or("id", spec.id);
    const auto rules = rules_named(line.text_or("preset", preset_));
    tell_truth(line, spec.id);
    check("start", spec.id, host_.start(spec, rules));
    last_run_ = spec.id;
    host_.runs().insert_or_assign(spec.id, KnownRun{spec, rules.name});
    if (pages_ != nullptr) pages_->begin(spec.id, host_.wall());
    if (limits_ != nullptr) limits_->begin(spec, rules, host_.wall());
}

void Replay::tell_truth(const common::JsonObject& line, std::string_view run) {
    simdjson::dom::element written;
    if (line.fields().at_key("truth").get(written) != simdjson::SUCCESS || written.is_null()) return;
    if (line.any("truth") == "healthy") return truths_.tell(run, {});
    const auto truth = written.is_object() ? line.object("truth") : std::nullopt;
    const auto when = truth ? truth->time("stalled_at") : std::nullopt;
    if (!when) common::JsonObject::wrong_type("truth", written, R"("healthy" or {"stalled_at": seconds})");
    truths_.tell(run, when->date ? *when->date - host_.epoch() : *when->since_start);
}

// --- observations ----------------------------------------------------------------------------------------------------

void Replay::told_line(const common::JsonObject& line) {
    std::string kept;
    const auto told = common::told_of(line.text_or("type", ""), line, kept);
    std::visit([&](const auto& what) { observe(line, what); }, *told);
}

void Replay::checkpoint_line(const common::JsonObject& line) {
    const std::string run = run_of(line);
    const auto handle = host_.find(run);
    if (!handle) return check("checkpoint", run, tl::unexpected<heeler::Error>(handle.error()));
    const heeler::CheckpointNote note = common::checkpoint_of(line);
    check("checkpoint", run, host_.dog().checkpoint(*handle, note));
    heard(run, note);
}

/// How much time a class gives is part of the story.
void Replay::expect_line(const common::JsonObject& line) {
    const std::string run = run_of(line);
    const auto handle = host_.find(run);
    if (!handle) return check("expect", run, tl::unexpected<heeler::Error>(handle.error()));
    const heeler::Expect asked = common::expect_of(line);
    const auto given = host_.dog().expect(*handle, asked);
    if (given && limits_ != nullptr) limits_->saw(run, asked, host_.wall());
    if (!given && given.error().code == ErrorCode::invalid_argument)
        return print(heeler::ErrorEvent{"expect", run, given.error()});
    if (!given && given.error().code == ErrorCode::fenced)
        return print(heeler::ErrorEvent{"expect", run, fenced_error(run)});
    check("expect", run, given);
}

void Replay::state_line(const common::JsonObject& line) {
    const std::string run = run_of(line);
    const auto known = host_.runs().find(run);
    const auto now = known == host_.runs().end() ? RunState::running : known->second.state;
    const heeler::StateChange change = common::state_of(line, now, host_.epoch());
    const RunState state = change.state;
    const bool goes_on = !host_.completion_ends(run) && (state == RunState::completed || state == RunState::failed);
    if (goes_on || (is_terminal(state) && common::incarnation_of(line) != 0)) {
        // From one agent: if it was replaced meanwhile, its word does not end the run.
        if (!observe(line, change) || goes_on) return;
    } else if (is_terminal(state)) {
        const auto handle = host_.find(run);
        if (!handle) return check("finish", run, tl::unexpected<heeler::Error>(handle.error()));
        const auto end = heeler::run_end_of(state);
        if (!end)
            throw common::BadLine{"the state '" + std::string{name_of(state)} +
                                  "' is not one that a host ends a run with"};
        check("finish", run, host_.dog().finish(*handle, *end));
        heard(run, change);
    } else {
        observe(line, change);
    }
    if (known != host_.runs().end()) known->second.state = state;
}

// --- the world around ------------------------------------------------------------------------------------------------

void Replay::host_line(const common::JsonObject& line) { script_control(line, host_.control(), host_.tree()); }

void Replay::notifier_line(const common::JsonObject& line) { script_notifier(line, host_.notifier()); }

void Replay::source_line(const common::JsonObject& line) {
    const std::string run = run_of(line);
    check("source", run, host_.polls(run, line.boolean_or("ok", true)));
}

void Replay::store_line(const common::JsonObject& line) { script_store(line, host_.store()); }

void Replay::context_line(const common::JsonObject& line) { script_context(line, host_.context()); }
void Replay::timer_line(const common::JsonObject& line) { print(timers_.obey(line, host_.t())); }

void Replay::decide_line(const common::JsonObject& line) {
    heeler::DecisionRow decision = common::decision_of(line, last_run_, host_.epoch());
    decision.at = host_.wall();
    check("decide", decision.run, host_.dog().decide(decision));
}

/// A kind that nobody has a rule for is one that nobody is told of.
void Replay::mail_line(const common::JsonObject& line) {
    const auto& kinds = heeler::mail_kind_names;
    const auto kind = std::find(kinds.begin(), kinds.end(), line.text_or("kind", ""));
    heeler::Mail mail;
    mail.id = line.text_or("id", "");
    mail.box = line.text_or("box", "orchestrator");
    mail.from = line.text_or("from", "");
    if (kind != kinds.end()) mail.kind = static_cast<heeler::MailKind>(kind - kinds.begin());
    mail.read = line.boolean_or("read", false);
    mail.age = line.length("age_s").value_or(heeler::Duration{});
    mail.body = line.any("body");
    host_.send(std::move(mail));
}

void Replay::tick_line(const common::JsonObject& line) {
    const auto label = line.text_or("cause", "period");
    if (label != "period" && label != "startup" && label != "mutation")
        throw common::BadLine{"the cause " + common::in_quotes(label) +
                              " is not known; known are period, startup, mutation"};
    run_pending_tick();
    const TickCause other = line.boolean_or("only_due", false) ? TickCause::period : TickCause::on_demand;
    pending_tick_ = PendingTick{label == "startup" ? TickCause::startup : other, std::string{label}, {}};
    if (label == "mutation" && host_.trees() != nullptr && line.has("node"))
        pending_tick_->node = node_ref_of(line, "node");
}

// --- task trees ------------------------------------------------------------------------------------------------------

heeler::TreeWatch& Replay::trees() {
    if (auto* trees = host_.trees()) return *trees;
    return host_.watch_trees(rules_named("task_tree"));
}

/// A node in the tenant that the tree shows it in, unless the line names one.
heeler::NodeRef Replay::node_ref_of(const common::JsonObject& line, std::string_view key) {
    heeler::NodeRef ref{std::string{line.text_or("tenant", "")}, std::string{required(line.text(key), key)}};
    if (line.has("tenant")) return ref;
    for (const heeler::TreeNode& node : host_.tree().nodes())
        if (node.id == ref.id) return {node.tenant, node.id};
    return ref;
}

void Replay::snapshot_line(const common::JsonObject& line) {
    std::vector<heeler::TreeNode> reviews = host_.tree().nodes();
    std::erase_if(reviews, [](const heeler::TreeNode& node) { return node.origin != heeler::review_origin; });
    host_.tree().show(nodes_of(line, host_.epoch(), reviews));
    if (line.has("agents")) host_.tree().employ(agents_of(line));
    static_cast<void>(trees());
    for (const std::string& early : std::exchange(early_arms_, {})) arm_line(parser_.parse(early));
}

void Replay::arm_line(const common::JsonObject& line) {
    // Where nothing is known of the tree yet, it is watched as soon as something is.
    if (host_.tree().nodes().empty()) return early_arms_.push_back(simdjson::minify(line.fields()));
    const heeler::WatchActor actor{std::string{line.text_or("actor", "")}, std::string{line.text_or("actor_run", "")}};
    const heeler::NodeRef node = node_ref_of(line, "node");
    const bool arms = line.text_or("type", "") == "arm";
    heeler::Result<void> answer;
    if (arms) {
        heeler::WatchConfig config{node.tenant, node.id, std::string{required(line.text("agent"), "agent")}, {}};
        if (const auto instructions = line.text("instructions")) config.instructions = *instructions;
        if (const auto armed = trees().arm(std::move(config), actor); !armed)
            answer = tl::unexpected<heeler::Error>(armed.error());
    } else if (const auto ended = trees().disarm(node, actor); !ended) {
        answer = tl::unexpected<heeler::Error>(ended.error());
    }
    print_records();
    if (!answer && !host_.process().dead) print_allowed(arms ? "arm" : "disarm", node.id, refusal_of(answer.error()));
}

void Replay::review_line(const common::JsonObject& line) {
    script_review(line, node_ref_of(line, "node"), host_.tree());
}

void Replay::mutate_line(const common::JsonObject& line) {
    const heeler::Mutation mutation = mutation_of(line);
    const auto answer = trees().check(mutation);
    print_allowed(mutation.op, mutation.target.empty() ? mutation.parent : mutation.target, answer);
    print_records();
}

void Replay::batch_line(const common::JsonObject& line) {
    const heeler::BatchRequest request = batch_of(line);
    std::string watched;
    for (const heeler::TreeNode& node : host_.tree().nodes())
        for (const heeler::TreeRun& run : node.runs)
            if (run.id == request.actor_run) watched = node.origin == heeler::review_origin ? node.origin_id : node.id;
    print_allowed("batch", watched, trees().batch(request));
    print_records();
}

void Replay::crash_line(const common::JsonObject& line) {
    const auto point = line.text_or("point", "after_commit");
    const auto count = line.integer("n").value_or(1);
    if (point != "after_commit" && point != "after_action")
        throw common::BadLine{"the point " + common::in_quotes(point) +
                              " is not known; known are after_commit, after_action"};
    if (count < 1) throw common::BadLine{"'n' is " + std::to_string(count) + ", but counts from 1"};
    run_pending_tick();
    host_.process().arm(point == "after_commit" ? CrashPoint::after_commit : CrashPoint::after_action,
                        static_cast<std::uint64_t>(count));
}

void Replay::end_line(const common::JsonObject&) {}

void Replay::restart_line(const common::JsonObject& line) {
    const bool keep_store = line.boolean_or("keep_store", true);
    run_pending_tick();
    start_again(keep_store);
}

}  // namespace replay
