#include <heeler/source/line_follower.hpp>

#include <chrono>

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;

namespace {

/// Follows the log and remembers the cursor, as the engine does.
struct Reader {
    explicit Reader(const ScratchLog& log, FollowSettings settings = {}) : follower{log.path(), settings} {}

    std::string next() {
        const auto found = follower.read(cursor);
        if (!found) return "error: " + found.error().message;
        cursor = found->cursor;
        more = found->more;
        problems.clear();
        for (const Error& problem : found->problems) problems += problem.message + "\n";
        offset = found->offset;
        const char* const behind = found->text.data() + found->text.size();
        if (!found->text.empty() &&
            std::string_view{behind, LineFollower::padding}.find_first_not_of('\0') != std::string_view::npos)
            return "no padding";
        return std::string{found->text};
    }

    LineFollower follower;
    std::string cursor;
    std::string problems;
    std::uint64_t offset = 0;
    bool more = false;
};

/// Memory that was ever in use; 0 where a sanitizer keeps what was freed.
long peak_kib() {
#if defined(__SANITIZE_ADDRESS__)
    return 0;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return 0;
#endif
#endif
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

}  // namespace

TEST_CASE("a file is followed as it grows, half lines wait") {
    const ScratchLog log;
    Reader reader{log};
    CHECK(reader.next() == "");
    CHECK(reader.cursor == "");
    log.append("one\ntwo\nthr");
    CHECK(reader.next() == "one\ntwo\n");
    CHECK(reader.offset == 0);
    const auto before = reader.cursor;
    CHECK(reader.next() == "");
    CHECK(reader.cursor == before);
    log.append("ee");
    CHECK(reader.next() == "");
    log.append("\n\nfour\n");
    CHECK(reader.next() == "three\n\nfour\n");
    CHECK(reader.offset == 8);
    CHECK(reader.problems == "");
}

TEST_CASE("a cursor goes on in another process") {
    const ScratchLog log;
    log.append("one\n");
    Reader first{log};
    CHECK(first.next() == "one\n");
    log.append("two\n");
    Reader second{log};
    second.cursor = first.cursor;
    CHECK(second.next() == "two\n");
    CHECK(second.problems == "");
}

TEST_CASE("only the newest lines are read of a file met for the first time") {
    const ScratchLog log;
    log.append("1\n2\n3\n4\n5\nhalf");
    CHECK(Reader{log, {.first_lines = 2}}.next() == "4\n5\n");
    CHECK(Reader{log, {.first_lines = 5}}.next() == "1\n2\n3\n4\n5\n");
    CHECK(Reader{log, {.first_lines = 9}}.next() == "1\n2\n3\n4\n5\n");
    CHECK(Reader{log, {.first_lines = 0}}.next() == "1\n2\n3\n4\n5\n");
    // 7 bytes before the end is the middle of a line feed's line: "\n5\nhalf".
    CHECK(Reader{log, {.first_lines = 0, .read_bytes = 7}}.next() == "5\n");
    CHECK(Reader{log, {.first_lines = 0, .read_bytes = 8}}.next() == "5\n");
    CHECK(Reader{log, {.first_lines = 1, .read_bytes = 9}}.next() == "5\n");
    log.rewrite("\n\n\n");
    CHECK(Reader{log, {.first_lines = 2}}.next() == "\n\n");
}

TEST_CASE("a poll reads no more than it may, and says that there is more") {
    const ScratchLog log;
    log.append("0\n");
    Reader reader{log, {.first_lines = 0, .read_bytes = 8}};
    CHECK(reader.next() == "0\n");
    log.append("one\ntwo\nthree\n12345");
    CHECK(reader.next() == "one\ntwo\n");
    CHECK(reader.more);
    CHECK(reader.next() == "three\n");
    CHECK(reader.more);
    CHECK(reader.next() == "");
    CHECK_FALSE(reader.more);
    log.append("67\n");
    CHECK(reader.next() == "1234567\n");
    CHECK_FALSE(reader.more);
    CHECK(reader.problems == "");
}

TEST_CASE("a line that is too long is passed over and told of once") {
    const ScratchLog log;
    log.append("a\n");
    Reader reader{log, {.read_bytes = 8}};
    CHECK(reader.next() == "a\n");
    log.append("12345678");
    CHECK(reader.next() == "");
    CHECK_THAT(reader.problems, ContainsSubstring("the line at byte 2 is longer than 8 bytes and was passed over"));
    CHECK_FALSE(reader.more);
    log.append("9012345678901");
    CHECK(reader.next() == "");
    CHECK(reader.more);
    CHECK(reader.problems == "");
    CHECK(reader.next() == "");
    CHECK_FALSE(reader.more);
    log.append("23\nb\nc");
    CHECK(reader.next() == "b\n");
    CHECK(reader.problems == "");
    log.append("d\n");
    CHECK(reader.next() == "cd\n");
}

TEST_CASE("a replaced, cut or rewritten file is read from its beginning, and that is told once") {
    const ScratchLog log;
    log.append("one\ntwo\n");
    Reader reader{log};
    CHECK(reader.next() == "one\ntwo\n");
    const auto told = ContainsSubstring("replaced or cut off after byte 8");

    SECTION("rotated") {
        log.rotate();
        CHECK(reader.next() == "");
        CHECK(reader.problems == "");
        log.append("one\ntwo\nnew\n");
        CHECK(reader.next() == "one\ntwo\nnew\n");
        CHECK_THAT(reader.problems, told);
    }
    SECTION("truncated") {
        log.rewrite("");
        CHECK(reader.next() == "");
        CHECK_THAT(reader.problems, told);
        log.append("new\n");
        CHECK(reader.next() == "new\n");
        CHECK(reader.problems == "");
    }
    SECTION("shorter content in the same file") {
        log.rewrite("new\n");
        CHECK(reader.next() == "new\n");
        CHECK_THAT(reader.problems, told);
    }
    SECTION("longer content in the same file") {
        log.rewrite("ONE\nTWO\nTHREE\n");
        CHECK(reader.next() == "ONE\nTWO\nTHREE\n");
        CHECK_THAT(reader.problems, told);
    }
    CHECK(reader.next() == "");
    CHECK(reader.problems == "");
}

TEST_CASE("a rewritten file is noticed by its first bytes and by the last that were read") {
    const ScratchLog log;
    const std::string filler(5000, 'x');
    log.append("a" + filler + "\n" + filler + "b\n");
    Reader reader{log};
    reader.next();
    const std::string changed = GENERATE(std::string{"A"}, std::string{"a"});
    log.rewrite(changed + filler + "\n" + filler + (changed == "A" ? "b\n" : "B\n") + "more\n");
    CHECK(reader.next().size() > 10'000);
    CHECK_THAT(reader.problems, ContainsSubstring("replaced"));
}

TEST_CASE("too much that is unread is passed over") {
    const ScratchLog log;
    log.append("1\n");
    Reader reader{log, {.first_lines = 2, .read_bytes = 16, .backlog_bytes = 20}};
    reader.next();
    log.append("2\n3\n4\n5\n6\n7\n8\n9\n0\n1\n");
    CHECK(reader.next() == "2\n3\n4\n5\n6\n7\n8\n9\n");
    reader.next();
    log.append("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n");
    CHECK(reader.next() == "j\nk\n");
    CHECK_THAT(reader.problems, ContainsSubstring("22 bytes were unread, more than 20"));
    CHECK_FALSE(reader.more);
    CHECK(reader.next() == "");
    CHECK(reader.problems == "");
}

TEST_CASE("a damaged cursor costs what is old, not what comes") {
    const ScratchLog log;
    log.append("one\n");
    for (const char* damaged : {"f", "f1", "f1-", "f1-1-2-0", "f1-1-2-0-3-", "f1-1-2-2-3", "f1--1-2-0-3",
                                "f1-11111111111111111-2-0-3", "f2-1-2-0-3", "12"}) {
        Reader reader{log};
        reader.cursor = damaged;
        CHECK(reader.next() == "one\n");
        CHECK_THAT(reader.problems, ContainsSubstring("cursor is damaged"));
        log.append("two\n");
        CHECK(reader.next() == "two\n");
        CHECK(reader.problems == "");
        log.rewrite("one\n");
    }
    const FileCursor cursor{1, 0xFFFF'FFFF'FFFF'FFFF, true, 0xABCDEF};
    const auto read_back = parse_cursor(write_cursor(cursor));
    REQUIRE(read_back);
    CHECK(read_back->inode == 1);
    CHECK(read_back->offset == 0xFFFF'FFFF'FFFF'FFFF);
    CHECK(read_back->inside_line);
    CHECK(read_back->print == 0xABCDEF);
}

TEST_CASE("what is no regular file is refused by name without waiting") {
    const ScratchLog log;
    const auto refused = [&](const std::string& path) {
        const auto found = LineFollower{path}.read("");
        REQUIRE_FALSE(found);
        CHECK(found.error().code == ErrorCode::invalid_argument);
        return found.error().message;
    };
    SECTION("directory") {
        const auto folder = std::filesystem::path{log.path()}.parent_path().string();
        CHECK(refused(folder) == "'" + folder + "' is a directory, but only regular files are opened");
    }
    SECTION("named pipe") {
        REQUIRE(::mkfifo(log.path().c_str(), 0600) == 0);
        CHECK_THAT(refused(log.path()), ContainsSubstring("a named pipe"));
    }
    SECTION("socket") {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        log.path().copy(address.sun_path, sizeof address.sun_path - 1);
        const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        ::close(socket);
        CHECK_THAT(refused(log.path()), ContainsSubstring("a socket"));
    }
    SECTION("link to a file") {
        std::filesystem::create_symlink("/etc/passwd", log.path());
        CHECK_THAT(refused(log.path()), ContainsSubstring("a link"));
    }
    SECTION("link to itself") {
        std::filesystem::create_symlink(log.path(), log.path());
        CHECK_THAT(refused(log.path()), ContainsSubstring("a link"));
    }
    SECTION("device") { CHECK_THAT(refused("/dev/null"), ContainsSubstring("'/dev/null' is a device")); }
    SECTION("no name") {
        CHECK_THAT(refused(""), ContainsSubstring("names no file"));
        CHECK_THAT(refused(std::string{"a\0b", 3}), ContainsSubstring("names no file"));
    }
}

TEST_CASE("a file that cannot be read is an error that names it") {
    const ScratchLog log;
    log.append("one\n");
    const auto inside = LineFollower{log.path() + "/log"}.read("");
    REQUIRE_FALSE(inside);
    CHECK(inside.error().code == ErrorCode::io);
    CHECK_THAT(inside.error().message, ContainsSubstring("cannot read '" + log.path() + "/log': "));
}

TEST_CASE("a file without permission is an error") {
    if (::geteuid() == 0) HEELER_SKIP("root may read everything");
    const ScratchLog log;
    log.append("one\n");
    std::filesystem::permissions(log.path(), std::filesystem::perms::none);
    const auto found = LineFollower{log.path()}.read("");
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::io);
}

TEST_CASE("settings out of range are refused with value and limit") {
    const ScratchLog log;
    const auto message = [&](FollowSettings settings) {
        return LineFollower{log.path(), settings}.read("").error().message;
    };
    CHECK(message({.read_bytes = 0}) == "read_bytes is 0, but must be from 1 to 67108864");
    CHECK_THAT(message({.read_bytes = 1U << 30}), ContainsSubstring("read_bytes is 1073741824"));
    CHECK(message({.backlog_bytes = 10}) == "backlog_bytes is 10, but must be at least read_bytes (1048576)");
}

TEST_CASE("a file of 4 TB with nothing in it takes no time and no memory") {
    const ScratchLog log;
    log.append("");
    log.resize(4'000'000'000'000);
    Reader reader{log};
    const auto start = std::chrono::steady_clock::now();
    const long before = peak_kib();
    CHECK(reader.next() == "");
    CHECK_THAT(reader.problems, ContainsSubstring("longer than 1048576 bytes"));
    log.append("\nnew\n");
    CHECK(reader.next() == "new\n");
    CHECK(reader.problems == "");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds{60});
    CHECK(peak_kib() - before < 32 * 1024);
}

TEST_CASE("a line of 100 MB is passed over in bounded memory") {
    const ScratchLog log;
    log.append("a\n");
    Reader reader{log};
    reader.next();
    const std::string part(1 << 20, 'x');
    reader.next();
    const long before = peak_kib();
    std::size_t told = 0;
    for (int i = 0; i < 100; ++i) {
        log.append(part);
        CHECK(reader.next() == "");
        told += reader.problems.empty() ? 0 : 1;
    }
    log.append("\nb\n");
    CHECK(reader.next() == "b\n");
    CHECK(told == 1);
    CHECK(peak_kib() - before < 32 * 1024);
}
