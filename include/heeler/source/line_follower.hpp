// Reads the whole lines that were added to a file since the last time, like `tail -F`. For sources that read logs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/posix/readable_file.hpp>
#include <heeler/source/file_cursor.hpp>

namespace heeler::inline HEELER_ABI {

/// How much of a file is read.
struct FollowSettings {
    std::size_t first_lines = 50;       ///< read of a file met for the first time; 0: as much as one poll may read
    std::size_t read_bytes = 1U << 20;  ///< read by one poll; a longer line is passed over; 1 B to 64 MiB
    std::uint64_t backlog_bytes = 16U << 20;  ///< with more than this unread, go on as at the first time; >= read_bytes
};

/// Whole lines. `text` stays valid until the follower reads again.
struct NewLines {
    std::string_view text{};        ///< every line with its line feed
    std::uint64_t offset = 0;       ///< where in the file `text` begins
    std::string cursor{};           ///< where to go on
    std::vector<Error> problems{};  ///< `corrupt`: a line too long; `io`: something was not read. No content.
    bool more = false;              ///< there is more than one call may read
    bool anew = false;              ///< the file was replaced or cut off: `text` does not follow what was read before
    bool skipped = false;           ///< lines before `text` were never read
};

/// Follows one file through growth, truncation, replacement and absence. One thread at a time.
class LineFollower {
public:
    static constexpr std::size_t padding = 64;  ///< readable zero bytes behind the text

    explicit LineFollower(FilePlace place, FollowSettings settings = {})
        : place_{std::move(place)}, settings_{settings} {}

    /// What was added since `cursor` (empty: since never). A line without line feed at the end is left for later, a
    /// missing file is empty. Errors: `invalid_argument` for wrong settings and for what is no regular file, `io`.
    [[nodiscard]] Result<NewLines> read(std::string_view cursor) {
        buffer_.clear();
        if (auto checked = check(); !checked) return tl::unexpected<Error>(std::move(checked.error()));
        const auto file = ReadableFile::open(place_);
        if (!file) return tl::unexpected<Error>(file.error());
        NewLines found;
        found.cursor = cursor;
        if (!file->has_value()) return found;
        const auto place = find_place(**file, cursor, found);
        if (!place) return detail::cannot_open(place_, false, place.error());
        if (const auto taken = take(**file, *place, found); !taken)
            return detail::cannot_open(place_, false, taken.error());
        return found;
    }

private:
    struct Place {
        std::uint64_t offset = 0;
        bool inside_line = false;
        bool newest_only = false;
    };

    struct Cut {
        std::size_t begin = 0;
        std::size_t end = 0;
        bool inside_line = false;
        bool too_long = false;
    };

    [[nodiscard]] Result<void> check() const {
        constexpr std::size_t most = 64U << 20;
        if (settings_.read_bytes < 1 || settings_.read_bytes > most)
            return fail(ErrorCode::invalid_argument, "read_bytes is " + std::to_string(settings_.read_bytes) +
                                                         ", but must be from 1 to " + std::to_string(most));
        if (settings_.backlog_bytes < settings_.read_bytes)
            return fail(ErrorCode::invalid_argument, "backlog_bytes is " + std::to_string(settings_.backlog_bytes) +
                                                         ", but must be at least read_bytes (" +
                                                         std::to_string(settings_.read_bytes) + ")");
        return {};
    }

    [[nodiscard]] Place newest(const ReadableFile& file) const noexcept {
        if (file.size() <= settings_.read_bytes) return {0, false, true};
        return {file.size() - settings_.read_bytes, true, true};
    }

    [[nodiscard]] tl::expected<Place, int> find_place(const ReadableFile& file, std::string_view cursor,
                                                      NewLines& found) const {
        std::vector<Error>& problems = found.problems;
        if (cursor.empty()) return newest(file);
        const auto known = parse_cursor(cursor);
        if (!known) {
            problems.push_back(problem(ErrorCode::io, "its cursor is damaged: only its newest lines were read"));
            return newest(file);
        }
        const auto same = is_same(file, *known);
        if (!same) return tl::unexpected<int>(same.error());
        Place place{known->offset, known->inside_line, false};
        if (!*same) {
            problems.push_back(problem(ErrorCode::io, "it was replaced or cut off after byte " +
                                                          std::to_string(known->offset) +
                                                          " had been read: read from its beginning again"));
            place = {};
            found.anew = true;
        }
        const std::uint64_t unread = file.size() - place.offset;
        if (unread <= settings_.backlog_bytes) return place;
        problems.push_back(problem(ErrorCode::io, std::to_string(unread) + " bytes were unread, more than " +
                                                      std::to_string(settings_.backlog_bytes) +
                                                      ": only its newest lines were read"));
        return newest(file);
    }

