// A regular file that somebody else writes, open for reading only. For sources; what could block is refused unopened.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heeler/core/result.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

[[nodiscard]] inline tl::unexpected<Error> cannot_read(const std::string& path, int number) {
    return fail(ErrorCode::io, "cannot read '" + sanitise(path, 300) + "': " + std::generic_category().message(number));
}

[[nodiscard]] constexpr std::string_view kind_of_file(mode_t mode) noexcept {
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISFIFO(mode)) return "a named pipe";
    if (S_ISSOCK(mode)) return "a socket";
    if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
    return "no regular file";
}

}  // namespace detail

/// Never writes, never locks, never waits for a writer. One thread at a time.
class ReadableFile {
public:
    /// Absent if there is no such file. Errors: `invalid_argument` for an empty path, one with a zero byte in it, or
    /// what is not a regular file; `io` for what cannot be opened.
    [[nodiscard]] static Result<std::optional<ReadableFile>> open(const std::string& path) {
        if (path.empty() || path.find('\0') != std::string::npos)
            return fail(ErrorCode::invalid_argument, "the path '" + sanitise(path, 300) + "' names no file");
        // Looked at first: merely opening a device or a pipe can have effects.
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0) return missing_or_error(path);
        if (!S_ISREG(status.st_mode)) return not_regular(path, status.st_mode);
        ReadableFile file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)};
        if (file.descriptor_ < 0) return missing_or_error(path);
        if (::fstat(file.descriptor_, &status) != 0) return detail::cannot_read(path, errno);
        if (!S_ISREG(status.st_mode)) return not_regular(path, status.st_mode);
        file.size_ = static_cast<std::uint64_t>(status.st_size);
        file.inode_ = status.st_ino;
        return file;
    }

    ReadableFile(ReadableFile&& other) noexcept
        : descriptor_{std::exchange(other.descriptor_, -1)}, size_{other.size_}, inode_{other.inode_} {}
    ReadableFile& operator=(ReadableFile&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        size_ = other.size_;
        inode_ = other.inode_;
        return *this;
    }
    ~ReadableFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    /// In bytes, when it was opened.
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint64_t inode() const noexcept { return inode_; }

    /// Up to `count` bytes from `offset`; fewer where the file ends. Error: an errno value.
    [[nodiscard]] tl::expected<std::string, int> read(std::uint64_t offset, std::size_t count) const {
        std::string bytes(count, '\0');
        std::size_t filled = 0;
        while (filled < count) {
            const ssize_t got =
                ::pread(descriptor_, bytes.data() + filled, count - filled, static_cast<off_t>(offset + filled));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return tl::unexpected<int>(errno);
            if (got == 0) break;
            filled += static_cast<std::size_t>(got);
        }
        bytes.resize(filled);
        return bytes;
    }

private:
    explicit ReadableFile(int descriptor) noexcept : descriptor_{descriptor} {}

    [[nodiscard]] static Result<std::optional<ReadableFile>> missing_or_error(const std::string& path) {
        if (errno == ENOENT) return std::optional<ReadableFile>{};
        return detail::cannot_read(path, errno);
    }

    [[nodiscard]] static tl::unexpected<Error> not_regular(const std::string& path, mode_t mode) {
        return fail(ErrorCode::invalid_argument, "'" + sanitise(path, 300) + "' is " +
                                                     std::string{detail::kind_of_file(mode)} +
                                                     ", but only a regular file can be followed");
    }

    int descriptor_ = -1;
    std::uint64_t size_ = 0;
    std::uint64_t inode_ = 0;
};

}  // namespace heeler::inline HEELER_ABI
