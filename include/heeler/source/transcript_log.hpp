// Follows the session file of a coding agent while it grows. Needs simdjson (heeler::json).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/core/source.hpp>
#include <heeler/source/file_cursor.hpp>
#include <heeler/source/line_follower.hpp>
#include <heeler/source/transcript.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

/// How a session file is followed.
struct TranscriptLogSettings {
    std::size_t read_bytes = 4U << 20;         ///< read by one poll; a longer line is passed over; 1 B to 64 MiB
    std::uint64_t backlog_bytes = 256U << 20;  ///< with more than this unread, only the newest part is; >= read_bytes
    /// An agent that has spoken has ended its turn when nothing followed for so long, unless its format says so at
    /// once.
    Duration settles = std::chrono::minutes{2};
};

/// What a session came to, as far as it was read.
struct TranscriptTotals {
    std::uint64_t calls = 0;
    UsageTotals usage{};
    std::string doing{};             ///< name of the newest call that has no result; empty: none
    bool waits = false;              ///< for a person
    std::optional<WallTime> last{};  ///< when something happened; absent: nothing says when
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
          lines_{place_, {0, settings.read_bytes, settings.backlog_bytes}} {}

    /// What the file says since `cursor`. Lines that cannot be read, types of lines that the format's reader does not
    /// know (each once) and files in no known format become `problems`. A missing or empty file says nothing. Errors:
    /// `invalid_argument` for wrong settings and for what is no regular file, `io`.
    [[nodiscard]] Result<Polled> poll(std::string_view cursor) {
        transcript_.conversation().clear();
        if (cursor != cursor_) restore(cursor);
        auto place = cursor.empty() ? beginning() : Result<std::string>{std::string{cursor}};
        if (!place) return tl::unexpected<Error>(std::move(place.error()));
        Polled polled;
        if (place->empty()) return polled;
        auto lines = lines_.read(*place);
        if (!lines) return tl::unexpected<Error>(std::move(lines.error()));
        if (lines->anew) forget();
        polled.problems = std::move(lines->problems);
        polled.more = lines->more;
        polled.cursor = std::move(lines->cursor);
        read(*lines, polled.problems);
        tell(polled);
        cursor_ = polled.cursor;
        return polled;
    }

    [[nodiscard]] const TranscriptTotals& totals() const noexcept { return totals_; }
    /// The format's name; empty as long as none was recognised.
    [[nodiscard]] std::string_view format() const { return transcript_.format(); }

private:
    /// A format shows itself early, or it is none.
    static constexpr std::size_t lines_to_recognise = 50;

    /// Where the file begins; empty if there is none.
    [[nodiscard]] Result<std::string> beginning() const {
        const auto file = ReadableFile::open(place_);
        if (!file) return tl::unexpected<Error>(file.error());
        return file->has_value() ? write_cursor(beginning_of((*file)->inode())) : std::string{};
    }

    void forget() {
        transcript_ = Transcript{};
        totals_ = {};
        open_.clear();
        unread_.clear();
        known_as_unknown_.clear();
    }

    /// Reads again, up to the cursor, what a process before this one has told, or what could not be stored.
    void restore(std::string_view cursor) {
        forget();
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
            tell(unwanted);
            transcript_.conversation().clear();
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
            if (line.find_first_not_of(" \t\r") != std::string_view::npos && !take(line, problems) && corrupt++ == 0)
                first_corrupt = lines.offset + at;
            at += size + 1;
        }
        if (corrupt > 0)
            problems.push_back({ErrorCode::corrupt, detail::shown_path(place_) + ": " + std::to_string(corrupt) +
                                                        (corrupt == 1 ? " line is no JSON" : " lines are no JSON") +
                                                        ", first at byte " + std::to_string(first_corrupt)});
        for (const auto& [type, count] : transcript_.conversation().unknown())
            if (known_as_unknown_.insert(type).second)
                problems.push_back(
                    {ErrorCode::unsupported, detail::shown_path(place_) + ": '" + text::sanitise(type, 60) +
                                                 "' is not known in the format " + std::string{format()} +
                                                 "; such lines are passed over"});
    }

    /// Lines before the first one that shows the format may be part of the conversation, and wait for it.
    [[nodiscard]] bool take(std::string_view line, std::vector<Error>& problems) {
        if (!format().empty()) return transcript_.read(line).has_value();
        if (unread_.size() >= lines_to_recognise) return true;
        unread_.emplace_back(line);
        if (transcript_.recognise(line)) {
            bool read = true;
            for (const std::string& each : std::exchange(unread_, {})) read &= transcript_.read(each).has_value();
            return read;
        }
        if (unread_.size() == lines_to_recognise)
            problems.push_back({ErrorCode::unsupported,
                                detail::shown_path(place_) + ": it is in no format of a session that is known"});
        return true;
    }

    void tell(Polled& polled) {
        Conversation& told = transcript_.conversation();
        for (const TranscriptEvent& event : told.events()) note(event);
        const std::size_t noted = told.events().size();
        const WallTime now = clock_.now().wall;
        if (!polled.more && totals_.last.value_or(now) + settings_.settles <= now) told.pause();
        for (std::size_t i = noted; i < told.events().size(); ++i) note(told.events()[i]);
        for (const TranscriptEvent& event : told.events())
            polled.events.push_back({event.run.empty() ? event.what : Reported{SignOfLife{"sub-agent"}}, event.at});
        polled.began = told.began();
        if (!polled.cursor.empty()) polled.calls = totals_.calls;
    }

    void note(const TranscriptEvent& event) {
        if (event.at && (!totals_.last || *event.at > *totals_.last)) totals_.last = event.at;
        if (!event.run.empty()) return;
        if (const auto* call = std::get_if<ToolCall>(&event.what)) {
            ++totals_.calls;
            open_.emplace_back(call->call_id, call->name);
        } else if (const auto* result = std::get_if<ToolResult>(&event.what)) {
            const auto answered = [&](const auto& each) { return each.first == result->call_id; };
            const auto at = std::find_if(open_.begin(), open_.end(), answered);
            if (at != open_.end()) open_.erase(at);
        } else if (const auto* usage = std::get_if<Usage>(&event.what)) {
            totals_.usage.tokens_in += usage->tokens_in;
            totals_.usage.tokens_out += usage->tokens_out;
            totals_.usage.api_calls += usage->api_calls;
            totals_.usage.cost_usd += usage->cost_usd;
        } else if (const auto* change = std::get_if<StateChange>(&event.what)) {
            totals_.waits = change->state == RunState::waiting_human;
        }
        // Whoever is spoken to begins anew: calls that nobody answered are over.
        if (const auto* message = std::get_if<Message>(&event.what); message && !message->from_assistant) open_.clear();
        totals_.doing = open_.empty() ? std::string{} : open_.back().second;
    }

    FilePlace place_;
    TranscriptLogSettings settings_;
    Clock clock_;
    LineFollower lines_;
    Transcript transcript_;
    TranscriptTotals totals_;
    std::vector<std::pair<std::string, std::string>> open_;  ///< calls without a result: id and name
    std::vector<std::string> unread_;                        ///< lines before the format was recognised
    std::set<std::string> known_as_unknown_;                 ///< types of lines, each named once
    std::string cursor_;                                     ///< up to which `transcript_` knows the file
};

}  // namespace heeler::inline HEELER_ABI
