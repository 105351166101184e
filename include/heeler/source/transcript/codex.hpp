// Reads what Codex leaves of a session: its rollout files, and the events that `codex exec --json` prints. Needs
// simdjson (heeler::json).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// A rollout file: `{"timestamp", "type", "payload"}` a line. The conversation stands in it twice, as items that the
/// model sees and as events for the screen: calls, results and texts are taken from the items, usage and the ends of
/// turns from the events. `token_count` repeats itself and gives totals: what they have grown by is counted.
class CodexTranscript {
public:
    static constexpr std::string_view name = "codex";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        return line["payload"].is_object() &&
               detail::is_one_of(line["type"].text(), {"session_meta", "response_item", "event_msg", "turn_context"});
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        const detail::JsonValue payload = line["payload"];
        told.at(line["timestamp"].time());
        if (type == "session_meta") {
            told.set_directory(payload["cwd"].text());
            return told.set_session(payload["id"].text());
        }
        if (type == "response_item") return read_item(payload, told);
        if (type == "event_msg") return read_event(payload, told);
        if (type == "compacted") return told.compacts(0, 0);
        if (!detail::is_one_of(type, {"turn_context", "world_state", "inter_agent_communication_metadata"}))
            told.does_not_know(type);
    }

private:
    static void read_item(const detail::JsonValue& item, Conversation& told) {
        const std::string_view type = item["type"].text();
        if (type == "message") return read_message(item, told);
        if (type == "reasoning") {
            const std::string text = detail::text_of_blocks(item["summary"]);
            return text.empty() ? told.lives() : told.thinks(text);
        }
        if (detail::is_one_of(type, {"function_call", "custom_tool_call", "local_shell_call", "tool_search_call"})) {
            const detail::JsonValue args = item["arguments"] ? item["arguments"]
                                           : item["input"]   ? item["input"]
                                                             : item["action"];
            const std::string_view tool = item["name"] ? item["name"].text() : type;
            return told.call(tool, args.written(), item["call_id"].text());
        }
        if (detail::is_one_of(type, {"function_call_output", "custom_tool_call_output", "tool_search_output"}))
            return read_output(item, told);
        if (!detail::is_one_of(type, {"web_search_call", "image_generation_call", "agent_message", "ghost_snapshot",
                                      "compaction", "context_compaction"}))
            return told.does_not_know(type);
        told.lives();
    }

    static void read_message(const detail::JsonValue& item, Conversation& told) {
        const std::string text = detail::text_of_blocks(item["content"]);
        if (item["role"].text() == "assistant") return told.says(text);
        // What the program puts before a conversation looks like a person's message.
        if (item["role"].text() != "user" || text.starts_with('<') || text.starts_with("# AGENTS.md"))
            return told.lives();
        told.is_told(text);
    }

    /// A shell's answer is a text that says how the command ended, or JSON that does.
    static void read_output(const detail::JsonValue& item, Conversation& told) {
        const detail::JsonValue output = item["output"];
        std::string text = detail::text_of_blocks(output);
        std::optional<bool> ok = output["success"].boolean();
        simdjson::dom::parser parser;
        simdjson::dom::element inner;
        if (text.starts_with('{') && parser.parse(text).get(inner) == simdjson::SUCCESS) {
            const detail::JsonValue answer{inner};
            if (const auto code = answer["metadata"]["exit_code"]; code) ok = code.written() == "0";
            if (answer["output"].is_text()) text = std::string{answer["output"].text()};
        }
        for (const std::string_view words : {"Exit code: ", "Process exited with code "})
            if (const auto at = text.find(words); !ok && at != std::string::npos && at < 200)
                ok = std::string_view{text}.substr(at + words.size()).starts_with("0\n");
        told.result(ok, text, item["call_id"].text());
    }

    void read_event(const detail::JsonValue& event, Conversation& told) {
        const std::string_view type = event["type"].text();
        if (type == "token_count") return read_tokens(event["info"]["total_token_usage"], told);
        if (type == "task_complete" || type == "turn_complete" || type == "turn_aborted") return told.ends_turn();
        if (type.ends_with("_approval_request") || type == "request_user_input") return told.asks(type);
        told.lives();
    }

    static void read_tokens(const detail::JsonValue& total, Conversation& told) {
        if (!total) return told.lives();
        told.usage("total", {total["input_tokens"].integer(), total["output_tokens"].integer(), 0, 0, 0});
    }
};

/// What `codex exec --json` prints: threads, turns, and items that start and are completed. No line says when.
class CodexExecTranscript {
public:
    static constexpr std::string_view name = "codex-exec";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        const std::string_view type = line["type"].text();
        return (type == "thread.started" && line["thread_id"].is_text()) || type == "turn.started" ||
               (type.starts_with("item.") && line["item"].is_object());
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        told.at(std::nullopt);
        if (type == "thread.started") return told.set_session(line["thread_id"].text());
        if (type == "turn.started") return told.is_told({});
        if (type == "turn.completed") {
            const detail::JsonValue usage = line["usage"];
            told.usage({}, {usage["input_tokens"].integer(), usage["output_tokens"].integer(), 1, 0, 0});
            return told.ends_turn();
        }
        if (type == "turn.failed" || type == "error") return told.ends_turn();
        if (type == "item.started" || type == "item.updated" || type == "item.completed")
            return read_item(line["item"], type, told);
        told.does_not_know(type);
    }

private:
    void read_item(const detail::JsonValue& item, std::string_view moment, Conversation& told) {
        const std::string_view type = item["type"] ? item["type"].text() : item["item_type"].text();
        const bool done = moment == "item.completed";
        if (type == "agent_message" || type == "assistant_message")
            return done ? told.says(item["text"].text()) : told.lives();
        if (type == "reasoning") return done ? told.thinks(item["text"].text()) : told.lives();
        if (!detail::is_one_of(type, {"command_execution", "file_change", "mcp_tool_call", "web_search", "todo_list"}))
            return type == "error" ? told.lives() : told.does_not_know(type);
        const std::string_view id = item["id"].text();
        if (begun_ != id) {
            begun_ = id;
            told.call(type, args_of(item, type), id);
        }
        if (done) told.result(went_well(item), output_of(item), id);
    }

    [[nodiscard]] static std::string args_of(const detail::JsonValue& item, std::string_view type) {
        if (type == "command_execution") return std::string{item["command"].text()};
        for (const std::string_view key : {"changes", "arguments", "query", "items"})
            if (item[key]) return item[key].written();
        return {};
    }

    [[nodiscard]] static std::optional<bool> went_well(const detail::JsonValue& item) {
        if (const auto code = item["exit_code"]; code) return code.written() == "0";
        const std::string_view status = item["status"].text();
        if (status.empty()) return std::nullopt;
        return status == "completed";
    }

    [[nodiscard]] static std::string output_of(const detail::JsonValue& item) {
        if (item["aggregated_output"]) return item["aggregated_output"].written();
        return item["result"] ? item["result"].written() : std::string{item["status"].text()};
    }

    std::string begun_;  ///< the item whose call was told last
};

}  // namespace heeler::inline HEELER_ABI
