// Follows the session file of a coding agent while it grows. Needs simdjson (heeler::json).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/core/source.hpp>
#include <heeler/source/file_cursor.hpp>
#include <heeler/source/line_follower.hpp>
#include <heeler/source/transcript/teller.hpp>

namespace heeler::inline HEELER_ABI {

/// How a session file is followed.
struct TranscriptLogSettings {
    std::size_t read_bytes = 4U << 20;         ///< read by one poll; a longer line is passed over; 1 B to 64 MiB
    std::uint64_t backlog_bytes = 256U << 20;  ///< with more than this unread, only the newest part is; >= read_bytes
    /// An agent that has spoken has ended its turn when nothing followed for so long, unless its format says so at
    /// once.
    Duration settles = std::chrono::minutes{2};
};

/// A source of what an agent's own session file tells, from its first line on: JSON lines in one of the formats of
/// `Transcript`. The file is only read. What a sub-agent does whose lines stand in the same file is a sign of life.
/// After a restart what was read before is read once more, for whose turn it was, and not told again. One thread at a
/// time.
template <class Clock>
class TranscriptLog {
public:
    explicit TranscriptLog(FilePlace place, TranscriptLogSettings settings = {}, Clock clock = {})
        : place_{std::move(place)},
          settings_{settings},
          clock_{std::move(clock)},
          lines_{place_, {0, settings.read_bytes, settings.backlog_bytes}},
          teller_{detail::shown_path(place_)} {}

    /// What the file says since `cursor`. Lines that cannot be read, types of lines that the format's reader does not
    /// know (each once) and files in no known format become `problems`. A missing or empty file says nothing. Errors:
    /// `invalid_argument` for wrong settings and for what is no regular file, `io`.
    [[nodiscard]] Result<Polled> poll(std::string_view cursor) {
        teller_.clear();
        if (cursor != cursor_) restore(cursor);
        auto place = cursor.empty() ? beginning() : Result<std::string>{std::string{cursor}};
        if (!place) return tl::unexpected<Error>(std::move(place.error()));
        Polled polled;
        if (place->empty()) return polled;
        auto lines = lines_.read(*place);
        if (!lines) return tl::unexpected<Error>(std::move(lines.error()));
        if (lines->anew) teller_.forget();
        polled.problems = std::move(lines->problems);
        polled.more = lines->more;
        polled.cursor = std::move(lines->cursor);
        read(*lines, polled.problems);
        teller_.tell(polled, clock_.now().wall, settings_.settles);
        cursor_ = polled.cursor;
        return polled;
    }

    [[nodiscard]] const TranscriptTotals& totals() const noexcept { return teller_.totals(); }
    /// The format's name; empty as long as none was recognised.
    [[nodiscard]] std::string_view format() const { return teller_.format(); }

private:
    /// Where the file begins; empty if there is none.
    [[nodiscard]] Result<std::string> beginning() const {
        const auto file = ReadableFile::open(place_);
        if (!file) return tl::unexpected<Error>(file.error());
        return file->has_value() ? write_cursor(beginning_of((*file)->inode())) : std::string{};
    }

    /// Reads again, up to the cursor, what a process before this one has told, or what could not be stored.
    void restore(std::string_view cursor) {
        teller_.forget();
        const auto known = parse_cursor(cursor);
        std::string place = known ? write_cursor(beginning_of(known->inode)) : std::string{};
        for (std::uint64_t at = 0; known && at < known->offset;) {
            const auto part = lines_.read(place);
            const auto next = part ? parse_cursor(part->cursor) : std::nullopt;
            if (!part || part->anew || !next || part->cursor == place) return;
            const std::uint64_t wanted = known->offset - std::min(known->offset, part->offset);
            NewLines told = *part;
            told.text = told.text.substr(0, std::min<std::uint64_t>(told.text.size(), wanted));
            std::vector<Error> problems;
            read(told, problems);
            Polled unwanted;
            teller_.tell(unwanted, clock_.now().wall, settings_.settles);
            teller_.clear();
            place = part->cursor;
            at = next->offset;
        }
    }

    void read(const NewLines& lines, std::vector<Error>& problems) {
        std::size_t corrupt = 0;
        std::uint64_t first_corrupt = 0;
        for (std::size_t at = 0; at < lines.text.size();) {
            const std::size_t size = lines.text.find('\n', at) - at;
            const std::string_view line = lines.text.substr(at, size);
            if (line.find_first_not_of(" \t\r") != std::string_view::npos && !teller_.take(line, problems) &&
                corrupt++ == 0)
                first_corrupt = lines.offset + at;
            at += size + 1;
        }
        if (corrupt > 0)
            problems.push_back({ErrorCode::corrupt, detail::shown_path(place_) + ": " + std::to_string(corrupt) +
                                                        (corrupt == 1 ? " line is no JSON" : " lines are no JSON") +
                                                        ", first at byte " + std::to_string(first_corrupt)});
        teller_.say_unknown(problems);
    }

    FilePlace place_;
    TranscriptLogSettings settings_;
    Clock clock_;
    LineFollower lines_;
    detail::TranscriptTeller teller_;
    std::string cursor_;  ///< up to which `teller_` knows the file
};

}  // namespace heeler::inline HEELER_ABI
