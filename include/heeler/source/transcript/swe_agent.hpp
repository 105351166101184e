// Reads the trajectory files of SWE-agent. Needs simdjson (heeler::json).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// One JSON document: a list of steps (thought, action, observation), and how it ended. No step says when.
class SweAgentTranscript {
public:
    static constexpr std::string_view name = "swe-agent";

    [[nodiscard]] static bool recognises(const detail::JsonValue& document) {
        return document["trajectory"].is_array() && (document["environment"] || document["info"].is_object());
    }

    void read(const detail::JsonValue& document, Conversation& told) {
        told.at(std::nullopt);
        bool prompted = false;
        document["history"].each([&](const detail::JsonValue& message) {
            if (prompted || message["role"].text() != "user" || message["is_demo"].is_true()) return;
            prompted = true;
            told.is_told(detail::text_of_blocks(message["content"]));
        });
        document["trajectory"].each([&](const detail::JsonValue& step) { read_step(step, told); });
        const detail::JsonValue info = document["info"];
        const detail::JsonValue spent = info["model_stats"];
        if (spent)
            told.usage({}, {spent["tokens_sent"].integer(), spent["tokens_received"].integer(),
                            spent["api_calls"].integer(), 0, spent["instance_cost"].number()});
        const std::string_view end = info["exit_status"].text();
        if (!end.empty()) told.finishes(end.starts_with("submitted") ? RunState::completed : RunState::failed);
    }

private:
    static void read_step(const detail::JsonValue& step, Conversation& told) {
        if (!step["thought"].text().empty()) told.thinks(step["thought"].text());
        const std::string_view action = step["action"].text();
        if (action.empty()) return;
        told.call(action.substr(0, action.find_first_of(" \n")), action, {});
        told.result(std::nullopt, step["observation"].text(), {});
    }
};

}  // namespace heeler::inline HEELER_ABI
