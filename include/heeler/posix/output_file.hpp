// The file that a command writes its output to, read while it grows and kept from growing without end. POSIX.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heeler/posix/file_descriptor.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Copies what `from` holds behind `at`, at most `most` bytes, to the file `to`, anew. False if that was not possible.
[[nodiscard]] inline bool copy_content(const FileDescriptor& from, off_t at, off_t most, const std::string& to) {
    ::unlink(to.c_str());
    const FileDescriptor copy = lifted(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!copy) return false;
    char part[65536];
    for (const off_t end = at + most; at < end;) {
        const ssize_t read = ::pread(from.get(), part, sizeof part, at);
        if (read < 0 && errno == EINTR) continue;
        if (read <= 0) return read == 0;
        at += read;
        for (ssize_t done = 0; done < read;) {
            const ssize_t written = ::write(copy.get(), part + done, static_cast<std::size_t>(read - done));
            if (written < 0 && errno != EINTR) return false;
            if (written > 0) done += written;
        }
    }
    return true;
}

/// How a reader and the file stand to each other. The command writes at the end of the file, wherever that is, and
/// keeps it open: it can be emptied, not replaced.
class OutputFile {
public:
    /// After what was read came to its end. Somebody who emptied the file is followed: what is there now is new.
    /// Whether there is more to read.
    static bool follow(const FileDescriptor& reader) noexcept {
        struct stat file {};
        const off_t at = ::lseek(reader.get(), 0, SEEK_CUR);
        if (at <= 0 || ::fstat(reader.get(), &file) != 0 || file.st_size >= at) return false;
        ::lseek(reader.get(), 0, SEEK_SET);
        return file.st_size > 0;
    }

    /// Goes on near the end if more than `most` bytes wait. How many were skipped.
    static std::uint64_t skip(const FileDescriptor& reader, std::uint64_t most) noexcept {
        struct stat file {};
        const off_t at = ::lseek(reader.get(), 0, SEEK_CUR);
        if (at < 0 || ::fstat(reader.get(), &file) != 0 || file.st_size - at <= static_cast<off_t>(most)) return 0;
        const off_t to = file.st_size - static_cast<off_t>(most / 8);
        ::lseek(reader.get(), to, SEEK_SET);
        return static_cast<std::uint64_t>(to - at);
    }

    /// Empties the file if it holds more than `limit` bytes; the last of them become PATH.1, in place of what that was
    /// before. How many had not been read. What is written between the copy and the emptying is lost.
    static std::uint64_t limit(const FileDescriptor& reader, const std::string& path, std::uint64_t limit) {
        struct stat file {};
        const auto most = static_cast<off_t>(limit);
        if (limit == 0 || ::fstat(reader.get(), &file) != 0 || file.st_size <= most) return 0;
        const std::string kept = path + ".1";
        // A disk that is full is one more reason to empty it.
        if (!copy_content(reader, file.st_size - most, most, kept)) ::unlink(kept.c_str());
        const FileDescriptor writer = lifted(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        struct stat named {};
        const bool same =
            ::fstat(writer.get(), &named) == 0 && named.st_dev == file.st_dev && named.st_ino == file.st_ino;
        const off_t at = ::lseek(reader.get(), 0, SEEK_CUR);
        if (!same || ::fstat(reader.get(), &file) != 0 || ::ftruncate(writer.get(), 0) != 0) return 0;
        ::lseek(reader.get(), 0, SEEK_SET);
        return file.st_size > at ? static_cast<std::uint64_t>(file.st_size - at) : 0;
    }
};

}  // namespace heeler::inline HEELER_ABI::detail
