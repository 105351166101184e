// Reads the session files of pi, and of agents that keep theirs in its form. Needs simdjson (heeler::json).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// JSON lines: the session first, then messages of a user, the assistant, or a tool that answers.
class PiTranscript {
public:
    static constexpr std::string_view name = "pi";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        return line["type"].text() == "session" && line["id"].is_text() && line["timestamp"];
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        told.at(line["timestamp"].time());
        if (type == "session") {
            told.set_directory(line["cwd"].text());
            return told.set_session(line["id"].text());
        }
        if (type == "message") return read_message(line["message"], told);
        if (type == "compaction") return told.compacts(line["tokensBefore"].integer(), 0);
        if (!detail::is_one_of(type, {"model_change", "thinking_level_change", "branch_summary", "custom", "label",
                                      "custom_message", "session_info"}))
            told.does_not_know(type);
    }

private:
    static void read_message(const detail::JsonValue& message, Conversation& told) {
        const std::string_view role = message["role"].text();
        if (role == "assistant") return read_assistant(message, told);
        if (role == "user") return told.is_told(detail::text_of_blocks(message["content"]));
        if (role == "toolResult") {
            const auto failed = message["isError"].boolean();
            return told.result(failed ? std::optional{!*failed} : std::nullopt,
                               detail::text_of_blocks(message["content"]), message["toolCallId"].text());
        }
        told.lives();  // a person's own command, a note of the program
    }

    static void read_assistant(const detail::JsonValue& message, Conversation& told) {
        message["content"].each([&](const detail::JsonValue& block) {
            const std::string_view type = block["type"].text();
            if (type == "text") told.says(block["text"].text());
            if (type == "thinking") told.thinks(block["thinking"].text());
            if (type == "toolCall") told.call(block["name"].text(), block["arguments"].written(), block["id"].text());
        });
        if (message["content"].is_text()) told.says(message["content"].text());
        const detail::JsonValue usage = message["usage"];
        if (usage)
            told.usage({}, {usage["input"].integer() + usage["cacheRead"].integer() + usage["cacheWrite"].integer(),
                            usage["output"].integer(), 1, 0, usage["cost"]["total"].number()});
        if (message["stopReason"].text() == "stop") told.ends_turn();
    }
};

}  // namespace heeler::inline HEELER_ABI
