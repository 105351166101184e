// Reads the session files of the Gemini CLI: one JSON document, or, since version 0.40, JSON lines. Needs simdjson
// (heeler::json).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// A document has its messages in a list; in JSON lines the session comes first, then a message a line. A call stands
/// there with its result.
class GeminiTranscript {
public:
    static constexpr std::string_view name = "gemini";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        return line["sessionId"].is_text() && line["projectHash"].is_text();
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        if (line["projectHash"]) {
            told.set_session(line["sessionId"].text());
            told.at(line["startTime"].time());
            return line["messages"].each([&](const detail::JsonValue& message) { read_message(message, told); });
        }
        if (line["type"]) read_message(line, told);
    }

private:
    static void read_message(const detail::JsonValue& message, Conversation& told) {
        const std::string_view type = message["type"].text();
        told.at(message["timestamp"].time());
        if (type == "user") return told.is_told(detail::text_of_blocks(message["content"]));
        if (type == "info" || type == "error" || type == "warning") return told.lives();
        if (type != "gemini") return told.does_not_know(type);
        message["thoughts"].each([&](const detail::JsonValue& thought) { told.thinks(thought["description"].text()); });
        const detail::JsonValue tokens = message["tokens"];
        if (tokens)
            told.usage(message["id"].text(),
                       {tokens["input"].integer(), tokens["output"].integer() + tokens["thoughts"].integer(), 1, 0, 0});
        const std::string text = detail::text_of_blocks(message["content"]);
        if (!text.empty()) told.says(text);
        message["toolCalls"].each([&](const detail::JsonValue& call) {
            told.call(call["name"].text(), call["args"].written(), call["id"].text());
        });
        message["toolCalls"].each([&](const detail::JsonValue& call) { read_result(call, told); });
    }

    static void read_result(const detail::JsonValue& call, Conversation& told) {
        const std::string_view status = call["status"].text();
        if (status == "executing" || status == "scheduled" || status == "validating") return;
        if (status == "awaiting_approval") return told.asks(call["name"].text());
        told.at(call["timestamp"].time());  // of its end
        std::string output;
        call["result"].each([&](const detail::JsonValue& part) {
            const detail::JsonValue response = part["functionResponse"]["response"];
            const detail::JsonValue text = response["output"] ? response["output"] : response["error"];
            output += text ? text.written() : part.written();
        });
        told.result(status.empty() ? std::nullopt : std::optional{status == "success"}, output, call["id"].text());
    }
};

}  // namespace heeler::inline HEELER_ABI
