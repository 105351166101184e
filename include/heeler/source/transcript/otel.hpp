// Reads spans of OpenTelemetry that follow its conventions for generative AI, as JSON lines. Needs simdjson
// (heeler::json).
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/json_value.hpp>

namespace heeler::inline HEELER_ABI {

/// A line is an export (`{"resourceSpans": [...]}`, as collectors and SDKs write it to files), or one span. A span is
/// told when it is over, so a long call is known only at its end. What was called is told only of spans that hold the
/// call's arguments (`gen_ai.tool.call.arguments`, which SDKs leave out unless they are asked for it): without them all
/// calls of a tool would look alike. A second conversation in the same lines is a run of its own.
/// A call of a model that fails is told as a failed result, of which no tool was called.
/// Source: the semantic conventions for generative AI, 1.36 to 1.41, and of their own repository, up to 1.42.0-dev.
class OtelTranscript {
public:
    static constexpr std::string_view name = "otel";

    [[nodiscard]] static bool recognises(const detail::JsonValue& line) {
        bool found = false;
        each_span(line,
                  [&](const detail::JsonValue& span) { found = found || attribute(span, "gen_ai.operation.name"); });
        return found;
    }

    void read(const detail::JsonValue& line, Conversation& told) {
        each_span(line, [&](const detail::JsonValue& span) { read_span(span, told); });
    }

private:
    template <class Each>
    static void each_span(const detail::JsonValue& line, Each each) {
        if (line["attributes"]) return each(line);
        line["resourceSpans"].each([&](const detail::JsonValue& resource) {
            resource["scopeSpans"].each([&](const detail::JsonValue& scope) { scope["spans"].each(each); });
        });
    }

    /// Of a list of keys with typed values, or of an object.
    [[nodiscard]] static detail::JsonValue attribute(const detail::JsonValue& span, std::string_view key) {
        const detail::JsonValue all = span["attributes"];
        if (!all.is_array()) return all[key];
        detail::JsonValue found;
        all.each([&](const detail::JsonValue& each) {
            if (each["key"].text() != key) return;
            for (const std::string_view type :
                 {"stringValue", "intValue", "doubleValue", "boolValue", "arrayValue", "kvlistValue"})
                if (each["value"][type]) found = each["value"][type];
        });
        return found;
    }

    [[nodiscard]] static std::string text(const detail::JsonValue& span, std::string_view key) {
        return attribute(span, key).written();
    }

    /// 64-bit numbers are texts there.
    [[nodiscard]] static std::int64_t number(const detail::JsonValue& value) {
        if (!value.is_text()) return value.integer();
        const std::string_view digits = value.text();
        std::int64_t found = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), found);
        return read.ec == std::errc{} && found > 0 ? found : 0;
    }

    /// Nanoseconds since 1970, or a date.
    [[nodiscard]] static std::optional<WallTime> moment(const detail::JsonValue& nanoseconds,
                                                        const detail::JsonValue& date) {
        const std::int64_t count = number(nanoseconds);
        if (count <= 0) return date.time();
        return WallTime{std::chrono::floor<Duration>(std::chrono::nanoseconds{count})};
    }

    void read_span(const detail::JsonValue& span, Conversation& told) {
        const std::string operation = text(span, "gen_ai.operation.name");
        if (operation.empty()) return;
        const std::string conversation = text(span, "gen_ai.conversation.id");
        if (session_.empty()) session_ = conversation;
        told.set_session(session_.empty() ? span["traceId"].text() : std::string_view{session_});
        const std::string other = conversation.empty() || conversation == session_ ? std::string{} : conversation;
        const auto end = moment(span["endTimeUnixNano"], span["end_time"]);
        const bool is_call = operation == "execute_tool";
        told.at(is_call ? moment(span["startTimeUnixNano"], span["start_time"]) : end, other);
        told.has_its_task();
        if (is_call) return read_call(span, end, other, told);
        if (detail::is_one_of(operation, {"chat", "text_completion", "generate_content"}))
            return read_answer(span, told);
        const bool outermost = span["parentSpanId"].text().empty() && span["parent_id"].text().empty();
        return operation == "invoke_agent" && outermost ? told.ends_turn() : told.lives();
    }

    static void read_call(const detail::JsonValue& span, std::optional<WallTime> end, const std::string& other,
                          Conversation& told) {
        const detail::JsonValue args = attribute(span, "gen_ai.tool.call.arguments");
        if (!args) {
            told.does_not_know("execute_tool without gen_ai.tool.call.arguments");
            return told.lives();
        }
        std::string id = text(span, "gen_ai.tool.call.id");
        if (id.empty()) id = span["spanId"].text();
        told.call(text(span, "gen_ai.tool.name"), args.written(), id);
        told.at(end, other);
        told.result(!failed(span), text(span, "gen_ai.tool.call.result"), id);
    }

    [[nodiscard]] static bool failed(const detail::JsonValue& span) {
        const std::string status =
            span["status"]["code"] ? span["status"]["code"].written() : span["status"]["status_code"].written();
        return status == "2" || status.ends_with("ERROR") || attribute(span, "error.type");
    }

    static void read_answer(const detail::JsonValue& span, Conversation& told) {
        const auto tokens = [&](std::string_view now, std::string_view before) {
            const detail::JsonValue value = attribute(span, now);
            return number(value ? value : attribute(span, before));
        };
        told.usage({}, {tokens("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
                        tokens("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"), 1, 0, 0});
        // Messages of errors differ by ids of requests, and what is new would count as progress.
        if (failed(span)) return told.result(false, "error: " + text(span, "error.type"), span["spanId"].text());
        const std::string said = text_of_messages(text(span, "gen_ai.output.messages"));
        if (said.empty()) return told.lives();
        // Whether calls follow is known when they are over: the turn ends with its agent's span.
        told.thinks(said);
    }

    /// Messages stand there as a text that is JSON.
    [[nodiscard]] static std::string text_of_messages(const std::string& messages) {
        simdjson::dom::parser parser;
        simdjson::dom::element list;
        std::string all;
        if (parser.parse(messages).get(list) != simdjson::SUCCESS) return all;
        detail::JsonValue{list}.each([&](const detail::JsonValue& message) {
            message["parts"].each([&](const detail::JsonValue& part) {
                if (part["type"].text() != "text") return;
                if (!all.empty()) all += '\n';
                all += part["content"].text();
            });
        });
        return all;
    }

    std::string session_;
};

}  // namespace heeler::inline HEELER_ABI
