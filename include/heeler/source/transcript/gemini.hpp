// Reads the session files of the Gemini CLI (one JSON document, or, since version 0.40, JSON lines), and what it prints
// with `--output-format stream-json`. Needs simdjson (heeler::json).
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// A document has its messages in a list; in JSON lines the session comes first, then a message a line, which comes
/// again as a whole when there is more of it. A call stands there with its result.
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
    void read_message(const detail::JsonValue& message, Conversation& told) {
        const std::string_view type = message["type"].text();
        const std::string_view id = message["id"].text();
        told.at(message["timestamp"].time());
        if (type == "user")
            return is_news("text", id) ? told.is_told(detail::text_of_blocks(message["content"])) : told.lives();
        if (type == "info" || type == "error" || type == "warning") return told.lives();
        if (type != "gemini") return told.does_not_know(type);
        if (message["thoughts"] && is_news("thoughts", id))
            message["thoughts"].each(
                [&](const detail::JsonValue& thought) { told.thinks(thought["description"].text()); });
        const detail::JsonValue tokens = message["tokens"];
        if (tokens)
            told.usage(id,
                       {tokens["input"].integer(), tokens["output"].integer() + tokens["thoughts"].integer(), 1, 0, 0});
        const std::string text = detail::text_of_blocks(message["content"]);
        if (!text.empty() && is_news("text", id)) told.says(text);
        message["toolCalls"].each([&](const detail::JsonValue& call) {
            if (is_news("call", call["id"].text()))
                told.call(call["name"].text(), call["args"].written(), call["id"].text());
        });
        message["toolCalls"].each([&](const detail::JsonValue& call) { read_result(call, told); });
    }

    /// Whether this part of what the id names was not told yet; of what has no id everything is news.
    bool is_news(std::string_view part, std::string_view id) {
        if (id.empty()) return true;
        std::string key = std::string{part} + ' ' + std::string{id};
        if (!told_.insert(key).second) return false;
        order_.push_back(std::move(key));
        if (order_.size() > most_told) {
            told_.erase(order_.front());
            order_.pop_front();
        }
        return true;
    }

    void read_result(const detail::JsonValue& call, Conversation& told) {
        const std::string_view status = call["status"].text();
        if (status == "executing" || status == "scheduled" || status == "validating") return;
        if (status == "awaiting_approval") {
            if (is_news("question", call["id"].text())) told.asks(call["name"].text());
            return;
        }
        if (!is_news("result", call["id"].text())) return;
        told.at(call["timestamp"].time());  // of its end
        std::string output;
        call["result"].each([&](const detail::JsonValue& part) {
            const detail::JsonValue response = part["functionResponse"]["response"];
            const detail::JsonValue text = response["output"] ? response["output"] : response["error"];
            output += text ? text.written() : part.written();
        });
        told.result(status.empty() ? std::nullopt : std::optional{status == "success"}, output, call["id"].text());
    }

    /// A message is written again soon after it, or never.
    static constexpr std::size_t most_told = 1024;

    std::set<std::string> told_;
    std::deque<std::string> order_;  ///< of `told_`, oldest first
};

/// What the Gemini CLI prints with `--output-format stream-json`: an event a line, what it says in pieces, and tokens
/// once, at the end.
class GeminiStreamTranscript {
public:
    static constexpr std::string_view name = "gemini-stream";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        return line["type"].text() == "init" && line["session_id"].is_text();
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        const std::string_view type = line["type"].text();
        told.at(line["timestamp"].time());
        told.has_its_task();
        if (type == "init") return told.set_session(line["session_id"].text());
        if (type == "message") {
            const std::string_view text = line["content"].text();
            return line["role"].text() == "user" ? told.is_told(text) : told.says(text);
        }
        if (type == "tool_use")
            return told.call(line["tool_name"].text(), line["parameters"].written(), line["tool_id"].text());
        if (type == "tool_result") {
            const detail::JsonValue output = line["output"] ? line["output"] : line["error"]["message"];
            return told.result(line["status"].text() == "success", output.written(), line["tool_id"].text());
        }
        if (type == "result") {
            const detail::JsonValue stats = line["stats"];
            told.usage({}, {stats["input_tokens"].integer(), stats["output_tokens"].integer(), 1, 0, 0});
            return told.ends_turn();
        }
        if (type != "error") return told.does_not_know(type);
        told.lives();
    }
};

}  // namespace heeler::inline HEELER_ABI
