// Opens files that agents can create or replace: regular ones only, through no link, without waiting for anybody, and
// read or written up to a limit. POSIX.
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
#include <heeler/posix/file_descriptor.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

/// Where a file lies. `folder` is the host's own, and links in it are followed; every part of `name` ("session/inbox")
/// may have been made by an agent, and none of them may be a link.
struct FilePlace {
    std::string folder{};  ///< empty (the working directory), or ends in '/'
    std::string name{};

    FilePlace() = default;
    FilePlace(std::string in, std::string below) : folder{std::move(in)}, name{std::move(below)} {
        if (!folder.empty() && folder.back() != '/') folder += '/';
    }
    /// Of a path, the last part may be an agent's.
    FilePlace(std::string path) : folder{path.substr(0, path.rfind('/') + 1)}, name{path.substr(folder.size())} {}
    FilePlace(const char* path) : FilePlace{std::string{path}} {}

    [[nodiscard]] std::string path() const { return folder + name; }
};

/// A file that is open, as it was then.
struct RegularFile {
    FileDescriptor descriptor{};
    std::uint64_t size = 0;
    std::uint64_t inode = 0;
};

namespace detail {

[[nodiscard]] inline std::string shown_path(const FilePlace& place) {
    return "'" + text::sanitise(place.path(), 300) + "'";
}

[[nodiscard]] inline tl::unexpected<Error> cannot_open(const FilePlace& place, bool writes, int number) {
    return fail(ErrorCode::io, std::string{writes ? "cannot write " : "cannot read "} + shown_path(place) + ": " +
                                   std::generic_category().message(number));
}

[[nodiscard]] constexpr std::string_view kind_of_file(mode_t mode) noexcept {
    if (S_ISLNK(mode)) return "a link";
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISFIFO(mode)) return "a named pipe";
    if (S_ISSOCK(mode)) return "a socket";
    if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
    return "no regular file";
}

[[nodiscard]] inline tl::unexpected<Error> not_regular(const FilePlace& place, mode_t mode) {
    return fail(ErrorCode::invalid_argument,
                shown_path(place) + " is " + std::string{kind_of_file(mode)} + ", but only regular files are opened");
}

/// Whether it names something below its folder.
[[nodiscard]] inline bool names_a_file(std::string_view name) noexcept {
    if (name.find('\0') != std::string_view::npos) return false;
    while (true) {
        const std::size_t end = name.find('/');
        const std::string_view part = name.substr(0, end);
        if (part.empty() || part == "." || part == "..") return false;
        if (end == std::string_view::npos) return true;
        name.remove_prefix(end + 1);
    }
}

#if defined(O_PATH)
inline constexpr int search_folder = O_PATH | O_DIRECTORY | O_CLOEXEC;
#else
inline constexpr int search_folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
#endif

/// The directory that a file lies in, reached without following a link below the host's folder.
struct FileParent {
    FileDescriptor folder{};
    std::string name{};    ///< of the file in it
    int number = 0;        ///< an errno value, if it could not be reached
    bool is_link = false;  ///< on the way
};

[[nodiscard]] inline FileParent file_parent_of(const FilePlace& place) {
    const char* const folder = place.folder.empty() ? "." : place.folder.c_str();
    FileParent parent{FileDescriptor{::open(folder, search_folder)}, place.name};
    for (std::size_t end = 0; parent.folder && (end = parent.name.find('/')) != std::string::npos;) {
        const std::string part = parent.name.substr(0, end);
        struct stat status {};
        const bool link =
            ::fstatat(parent.folder.get(), part.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
        FileDescriptor next{::openat(parent.folder.get(), part.c_str(), search_folder | O_NOFOLLOW)};
        parent.number = errno;
        parent.is_link = !next && link;
        parent.folder = std::move(next);
        parent.name.erase(0, end + 1);
    }
    if (!parent.folder && parent.number == 0) parent.number = errno;
    return parent;
}

}  // namespace detail

