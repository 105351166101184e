// Reads which tools an agent has used from the log that it writes as JSON lines. Needs simdjson (heeler::json).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <simdjson.h>

#include <heeler/core/result.hpp>
#include <heeler/core/source.hpp>
#include <heeler/source/line_follower.hpp>
#include <heeler/source/tool_history.hpp>
#include <heeler/source/tool_line.hpp>

namespace heeler::inline HEELER_ABI {

using ToolLogSettings = FollowSettings;

/// A source of tool calls and results: one JSON object a line, as hooks around a tool write them.
/// {"event": "pre_tool_use", "tool_name": ..., "tool_input": {...}, "timestamp": ..., "tool_use_id": ...}
/// {"event": "post_tool_use", "tool_output_preview": ..., "is_error": false, ...}
/// `type` will do for `event`, `call_id` for `tool_use_id`, `output_preview` or `output` for `tool_output_preview`. A
/// timestamp is RFC 3339 (without zone: UTC) or seconds since 1970. The log is only read. One thread at a time.
class ToolLog {
public:
    explicit ToolLog(FilePlace place, ToolLogSettings settings = {})
        : lines_{place, settings}, history_{std::move(place), settings} {}

    /// What the log says since `cursor`. Blank lines and other events are passed over; lines that are no JSON objects,
    /// are too long or were lost become `problems`, which tell counts and places, never content. The calls are those of
    /// the whole log, also of lines that are not told as events: of a long one they are counted in parts, as `more`
    /// says, eight times `read_bytes` a poll. Errors: `invalid_argument` for what is no regular file, `io`. A missing
    /// log is empty.
    [[nodiscard]] Result<Polled> poll(std::string_view cursor) {
        reader_.clear();
        auto place = detail::ToolLogCursor::parse(cursor);
        auto lines = lines_.read(place.events);
        if (!lines) return tl::unexpected<Error>(std::move(lines.error()));
        Polled polled;
        polled.problems = std::move(lines->problems);
        polled.more = lines->more;
        if (!lines->text.empty()) read_lines(lines->text, lines->offset, polled);
        if (!lines->cursor.empty()) take_history(*lines, std::move(place), polled);
        return polled;
    }

    /// When the log began: the first time that one of its first entries tells. Absent if none does, or there is no log.
    [[nodiscard]] std::optional<WallTime> began() { return history_.began(); }

    /// Lines so far that told of something else than tools.
    [[nodiscard]] std::uint64_t other_events() const noexcept { return other_events_; }

private:
    void read_lines(std::string_view text, std::uint64_t offset, Polled& polled) {
        simdjson::ondemand::parser parser;
        std::uint64_t corrupt = 0;
        std::uint64_t first_corrupt = 0;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t size = text.find('\n', at) - at;
            const auto line = text.substr(at, size);
            if (!detail::LineReader::is_blank(line) && !read_line(parser, line, polled) && corrupt++ == 0)
                first_corrupt = offset + at;
            at += size + 1;
        }
        if (corrupt == 0) return;
        polled.problems.push_back(
            {ErrorCode::corrupt, std::to_string(corrupt) +
                                     (corrupt == 1 ? " line is no JSON object" : " lines are no JSON objects") +
                                     ", first at byte " + std::to_string(first_corrupt)});
    }

    /// False if the line is no JSON object.
    [[nodiscard]] bool read_line(simdjson::ondemand::parser& parser, std::string_view line, Polled& polled) {
        detail::LogLine fields;
        if (!reader_.read(parser, line, fields)) return false;
        const auto event = fields.event();
        if (event == "pre_tool_use")
            polled.events.push_back({call(fields), fields.time()});
        else if (event == "post_tool_use")
            polled.events.push_back({result(fields), fields.time()});
        else
            ++other_events_;
        return true;
    }

    /// What follows the lines that were counted is counted by its events; what was passed over is read for that.
    void take_history(const NewLines& lines, detail::ToolLogCursor before, Polled& polled) {
        const bool known = before.history && !lines.anew;
        detail::ToolHistory history = before.history.value_or(detail::ToolHistory{});
        const auto here = parse_cursor(lines.cursor);
        if (known && history.whole() && !lines.skipped) {
            add_calls(lines, polled, history);
        } else if (here) {
            if (!known) history.counted = write_cursor(beginning_of(here->inode));
            if (known && history.whole()) history.counted = before.events;
            const bool counted = history_.count_until(lines.cursor, history);
            polled.more |= counted && !history.whole();
        }
        polled.began = history.began;
        polled.calls = history.calls;
        polled.cursor = detail::ToolLogCursor{lines.cursor, std::move(history)}.write();
    }

    void add_calls(const NewLines& lines, const Polled& polled, detail::ToolHistory& history) {
        if (!history.began) return history_.count(lines.text, history);
        for (const SourceEvent& event : polled.events) history.calls += std::holds_alternative<ToolCall>(event.what);
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

    LineFollower lines_;
    detail::HistoryReader history_;
    detail::LineReader reader_;
    std::uint64_t other_events_ = 0;
};

static_assert(check_source<ToolLog>());

}  // namespace heeler::inline HEELER_ABI
