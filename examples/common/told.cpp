#include "told.hpp"

#include <algorithm>

#include <heeler/core/spend.hpp>
#include <heeler/store/stored_names.hpp>

namespace common {
namespace {

template <class T>
T required(std::optional<T> value, std::string_view key) {
    if (!value) throw BadLine{"'" + std::string{key} + "' is missing"};
    return *value;
}

/// Counters say what was consumed since the last line, so they cannot be negative.
std::int64_t counter(const JsonObject& line, std::string_view key) {
    const auto value = line.integer(key).value_or(0);
    if (value < 0) throw BadLine{"'" + std::string{key} + "' is " + std::to_string(value) + ", but cannot be negative"};
    return value;
}

heeler::ToolCall tool_call(const JsonObject& line, std::string& kept) {
    kept = line.any("args");
    heeler::ToolCall call{line.text_or("name", "unknown"), kept, line.text_or("call_id", "")};
    call.timeout = line.length("timeout_s");
    if (const auto turn = line.integer("turn"); turn && *turn >= 0) call.turn = static_cast<std::uint32_t>(*turn);
    return call;
}

heeler::ToolResult tool_result(const JsonObject& line, std::string& kept) {
    kept = line.any("output");
    return {line.boolean("ok"), kept, line.text_or("call_id", ""), line.text_or("output_sha", "")};
}

heeler::Message message(const JsonObject& line) {
    const auto role = line.text_or("role", "assistant");
    heeler::Message message{role.starts_with("assistant"), line.text_or("text", "")};
    if (role == "assistant_thinking") message.channel = heeler::MessageChannel::thinking;
    if (!message.from_assistant) message.channel = heeler::MessageChannel::user;
    message.automatic = line.boolean_or("automatic", !message.from_assistant && role != "user");
    return message;
}

heeler::Usage usage(const JsonObject& line) {
    const double cost = line.number("cost_usd").value_or(0);
    if (cost < 0) throw BadLine{"'cost_usd' is " + std::to_string(cost) + ", but cannot be negative"};
    return {counter(line, "tokens_in"), counter(line, "tokens_out"), counter(line, "api_calls"),
            counter(line, "bytes_written"), cost};
}

heeler::Resource resource(const JsonObject& line) {
    return {required(line.text("name"), "name"), required(line.integer("used"), "used"),
            required(line.integer("limit"), "limit")};
}

/// What a silence is about.
heeler::AlertMatch silenced_by(const JsonObject& line) {
    heeler::AlertMatch about{std::string{line.text_or("run", "")},
                             std::string{line.text_or("class", "")},
                             std::string{line.text_or("tag", "")},
                             std::string{line.text_or("kind", "")},
                             {}};
    if (const auto most = line.text("at_most")) {
        about.at_most = heeler::detail::value_named<heeler::Severity>(*most);
        if (!about.at_most) throw BadLine{"the severity " + in_quotes(*most) + " is not known"};
    }
    return about;
}

}  // namespace

std::optional<Told> told_of(std::string_view kind, const JsonObject& line, std::string& kept) {
    if (kind == "heartbeat") return heeler::Heartbeat{static_cast<std::uint64_t>(counter(line, "seq"))};
    if (kind == "progress") return heeler::Progress{required(line.integer("value"), "value")};
    if (kind == "output") return heeler::Output{required(line.text("text"), "text"), line.boolean_or("partial", false)};
    if (kind == "tool_call") return tool_call(line, kept);
    if (kind == "tool_result") return tool_result(line, kept);
    if (kind == "message") return message(line);
    if (kind == "usage") return usage(line);
    if (kind == "compaction") return heeler::Compaction{counter(line, "tokens_before"), counter(line, "tokens_after")};
    if (kind == "resource") return resource(line);
    if (kind == "output_access") return heeler::OutputAccess{line.boolean_or("ok", true)};
    if (kind == "liveness")
        return heeler::SignOfLife{line.text_or("source", ""), static_cast<std::uint64_t>(counter(line, "progress"))};
    return std::nullopt;
}

heeler::StateChange state_of(const JsonObject& line, heeler::RunState now, heeler::WallTime epoch) {
    heeler::StateChange change{
        now, line.text_or("reported", ""), {}, line.text_or("prompt", ""), line.text_or("outcome", "")};
    if (const auto name = line.text("state")) {
        const auto named = heeler::run_state_named(*name);
        if (!named) throw BadLine{"the state " + in_quotes(*name) + " is not known"};
        change.state = *named;
    } else if (!line.has("reported")) {
        throw BadLine{"'state' is missing"};
    }
    if (const auto until = line.time("until")) change.until = wall_of(*until, epoch);
    return change;
}

heeler::CheckpointNote checkpoint_of(const JsonObject& line) {
    const auto reason = line.text_or("reason", "scheduled");
    const auto& names = heeler::checkpoint_reason_names;
    const auto named = std::find(names.begin(), names.end(), reason);
    if (named == names.end()) throw BadLine{"the reason " + in_quotes(reason) + " is not known"};
    return {line.integer("step"), line.text_or("text", ""),
            static_cast<heeler::CheckpointReason>(named - names.begin()), incarnation_of(line)};
}

heeler::Expect expect_of(const JsonObject& line) {
    heeler::Expect expect;
    expect.over = line.boolean_or("over", false);
    if (!expect.over) expect.takes = required(line.length("takes_s"), "takes_s");
    expect.what = line.text_or("what", "");
    expect.incarnation = incarnation_of(line);
    return expect;
}

std::uint32_t incarnation_of(const JsonObject& line) {
    const auto value = line.integer("incarnation").value_or(0);
    if (value < 0 || value > 1'000'000)
        throw BadLine{"'incarnation' is " + std::to_string(value) + ", but must be 1 to 1000000"};
    return static_cast<std::uint32_t>(value);
}

heeler::DecisionRow decision_of(const JsonObject& line, std::string_view run, heeler::WallTime epoch) {
    const auto verb = required(line.text("verb"), "verb");
    const auto& names = heeler::verb_names;
    const auto named = std::find(names.begin(), names.end(), verb);
    if (named == names.end()) throw BadLine{"the verb " + in_quotes(verb) + " is not known"};
    heeler::DecisionRow decision;
    decision.verb = static_cast<heeler::Verb>(named - names.begin());
    const bool everything = decision.verb == heeler::Verb::freeze || decision.verb == heeler::Verb::unfreeze;
    decision.because = line.text_or("because", "");
    decision.length = line.length("timeout_s").value_or(heeler::Duration{});
    decision.tokens = line.integer("tokens").value_or(0);
    const double usd = line.number("usd").value_or(0);
    if (usd < 0) throw BadLine{"'usd' is " + std::to_string(usd) + ", but cannot be negative"};
    decision.micro_usd = heeler::detail::micros_of(usd);
    if (decision.verb == heeler::Verb::silence) {
        decision.about = silenced_by(line);
    } else {
        decision.run = line.text_or("run", everything ? "" : run);
    }
    if (const auto until = line.time("until")) decision.until = wall_of(*until, epoch);
    decision.by = line.text_or("by", "");
    return decision;
}

}  // namespace common
