// Reads which tools an agent has used from the log that it writes as JSON lines. Needs simdjson (heeler::json).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <simdjson.h>

#include <heeler/core/result.hpp>
#include <heeler/core/source.hpp>
#include <heeler/source/line_follower.hpp>
#include <heeler/text/rfc3339.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI {

using ToolLogSettings = FollowSettings;

namespace detail {

/// What is read of a line; the rest is nobody's business.
inline constexpr std::array<std::string_view, 11> log_field_names{
    "event",          "type",   "tool_name", "tool_input", "timestamp", "tool_use_id", "call_id", "tool_output_preview",
    "output_preview", "output", "is_error"};

/// The fields of one line as text: strings without quotes and escapes, everything else as JSON; null counts as absent.
class LogLine {
public:
    /// Null if this field is not read. The last of two fields with one name counts.
    [[nodiscard]] std::optional<std::string_view>* find(std::string_view name) noexcept {
        const auto found = std::find(log_field_names.begin(), log_field_names.end(), name);
        return found == log_field_names.end() ? nullptr
                                              : &fields_[static_cast<std::size_t>(found - log_field_names.begin())];
    }

    /// The first of `names` that is there.
    [[nodiscard]] std::optional<std::string_view> first_of(std::initializer_list<std::string_view> names) noexcept {
        for (const std::string_view name : names)
            if (const auto* field = find(name); field != nullptr && *field) return *field;
        return std::nullopt;
    }

private:
    std::array<std::optional<std::string_view>, log_field_names.size()> fields_{};
};

}  // namespace detail

/// A source of tool calls and results: one JSON object a line, as hooks around a tool write them.
/// {"event": "pre_tool_use", "tool_name": ..., "tool_input": {...}, "timestamp": ..., "tool_use_id": ...}
/// {"event": "post_tool_use", "tool_output_preview": ..., "is_error": false, ...}
/// `type` will do for `event`, `call_id` for `tool_use_id`, `output_preview` or `output` for `tool_output_preview`. A
/// timestamp is RFC 3339 (without zone: UTC) or seconds since 1970. The log is only read. One thread at a time.
class ToolLog {
public:
    explicit ToolLog(std::string path, ToolLogSettings settings = {}) : lines_{std::move(path), settings} {}

    /// What the log says since `cursor`. Blank lines and other events are passed over; lines that are no JSON objects,
    /// are too long or were lost become `problems`, which tell counts and places, never content. Errors:
    /// `invalid_argument` for what is no regular file, `io`. A missing log is empty.
    [[nodiscard]] Result<Polled> poll(std::string_view cursor) {
        texts_.clear();
        auto lines = lines_.read(cursor);
        if (!lines) return tl::unexpected<Error>(std::move(lines.error()));
        Polled polled;
        polled.cursor = std::move(lines->cursor);
        polled.problems = std::move(lines->problems);
        polled.more = lines->more;
        if (!lines->text.empty()) read_lines(lines->text, lines->offset, polled);
        return polled;
    }

    /// Lines so far that told of something else than tools.
    [[nodiscard]] std::uint64_t other_events() const noexcept { return other_events_; }

private:
    static_assert(simdjson::SIMDJSON_PADDING <= LineFollower::padding);

