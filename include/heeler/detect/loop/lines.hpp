// Goes over the lines of a result that count: not blank, and not what a harness tells the agent.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include <heeler/detect/loop/word_table.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// The lines of a text without white space at their ends, front to back. Skips blank lines and what stands between
/// `<system-reminder>` and its end.
class LineReader {
public:
    explicit LineReader(std::string_view text, std::size_t from = 0) noexcept
        : begin_{text.data()}, at_{text.data() + from}, end_{text.data() + text.size()} {}

    /// False at the end of the text.
    [[nodiscard]] bool next(std::string_view& line) noexcept {
        while (at_ != end_) {
            const auto* found = static_cast<const char*>(std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_)));
            const char* stop = found != nullptr ? found : end_;
            const char* first = at_;
            at_ = stop == end_ ? stop : stop + 1;
            if (const char* tag = find(first, stop, opening); tag != nullptr) {
                at_ = behind_reminder(tag);
                stop = tag;
            }
            while (stop != first && detail::is_blank(stop[-1])) --stop;
            if (detail::skip_blanks(first, stop) == stop || is_label(first, stop)) continue;
            line = detail::between(first, stop);
            return true;
        }
        return false;
    }
    [[nodiscard]] std::size_t offset_of(std::string_view line) const noexcept {
        return static_cast<std::size_t>(line.data() - begin_);
    }

private:
    static constexpr std::string_view opening = "<system-reminder>";
    static constexpr std::string_view closing = "</system-reminder>";

    /// One agent's shell gives each piece of output a random name.
    [[nodiscard]] static bool is_label(const char* first, const char* last) noexcept {
        return last - first <= 24 && detail::between(first, last).starts_with("Chunk ID: ");
    }
    [[nodiscard]] static const char* find(const char* first, const char* last, std::string_view tag) noexcept {
        const auto place = detail::between(first, last).find(tag);
        return place != std::string_view::npos ? first + place : nullptr;
    }
    /// One that is never closed goes to the end.
    [[nodiscard]] const char* behind_reminder(const char* tag) const noexcept {
        const char* stop = find(tag, end_, closing);
        return stop != nullptr ? stop + closing.size() : end_;
    }

    const char* begin_;
    const char* at_;
    const char* end_;
};

}  // namespace heeler::inline HEELER_ABI::loops
