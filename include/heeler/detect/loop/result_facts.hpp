// Makes the facts of a result out of what the tool answered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <heeler/core/observation.hpp>
#include <heeler/detect/loop/facts.hpp>
#include <heeler/detect/loop/lines.hpp>
#include <heeler/detect/loop/masks.hpp>
#include <heeler/detect/loop/short_answers.hpp>

namespace heeler::inline HEELER_ABI::loops {

namespace detail {

inline constexpr std::uint64_t line_factor = 0x9E3779B97F4A7C15ULL;

/// The number that takes one multiplication with `line_factor` back.
inline constexpr std::uint64_t line_divisor = [] {
    std::uint64_t inverse = line_factor;
    for (int i = 0; i < 6; ++i) inverse *= 2 - line_factor * inverse;
    return inverse;
}();
static_assert(line_factor * line_divisor == 1);

constexpr void append_line(LineSum& sum, const LineFacts& line) noexcept {
    sum.typed = sum.typed * line_factor + line.typed;
    sum.timed = sum.timed * line_factor + line.timed;
}
/// `lines`: how many are left without it.
constexpr void drop_first(LineSum& sum, const LineFacts& line, std::uint32_t lines) noexcept {
    std::uint64_t power = 1, base = line_factor;
    for (std::uint32_t n = lines; n > 0; n >>= 1, base *= base)
        if ((n & 1u) != 0) power *= base;
    sum.typed -= line.typed * power;
    sum.timed -= line.timed * power;
}
constexpr void drop_last(LineSum& sum, const LineFacts& line) noexcept {
    sum.typed = (sum.typed - line.typed) * line_divisor;
    sum.timed = (sum.timed - line.timed) * line_divisor;
}

/// "KeyError: 'x'", "java.io.IOException: ...", "subprocess.CalledProcessError".
[[nodiscard]] constexpr bool begins_with_exception(std::string_view line) noexcept {
    const char* at = line.data();
    const char* end = at + line.size();
    for (;;) {
        const char* last = word_end(at, end);
        if (last == at) return false;
        if (is_exception_name(between(at, last))) return last == end || *last == ':' || is_blank(*last);
        if (last == end || *last != '.') return false;
        at = last + 1;
    }
}

[[nodiscard]] constexpr bool has_letters(std::string_view line, std::uint32_t enough) noexcept {
    for (const char c : line)
        if (is_letter(c) && --enough == 0) return true;
    return false;
}

inline constexpr std::size_t head_bytes = 4096;                     ///< searched for words
inline constexpr std::size_t tail_bytes = 2048;                     ///< likewise
inline constexpr std::size_t masked_head = std::size_t{48} * 1024;  ///< of longer texts the middle is hashed as it is
inline constexpr std::size_t masked_tail = std::size_t{16} * 1024;
inline constexpr std::uint32_t letters_of_a_line = 6;
inline constexpr std::uint32_t letters_of_a_banner = 3;  ///< numbers, whatever they are, are an answer

/// Whether all of a line's words were looked at.
[[nodiscard]] constexpr bool was_searched(const LineFacts& line, std::size_t text_size) noexcept {
    return line.size <= head_bytes &&
           (line.begin < head_bytes || std::size_t{line.begin} + line.size + tail_bytes >= text_size);
}

class ResultReader {
public:
    ResultReader(std::string_view text, ResultFacts& facts) noexcept : text_{text}, reader_{text}, facts_{facts} {}

