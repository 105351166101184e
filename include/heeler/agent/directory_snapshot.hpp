// Saves a copy of a directory under the key of the action that asked for it, so that asking twice saves once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <heeler/core/action.hpp>
#include <heeler/core/result.hpp>

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

[[nodiscard]] inline Result<void> copy_entry(const std::filesystem::directory_entry& entry,
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
        fs::copy_file(entry.path(), target, error);
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
        if (auto copied = copy_entry(*entry, target / entry->path().lexically_relative(source), count); !copied)
            return tl::unexpected<Error>(std::move(copied.error()));
    }
    if (error) return fail(ErrorCode::failed, "cannot read " + source.string() + ": " + error.message());
    return count;
}

}  // namespace detail

/// Copies `source` to `destination/<name of the key>`. Symbolic links stay links, special files are left out, and a
/// copy that was interrupted is begun again. The note says where it is, or "nothing to save" for an empty or unset
/// `source`. Error: `failed`, naming the file and the reason; no partial copy is left under the final name.
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
    if (count) fs::rename(partial, final_place, error);
    if (!count || error) {
        std::error_code ignored;
        fs::remove_all(partial, ignored);
        if (!count) return tl::unexpected<Error>(count.error());
        return fail(ErrorCode::failed, "cannot finish " + final_place.string() + ": " + error.message());
    }
    std::string note = final_place.string() + " (" + std::to_string(count->files) + " files";
    if (count->skipped > 0) note += ", " + std::to_string(count->skipped) + " special or vanished ones left out";
    return ActionDone{note + ")"};
}

}  // namespace heeler::inline HEELER_ABI
