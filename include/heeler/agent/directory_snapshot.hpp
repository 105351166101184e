// Saves a copy of a directory under the key of the action that asked for it, so that asking twice saves once. POSIX.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <heeler/core/action.hpp>
#include <heeler/core/result.hpp>
#include <heeler/posix/regular_file.hpp>
#include <heeler/text/sha256.hpp>

namespace heeler::inline HEELER_ABI {

/// A file name for any key: readable, at most 81 bytes, different for different keys.
[[nodiscard]] inline std::string snapshot_name(std::string_view key) {
    std::uint64_t digest = 14695981039346656037U;  // FNV-1a
    std::string name;
    for (const char byte : key) {
        digest = (digest ^ static_cast<unsigned char>(byte)) * 1099511628211U;
        const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
        if (name.size() < 64) name.push_back(plain || byte == '-' ? byte : '_');
    }
    name.push_back('-');
    for (int shift = 60; shift >= 0; shift -= 4) name.push_back("0123456789abcdef"[(digest >> shift) & 15U]);
    return name;
}

namespace detail {

struct CopyCount {
    std::size_t files = 0;
    std::size_t skipped = 0;  ///< sockets, pipes, devices, and files that vanished meanwhile
};

/// Where the next bytes that are no hole begin and end, from `at` on; empty at `size` if there are none.
[[nodiscard]] inline std::pair<std::uint64_t, std::uint64_t> next_data(const FileDescriptor& file, std::uint64_t at,
                                                                       std::uint64_t size) noexcept {
#if defined(SEEK_DATA) && defined(SEEK_HOLE)
    const off_t begin = ::lseek(file.get(), static_cast<off_t>(at), SEEK_DATA);
    if (begin < 0 && errno == ENXIO) return {size, size};
    const off_t end = begin < 0 ? begin : ::lseek(file.get(), begin, SEEK_HOLE);
    if (end >= 0) return {static_cast<std::uint64_t>(begin), std::min(static_cast<std::uint64_t>(end), size)};
#endif
    return {at, size};
}

/// As many bytes as there were when it was opened, and holes as holes: no copy is larger than what is copied. Error: an
/// errno value.
[[nodiscard]] inline tl::expected<void, int> copy_data(const RegularFile& from, const FileDescriptor& to) {
    constexpr std::uint64_t most = 1 << 20;
    for (std::uint64_t at = 0; at < from.size;) {
        const auto [begin, end] = next_data(from.descriptor, at, from.size);
        if (begin >= end) break;
        const auto part = read_at(from.descriptor, begin, static_cast<std::size_t>(std::min(most, end - begin)));
        if (!part) return tl::unexpected<int>(part.error());
        if (part->empty()) break;
        if (::lseek(to.get(), static_cast<off_t>(begin), SEEK_SET) < 0) return tl::unexpected<int>(errno);
        if (const auto written = write_all(to, *part); !written) return written;
        at = begin + part->size();
    }
    if (::ftruncate(to.get(), static_cast<off_t>(from.size)) != 0) return tl::unexpected<int>(errno);
    return {};
}

/// Permissions stay, apart from those that lend them. False if it is no regular file any more.
[[nodiscard]] inline Result<bool> copy_regular(const FilePlace& from, const std::filesystem::path& target) {
    auto file = open_regular(from, O_RDONLY);
    if (!file && file.error().code == ErrorCode::invalid_argument) return false;
    if (!file) return fail(ErrorCode::failed, file.error().message);
    if (!file->has_value()) return false;
    struct stat status {};
    const FileDescriptor to{::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
    const bool opened = to && ::fstat((*file)->descriptor.get(), &status) == 0;
    const auto copied = opened ? copy_data(**file, to) : tl::unexpected<int>(errno);
    if (copied && ::fchmod(to.get(), status.st_mode & 0777) == 0) return true;
    return tl::unexpected<Error>(system_error("cannot save " + from.path(), copied ? errno : copied.error()));
}

[[nodiscard]] inline Result<void> copy_entry(const std::filesystem::directory_entry& entry, const FilePlace& from,
                                             const std::filesystem::path& target, CopyCount& count) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_status status = entry.symlink_status(error);
    if (fs::is_symlink(status)) {
        fs::copy_symlink(entry.path(), target, error);
    } else if (fs::is_directory(status)) {
        fs::create_directory(target, error);
        return error ? Result<void>(fail(ErrorCode::failed, target.string() + ": " + error.message())) : Result<void>();
    } else if (fs::is_regular_file(status)) {
        const auto copied = copy_regular(from, target);
        if (!copied) return tl::unexpected<Error>(copied.error());
        ++(*copied ? count.files : count.skipped);
        return {};
    } else {
        ++count.skipped;
        return {};
    }
    if (error == std::errc::no_such_file_or_directory) {
        ++count.skipped;
        return {};
    }
    if (error) return fail(ErrorCode::failed, "cannot save " + entry.path().string() + ": " + error.message());
    ++count.files;
    return {};
}

/// Copies everything below `source`, but not `excluded`, which may lie inside it.
[[nodiscard]] inline Result<CopyCount> copy_tree(const std::filesystem::path& source,
                                                 const std::filesystem::path& target,
                                                 const std::filesystem::path& excluded) {
    namespace fs = std::filesystem;
    std::error_code error;
    CopyCount count;
    fs::recursive_directory_iterator entry(source, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_directory(ignored) && fs::equivalent(entry->path(), excluded, ignored)) {
            entry.disable_recursion_pending();
            continue;
        }
        const fs::path below = entry->path().lexically_relative(source);
        if (auto copied = copy_entry(*entry, {source.string(), below.string()}, target / below, count); !copied)
            return tl::unexpected<Error>(std::move(copied.error()));
    }
    if (error) return fail(ErrorCode::failed, "cannot read " + source.string() + ": " + error.message());
    return count;
}

/// So many bytes are digested at once.
inline constexpr std::size_t digest_block = 1 << 16;

/// Of its size, and of each block in which there is anything but zeros, with its place: a hole is as many zeros.
[[nodiscard]] inline Result<std::string> content_digest(const FilePlace& place) {
    const auto file = open_regular(place, O_RDONLY);
    if (!file) return tl::unexpected<Error>(file.error());
    if (!file->has_value()) return cannot_open(place, false, ENOENT);
    const RegularFile& from = **file;
    std::string digest = text::sha256_hex(std::to_string(from.size));
    for (std::uint64_t at = 0; at < from.size;) {
        const auto [begin, end] = next_data(from.descriptor, at, from.size);
        if (begin >= end) break;
        const std::uint64_t block = begin / digest_block * digest_block;
        const auto part = read_at(from.descriptor, block, digest_block);
        if (!part) return cannot_open(place, false, part.error());
        if (part->empty()) break;
        if (part->find_first_not_of('\0') != std::string::npos)
            digest = text::sha256_hex(digest + std::to_string(block) + " " + *part);
        at = block + digest_block;
    }
    return digest;
}

/// What a directory entry is, in one line; empty: it is no part of a snapshot.
[[nodiscard]] inline Result<std::string> entry_line(const std::filesystem::directory_entry& entry,
                                                    const FilePlace& place) {
    std::error_code error;
    const auto status = entry.symlink_status(error);
    std::string line;
    if (std::filesystem::is_symlink(status)) {
        line = "link " + text::sha256_hex(std::filesystem::read_symlink(entry.path(), error).string());
    } else if (std::filesystem::is_directory(status)) {
        line = "directory -";
    } else if (std::filesystem::is_regular_file(status)) {
        auto content = content_digest(place);
        if (!content) return content;
        line = "file " + *content;
    }
    if (error) return fail(ErrorCode::failed, "cannot read " + place.path() + ": " + error.message());
    return line.empty() ? line : line + " " + text::sha256_hex(place.name);
}

}  // namespace detail

