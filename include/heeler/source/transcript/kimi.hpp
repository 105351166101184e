// Reads the session files of Kimi's command line. Needs simdjson (heeler::json).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// A record a line, each with its time in milliseconds. What was asked, what the model said, called and got stands in
/// records of the loop; what it consumed in records of its own.
class KimiTranscript {
public:
    static constexpr std::string_view name = "kimi";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        const std::string_view type = line["type"].text();
        return (type == "metadata" && line["protocol_version"]) || type == "context.append_loop_event" ||
               (type == "turn.prompt" && line["input"].is_array());
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        told.at(line[line["time"] ? "time" : "created_at"].time());
        if (type == "turn.prompt") return told.is_told(detail::text_of_blocks(line["input"]));
        if (type == "context.append_loop_event") return read_event(line["event"], told);
        if (type == "usage.record") {
            const detail::JsonValue usage = line["usage"];
            return told.usage({}, {usage["inputOther"].integer() + usage["inputCacheRead"].integer() +
                                       usage["inputCacheCreation"].integer(),
                                   usage["output"].integer(), 1, 0, 0});
        }
        if (type == "metadata") return;
        told.lives();
        for (const std::string_view family :
             {"config.", "tools.", "context.", "llm.", "permission.", "turn.", "session."})
            if (type.starts_with(family)) return;
        told.does_not_know(type);
    }

private:
    static void read_event(const detail::JsonValue& event, Conversation& told) {
        const std::string_view type = event["type"].text();
        const detail::JsonValue part = event["part"];
        if (type == "content.part")
            return part["type"].text() == "text" ? told.says(part["text"].text()) : told.thinks(part["think"].text());
        if (type == "tool.call")
            return told.call(event["name"].text(), event["args"].written(), event["toolCallId"].text());
        if (type == "tool.result") {
            const detail::JsonValue result = event["result"];
            const auto failed = result["isError"].boolean();
            return told.result(failed ? std::optional{!*failed} : std::nullopt, result["output"].written(),
                               event["toolCallId"].text());
        }
        if (type == "step.end" && event["finishReason"].text() == "end_turn") return told.ends_turn();
        told.lives();
        if (!type.starts_with("step.")) told.does_not_know(type);
    }
};

}  // namespace heeler::inline HEELER_ABI
