// Reads what coding agents write of their own sessions, whichever of the known formats it is in. Needs simdjson
// (heeler::json).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <simdjson.h>

#include <heeler/core/result.hpp>
#include <heeler/source/transcript/antigravity.hpp>
#include <heeler/source/transcript/claude_code.hpp>
#include <heeler/source/transcript/codex.hpp>
#include <heeler/source/transcript/conversation.hpp>
#include <heeler/source/transcript/copilot.hpp>
#include <heeler/source/transcript/cursor.hpp>
#include <heeler/source/transcript/droid.hpp>
#include <heeler/source/transcript/gemini.hpp>
#include <heeler/source/transcript/grok.hpp>
#include <heeler/source/transcript/kimi.hpp>
#include <heeler/source/transcript/openhands.hpp>
#include <heeler/source/transcript/otel.hpp>
#include <heeler/source/transcript/pi.hpp>
#include <heeler/source/transcript/qwen.hpp>
#include <heeler/source/transcript/swe_agent.hpp>
#include <heeler/text/repaired_utf8.hpp>

namespace heeler::inline HEELER_ABI {

/// Reads one transcript from its beginning: lines of JSON, or one document. The format is known by its content, from
/// the first line that shows one. Nothing of a line outside what the formats say is looked at; a line that cannot be
/// read is an error of that line alone. One thread at a time.
class Transcript {
public:
    /// Whether a format shows itself in this line or document. Nothing is read of it yet; after the first one that
    /// does, read from the beginning: what comes before it may be part of the conversation.
    bool recognise(std::string_view json) {
        const auto value = parse(json);
        if (value && format().empty())
            recognise_by(*value, std::make_index_sequence<std::variant_size_v<Reader> - 1>{});
        return !format().empty();
    }

    /// Errors: `corrupt` for what is no JSON; `invalid_argument` before a format was recognised.
    Result<void> read(std::string_view json) {
        const auto value = parse(json);
        if (!value) return tl::unexpected<Error>(value.error());
        if (format().empty()) return fail(ErrorCode::invalid_argument, "no format of a transcript was recognised yet");
        std::visit(
            [&](auto& reader) {
                if constexpr (!std::is_same_v<std::decay_t<decltype(reader)>, std::monostate>)
                    reader.read(*value, conversation_);
            },
            reader_);
        return {};
    }

    /// The format's name; empty as long as none was recognised.
    [[nodiscard]] std::string_view format() const {
        return std::visit(
            [](const auto& reader) -> std::string_view {
                if constexpr (std::is_same_v<std::decay_t<decltype(reader)>, std::monostate>)
                    return {};
                else
                    return std::decay_t<decltype(reader)>::name;
            },
            reader_);
    }

    /// The names of all formats that are known: "qwen, claude-code, ...".
    [[nodiscard]] static std::string formats() {
        std::string names;
        join_names(names, std::make_index_sequence<std::variant_size_v<Reader> - 1>{});
        return names;
    }

    [[nodiscard]] Conversation& conversation() noexcept { return conversation_; }
    [[nodiscard]] const Conversation& conversation() const noexcept { return conversation_; }

private:
    using Reader =
        std::variant<std::monostate, QwenTranscript, ClaudeCodeTranscript, ClaudeStreamTranscript, CodexTranscript,
                     CodexExecTranscript, GeminiTranscript, GeminiStreamTranscript, OpenHandsTranscript,
                     SweAgentTranscript, PiTranscript, OtelTranscript, CopilotTranscript, CursorTranscript,
                     DroidTranscript, DroidStreamTranscript, GrokTranscript, KimiTranscript, AntigravityTranscript>;

    Result<detail::JsonValue> parse(std::string_view json) {
        simdjson::dom::element parsed;
        auto error = parser_.parse(json.data(), json.size()).get(parsed);
        if (error == simdjson::UTF8_ERROR) error = parser_.parse(text::repaired_utf8(json)).get(parsed);
        if (error == simdjson::SUCCESS) return detail::JsonValue{parsed};
        return fail(ErrorCode::corrupt, std::string{"is no JSON: "} + simdjson::error_message(error));
    }

    template <std::size_t... I>
    static void join_names(std::string& names, std::index_sequence<I...>) {
        ((names.append(I == 0 ? "" : ", ").append(std::variant_alternative_t<I + 1, Reader>::name)), ...);
    }

    template <std::size_t... I>
    void recognise_by(const detail::JsonValue& value, std::index_sequence<I...>) {
        (try_reader<std::variant_alternative_t<I + 1, Reader>>(value), ...);
    }

    template <class Candidate>
    void try_reader(const detail::JsonValue& value) {
        if (std::holds_alternative<std::monostate>(reader_) && Candidate::recognises(value)) reader_ = Candidate{};
    }

    simdjson::dom::parser parser_;
    Reader reader_;
    Conversation conversation_;
};

}  // namespace heeler::inline HEELER_ABI
