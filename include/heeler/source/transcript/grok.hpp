// Reads the chat histories of the Grok CLI. Needs simdjson (heeler::json).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// What its model has seen, a message a line. No line says when, or whose session it is.
class GrokTranscript {
public:
    static constexpr std::string_view name = "grok";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        if (line["session_id"] || line["sessionId"] || line["message"]) return false;
        const std::string_view type = line["type"].text();
        if (type == "assistant") return line["model_id"].is_text() || line["tool_calls"].is_array();
        return type == "user" && line["content"].is_array() && (line["prompt_index"] || line["synthetic_reason"]);
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        told.at(std::nullopt);
        if (type == "user") {
            const std::string text = detail::text_of_blocks(line["content"]);
            return line["synthetic_reason"] ? told.lives() : told.is_told(text);
        }
        if (type == "assistant") return read_assistant(line, told);
        if (type == "reasoning") return told.thinks(detail::text_of_blocks(line["summary"]));
        if (type == "tool_result")
            return told.result(std::nullopt, detail::text_of_blocks(line["content"]), line["tool_call_id"].text());
        told.lives();
        if (!detail::is_one_of(type, {"system", "backend_tool_call"})) told.does_not_know(type);
    }

private:
    static void read_assistant(const detail::JsonValue& line, Conversation& told) {
        const std::string text = detail::text_of_blocks(line["content"]);
        if (!text.empty()) told.says(text);
        line["tool_calls"].each([&](const detail::JsonValue& call) {
            told.call(call["name"].text(), call["arguments"].written(), call["id"].text());
        });
    }
};

}  // namespace heeler::inline HEELER_ABI
