// One line of a log of tools as JSON: which fields are read of it, and how. Needs simdjson (heeler::json).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include <heeler/source/line_follower.hpp>
#include <heeler/text/repaired_utf8.hpp>
#include <heeler/text/rfc3339.hpp>

namespace heeler::inline HEELER_ABI::detail {

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

    [[nodiscard]] std::optional<std::string_view> event() noexcept { return first_of({"event", "type"}); }
    /// Seconds since 1970 that are none are a clock that was never set.
    [[nodiscard]] std::optional<WallTime> time() noexcept {
        const auto written = first_of({"timestamp"});
        const auto time = written ? text::parse_timestamp(*written) : std::nullopt;
        return time && *time > WallTime{} ? time : std::nullopt;
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

/// Reads lines that have the follower's padding behind them. What it found stays valid until it is cleared.
class LineReader {
public:
    static_assert(simdjson::SIMDJSON_PADDING <= LineFollower::padding);

    [[nodiscard]] static bool is_blank(std::string_view line) noexcept {
        return line.find_first_not_of(" \t\r\v\f") == std::string_view::npos;
    }

    /// False if the line is no JSON object.
    [[nodiscard]] bool read(simdjson::ondemand::parser& parser, std::string_view line, LogLine& fields) {
        auto error = parse(parser, line, fields);
        if (error == simdjson::UTF8_ERROR) error = parse(parser, repaired(line), fields);
        return error == simdjson::SUCCESS;
    }

    void clear() { texts_.clear(); }

private:
    /// Reads no deeper than it needs, so that a number too large for any type does not hide a call.
    [[nodiscard]] simdjson::error_code parse(simdjson::ondemand::parser& parser, std::string_view line,
                                             LogLine& fields) {
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
        std::string& valid = texts_.emplace_back(text::repaired_utf8(line));
        const std::size_t size = valid.size();
        valid.append(LineFollower::padding, '\0');
        return std::string_view{valid}.substr(0, size);
    }

    std::deque<std::string> texts_;  ///< what is not in the lines as it stands; nothing in it moves until it is cleared
};

}  // namespace heeler::inline HEELER_ABI::detail
