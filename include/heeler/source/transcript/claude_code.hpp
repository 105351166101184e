// Reads the session files of Claude Code, of sessions and of sub-agents. Needs simdjson (heeler::json).
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// One JSON object a line, and one line for each block of a message: lines of one message share its id, and repeat its
/// usage. A sub-agent has a file of its own, or lines with `isSidechain`. Lines that only concern the program (titles,
/// snapshots of files, hooks) are passed over.
class ClaudeCodeTranscript {
public:
    static constexpr std::string_view name = "claude-code";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        if (!line["sessionId"].is_text()) return line["type"].text() == "summary" && line["leafUuid"].is_text();
        return line["parentUuid"].is_text() || line["isSidechain"].boolean() || is_about_the_program(line);
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        const bool own_file = line["agentId"].is_text();
        told.set_session(line[own_file ? "agentId" : "sessionId"].text());
        told.set_directory(line["cwd"].text());
        told.at(line["timestamp"].time(), !own_file && line["isSidechain"].is_true() ? "sub-agent" : "");
        if (type == "assistant") return read_assistant(line, told);
        if (type == "user") return read_user(line, told);
        if (type == "system") return read_system(line, told);
        if (!is_about_the_program(line)) told.does_not_know(type);
    }

private:
    [[nodiscard]] static bool is_about_the_program(const detail::JsonValue& line) {
        return detail::is_one_of(line["type"].text(), {"summary",
                                                       "file-history-snapshot",
                                                       "queue-operation",
                                                       "attachment",
                                                       "progress",
                                                       "permission-mode",
                                                       "mode",
                                                       "worktree-state",
                                                       "agent-name",
                                                       "custom-title",
                                                       "ai-title",
                                                       "last-prompt",
                                                       "frame-link",
                                                       "pr-link",
                                                       "started",
                                                       "result",
                                                       "relocated",
                                                       "tag",
                                                       "agent-setting",
                                                       "agent-color",
                                                       "content-replacement"});
    }

    void read_assistant(const detail::JsonValue& line, Conversation& told) {
        const detail::JsonValue message = line["message"];
        if (line["isApiErrorMessage"].is_true()) return told.lives();
        message["content"].each([&](const detail::JsonValue& block) { read_block(block, told); });
        if (message["content"].is_text()) told.says(message["content"].text());
        const detail::JsonValue usage = message["usage"];
        if (usage)
            told.usage(message["id"].text(),
                       {usage["input_tokens"].integer() + usage["cache_creation_input_tokens"].integer() +
                            usage["cache_read_input_tokens"].integer(),
                        usage["output_tokens"].integer(), 1, 0, 0});
        if (message["stop_reason"].text() == "end_turn") told.ends_turn();
    }

    static void read_block(const detail::JsonValue& block, Conversation& told) {
        const std::string_view type = block["type"].text();
        if (type == "text") return told.says(block["text"].text());
        if (type == "thinking") return told.thinks(block["thinking"].text());
        if (type != "tool_use" && type != "server_tool_use") return;
        const std::string_view tool = block["name"].text();
        told.call(tool, block["input"].written(), block["id"].text());
        if (tool == "AskUserQuestion" || tool == "ExitPlanMode") told.asks(tool);
    }

    void read_user(const detail::JsonValue& line, Conversation& told) {
        const detail::JsonValue content = line["message"]["content"];
        bool answers = false;
        content.each([&](const detail::JsonValue& block) {
            if (block["type"].text() != "tool_result") return;
            answers = true;
            const auto failed = block["is_error"].boolean();
            told.result(failed ? std::optional{!*failed} : std::nullopt, detail::text_of_blocks(block["content"]),
                        block["tool_use_id"].text());
        });
        if (answers) return;
        // What the program itself adds for the agent to read, no person has said.
        if (line["isMeta"].is_true() || line["isCompactSummary"].is_true()) return told.lives();
        const std::string text = detail::text_of_blocks(content);
        if (text.starts_with("[Request interrupted by user")) return told.ends_turn();
        const bool command = text.starts_with("<command-") || text.starts_with("<local-command-");
        return command ? told.lives() : told.is_told(text);
    }

    static void read_system(const detail::JsonValue& line, Conversation& told) {
        const std::string_view subtype = line["subtype"].text();
        if (subtype == "compact_boundary" || subtype == "microcompact_boundary") {
            const detail::JsonValue compacted =
                line[subtype == "compact_boundary" ? "compactMetadata" : "microcompactMetadata"];
            return told.compacts(compacted["preTokens"].integer(), compacted["postTokens"].integer());
        }
        if (subtype == "api_error") {
            const auto when = line["timestamp"].time();
            const std::chrono::milliseconds pause{line["retryInMs"].integer()};
            if (when && pause.count() > 0) return told.is_held_until(*when + pause);
        }
        told.lives();
    }
};

}  // namespace heeler::inline HEELER_ABI
