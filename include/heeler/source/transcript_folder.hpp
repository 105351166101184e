// Follows the folder in which a coding agent keeps a file for each event of a session. Needs simdjson (heeler::json).
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/core/source.hpp>
#include <heeler/posix/regular_file.hpp>
#include <heeler/source/transcript/teller.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

/// How such a folder is followed.
struct TranscriptFolderSettings {
    std::size_t read_bytes = 4U << 20;  ///< read by one poll, and the longest file that is not passed over; >= 1 B
    Duration settles = std::chrono::minutes{2};  ///< as in `TranscriptLogSettings`
};

/// A source of what an agent's own session says, from its first event on: a JSON file for each, in the order of the
/// first number in their names ("event-00012-ID.json", "12.json"). It happened when its file was written: these agents'
/// own times are in the zone of whoever wrote them, and do not say which. The files are only read. After a restart what
/// was read before is read once more, and not told again. One thread at a time.
template <class Clock>
class TranscriptFolder {
public:
    explicit TranscriptFolder(FilePlace folder, TranscriptFolderSettings settings = {}, Clock clock = {})
        : folder_{std::move(folder)},
          settings_{settings},
          clock_{std::move(clock)},
          teller_{detail::shown_path(folder_)} {}

    /// What was added since `cursor`. Files that hold no event, and types of events that the format's reader does not
    /// know (each once), become `problems`; the newest file may not be whole yet, and is waited for. A missing or empty
    /// folder says nothing. Error: `io`.
    [[nodiscard]] Result<Polled> poll(std::string_view cursor) {
        teller_.clear();
        auto files = list();
        if (!files) return tl::unexpected<Error>(std::move(files.error()));
        if (cursor != cursor_) restore(cursor, *files);
        Polled polled;
        polled.cursor = std::string{cursor};
        std::size_t bytes = 0;
        for (const Event& event : *files) {
            if (event.number < next_of(cursor)) continue;
            polled.more = bytes >= settings_.read_bytes;
            if (polled.more || !take(event, &event == &files->back(), bytes, polled.problems)) break;
            polled.cursor = std::to_string(event.number + 1);
        }
        teller_.say_unknown(polled.problems);
        teller_.tell(polled, clock_.now().wall, settings_.settles);
        cursor_ = polled.cursor;
        return polled;
    }

    [[nodiscard]] const TranscriptTotals& totals() const noexcept { return teller_.totals(); }
    /// The format's name; empty as long as none was recognised.
    [[nodiscard]] std::string_view format() const { return teller_.format(); }
    [[nodiscard]] const Conversation& conversation() const noexcept { return teller_.conversation(); }

private:
    struct Event {
        std::uint64_t number = 0;
        std::string name{};
    };

    /// The number behind the last event that was told; 0 before the first one.
    [[nodiscard]] static std::uint64_t next_of(std::string_view cursor) { return number_in(cursor).value_or(0); }

    [[nodiscard]] static std::optional<std::uint64_t> number_in(std::string_view text) {
        const std::size_t at = text.find_first_of("0123456789");
        if (at == std::string_view::npos) return std::nullopt;
        std::uint64_t number = 0;
        const auto read = std::from_chars(text.data() + at, text.data() + text.size(), number);
        return read.ec == std::errc{} ? std::optional{number} : std::nullopt;
    }

    [[nodiscard]] Result<std::vector<Event>> list() const {
        namespace fs = std::filesystem;
        std::vector<Event> events;
        std::error_code error;
        const fs::path folder{folder_.path()};
        if (!fs::exists(folder, error)) return events;
        for (fs::directory_iterator file{folder, error}, end; !error && file != end; file.increment(error)) {
            const std::string name = file->path().filename().string();
            if (!name.ends_with(".json")) continue;
            if (const auto number = number_in(name)) events.push_back({*number, name});
        }
        if (error) return fail(ErrorCode::io, "cannot read " + detail::shown_path(folder_) + ": " + error.message());
        std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
            return a.number != b.number ? a.number < b.number : a.name < b.name;
        });
        return events;
    }

    /// False: it is not whole yet.
    [[nodiscard]] bool take(const Event& event, bool newest, std::size_t& bytes, std::vector<Error>& problems) {
        const auto text =
            read_head(FilePlace{folder_.folder, folder_.name + "/" + event.name}, settings_.read_bytes + 1);
        if (text && *text && (*text)->size() <= settings_.read_bytes) {
            bytes += (*text)->size();
            std::error_code gone;
            const auto written = std::filesystem::last_write_time(folder_.path() + "/" + event.name, gone);
            if (!gone) teller_.set_moment(std::chrono::floor<Duration>(std::chrono::file_clock::to_sys(written)));
            if (teller_.take(**text, problems)) return true;
            if (newest) return false;
        }
        const bool too_long = text && *text && (*text)->size() > settings_.read_bytes;
        problems.push_back({ErrorCode::corrupt, detail::shown_path(folder_) + "/" + text::sanitise(event.name, 60) +
                                                    (too_long ? " is too long" : " is no event") +
                                                    ", and passed over"});
        return true;
    }

    void restore(std::string_view cursor, const std::vector<Event>& files) {
        teller_.forget();
        std::vector<Error> problems;
        for (const Event& event : files) {
            std::size_t bytes = 0;
            if (event.number >= next_of(cursor) || !take(event, false, bytes, problems)) break;
            Polled unwanted;
            teller_.tell(unwanted, clock_.now().wall, settings_.settles);
            teller_.clear();
        }
        teller_.say_unknown(problems);
    }

    FilePlace folder_;
    TranscriptFolderSettings settings_;
    Clock clock_;
    detail::TranscriptTeller teller_;
    std::string cursor_;  ///< up to which `teller_` knows the folder
};

}  // namespace heeler::inline HEELER_ABI