/// The SHA-256 of what a snapshot holds, as 64 hexadecimal digits: names, links and content, not rights or times. It is
/// the same wherever the snapshot was moved to, so that one that nobody changed can be told before a run goes on from
/// it. Error: `failed` or `io`, naming what cannot be read.
[[nodiscard]] inline Result<std::string> snapshot_digest(const std::string& directory) {
    namespace fs = std::filesystem;
    std::error_code error;
    std::vector<std::string> lines;
    fs::recursive_directory_iterator entry(directory, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        auto line = detail::entry_line(*entry, {directory, entry->path().lexically_relative(directory).string()});
        if (!line) return line;
        if (!line->empty()) lines.push_back(std::move(*line));
    }
    if (error) return fail(ErrorCode::failed, "cannot read " + directory + ": " + error.message());
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return text::sha256_hex(all);
}

/// Copies `source` to `destination/<name of the key>`. Symbolic links stay links, special files are left out, and a
/// copy that was interrupted is begun again. The note says where it is and its `snapshot_digest`, or "nothing to
/// save" for an empty or unset `source`. Error: `failed`, naming the file and the reason; no partial copy is left under
/// the final name.
[[nodiscard]] inline Result<ActionDone> save_directory(const std::string& source, const std::string& destination,
                                                       std::string_view key) {
    namespace fs = std::filesystem;
    if (source.empty()) return ActionDone{"nothing to save"};
    std::error_code error;
    if (!fs::is_directory(source, error))
        return fail(ErrorCode::failed, "cannot save " + source + ": it is not a directory that can be read");
    if (fs::is_empty(source, error)) return ActionDone{"nothing to save"};
    if (destination.empty())
        return fail(ErrorCode::invalid_argument, "snapshot_destination is empty: say where " + source + " is saved");
    const fs::path final_place = fs::path(destination) / snapshot_name(key);
    if (fs::exists(final_place, error)) return ActionDone{"already saved in " + final_place.string()};
    fs::path partial = final_place;
    partial += ".partial";
    fs::remove_all(partial, error);
    fs::create_directories(partial, error);
    if (error) return fail(ErrorCode::failed, "cannot create " + partial.string() + ": " + error.message());
    const auto count = detail::copy_tree(source, partial, destination);
    const auto digest = count ? snapshot_digest(partial.string()) : tl::unexpected<Error>(count.error());
    if (digest) fs::rename(partial, final_place, error);
    if (!digest || error) {
        std::error_code ignored;
        fs::remove_all(partial, ignored);
        if (!digest) return tl::unexpected<Error>(digest.error());
        return fail(ErrorCode::failed, "cannot finish " + final_place.string() + ": " + error.message());
    }
    std::string note = final_place.string() + " (" + std::to_string(count->files) + " files";
    if (count->skipped > 0) note += ", " + std::to_string(count->skipped) + " special or vanished ones left out";
    return ActionDone{note + ", sha256 " + *digest + ")"};
}

}  // namespace heeler::inline HEELER_ABI
