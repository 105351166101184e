#include <heeler/agent/directory_snapshot.hpp>

#include <chrono>
#include <fstream>

#include <sys/stat.h>

#include "support/catch.hpp"
#include "support/real_process.hpp"

namespace fs = std::filesystem;

using heeler::save_directory;

TEST_CASE("an unset or empty directory has nothing to save, a missing one is an error") {
    const heeler_test::ScratchDirectory scratch;
    CHECK(save_directory("", scratch / "to", "k")->note == "nothing to save");
    CHECK(save_directory(scratch.text(), scratch / "to", "k")->note == "nothing to save");
    const auto missing = save_directory(scratch / "missing", scratch / "to", "k");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message.find("missing") != std::string::npos);
    std::ofstream(scratch / "file") << "x";
    CHECK_FALSE(save_directory(scratch / "file", scratch / "to", "k"));
    CHECK(save_directory(scratch.text(), "", "k").error().code == heeler::ErrorCode::invalid_argument);
}

TEST_CASE("files, links and directories are saved once per key, special files and the snapshots themselves are not") {
    const heeler_test::ScratchDirectory scratch;
    const fs::path from = scratch / "from";
    fs::create_directories(from / "deep" / "er");
    std::ofstream(from / "deep" / "er" / "file") << "content";
    std::ofstream(from / "run.sh") << "#!/bin/sh\n";
    fs::permissions(from / "run.sh", fs::perms::owner_all);
    fs::create_symlink("/nowhere/at/all", from / "dangling");
    fs::create_directory_symlink("..", from / "deep" / "loop");
    REQUIRE(::mkfifo((from / "fifo").c_str(), 0600) == 0);
    const std::string to = (from / "snapshots").string();

    const auto saved = save_directory(from.string(), to, "run/1");
    REQUIRE(saved);
    const fs::path copy = fs::path(to) / heeler::snapshot_name("run/1");
    const auto digest = heeler::snapshot_digest(copy.string());
    REQUIRE(digest);
    CHECK(saved->note == copy.string() + " (4 files, 1 special or vanished ones left out, sha256 " + *digest + ")");
    CHECK(heeler_test::file_content(copy / "deep" / "er" / "file") == "content");
    CHECK(fs::read_symlink(copy / "dangling") == "/nowhere/at/all");
    CHECK(fs::is_symlink(copy / "deep" / "loop"));
    CHECK((fs::status(copy / "run.sh").permissions() & fs::perms::owner_exec) != fs::perms::none);
    CHECK_FALSE(fs::exists(copy / "fifo"));
    CHECK_FALSE(fs::exists(copy / "snapshots"));

    std::ofstream(from / "later") << "x";
    CHECK(save_directory(from.string(), to, "run/1")->note == "already saved in " + copy.string());
    CHECK_FALSE(fs::exists(copy / "later"));
    CHECK(save_directory(from.string(), to, "run/2"));
}

TEST_CASE("a file of 4 TB with next to nothing in it is saved as such, at once, without rights that it lends") {
    const heeler_test::ScratchDirectory scratch;
    const fs::path from = scratch / "from";
    constexpr std::uintmax_t size = std::uintmax_t{1} << 42;
    fs::create_directories(from);
    std::ofstream(from / "huge") << "begin";
    fs::resize_file(from / "huge", size / 2);
    std::ofstream(from / "huge", std::ios::app) << "middle";
    fs::resize_file(from / "huge", size);
    fs::permissions(from / "huge", fs::perms::owner_all | fs::perms::set_uid);
    const auto begin = std::chrono::steady_clock::now();
    REQUIRE(save_directory(from.string(), scratch / "to", "k"));
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{60});
    const fs::path copy = fs::path(scratch / "to") / heeler::snapshot_name("k") / "huge";
    CHECK(fs::file_size(copy) == size);
    CHECK(fs::status(copy).permissions() == fs::perms::owner_all);
    std::ifstream file{copy, std::ios::binary};
    std::string part(11, ' ');
    file.read(part.data(), 5);
    file.seekg(static_cast<std::streamoff>(size / 2));
    file.read(part.data() + 5, 6);
    CHECK(part == "beginmiddle");
}

