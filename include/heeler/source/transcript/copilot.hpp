// Reads the session files of the Copilot CLI. Needs simdjson (heeler::json).
#pragma once

#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// An event a line: `{"type", "data", "timestamp"}`. A call is announced by the message that asks for it, and begins
/// later: it is told when it begins. What a sub-agent does names the call that started it.
class CopilotTranscript {
public:
    static constexpr std::string_view name = "copilot";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        return line["type"].text() == "session.start" && line["data"]["sessionId"].is_text();
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        const detail::JsonValue data = line["data"];
        told.at(line["timestamp"].time(), data["parentToolCallId"].is_text() ? "sub-agent" : "");
        if (type == "session.start") {
            told.set_directory(data["context"]["cwd"].text());
            return told.set_session(data["sessionId"].text());
        }
        if (type == "user.message") return told.is_told(data["content"].text());
        if (type == "assistant.message") return read_message(data, told);
        if (type == "assistant.reasoning") return told.thinks(data["content"].text());
        if (type == "tool.execution_start")
            return told.call(data["toolName"].text(), data["arguments"].written(), data["toolCallId"].text());
        if (type == "tool.execution_complete")
            return told.result(data["success"].boolean(), data["result"]["content"].written(),
                               data["toolCallId"].text());
        if (type == "assistant.turn_end" || type == "abort") return told.ends_turn();
        if (type == "session.truncation")
            return told.compacts(data["preTruncationTokensInMessages"].integer(),
                                 data["postTruncationTokensInMessages"].integer());
        told.lives();
        if (!is_known(type)) told.does_not_know(type);
    }

private:
    [[nodiscard]] static bool is_known(std::string_view type) {
        for (const std::string_view family :
             {"session.", "assistant.turn_start", "hook.", "system.", "subagent.", "tool.", "skill.", "permission."})
            if (type.starts_with(family)) return true;
        return false;
    }

    static void read_message(const detail::JsonValue& data, Conversation& told) {
        const std::string_view text = data["content"].text();
        if (!text.empty()) told.says(text);
        told.usage(data["messageId"].text(), {0, data["outputTokens"].integer(), 1, 0, 0});
    }
};

}  // namespace heeler::inline HEELER_ABI