/// Opens with `flags`: O_RDONLY, O_WRONLY or O_RDWR, and O_CREAT, O_EXCL or O_APPEND. Absent if there is no such file,
/// or no such folder. Nothing is cut off; what has a second name somewhere is not written to. Errors:
/// `invalid_argument` for what is not a regular file (a link, a named pipe, a device, ...) or names none, `io` for what
/// cannot be opened.
[[nodiscard]] inline Result<std::optional<RegularFile>> open_regular(const FilePlace& place, int flags,
                                                                     mode_t mode = 0666) {
    const bool writes = (flags & O_ACCMODE) != O_RDONLY;
    if (!detail::names_a_file(place.name) || place.folder.find('\0') != std::string::npos)
        return fail(ErrorCode::invalid_argument, "the path " + detail::shown_path(place) + " names no file");
    const auto failed = [&](int number) -> Result<std::optional<RegularFile>> {
        if (number == ENOENT) return std::optional<RegularFile>{};
        if (number == ELOOP) return detail::not_regular(place, S_IFLNK);
        return detail::cannot_open(place, writes, number);
    };
    const detail::FileParent parent = detail::file_parent_of(place);
    if (!parent.folder) return failed(parent.is_link ? ELOOP : parent.number);
    // Looked at first: merely opening a device or a pipe can have effects.
    struct stat status {};
    if (::fstatat(parent.folder.get(), parent.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
        if (!S_ISREG(status.st_mode)) return detail::not_regular(place, status.st_mode);
    } else if (errno != ENOENT || (flags & O_CREAT) == 0) {
        return failed(errno);
    }
    const int safe = (flags & ~O_TRUNC) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    RegularFile file{FileDescriptor{::openat(parent.folder.get(), parent.name.c_str(), safe, mode)}};
    if (!file.descriptor) return failed(errno);
    if (::fstat(file.descriptor.get(), &status) != 0) return failed(errno);
    if (!S_ISREG(status.st_mode)) return detail::not_regular(place, status.st_mode);
    ::fcntl(file.descriptor.get(), F_SETFL, flags & O_APPEND);  // commands may inherit it
    if (writes && status.st_nlink > 1)
        return fail(
            ErrorCode::invalid_argument,
            detail::shown_path(place) + " has a second name, so that it may be another file: it is not written");
    file.size = static_cast<std::uint64_t>(status.st_size);
    file.inode = status.st_ino;
    return file;
}

/// Up to `count` bytes from `offset` of an open file; fewer where it ends. Error: an errno value.
[[nodiscard]] inline tl::expected<std::string, int> read_at(const FileDescriptor& file, std::uint64_t offset,
                                                            std::size_t count) {
    std::string bytes(count, '\0');
    std::size_t filled = 0;
    while (filled < count) {
        const ssize_t got =
            ::pread(file.get(), bytes.data() + filled, count - filled, static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return tl::unexpected<int>(errno);
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    bytes.resize(filled);
    return bytes;
}

/// The first `most` bytes of a file, however long it is; absent if there is none. Errors as of `open_regular`.
[[nodiscard]] inline Result<std::optional<std::string>> read_head(const FilePlace& place, std::size_t most) {
    auto file = open_regular(place, O_RDONLY);
    if (!file) return tl::unexpected<Error>(std::move(file.error()));
    if (!file->has_value()) return std::optional<std::string>{};
    auto text = read_at((*file)->descriptor, 0, most);
    if (!text) return detail::cannot_open(place, false, text.error());
    return std::optional<std::string>{std::move(*text)};
}

/// Writes all of it, from where the descriptor stands. Error: an errno value.
[[nodiscard]] inline tl::expected<void, int> write_all(const FileDescriptor& file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return tl::unexpected<int>(errno);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

/// Appends to a file, which is created with `mode` if it is missing. Errors: as of `open_regular`, and `rejected` if it
/// would be longer than `largest` bytes afterwards.
[[nodiscard]] inline Result<void> append_text(const FilePlace& place, std::string_view text, std::uint64_t largest,
                                              mode_t mode = 0666) {
    auto file = open_regular(place, O_WRONLY | O_APPEND | O_CREAT, mode);
    if (!file) return tl::unexpected<Error>(std::move(file.error()));
    if (!file->has_value()) return detail::cannot_open(place, true, ENOENT);
    if ((*file)->size > largest || text.size() > largest - (*file)->size)
        return fail(ErrorCode::rejected, detail::shown_path(place) + " would become longer than " +
                                             std::to_string(largest) + " bytes: nobody seems to read it");
    if (const auto written = write_all((*file)->descriptor, text); !written)
        return detail::cannot_open(place, true, written.error());
    return {};
}

/// Writes a file as a whole, so that the old content or the new one is there after a crash: first as `NAME.new`. What
/// lies there under one of the two names is replaced, of whatever kind it is; only a directory is an error, `io` like
/// all others.
[[nodiscard]] inline Result<void> replace_file(const FilePlace& place, std::string_view text, mode_t mode = 0666) {
    if (!detail::names_a_file(place.name))
        return fail(ErrorCode::invalid_argument, "the path " + detail::shown_path(place) + " names no file");
    const detail::FileParent parent = detail::file_parent_of(place);
    if (!parent.folder) return detail::cannot_open(place, true, parent.is_link ? ELOOP : parent.number);
    const int folder = parent.folder.get();
    const std::string draft = parent.name + ".new";
    ::unlinkat(folder, draft.c_str(), 0);
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const FileDescriptor file{::openat(folder, draft.c_str(), flags, mode)};
    if (!file) return detail::cannot_open({place.folder, place.name + ".new"}, true, errno);
    auto written = write_all(file, text);
    if (written && ::fsync(file.get()) != 0) written = tl::unexpected<int>(errno);
    if (written && ::renameat(folder, draft.c_str(), folder, parent.name.c_str()) != 0)
        written = tl::unexpected<int>(errno);
    if (!written) {
        ::unlinkat(folder, draft.c_str(), 0);
        return detail::cannot_open(place, true, written.error());
    }
    const FileDescriptor renamed{::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!renamed || ::fsync(renamed.get()) != 0) return detail::cannot_open(place, true, errno);
    return {};
}

/// Whether there is something, of whatever kind. Nothing is opened.
[[nodiscard]] inline bool lies_there(const FilePlace& place) {
    if (!detail::names_a_file(place.name)) return false;
    const detail::FileParent parent = detail::file_parent_of(place);
    struct stat status {};
    return parent.folder && ::fstatat(parent.folder.get(), parent.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace heeler::inline HEELER_ABI
