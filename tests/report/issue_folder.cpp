#include <heeler/report/issue_folder.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace fs = std::filesystem;
using heeler::ErrorCode;
using heeler::Issue;
using heeler::issue_file_name;
using heeler::IssueFolder;

static_assert(heeler::IssueSinkLike<IssueFolder>);
static_assert(IssueFolder::idempotent);

namespace {

/// An empty folder that is gone afterwards.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("heeler-issues-" + std::to_string(::getpid()));

    Folder() {
        fs::remove_all(path);
        fs::create_directory(path);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path); }

    [[nodiscard]] std::ptrdiff_t files() const { return std::distance(fs::directory_iterator{path}, {}); }
};

/// No file can grow beyond `bytes` while it lives: what a full disk looks like.
struct FullDisk {
    rlimit before{};
    void (*handler)(int) = std::signal(SIGXFSZ, SIG_IGN);

    explicit FullDisk(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &before);
        const rlimit limit{bytes, before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
    }
};

std::string content_of(const fs::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

Issue issue() {
    Issue made;
    made.key = "abcdef1234567/1/issue";
    made.title = "[Watchdog] Session abcdef12 had critical issues";
    made.body = "Session: abcdef1234567\n\n- Silent for 10 minutes\n- Looping: Bash called 5 times consecutively";
    return made;
}

}  // namespace

TEST_CASE("an issue becomes one file with title, body and key [M-104]") {
    const Folder folder;
    const auto filed = IssueFolder{folder.path.string()}.file(issue());
    REQUIRE(filed);
    CHECK(filed->note == (folder.path / issue_file_name(issue().key)).string());
    CHECK(folder.files() == 1);
    CHECK(content_of(filed->note) ==
          "# [Watchdog] Session abcdef12 had critical issues\n\n"
          "Session: abcdef1234567\n\n- Silent for 10 minutes\n- Looping: Bash called 5 times consecutively\n\n"
          "Key: abcdef1234567/1/issue\n");
}

TEST_CASE("what comes next and the command that stops it stand in the file as they are") {
    const Folder folder;
    Issue made = issue();
    const std::string end =
        "\nNext: judged again at 08:00\nStop: heeler-ctl snooze --for 2h -- 'it'\\''s `a`; <b> *c*'\n";
    made.body += end;
    const auto filed = IssueFolder{folder.path.string()}.file(made);
    REQUIRE(filed);
    CHECK_THAT(content_of(filed->note), ContainsSubstring(end));
}

TEST_CASE("the same key is filed once, and the first file stays [M-104]") {
    const Folder folder;
    IssueFolder sink{folder.path.string()};
    REQUIRE(sink.file(issue()));
    Issue again = issue();
    again.body = "something else";
    const auto filed = sink.file(again);
    REQUIRE(filed);
    CHECK_THAT(filed->note, ContainsSubstring("already filed as " + folder.path.string()));
    CHECK(folder.files() == 1);
    CHECK(content_of(folder.path / issue_file_name(again.key)).find("something else") == std::string::npos);

    again.key = "abcdef1234567/2/issue";
    REQUIRE(sink.file(again));
    CHECK(folder.files() == 2);
}

TEST_CASE("file names are safe and differ for different keys") {
    const auto escaping = issue_file_name("../../etc/passwd\n\xC3\xA4");
    CHECK(escaping.find_first_of("/\n.") == escaping.size() - 3);
    CHECK(issue_file_name("a/b") != issue_file_name("a_b"));
    CHECK(issue_file_name("a/b") == issue_file_name("a/b"));
    const std::string same(100, 'k');
    CHECK(issue_file_name(same + "1") != issue_file_name(same + "2"));
    CHECK(issue_file_name(same).size() == 84);
}

TEST_CASE("an issue is readable by its owner alone [M-184]") {
    const Folder folder;
    const mode_t before = ::umask(0);
    REQUIRE(IssueFolder{folder.path.string()}.file(issue()));
    ::umask(before);
    for (const auto& file : fs::directory_iterator{folder.path})
        CHECK(file.status().permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a title stays a heading") {
    Issue made = issue();
    made.title = "one\n# two";
    CHECK(heeler::issue_file_text(made).starts_with("# one # two\n\n"));
}

TEST_CASE("what lies in the place of an issue and is none is replaced, and never followed") {
    const std::string what = GENERATE("interrupted", "link", "pipe");
    const Folder folder;
    const fs::path place = folder.path / issue_file_name(issue().key);
    const fs::path elsewhere = folder.path / "elsewhere";
    std::ofstream{elsewhere} << "precious";
    for (const std::string& path : {place.string(), place.string() + ".new"}) {
        if (what == "link") fs::create_symlink(elsewhere, path);
        if (what == "pipe") REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    }
    if (what == "interrupted") std::ofstream{place.string() + ".new"} << "half";
    REQUIRE(IssueFolder{folder.path.string()}.file(issue()));
    CHECK(content_of(elsewhere) == "precious");
    CHECK(fs::is_regular_file(fs::symlink_status(place)));
    CHECK(content_of(place).starts_with("# [Watchdog]"));
    CHECK(folder.files() == 2);
}

TEST_CASE("a folder that agents may have made is not followed, one that the host names is") {
    const Folder folder;
    fs::create_directory(folder.path / "real");
    fs::create_directory_symlink(folder.path / "real", folder.path / "issues");
    const auto refused = IssueFolder{folder.path.string(), "issues"}.file(issue());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::failed);
    CHECK(fs::is_empty(folder.path / "real"));
    CHECK(IssueFolder{folder.path.string(), "real"}.file(issue()));
    CHECK(IssueFolder{(folder.path / "issues").string()}.file(issue()));
}

TEST_CASE("what keeps an issue from being filed is named [M-104]") {
    const Folder folder;
    SECTION("no folder was given") {
        const auto filed = IssueFolder{""}.file(issue());
        REQUIRE_FALSE(filed);
        CHECK(filed.error().code == ErrorCode::invalid_argument);
    }
    SECTION("no key was given") {
        const auto filed = IssueFolder{folder.path.string()}.file(Issue{});
        REQUIRE_FALSE(filed);
        CHECK(filed.error().code == ErrorCode::invalid_argument);
        CHECK(folder.files() == 0);
    }
    SECTION("the folder is not there") {
        const auto filed = IssueFolder{(folder.path / "missing").string()}.file(issue());
        REQUIRE_FALSE(filed);
        CHECK(filed.error().code == ErrorCode::failed);
        CHECK_THAT(filed.error().message, ContainsSubstring("missing") && ContainsSubstring("create it"));
    }
    SECTION("the folder cannot be written, not even by root") {
        const auto filed = IssueFolder{"/proc"}.file(issue());
        REQUIRE_FALSE(filed);
        CHECK(filed.error().code == ErrorCode::failed);
        CHECK_THAT(filed.error().message, ContainsSubstring("cannot write '/proc/abcdef1234567_1_issue"));
    }
    SECTION("the disk is full") {
        Issue large = issue();
        large.body = std::string(100'000, 'x');
        const auto filed = [&] {
            const FullDisk full{8192};
            return IssueFolder{folder.path.string()}.file(large);
        }();
        REQUIRE_FALSE(filed);
        CHECK(filed.error().code == ErrorCode::failed);
        CHECK_THAT(filed.error().message, ContainsSubstring("cannot write") && ContainsSubstring("arge"));
        CHECK(folder.files() == 0);
        CHECK(IssueFolder{folder.path.string()}.file(large));
    }
}
