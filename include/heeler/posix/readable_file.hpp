// A regular file that somebody else writes, open for reading only. For sources; what could block is refused unopened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <heeler/core/result.hpp>
#include <heeler/posix/regular_file.hpp>

namespace heeler::inline HEELER_ABI {

/// Never writes, never locks, never waits for a writer, follows no link. One thread at a time.
class ReadableFile {
public:
    /// Absent if there is no such file. Errors: `invalid_argument` for an empty path, one with a zero byte in it, or
    /// what is not a regular file; `io` for what cannot be opened.
    [[nodiscard]] static Result<std::optional<ReadableFile>> open(const FilePlace& place) {
        auto file = open_regular(place, O_RDONLY);
        if (!file) return tl::unexpected<Error>(std::move(file.error()));
        if (!file->has_value()) return std::optional<ReadableFile>{};
        return ReadableFile{std::move(**file)};
    }

    /// In bytes, when it was opened.
    [[nodiscard]] std::uint64_t size() const noexcept { return file_.size; }
    [[nodiscard]] std::uint64_t inode() const noexcept { return file_.inode; }

    /// Up to `count` bytes from `offset`; fewer where the file ends. Error: an errno value.
    [[nodiscard]] tl::expected<std::string, int> read(std::uint64_t offset, std::size_t count) const {
        return read_at(file_.descriptor, offset, count);
    }

private:
    explicit ReadableFile(RegularFile file) noexcept : file_{std::move(file)} {}

    RegularFile file_;
};

}  // namespace heeler::inline HEELER_ABI