    void read_lines(std::string_view text, std::uint64_t offset, Polled& polled) {
        simdjson::ondemand::parser parser;
        std::uint64_t corrupt = 0;
        std::uint64_t first_corrupt = 0;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t size = text.find('\n', at) - at;
            const auto line = text.substr(at, size);
            if (!is_blank(line) && !read_line(parser, line, polled) && corrupt++ == 0) first_corrupt = offset + at;
            at += size + 1;
        }
        if (corrupt == 0) return;
        polled.problems.push_back(
            {ErrorCode::corrupt, std::to_string(corrupt) +
                                     (corrupt == 1 ? " line is no JSON object" : " lines are no JSON objects") +
                                     ", first at byte " + std::to_string(first_corrupt)});
    }

    [[nodiscard]] static bool is_blank(std::string_view line) noexcept {
        return line.find_first_not_of(" \t\r\v\f") == std::string_view::npos;
    }

    /// False if the line is no JSON object.
    [[nodiscard]] bool read_line(simdjson::ondemand::parser& parser, std::string_view line, Polled& polled) {
        detail::LogLine fields;
        auto error = parse(parser, line, fields);
        if (error == simdjson::UTF8_ERROR) error = parse(parser, repaired(line), fields);
        if (error != simdjson::SUCCESS) return false;
        const auto event = fields.first_of({"event", "type"});
        if (event == "pre_tool_use")
            polled.events.push_back({call(fields), time_of(fields)});
        else if (event == "post_tool_use")
            polled.events.push_back({result(fields), time_of(fields)});
        else
            ++other_events_;
        return true;
    }

    [[nodiscard]] static ToolCall call(detail::LogLine& fields) {
        return {fields.first_of({"tool_name"}).value_or("unknown"), fields.first_of({"tool_input"}).value_or(""),
                fields.first_of({"tool_use_id", "call_id"}).value_or("")};
    }

    [[nodiscard]] static ToolResult result(detail::LogLine& fields) {
        ToolResult result;
        const auto failed = fields.first_of({"is_error"});
        if (failed == "true" || failed == "false") result.ok = failed == "false";
        result.output = fields.first_of({"tool_output_preview", "output_preview", "output"}).value_or("");
        result.call_id = fields.first_of({"tool_use_id", "call_id"}).value_or("");
        return result;
    }

    [[nodiscard]] static std::optional<WallTime> time_of(detail::LogLine& fields) {
        const auto written = fields.first_of({"timestamp"});
        return written ? parse_timestamp(*written) : std::nullopt;
    }

    /// Reads no deeper than it needs, so that a number too large for any type does not hide a call.
    [[nodiscard]] simdjson::error_code parse(simdjson::ondemand::parser& parser, std::string_view line,
                                             detail::LogLine& fields) {
        namespace ondemand = simdjson::ondemand;
        const simdjson::padded_string_view padded{line.data(), line.size(), line.size() + LineFollower::padding};
        ondemand::document document;
        ondemand::object object;
        if (const auto error = parser.iterate(padded).get(document)) return error;
        if (const auto error = document.get_object().get(object)) return error;
        for (auto field : object) {
            std::string_view key;
            if (const auto error = field.error()) return error;
            if (field.unescaped_key().get(key) != simdjson::SUCCESS) key = {};
            auto* const wanted = fields.find(key);
            if (wanted == nullptr) continue;
            ondemand::value value;
            if (const auto error = field.value().get(value)) return error;
            if (const auto error = read_text(value, *wanted)) return error;
        }
        const bool ended = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
        return ended ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
    }

    [[nodiscard]] simdjson::error_code read_text(simdjson::ondemand::value value,
                                                 std::optional<std::string_view>& text) {
        using simdjson::ondemand::json_type;
        json_type type{};
        if (const auto error = value.type().get(type)) return error;
        if (type == json_type::object || type == json_type::array) {
            std::string_view json;
            const auto error = simdjson::to_json_string(value).get(json);
            text = json;
            return error;
        }
        const std::string_view token = trimmed(value.raw_json_token());
        text.reset();
        if (type == json_type::string)
            text = read_string(value, token);
        else if (type != json_type::null)
            text = token;
        return simdjson::SUCCESS;
    }

    /// A string that cannot be decoded, for example half of a surrogate pair, stays as it is written.
    [[nodiscard]] std::string_view read_string(simdjson::ondemand::value value, std::string_view token) {
        std::string_view decoded;
        if (value.get_string().get(decoded) != simdjson::SUCCESS)
            return token.size() < 2 ? token : token.substr(1, token.size() - 2);
        return texts_.emplace_back(decoded);
    }

    [[nodiscard]] static std::string_view trimmed(std::string_view token) noexcept {
        return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
    }

    /// Bytes that are no UTF-8 are usually a character that was cut in the middle.
    [[nodiscard]] std::string_view repaired(std::string_view line) {
        std::string& valid = texts_.emplace_back();
        for (std::size_t at = 0; at < line.size();) {
            const auto next = decode_utf8(line, at);
            valid += next.valid ? line.substr(at, next.size) : replacement_character;
            at += next.size;
        }
        const std::size_t size = valid.size();
        valid.append(LineFollower::padding, '\0');
        return std::string_view{valid}.substr(0, size);
    }

    LineFollower lines_;
    std::deque<std::string> texts_;  ///< what is not in the lines as it stands; nothing in it moves until it is cleared
    std::uint64_t other_events_ = 0;
};

static_assert(check_source<ToolLog>());

}  // namespace heeler::inline HEELER_ABI
