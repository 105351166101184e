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
    CHECK(saved->note == copy.string() + " (4 files, 1 special or vanished ones left out)");
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
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{10});
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

TEST_CASE("snapshot names are safe file names and differ for different keys") {
    const std::string name = heeler::snapshot_name("../../etc/pass wd\n");
    CHECK(name.find('/') == std::string::npos);
    CHECK(name.find("______etc_pass_wd_-") == 0);
    CHECK(heeler::snapshot_name("a/b") != heeler::snapshot_name("a_b"));
    CHECK(heeler::snapshot_name(std::string(5000, 'x')).size() == 81);
    CHECK(heeler::snapshot_name("").size() == 17);
}