    [[nodiscard]] static tl::expected<bool, int> is_same(const ReadableFile& file, const FileCursor& known) {
        if (file.inode() != known.inode || file.size() < known.offset) return false;
        const auto print = print_until(file, known.offset);
        if (!print) return tl::unexpected<int>(print.error());
        return *print == known.print;
    }

    [[nodiscard]] tl::expected<void, int> take(const ReadableFile& file, const Place& place, NewLines& found) {
        const std::uint64_t unread = file.size() - place.offset;
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(unread, settings_.read_bytes));
        const auto chunk = file.read(place.offset, count);
        if (!chunk) return tl::unexpected<int>(chunk.error());

        Cut cut = cut_lines(*chunk, place);
        if (cut.too_long) found.problems.push_back(too_long(place.offset));
        if (place.newest_only) cut.begin = newest_lines(*chunk, cut);
        keep(std::string_view{*chunk}.substr(cut.begin, cut.end - cut.begin));
        found.text = std::string_view{buffer_}.substr(0, cut.end - cut.begin);
        found.offset = place.offset + cut.begin;
        found.skipped = place.newest_only && found.offset > 0;
        found.more = chunk->size() == settings_.read_bytes && unread > settings_.read_bytes;

        FileCursor next{file.inode(), place.offset + cut.end, cut.inside_line, 0};
        const auto print = print_until(file, next.offset);
        if (!print) return tl::unexpected<int>(print.error());
        next.print = *print;
        found.cursor = write_cursor(next);
        return {};
    }

    /// Where the whole lines of `text` begin and end, and whether what follows belongs to a line that is too long.
    [[nodiscard]] Cut cut_lines(std::string_view text, const Place& place) const noexcept {
        const std::size_t first_feed = text.find('\n');
        const std::size_t last_feed = text.rfind('\n');
        const bool unbroken = first_feed == std::string_view::npos;
        if (unbroken && (place.inside_line || text.size() == settings_.read_bytes)) {
            const bool first_seen = !place.inside_line || place.newest_only;
            return {text.size(), text.size(), true, first_seen && !text.empty()};
        }
        if (unbroken) return {};
        return {place.inside_line ? first_feed + 1 : 0, last_feed + 1, false, false};
    }

    /// Where the last `first_lines` whole lines begin.
    [[nodiscard]] std::size_t newest_lines(std::string_view text, const Cut& cut) const noexcept {
        if (settings_.first_lines == 0) return cut.begin;
        std::size_t at = cut.end;
        for (std::size_t lines = 0; lines < settings_.first_lines && at > cut.begin; ++lines) {
            const std::size_t feed = at < 2 ? std::string_view::npos : text.rfind('\n', at - 2);
            at = feed == std::string_view::npos ? cut.begin : std::max(cut.begin, feed + 1);
        }
        return at;
    }

    [[nodiscard]] Error too_long(std::uint64_t offset) const {
        return problem(ErrorCode::corrupt, "the line at byte " + std::to_string(offset) + " is longer than " +
                                               std::to_string(settings_.read_bytes) + " bytes and was passed over");
    }

    /// Only the lines stay in memory, not all that was read to find them.
    void keep(std::string_view lines) {
        std::string kept;
        kept.reserve(lines.size() + padding);
        kept.append(lines).append(padding, '\0');
        buffer_ = std::move(kept);
    }

    [[nodiscard]] Error problem(ErrorCode code, const std::string& what) const {
        return {code, detail::shown_path(place_) + ": " + what};
    }

    FilePlace place_;
    FollowSettings settings_;
    std::string buffer_;
};

}  // namespace heeler::inline HEELER_ABI
