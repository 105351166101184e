// An issue tracker that is a folder: each issue becomes one Markdown file, for hosts without a tracker at hand.
#pragma once

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <heeler/core/issue.hpp>
#include <heeler/core/result.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/sha256.hpp>

namespace heeler::inline HEELER_ABI {

/// The file name of an issue: what is plain of its key, and 16 digits that differ for different keys. At most 84 bytes.
[[nodiscard]] inline std::string issue_file_name(std::string_view key) {
    std::string name;
    for (const char byte : key.substr(0, 64)) {
        const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
        name += plain || byte == '-' ? byte : '_';
    }
    return name + "-" + sha256_hex(key).substr(0, 16) + ".md";
}

/// The file's content: title, body, and the key that it was filed under.
[[nodiscard]] inline std::string issue_file_text(const Issue& issue) {
    return "# " + one_line(issue.title, 512) + "\n\n" + issue.body + "\n\nKey: " + one_line(issue.key, 512) + "\n";
}

/// Files issues into a folder that exists. A file appears whole or not at all, and a key that was filed before is left
/// as it is. Errors: `invalid_argument` for an empty folder or key, else `failed` with the file and the reason (no such
/// folder, no permission, no space). One thread at a time.
class IssueFolder {
public:
    static constexpr bool idempotent = true;

    explicit IssueFolder(std::string folder) : folder_{std::move(folder)} {}

    [[nodiscard]] Result<ActionDone> file(const Issue& issue) const {
        namespace fs = std::filesystem;
        if (folder_.empty())
            return fail(ErrorCode::invalid_argument, "the folder for issues is empty: say where they are filed");
        if (issue.key.empty())
            return fail(ErrorCode::invalid_argument, "the issue has no key: give every issue a key of its own");
        std::error_code error;
        if (!fs::is_directory(folder_, error))
            return fail(ErrorCode::failed, "cannot file an issue in " + folder_ + ": it is not a folder; create it");
        const fs::path place = fs::path{folder_} / issue_file_name(issue.key);
        if (fs::exists(place, error)) return ActionDone{"already filed as " + place.string()};
        fs::path partial = place;
        partial += ".partial";
        if (auto written = write(partial, issue_file_text(issue)); !written)
            return tl::unexpected<Error>(std::move(written.error()));
        fs::rename(partial, place, error);
        if (!error) return ActionDone{place.string()};
        std::error_code ignored;
        fs::remove(partial, ignored);
        return fail(ErrorCode::failed, "cannot finish " + place.string() + ": " + error.message());
    }

private:
    /// What an earlier, interrupted try left behind is replaced, never followed: a link there could lead anywhere.
    [[nodiscard]] static Result<void> write(const std::filesystem::path& to, const std::string& text) {
        std::error_code error;
        std::filesystem::remove(to, error);
        errno = 0;
        std::FILE* const file = std::fopen(to.string().c_str(), "wbx");
        if (file == nullptr) return cannot_write(to, errno);
        const bool complete = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
        const int reason = errno;
        if (std::fclose(file) == 0 && complete) return {};
        const int number = complete ? errno : reason;
        std::filesystem::remove(to, error);
        return cannot_write(to, number);
    }

    [[nodiscard]] static tl::unexpected<Error> cannot_write(const std::filesystem::path& to, int number) {
        return fail(ErrorCode::failed,
                    "cannot write " + to.string() + ": " + std::error_code{number, std::generic_category()}.message());
    }

    std::string folder_;
};

}  // namespace heeler::inline HEELER_ABI
