// What of a world can be told as a scenario, and the lines that tell it.
#include "sim/scenario.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>

#include <heeler/core/named_setting.hpp>
#include <heeler/recover/recovery_ladder.hpp>
#include <heeler/settings/overlay.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/rfc3339.hpp>

#include "sim/world.hpp"

namespace sim {

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// An agent that is the newest, whatever its number is.
constexpr int newest_agent = 1'000'000;

/// How a control answers, by the names that scenarios have for it; others have none.
constexpr std::string_view told_answers[] = {"ok", "fail", "reject", "unsupported", "timeout_but_done"};
constexpr unsigned told_channels = 3;

/// What a story changes about its preset. Scenarios have a name for each but for a few that make no difference here.
[[nodiscard]] std::vector<NamedSetting> settings_of(const Story& story) {
    std::vector<NamedSetting> settings;
    const auto set = [&](const char* name, auto value) {
        settings.push_back({name, SettingValue{decltype(SettingValue::is){std::move(value)}}, {}});
    };
    const auto set_length = [&](const char* name, Duration length) { set(name, std::int64_t{length / 1s}); };
    const RunClass& rules = story.rules;
    set_length("interval_s", *rules.interval.fixed);
    if (const auto* ladder = rules.ladder.as<RecoveryLadder>(); ladder != nullptr && ladder->retry) {
        set("retry.count", std::int64_t{ladder->retry->count});
        set_length("retry.base_s", ladder->retry->base);
        set("retry.factor", ladder->retry->factor);
        set_length("retry.cap_s", ladder->retry->cap);
        set_length("retry.reset_after_s", ladder->retry->reset_after);
    }
    set("stop_proof", std::string{name_of(rules.stop_proof)});
    set("restarts.most", std::int64_t{rules.limits.restarts.most});
    set_length("restarts.within_s", rules.limits.restarts.within);
    set("debounce", std::int64_t{rules.limits.debounce});
    set("actions.per_minute", std::int64_t{rules.limits.per_minute});
    set_length("actions.endings_apart_s", rules.limits.endings_apart);
    set("nudges.per_incident", std::int64_t{rules.limits.nudges.per_incident});
    set("nudges.in_row", std::int64_t{rules.limits.nudges.in_row});
    set_length("nudges.apart_s", rules.limits.nudges.apart);
    set_length("nudges.forgotten_after_s", rules.limits.nudges.forgotten_after);
    set_length("alert_cooldown_s", rules.alerts.cooldown);
    set_length("outbox.group_wait_s", rules.alerts.outbox.group_wait);
    set_length("outbox.group_interval_s", rules.alerts.outbox.group_interval);
    if (story.preset == "checkpoint_continuation") set_length("checkpoint_age_s", 300s);
    if (story.preset == "session_monitor") set_length("duration_limit_s", 24h * 365);
    return settings;
}

[[nodiscard]] std::string json_of(const std::vector<NamedSetting>& settings) {
    text::JsonLine line;
    line.begin_object();
    for (const NamedSetting& each : settings) {
        line.key(each.name);
        if (const auto* whole = each.value.get<std::int64_t>()) line.number(*whole);
        if (const auto* number = each.value.get<double>()) line.number(*number);
        if (const auto* text = each.value.get<std::string>()) line.string(*text);
    }
    line.end_object();
    return std::move(line).text();
}

[[nodiscard]] std::string unsayable(const Happening& each) {
    switch (each.what) {
        case What::store:
        case What::crash:
        case What::wall:
        case What::suspend:
        case What::stall:
            return std::string{name_of(each.what)};
        case What::control:
            if (each.value % 2 == 0 || each.value / 2 % ways_of_answering < std::size(told_answers)) return {};
            return "a control that throws, is busy, or does not do what it never answers";
        case What::channel:
            if (each.value % 2 == 0 || each.value / 2 % 5 < told_channels) return {};
            return "a channel that says when to come again, or that does not say what it delivered";
        default:
            return {};
    }
}

}  // namespace

Tellable tellable(const Story& story) {
    Tellable told{story, {}, {}};
    Story& left = told.story;
    const auto leave_out = [&](bool does, const std::string& what) {
        if (does && std::find(told.cannot.begin(), told.cannot.end(), what) == told.cannot.end())
            told.cannot.push_back(what);
    };
    leave_out(std::exchange(left.dogs, 1u) > 1, "several watchdogs");
    leave_out(std::exchange(left.rests, std::nullopt).has_value(), "hours in which nobody works");
    leave_out(std::exchange(left.echoes, false), "echoes");
    leave_out(std::exchange(left.later, {}) != Duration{}, "another day");
    leave_out(std::exchange(left.trouble, Trouble::none) != Trouble::none, "trouble of one run");
    std::erase_if(left.happenings, [&](const Happening& each) {
        const std::string what = unsayable(each);
        leave_out(!what.empty(), what);
        return !what.empty();
    });
    const auto settings = settings_of(story);
    left.rules = preset_named(story.preset);
    if (left.rules.applicability.filter) left.rules.applicability.filter->untagged = true;
    for (const SettingFault& fault : overlay(left.rules, settings)) leave_out(true, fault.setting);
    left.told = true;
    told.settings = json_of(settings);
    return told;
}

