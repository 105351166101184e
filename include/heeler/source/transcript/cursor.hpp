// Reads the transcripts of Cursor's agent. Needs simdjson (heeler::json).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// A message a line, with its role, and the ends of turns. It says neither when, nor whose session it is, and few of
/// its calls have an id: a result answers the oldest call that is open.
class CursorTranscript {
public:
    static constexpr std::string_view name = "cursor";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        const std::string_view role = line["role"].text();
        return !line["type"] && (role == "user" || role == "assistant") && line["message"]["content"].is_array();
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        told.at(std::nullopt);
        if (line["type"].text() == "turn_ended") return told.ends_turn();
        const bool own = line["role"].text() == "assistant";
        if (!own && line["role"].text() != "user") return told.does_not_know(line["type"].text());
        bool answers = false;
        line["message"]["content"].each([&](const detail::JsonValue& block) {
            const std::string_view type = block["type"].text();
            if (own) return read_block(block, type, told);
            if (type != "tool_result" && type != "tool-result") return;
            answers = true;
            told.result(std::nullopt, detail::text_of_blocks(block["content"]), {});
        });
        if (!own && !answers) told.is_told(detail::text_of_blocks(line["message"]["content"]));
    }

private:
    static void read_block(const detail::JsonValue& block, std::string_view type, Conversation& told) {
        if (type == "text") return told.says(block["text"].text());
        if (type == "thinking") return told.thinks(block["thinking"].text());
        if (type == "tool_use" || type == "tool_call") told.call(block["name"].text(), block["input"].written(), {});
    }
};

}  // namespace heeler::inline HEELER_ABI
