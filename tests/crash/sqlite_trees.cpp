// A watchdog of task trees on a SQLite file is killed, everywhere.
#include <filesystem>
#include <string>

#include <unistd.h>

#include <heeler/store/sqlite_store.hpp>

#include "crash/trees.hpp"
#include "support/catch.hpp"

using namespace crash;

namespace {

/// In memory where that can be had.
class TreeFile {
public:
    TreeFile() {
        std::string name =
            ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path().string();
        name += "/heeler-trees-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) std::abort();
        folder_ = name;
    }
    TreeFile(const TreeFile&) = delete;
    TreeFile& operator=(const TreeFile&) = delete;
    ~TreeFile() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] Place place() const {
        return {
            "SQLite",
            [this] { return std::make_unique<StoreOf<SqliteStore>>(SqliteStore{(folder_ / "heeler.db").string()}); },
            [this] {
                for (const char* name : {"heeler.db", "heeler.db-wal", "heeler.db-shm"})
                    std::filesystem::remove(folder_ / name);
            },
            (folder_ / "log").string()};
    }

private:
    std::filesystem::path folder_;
};

}  // namespace

TEST_CASE("SQLite: killed at any point, each stop of a tree is reviewed once: find [M-101] [M-157] [M-158]") {
    const TreeFile file;
    tree_dies_at_every_point(file.place(), Honesty::finds, 1);
}

TEST_CASE("SQLite: killed at any point, each stop of a tree is reviewed once: repeat [M-101] [M-157] [M-158]") {
    const TreeFile file;
    tree_dies_at_every_point(file.place(), Honesty::repeats, 1);
}

TEST_CASE("SQLite: killed at any point, a wake that nobody can tell of is a person's business [M-101] [M-158]") {
    const TreeFile file;
    tree_dies_at_every_point(file.place(), Honesty::neither, 1);
}

TEST_CASE("SQLite: killed twice, each stop of a tree is reviewed once [M-101] [M-157] [M-158]") {
    const TreeFile file;
    tree_dies_at_every_point(file.place(), Honesty::finds, 11, true);
}