    void read() noexcept {
        std::string_view line;
        while (reader_.next(line)) add(line);
        take_exit_code();
        for (std::size_t i = 0; i < std::size(facts_.tail) && i < facts_.lines; ++i) {
            LineFacts& made = facts_.tail[i] = newest_[(facts_.lines - 1 - i) % std::size(newest_)];
            const std::string_view line_at = text_.substr(made.begin, made.size);
            if (made.shape == 0 && has_letters(line_at, letters_of_a_banner))
                made.shape = static_cast<std::uint32_t>(shape_hash(line_at));
        }
    }

private:
    void add(std::string_view line) noexcept {
        const std::size_t offset = reader_.offset_of(line);
        LineFacts& made = newest_[facts_.lines % std::size(newest_)];
        made = {};
        made.begin = clamped(offset);
        made.size = clamped(line.size());
        search(made, line, offset);
        const bool kept = facts_.hashed < std::size(facts_.shapes) && has_letters(line, letters_of_a_line);
        if (kept || facts_.lines < std::size(facts_.head))
            hash_with_shape(made, line);
        else
            hash(made, line, offset);
        if (kept) facts_.shapes[facts_.hashed++] = made.shape;
        if (facts_.lines < std::size(facts_.head)) facts_.head[facts_.lines] = made;
        append_line(facts_.sum, made);
        facts_.length += made.size + (facts_.lines > 0 ? 1 : 0);
        ++facts_.lines;
    }
    [[nodiscard]] static std::uint32_t clamped(std::size_t size) noexcept {
        return size < 0xFFFFFFFF ? static_cast<std::uint32_t>(size) : 0xFFFFFFFF;
    }
    /// One of the first lines.
    void hash_with_shape(LineFacts& made, std::string_view line) noexcept {
        const LineHashes hashes = line_hashes(line.substr(0, masked_head));
        note_measures(made, hashes.masked);
        made.typed = hashes.masked.typed;
        made.timed = hashes.masked.timed;
        made.shape = has_letters(line, letters_of_a_banner) ? static_cast<std::uint32_t>(hashes.shape) : 0;
        if (line.size() > masked_head) add_plain(made, line.substr(masked_head));
    }
    void note_measures(const LineFacts& line, const MaskedHashes& hashes) noexcept {
        if (hashes.measures == 0 || (line.said & (said_ack | said_tested | said_strong)) != 0) return;
        facts_.measures += hashes.measures;
        facts_.measured = text::combine(facts_.measured, hashes.measured);
    }
    static void add_plain(LineFacts& made, std::string_view rest) noexcept {
        const std::uint64_t plain = text::fingerprint_text(rest);
        made.typed = text::combine(made.typed, plain);
        made.timed = text::combine(made.timed, plain);
    }
    void hash(LineFacts& made, std::string_view line, std::size_t offset) const noexcept {
        if (offset < masked_head || offset + masked_tail >= text_.size()) {
            const MaskedHashes hashes = masked_hashes(line.substr(0, masked_head));
            made.typed = hashes.typed;
            made.timed = hashes.timed;
            if (line.size() <= masked_head) return;
            line.remove_prefix(masked_head);
        }
        add_plain(made, line);
    }
    void search(LineFacts& made, std::string_view line, std::size_t offset) noexcept {
        std::string_view searched = line;
        if (offset >= head_bytes && offset + line.size() + tail_bytes < text_.size()) return;
        if (searched.size() > head_bytes) searched = searched.substr(0, head_bytes);
        made.said = said_in(searched);
        if ((made.said & said_strong) != 0 && is_warning(searched)) made.said = 0;
        made.begins_with_exception = begins_with_exception(searched);
        if ((made.said & said_exit) != 0) note_exit_code(searched);
        if ((made.said & said_strong) != 0) ++facts_.strong_lines;
        if ((made.said & said_traceback) != 0) facts_.has_traceback = true;
        if (made.begins_with_exception) {
            facts_.exception_line = made;
            facts_.has_exception_line = true;
        }
        const bool quotes_command = line[0] == '$' || line[0] == '>' || line[0] == '+';
        const bool is_behind_head = facts_.lines >= std::size(facts_.head);
        if (is_behind_head && !facts_.has_error_line && (made.said & said_error) != 0 && !quotes_command) {
            facts_.error_line = made;
            facts_.has_error_line = true;
        }
    }

    /// Of the first three lines; behind them the last one counts.
    void note_exit_code(std::string_view line) noexcept {
        const int code = told_exit_code(line);
        if (code < 0 || (exit_line_ < first_lines_ && exit_line_ < facts_.lines)) return;
        exit_line_ = facts_.lines;
        exit_code_ = code;
    }
    /// Deep in a long text it is somebody else's.
    void take_exit_code() noexcept {
        if (exit_code_ < 0 || (exit_line_ >= first_lines_ && exit_line_ + std::size(facts_.tail) < facts_.lines))
            return;
        facts_.failed = exit_code_ != 0;
        facts_.succeeded = exit_code_ == 0;
    }

    static constexpr std::uint32_t first_lines_ = 3;

    std::string_view text_;
    LineReader reader_;
    ResultFacts& facts_;
    int exit_code_ = -1;
    std::uint32_t exit_line_ = 0xFFFFFFFF;
    LineFacts newest_[ResultFacts::tail_lines]{};
};

}  // namespace detail

/// Linear in the text, never allocates. Words are looked for in the first 4 and the last 2 KiB, hashes are of all.
[[nodiscard]] inline ResultFacts facts_of(const ToolResult& result) noexcept {
    ResultFacts facts;
    detail::ResultReader{result.output, facts}.read();
    facts.sha = result.output_sha.empty() ? 0 : text::fingerprint_text(result.output_sha);
    if (result.ok) {
        facts.failed = !*result.ok;
        facts.succeeded = *result.ok;
    }
    return facts;
}

}  // namespace heeler::inline HEELER_ABI::loops
