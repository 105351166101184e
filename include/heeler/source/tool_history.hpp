// Counts the calls of a whole log of tools, however much of it was passed over, and finds its first entry: in parts,
// and each part once. Needs simdjson (heeler::json).
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <simdjson.h>

#include <heeler/core/time.hpp>
#include <heeler/source/file_cursor.hpp>
#include <heeler/source/line_follower.hpp>
#include <heeler/source/tool_line.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What is known of a log from its beginning, and how far. Kept in the log's cursor.
struct ToolHistory {
    std::uint64_t calls = 0;
    std::optional<WallTime> began{};  ///< the first time that an entry tells
    std::string counted{};            ///< cursor; empty: as far as the events were read

    [[nodiscard]] bool whole() const noexcept { return counted.empty(); }
};

/// The cursor of a log: where the events go on, and its history.
struct ToolLogCursor {
    std::string events{};
    std::optional<ToolHistory> history{};  ///< absent: nothing was counted yet

    [[nodiscard]] std::string write() const {
        std::string text = "t1";
        for (const std::int64_t value : {static_cast<std::int64_t>(history->calls),
                                         history->began.value_or(WallTime{}).time_since_epoch().count()}) {
            std::array<char, 17> digits{};
            const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
            text += '-';
            text.append(digits.data(), end);
        }
        return text + "|" + history->counted + "|" + events;
    }

    /// A cursor from before histories were kept, and what is damaged, is taken for that of the events.
    [[nodiscard]] static ToolLogCursor parse(std::string_view text) {
        ToolLogCursor cursor{std::string{text}};
        std::string_view rest = text;
        std::array<std::int64_t, 2> values{};
        if (!rest.starts_with("t1")) return cursor;
        rest.remove_prefix(2);
        for (std::int64_t& value : values) {
            if (!rest.starts_with('-')) return cursor;
            const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), value, 16);
            if (error != std::errc{} || value < 0) return cursor;
            rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        }
        const std::size_t bar = rest.find('|', 1);
        if (!rest.starts_with('|') || bar == std::string_view::npos) return cursor;
        cursor.events = rest.substr(bar + 1);
        ToolHistory& history = cursor.history.emplace();
        history.calls = static_cast<std::uint64_t>(values[0]);
        if (values[1] > 0) history.began = WallTime{Duration{values[1]}};
        history.counted = rest.substr(1, bar - 1);
        return cursor;
    }
};

/// Follows a log from its beginning, behind those who only want to know its newest lines. One thread at a time.
class HistoryReader {
public:
    HistoryReader(FilePlace place, const FollowSettings& settings)
        : place_{std::move(place)},
          lines_{place_, {0, settings.read_bytes, std::numeric_limits<std::uint64_t>::max()}} {}

    /// Goes on counting up to where the events were read, at most `most_parts` times as much as one poll may read.
    /// False if there is nothing to go on with now.
    bool count_until(const std::string& events, ToolHistory& history) {
        const auto end = parse_cursor(events);
        bool counted = end.has_value();
        for (int parts = 0; counted && parts < most_parts && !history.whole(); ++parts)
            counted = count_part(*end, history);
        return counted;
    }

    /// Counts whole lines.
    void count(std::string_view lines, ToolHistory& history) {
        simdjson::ondemand::parser parser;
        for (std::size_t at = 0, size = 0; at < lines.size(); at += size + 1) {
            size = lines.find('\n', at) - at;
            const std::string_view line = lines.substr(at, size);
            if (LineReader::is_blank(line) || (history.began && !may_be_call(line))) continue;
            LogLine fields;
            if (reader_.read(parser, line, fields)) {
                if (fields.event() == "pre_tool_use") ++history.calls;
                if (!history.began) history.began = fields.time();
            }
            reader_.clear();
        }
    }

    /// When the log began, from the first part of it that one poll may read.
    [[nodiscard]] std::optional<WallTime> began() {
        const auto file = ReadableFile::open(place_);
        if (!file || !file->has_value()) return std::nullopt;
        const auto first = lines_.read(write_cursor(beginning_of((*file)->inode())));
        ToolHistory history;
        if (first && !first->anew) count(first->text, history);
        return history.began;
    }

private:
    static constexpr int most_parts = 8;

    [[nodiscard]] bool count_part(const FileCursor& end, ToolHistory& history) {
        const auto found = lines_.read(history.counted);
        if (!found || found->anew || found->cursor == history.counted) return false;
        const auto next = parse_cursor(found->cursor);
        if (!next || next->inode != end.inode) return false;
        const std::uint64_t room = end.offset - std::min(end.offset, found->offset);
        count(found->text.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(room, found->text.size()))),
              history);
        history.counted = next->offset >= end.offset ? std::string{} : found->cursor;
        return true;
    }

    /// Whether it can tell of a call: its name stands in it, or something that may be its name in other letters.
    [[nodiscard]] static bool may_be_call(std::string_view line) noexcept {
        return line.find("pre_tool_use") != std::string_view::npos || line.find('\\') != std::string_view::npos;
    }

    FilePlace place_;
    LineFollower lines_;
    LineReader reader_;
};

}  // namespace heeler::inline HEELER_ABI::detail
