// An issue tracker that is a folder: each issue becomes one Markdown file, for hosts without a tracker at hand.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <heeler/core/issue.hpp>
#include <heeler/core/result.hpp>
#include <heeler/posix/regular_file.hpp>
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
    return name + "-" + text::sha256_hex(key).substr(0, 16) + ".md";
}

/// The file's content: title, body, and the key that it was filed under.
[[nodiscard]] inline std::string issue_file_text(const Issue& issue) {
    return "# " + text::one_line(issue.title, 512) + "\n\n" + issue.body +
           "\n\nKey: " + text::one_line(issue.key, 512) + "\n";
}

/// Files issues into a folder that exists. A file is readable by its owner alone, appears whole or not at all, and a
/// key that was filed before is left as it is. Errors: `invalid_argument` for an empty folder or key, else `failed`
/// with the file and the reason (no such folder, no permission, no space). One thread at a time.
class IssueFolder {
public:
    static constexpr bool idempotent = true;

    /// `below`: a folder in `folder` that agents may have made; no part of it may be a link.
    explicit IssueFolder(std::string folder, std::string below = {})
        : folder_{std::move(folder)}, below_{std::move(below)} {}

    [[nodiscard]] Result<ActionDone> file(const Issue& issue) const {
        if (folder_.empty())
            return fail(ErrorCode::invalid_argument, "the folder for issues is empty: say where they are filed");
        if (issue.key.empty())
            return fail(ErrorCode::invalid_argument, "the issue has no key: give every issue a key of its own");
        std::error_code error;
        if (!std::filesystem::is_directory(std::filesystem::path{folder_} / below_, error))
            return fail(ErrorCode::failed, "cannot file an issue in " + folder_ + (below_.empty() ? "" : "/" + below_) +
                                               ": it is not a folder; create it");
        const std::string name = issue_file_name(issue.key);
        const FilePlace place{folder_, below_.empty() ? name : below_ + "/" + name};
        const auto filed = open_regular(place, O_RDONLY);
        if (filed && *filed) return ActionDone{"already filed as " + place.path()};
        const auto written = replace_file(place, issue_file_text(issue), 0600);
        if (!written) return fail(ErrorCode::failed, written.error().message);
        return ActionDone{place.path()};
    }

private:
    std::string folder_;
    std::string below_;
};

}  // namespace heeler::inline HEELER_ABI