std::string write_scenario(const Tellable& world, const std::vector<std::string>& lines, const std::string& directory) {
    const std::string name = directory + "/world-" + std::to_string(world.story.seed);
    std::ofstream{name + ".json"} << world.settings << "\n";
    std::ofstream file{name + ".jsonl"};
    for (const std::string& line : lines) file << line << "\n";
    return "--format heeler --preset " + world.story.preset + " --config " + name + ".json " + name + ".jsonl";
}

// --- what a world says of itself -------------------------------------------------------------------------------------
text::JsonLine World::line_of(std::string_view type) const {
    text::JsonLine line;
    line.begin_object().key("type").string(type).key("t").number(seconds());
    return line;
}

void World::tell(text::JsonLine line) {
    if (!story_.told) return;
    line.end_object();
    script_.push_back(std::move(line).text());
}

void World::tell(const Body& body, const Heartbeat& seen) {
    text::JsonLine line = line_of("heartbeat");
    line.key("run").string(body.id).key("seq").number(seen.seq);
    tell(std::move(line));
}

void World::tell(const Body& body, const Progress& seen, std::uint32_t agent) {
    text::JsonLine line = line_of("progress");
    line.key("run").string(body.id).key("value").number(seen.value);
    if (agent != 0) line.key("incarnation").number(agent);
    tell(std::move(line));
}

void World::tell(const Body& body, const ToolCall& seen) {
    text::JsonLine line = line_of("tool_call");
    line.key("run").string(body.id).key("name").string(seen.name).key("args").raw(seen.args);
    tell(std::move(line));
}

void World::tell(const Body& body, const ToolResult& seen) {
    text::JsonLine line = line_of("tool_result");
    line.key("run").string(body.id).key("ok").boolean(seen.ok.value_or(true)).key("output").exact(seen.output);
    tell(std::move(line));
}

void World::tell(const Body& body, const Usage& seen) {
    text::JsonLine line = line_of("usage");
    line.key("run").string(body.id).key("tokens_in").number(seen.tokens_in).key("tokens_out").number(seen.tokens_out);
    line.key("api_calls").number(seen.api_calls);
    tell(std::move(line));
}

/// What an agent says of itself, not its host: it may have been replaced.
void World::tell(const Body& body, const StateChange& seen) {
    text::JsonLine line = line_of("state");
    line.key("run").string(body.id).key("state").string(name_of(seen.state));
    if (!seen.prompt.empty()) line.key("prompt").exact(seen.prompt);
    line.key("incarnation").number(newest_agent);
    tell(std::move(line));
}

void World::tell(const Body& body, const CheckpointNote& seen) {
    text::JsonLine line = line_of("checkpoint");
    line.key("run").string(body.id).key("step").number(*seen.step).key("text").exact(seen.text);
    tell(std::move(line));
}

void World::tell_end(const Body& body) {
    text::JsonLine line = line_of("state");
    line.key("run").string(body.id).key("state").string(name_of(RunState::completed));
    tell(std::move(line));
}

void World::tell_start(const Body& body) {
    text::JsonLine line;
    line.begin_object().key("type").string("run").key("at").string(text::rfc3339(truth_.now().wall));
    line.key("run").string(body.id).key("task").string("Port the parser").key("metric").string("");
    line.key("plan").raw("[1,2,3]");
    tell(std::move(line));
    if (script_.size() != 1 || story_.honesty != Honesty::repeats) return;
    line = line_of("host");
    line.key("idempotent").boolean(true);
    tell(std::move(line));
}

void World::tell(const DecisionRow& row) {
    text::JsonLine line = line_of("decide");
    line.key("verb").string(verb_names[static_cast<std::size_t>(row.verb)]).key("by").string(row.by);
    line.key("run").string(row.verb == Verb::silence ? row.about.run : row.run);
    if (row.until) line.key("until").number(in_seconds(*row.until - beginning.wall));
    tell(std::move(line));
}

void World::tell_restart() { tell(line_of("restart")); }

/// How the control answers from now on.
void World::tell_answers() {
    text::JsonLine line = line_of("host");
    line.key("verbs").begin_object();
    for (std::size_t i = 0; i < answers_.size(); ++i)
        if (answers_[i] < std::size(told_answers)) line.key(control_verb_names[i]).string(told_answers[answers_[i]]);
    line.end_object();
    tell(std::move(line));
}

/// What was asked in this cycle is told before it: all who ask are answered alike.
void World::answered(std::string_view question, std::string_view answer) {
    if (!story_.told) return;
    const auto [known, is_new] = answered_.emplace(question, answer);
    if (!is_new && known->second != answer) mixed_ = true;
}

/// A cycle is over, in which this was answered and delivered.
void World::tell_cycle() {
    if (!story_.told) return;
    if (!answered_.empty()) {
        text::JsonLine line = line_of("host");
        line.key("verbs").begin_object();
        for (const auto& [question, answer] : answered_) line.key(question).string(answer);
        line.end_object();
        tell(std::move(line));
    }
    if (!delivered_.empty()) {
        text::JsonLine line = line_of("notifier");
        line.key("results").begin_array();
        for (const bool ok : delivered_) line.string(ok ? "ok" : "fail");
        line.end_array();
        tell(std::move(line));
    }
    text::JsonLine line = line_of("tick");
    line.key("only_due").boolean(true);
    tell(std::move(line));
    answered_.clear();
    delivered_.clear();
}

}  // namespace sim
