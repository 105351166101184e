// Reads the sessions of Factory's droid: its session files, and what `droid exec --output-format stream-json` prints.
// Needs simdjson (heeler::json).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// A session file: the session first, then a message a line.
class DroidTranscript {
public:
    static constexpr std::string_view name = "droid";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        return line["type"].text() == "session_start" && line["id"].is_text();
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        told.at(line["timestamp"].time());
        if (type == "session_start") {
            told.set_directory(line["cwd"].text());
            return told.set_session(line["id"].text());
        }
        if (type == "message") return read_message(line["message"], told);
        told.lives();
        if (!detail::is_one_of(type, {"todo_state", "compaction_state"})) told.does_not_know(type);
    }

private:
    static void read_message(const detail::JsonValue& message, Conversation& told) {
        const bool own = message["role"].text() == "assistant";
        bool answers = false;
        message["content"].each([&](const detail::JsonValue& block) {
            const std::string_view type = block["type"].text();
            if (type == "tool_result") {
                answers = true;
                const auto failed = block["is_error"].boolean();
                told.result(failed ? std::optional{!*failed} : std::nullopt, detail::text_of_blocks(block["content"]),
                            block["tool_use_id"].text());
            }
            if (!own) return;
            if (type == "text") told.says(block["text"].text());
            if (type == "thinking") told.thinks(block["thinking"].text());
            if (type == "tool_use") told.call(block["name"].text(), block["input"].written(), block["id"].text());
        });
        if (!own && !answers) told.is_told(detail::text_of_blocks(message["content"]));
    }
};

/// The stream: an event a line, and the end of the run.
class DroidStreamTranscript {
public:
    static constexpr std::string_view name = "droid-stream";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        if (session_of(line).empty()) return false;
        const std::string_view type = line["type"].text();
        if (type == "tool_call") return line["toolName"].is_text();
        return (type == "message" && line["role"].is_text() && line["text"].is_text()) ||
               (type == "system" && line["model"].is_text() && line["id"].is_text());
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        told.set_session(session_of(line));
        told.at(line["timestamp"].time());
        told.has_its_task();
        if (type == "system") return told.set_directory(line["cwd"].text());
        if (type == "message") {
            const std::string_view text = line["text"].text();
            return line["role"].text() == "assistant" ? told.says(text) : told.is_told(text);
        }
        if (type == "tool_call") return told.call(line["toolName"].text(), line["parameters"].written(), call_of(line));
        if (type == "tool_result") return read_result(line, told);
        if (type == "completion") {
            const detail::JsonValue usage = line["usage"];
            if (usage)
                told.usage({}, {usage["input_tokens"].integer() + usage["cache_read_input_tokens"].integer() +
                                    usage["cache_creation_input_tokens"].integer(),
                                usage["output_tokens"].integer(), 1, 0, 0});
            told.says(line["finalText"].text());
            return told.ends_turn();
        }
        if (type == "error") return told.ends_turn();
        told.lives();
        told.does_not_know(type);
    }

private:
    [[nodiscard]] static std::string_view session_of(const detail::JsonValue& line) {
        return line[line["session_id"] ? "session_id" : "sessionId"].text();
    }
    [[nodiscard]] static std::string_view call_of(const detail::JsonValue& line) {
        return line[line["toolCallId"] ? "toolCallId" : "id"].text();
    }
    static void read_result(const detail::JsonValue& line, Conversation& told) {
        const detail::JsonValue value = line["value"];
        std::optional<bool> ok;
        if (const auto failed = line["isError"].boolean()) ok = !*failed;
        if (const auto code = value["exitCode"]; code) ok = code.written() == "0";
        told.result(ok, value["stdout"] ? value["stdout"].written() : value.written(), call_of(line));
    }
};

}  // namespace heeler::inline HEELER_ABI
