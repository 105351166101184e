// Reads the session files of Claude Code, of sessions and of sub-agents, and what it prints with `--output-format
// stream-json`. Needs simdjson (heeler::json).
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// The messages of Claude Code, which stand alike in its session files and in its stream.
class ClaudeMessages {
public:
    static void read_assistant(const JsonValue& line, Conversation& told) {
        const JsonValue message = line["message"];
        if (line["isApiErrorMessage"].is_true()) return told.lives();
        message["content"].each([&](const JsonValue& block) { read_block(block, told); });
        if (message["content"].is_text()) told.says(message["content"].text());
        const JsonValue usage = message["usage"];
        if (usage)
            told.usage(message["id"].text(),
                       {usage["input_tokens"].integer() + usage["cache_creation_input_tokens"].integer() +
                            usage["cache_read_input_tokens"].integer(),
                        usage["output_tokens"].integer(), 1, 0, 0});
        if (message["stop_reason"].text() == "end_turn") told.ends_turn();
    }

    static void read_user(const JsonValue& line, Conversation& told) {
        const JsonValue content = line["message"]["content"];
        bool answers = false;
        content.each([&](const JsonValue& block) {
            if (block["type"].text() != "tool_result") return;
            answers = true;
            const auto failed = block["is_error"].boolean();
            told.result(failed ? std::optional{!*failed} : std::nullopt, text_of_blocks(block["content"]),
                        block["tool_use_id"].text());
        });
        if (answers) return;
        // What the program itself adds for the agent to read, no person has said.
        if (line["isMeta"].is_true() || line["isCompactSummary"].is_true()) return told.lives();
        const std::string text = text_of_blocks(content);
        if (text.starts_with("[Request interrupted by user")) return told.ends_turn();
        const bool command = text.starts_with("<command-") || text.starts_with("<local-command-");
        return command ? told.lives() : told.is_told(text);
    }

private:
    static void read_block(const JsonValue& block, Conversation& told) {
        const std::string_view type = block["type"].text();
        if (type == "text") return told.says(block["text"].text());
        if (type == "thinking") return told.thinks(block["thinking"].text());
        if (type != "tool_use" && type != "server_tool_use") return;
        const std::string_view tool = block["name"].text();
        told.call(tool, block["input"].written(), block["id"].text());
        if (tool == "AskUserQuestion" || tool == "ExitPlanMode") told.asks(tool);
    }
};

}  // namespace detail

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
        if (type == "assistant") return detail::ClaudeMessages::read_assistant(line, told);
        if (type == "user") return detail::ClaudeMessages::read_user(line, told);
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

/// What Claude Code prints with `--output-format stream-json`: its messages as they come, each with the session's id,
/// and at the end what a turn came to. Few lines say when. With `--replay-user-messages` what it is told stands there,
/// too.
class ClaudeStreamTranscript {
public:
    static constexpr std::string_view name = "claude-stream";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        if (!line["session_id"].is_text() || line["sessionId"]) return false;
        const std::string_view type = line["type"].text();
        if (type == "system" || type == "result") return line["subtype"].is_text();
        return (type == "assistant" || type == "user") && line["message"].is_object();
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        told.set_session(line["session_id"].text());
        told.at(line["timestamp"].time(), line["parent_tool_use_id"].is_text() ? "sub-agent" : "");
        told.has_its_task();
        if (type == "assistant") return detail::ClaudeMessages::read_assistant(line, told);
        if (type == "user" && !line["isSynthetic"].is_true()) return detail::ClaudeMessages::read_user(line, told);
        if (type == "system") return read_system(line, told);
        if (type == "result") return read_result(line, told);
        if (type == "control_request" && line["request"]["subtype"].text() == "can_use_tool")
            return told.asks(line["request"]["tool_name"].text());
        if (!detail::is_one_of(type, {"user", "stream_event", "control_request", "control_response",
                                      "control_cancel_request", "keep_alive", "tool_progress", "tool_use_summary",
                                      "auth_status", "rate_limit_event", "prompt_suggestion"}))
            return told.does_not_know(type);
        told.lives();
    }

private:
    static void read_system(const detail::JsonValue& line, Conversation& told) {
        told.set_directory(line["cwd"].text());
        const detail::JsonValue compacted = line["compact_metadata"];
        if (line["subtype"].text() == "compact_boundary")
            return told.compacts(compacted["pre_tokens"].integer(), compacted["post_tokens"].integer());
        told.lives();
    }

    /// Tokens were told message by message; the cost is that of the session so far.
    void read_result(const detail::JsonValue& line, Conversation& told) {
        const double cost = line["total_cost_usd"].number();
        if (cost > cost_) told.usage({}, {0, 0, 0, 0, cost - cost_});
        cost_ = std::max(cost, cost_);
        told.ends_turn();
    }

    double cost_ = 0;
};

}  // namespace heeler::inline HEELER_ABI