TEST_CASE("a copy that fails or was interrupted leaves nothing under the final name") {
    const heeler_test::ScratchDirectory scratch;
    const fs::path from = scratch / "from";
    fs::create_directories(from);
    std::ofstream(from / "file") << "content";
    const std::string to = scratch / "to";
    const fs::path copy = fs::path(to) / heeler::snapshot_name("k");
    fs::create_directories(copy.string() + ".partial/old");
    REQUIRE(save_directory(from.string(), to, "k"));
    CHECK_FALSE(fs::exists(copy / "old"));
    CHECK_FALSE(fs::exists(copy.string() + ".partial"));

    std::ofstream(scratch / "blocked") << "a file where a directory is needed";
    const auto failed = save_directory(from.string(), scratch / "blocked", "k");
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == heeler::ErrorCode::failed);
}

TEST_CASE("the digest of a snapshot is that of its names, links and content, and of nothing else") {
    const heeler_test::ScratchDirectory scratch;
    const auto digest = [&](const char* name) {
        const auto known = heeler::snapshot_digest(scratch / name);
        REQUIRE(known);
        CHECK(known->size() == 64);
        return *known;
    };
    const auto make = [&](const char* name) {
        const fs::path root = scratch / name;
        fs::create_directories(root / "a" / "empty");
        std::ofstream(root / "a" / "file") << "content";
        std::ofstream(root / "b") << std::string(200'000, 'x');
        fs::create_symlink("b", root / "link");
        return root;
    };
    const fs::path one = make("one"), other = make("other");
    const std::string first = digest("one");
    CHECK(first == digest("other"));

    // A hole is as many zeros, wherever it was moved to.
    std::ofstream(one / "b", std::ios::app) << std::string(300'000, '\0') << "end";
    fs::resize_file(other / "b", 500'000);
    std::ofstream(other / "b", std::ios::app) << "end";
    CHECK(digest("one") == digest("other"));
    CHECK(digest("one") != first);

    const std::string before = digest("one");
    const auto changes = [&](auto&& change) {
        fs::remove_all(scratch / "changed");
        fs::copy(one, scratch / "changed", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        CHECK(digest("changed") == before);
        change(fs::path(scratch / "changed"));
        return digest("changed") != before;
    };
    CHECK(changes([](const fs::path& in) { std::ofstream(in / "a" / "file") << "Content"; }));
    CHECK(changes([](const fs::path& in) { std::ofstream(in / "b", std::ios::app) << '\0'; }));
    CHECK(changes([](const fs::path& in) { fs::rename(in / "a" / "file", in / "a" / "fil"); }));
    CHECK(changes([](const fs::path& in) { fs::remove(in / "a" / "empty"); }));
    CHECK(changes([](const fs::path& in) { std::ofstream(in / "more") << ""; }));
    CHECK(changes([](const fs::path& in) {
        fs::remove(in / "link");
        fs::create_symlink("a", in / "link");
    }));
    CHECK(changes([](const fs::path& in) {
        fs::remove(in / "link");
        std::ofstream(in / "link") << "b";
    }));
    CHECK_FALSE(heeler::snapshot_digest(scratch / "missing"));
    CHECK_FALSE(heeler::snapshot_digest((one / "b").string()));
}

TEST_CASE("snapshot names are safe file names and differ for different keys") {
    const std::string name = heeler::snapshot_name("../../etc/pass wd\n");
    CHECK(name.find('/') == std::string::npos);
    CHECK(name.find("______etc_pass_wd_-") == 0);
    CHECK(heeler::snapshot_name("a/b") != heeler::snapshot_name("a_b"));
    CHECK(heeler::snapshot_name(std::string(5000, 'x')).size() == 81);
    CHECK(heeler::snapshot_name("").size() == 17);
}
