// Reads the sessions of Antigravity's command line. Needs simdjson (heeler::json).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// A step a line. A planner's step announces calls; each is answered by a step of its own, in their order, whose type
/// is what was done.
class AntigravityTranscript {
public:
    static constexpr std::string_view name = "antigravity";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        return line["step_index"] && line["source"].is_text() && line["type"].is_text();
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        const std::string_view source = line["source"].text();
        told.at(line["created_at"].time());
        if (type == "USER_INPUT") return told.is_told(line["content"].text());
        if (type == "PLANNER_RESPONSE") return read_plan(line, told);
        if (type == "CHECKPOINT") return told.compacts(0, 0);
        if (source != "MODEL") return told.lives();
        if (open_.empty()) return told.lives();
        const std::string id = open_.front();
        open_.pop_front();
        const std::string_view status = line["status"].text();
        told.result(status == "DONE" ? std::nullopt : std::optional{false}, line["content"].text(), id);
    }

private:
    void read_plan(const detail::JsonValue& line, Conversation& told) {
        const std::string_view thought = line["thinking"].text();
        if (!thought.empty()) told.thinks(thought);
        const std::string_view text = line["content"].text();
        if (!text.empty()) told.says(text);
        line["tool_calls"].each([&](const detail::JsonValue& call) {
            open_.push_back(line["step_index"].written() + "." + std::to_string(open_.size()));
            told.call(call["name"].text(), call["args"].written(), open_.back());
        });
    }

    std::deque<std::string> open_;  ///< ids that were made up for calls without an answer
};

}  // namespace heeler::inline HEELER_ABI
