// Reads the events that OpenHands keeps of a conversation. Needs simdjson (heeler::json).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// Actions and the observations that answer them: a list of events, one event a line or a file, or the `history` of an
/// evaluated task. An observation names its action in `cause`, which is the id of the call; events of version 1 say
/// what they are in `kind`, and name the call on both sides.
class OpenHandsTranscript {
public:
    static constexpr std::string_view name = "openhands";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        if (line.is_array() || line["history"].is_array()) {
            bool found = false;
            const detail::JsonValue events = line.is_array() ? line : line["history"];
            events.each([&](const detail::JsonValue& event) {
                found = found || is_event(event);
                event.each([&](const detail::JsonValue& inner) { found = found || is_event(inner); });
            });
            return found;
        }
        return is_event(line);
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        if (line["history"]) {
            const detail::JsonValue task = line["instance_id"];
            if (told.session().empty() && !task.text().empty())
                told.set_session(task.text());
            else
                task_ = task.text();  // of several tasks in one file each is a run
            return read(line["history"], told);
        }
        if (!line.is_array()) return read_event(line, told);
        line.each([&](const detail::JsonValue& each) { read(each, told); });  // older ones keep pairs
    }

private:
    [[nodiscard]] static bool is_event(const detail::JsonValue& event) {
        return event["source"].is_text() &&
               (event["action"].is_text() || event["observation"].is_text() || is_of_version_1(event));
    }
    [[nodiscard]] static bool is_of_version_1(const detail::JsonValue& event) {
        return detail::is_one_of(event["kind"].text(), {"MessageEvent", "ActionEvent", "ObservationEvent",
                                                        "SystemPromptEvent", "ConversationStateUpdateEvent"});
    }

    void read_event(const detail::JsonValue& event, Conversation& told) {
        told.at(event["timestamp"].time(), task_);
        if (event["kind"].is_text()) return read_kind(event, event["kind"].text(), told);
        const std::string_view action = event["action"].text();
        if (event["observation"]) return read_observation(event, told);
        if (event["source"].text() == "user")
            return action == "message" ? told.is_told(message_of(event)) : told.lives();
        if (action == "message") {
            told.says(message_of(event));
            return event["args"]["wait_for_response"].is_true() ? told.ends_turn() : told.lives();
        }
        if (action == "think") return told.thinks(event["args"]["thought"].text());
        if (action == "finish") {
            told.says(message_of(event));
            return told.ends_turn();
        }
        if (detail::is_one_of(action, {"system", "recall", "change_agent_state", "condensation", "null", ""}))
            return told.lives();
        const std::string_view tool = event["tool_call_metadata"]["function_name"].text();
        told.call(tool.empty() ? action : tool, event["args"].written(), event["id"].written());
        const detail::JsonValue answer = event["tool_call_metadata"]["model_response"];
        if (answer)
            told.usage(answer["id"].text(), {answer["usage"]["prompt_tokens"].integer(),
                                             answer["usage"]["completion_tokens"].integer(), 1, 0, 0});
    }

    static void read_observation(const detail::JsonValue& event, Conversation& told) {
        const std::string_view what = event["observation"].text();
        if (what == "agent_state_changed") {
            const std::string_view state = event["extras"]["agent_state"].text();
            const bool asks = state == "awaiting_user_input" || state == "awaiting_user_confirmation";
            return asks ? told.ends_turn() : told.lives();
        }
        if (detail::is_one_of(what, {"recall", "null", "think", "condense", "system"})) return told.lives();
        std::optional<bool> ok;
        if (what == "error") ok = false;
        if (const auto code = event["extras"]["metadata"]["exit_code"]; code) ok = code.written() == "0";
        if (!event["cause"]) return told.lives();
        told.result(ok, event["content"].text(), event["cause"].written());
    }

    void read_kind(const detail::JsonValue& event, std::string_view kind, Conversation& told) {
        const std::string_view call = event["tool_call_id"].text();
        if (kind == "MessageEvent") {
            const std::string text = detail::text_of_blocks(event["llm_message"]["content"]);
            return event["source"].text() == "user" ? told.is_told(text) : told.says(text);
        }
        if (kind == "ActionEvent") return read_action(event, call, told);
        if (kind == "ObservationEvent") {
            const detail::JsonValue seen = event["observation"];
            std::optional<bool> ok;
            if (const auto failed = seen["is_error"].boolean()) ok = !*failed;
            if (const auto code = seen["exit_code"]; code) ok = code.written() == "0";
            return told.result(ok, detail::text_of_blocks(seen["content"]), call);
        }
        if (kind == "AgentErrorEvent") return told.result(false, event["error"].text(), call);
        if (kind == "UserRejectObservation") return told.result(false, event["rejection_reason"].text(), call);
        if (kind == "ConversationStateUpdateEvent") return read_state(event, told);
        if (kind == "Condensation") return told.compacts(0, 0);
        told.lives();
        if (!detail::is_one_of(kind, {"SystemPromptEvent", "CondensationRequest", "CondensationSummaryEvent",
                                      "PauseEvent", "ConversationErrorEvent", "LLMCompletionLogEvent", "TokenEvent"}))
            told.does_not_know(kind);
    }

    static void read_action(const detail::JsonValue& event, std::string_view call, Conversation& told) {
        const detail::JsonValue action = event["action"];
        const std::string thought = detail::text_of_blocks(event["thought"]);
        if (!thought.empty()) told.thinks(thought);
        if (action["kind"].text() == "ThinkAction") return told.thinks(action["thought"].text());
        if (action["kind"].text() == "FinishAction") {
            told.says(action["message"].text());
            return told.ends_turn();
        }
        const detail::JsonValue args = event["tool_call"]["arguments"];
        told.call(event["tool_name"].text(), args ? args.written() : action.written(), call);
    }

    /// Of each model that it uses, what it has come to.
    void read_state(const detail::JsonValue& event, Conversation& told) {
        const std::string_view key = event["key"].text();
        if (key == "execution_status" && event["value"].text() == "waiting_for_confirmation")
            return told.asks("waiting_for_confirmation");
        if (key == "execution_status" && detail::is_one_of(event["value"].text(), {"finished", "idle", "paused"}))
            return told.ends_turn();
        if (key != "stats") return told.lives();
        Usage sum;
        event["value"]["usage_to_metrics"].each_member([&](std::string_view, const detail::JsonValue& of_one) {
            const detail::JsonValue tokens = of_one["accumulated_token_usage"];
            sum.tokens_in += tokens["prompt_tokens"].integer();
            sum.tokens_out += tokens["completion_tokens"].integer();
            sum.cost_usd += of_one["accumulated_cost"].number();
        });
        told.usage("stats", sum);
    }

    [[nodiscard]] static std::string_view message_of(const detail::JsonValue& event) {
        for (const std::string_view key : {"content", "final_thought", "thought"})
            if (const auto text = event["args"][key].text(); !text.empty()) return text;
        return event["message"].text();
    }

    std::string task_;
};

}  // namespace heeler::inline HEELER_ABI
