// Reads the session files of Qwen Code. Needs simdjson (heeler::json).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// Lines like Claude Code's, whose messages have parts like Gemini's: texts, calls and their answers.
class QwenTranscript {
public:
    static constexpr std::string_view name = "qwen";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        return line["sessionId"].is_text() && line["message"]["parts"].is_array();
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        told.set_session(line["sessionId"].text());
        told.set_directory(line["cwd"].text());
        told.at(line["timestamp"].time());
        const detail::JsonValue parts = line["message"]["parts"];
        if (type == "assistant") {
            parts.each([&](const detail::JsonValue& part) { read_part(part, told); });
            const detail::JsonValue usage = line["usageMetadata"];
            if (usage)
                told.usage(line["uuid"].text(),
                           {usage["promptTokenCount"].integer(),
                            usage["candidatesTokenCount"].integer() + usage["thoughtsTokenCount"].integer(), 1, 0, 0});
            return;
        }
        if (type == "tool_result") return read_results(parts, line["toolCallResult"]["status"].text(), told);
        if (type == "user" && line["subtype"].text().empty()) return told.is_told(detail::text_of_blocks(parts));
        told.lives();
        if (!detail::is_one_of(type, {"user", "system"})) told.does_not_know(type);
    }

private:
    static void read_part(const detail::JsonValue& part, Conversation& told) {
        const detail::JsonValue call = part["functionCall"];
        if (call) return told.call(call["name"].text(), call["args"].written(), call["id"].text());
        const std::string_view text = part["text"].text();
        if (text.empty()) return;
        part["thought"].is_true() ? told.thinks(text) : told.says(text);
    }

    static void read_results(const detail::JsonValue& parts, std::string_view status, Conversation& told) {
        parts.each([&](const detail::JsonValue& part) {
            const detail::JsonValue answer = part["functionResponse"];
            if (!answer) return;
            const detail::JsonValue response = answer["response"];
            const detail::JsonValue text = response["output"] ? response["output"] : response["error"];
            told.result(status.empty() ? std::nullopt : std::optional{status == "success"}, text.written(),
                        answer["id"].text());
        });
    }
};

}  // namespace heeler::inline HEELER_ABI
