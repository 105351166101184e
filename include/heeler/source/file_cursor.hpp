// How far a growing file was read, as a small text that a store can keep, and whether the file is still the same one.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/result.hpp>
#include <heeler/posix/readable_file.hpp>
#include <heeler/text/fingerprint.hpp>

namespace heeler::inline HEELER_ABI {

/// A place in one file. The device is left out: its number changes when the machine starts again.
struct FileCursor {
    std::uint64_t inode = 0;
    std::uint64_t offset = 0;  ///< where to go on
    bool inside_line = false;  ///< what follows, up to the next line feed, belongs to a line that is passed over
    std::uint64_t print = 0;   ///< of what was read: its first bytes and its last
};

[[nodiscard]] inline std::string write_cursor(const FileCursor& cursor) {
    std::string text = "f1";
    for (const std::uint64_t value :
         {cursor.inode, cursor.offset, std::uint64_t{cursor.inside_line ? 1U : 0U}, cursor.print}) {
        std::array<char, 16> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
        text += '-';
        text.append(digits.data(), end);
    }
    return text;
}

/// Absent for text that `write_cursor` has not made.
[[nodiscard]] inline std::optional<FileCursor> parse_cursor(std::string_view text) noexcept {
    if (!text.starts_with("f1")) return std::nullopt;
    text.remove_prefix(2);
    std::array<std::uint64_t, 4> values{};
    for (std::uint64_t& value : values) {
        if (!text.starts_with('-')) return std::nullopt;
        const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), value, 16);
        if (error != std::errc{}) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
    if (!text.empty() || values[2] > 1) return std::nullopt;
    return FileCursor{values[0], values[1], values[2] == 1, values[3]};
}

/// The beginning of a file: nothing of it was read.
[[nodiscard]] inline FileCursor beginning_of(std::uint64_t inode) noexcept {
    return {inode, 0, false, text::combine(text::fingerprint_text(""), text::fingerprint_text(""))};
}

/// A fingerprint of the first and the last KiB in front of `offset`. Error: an errno value.
[[nodiscard]] inline tl::expected<std::uint64_t, int> print_until(const ReadableFile& file, std::uint64_t offset) {
    const std::uint64_t size = std::min<std::uint64_t>(offset, 1024);
    const auto first = file.read(0, static_cast<std::size_t>(size));
    if (!first) return tl::unexpected<int>(first.error());
    const auto last = file.read(offset - size, static_cast<std::size_t>(size));
    if (!last) return tl::unexpected<int>(last.error());
    return text::combine(text::fingerprint_text(*first), text::fingerprint_text(*last));
}

}  // namespace heeler::inline HEELER_ABI
