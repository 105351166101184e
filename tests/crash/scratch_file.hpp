// A store of its own for trials on SQLite.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <unistd.h>

#include <heeler/store/sqlite_store.hpp>

#include "crash/worker.hpp"

namespace crash {

/// A file in memory where that can be had: a kill loses nothing that was written, and nobody waits for a disk.
class ScratchFile {
public:
    ScratchFile() {
        const bool memory = ::access("/dev/shm", W_OK) == 0;
        std::string name = memory ? "/dev/shm" : std::filesystem::temp_directory_path().string();
        name += "/heeler-crash-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) std::abort();
        folder_ = name;
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] std::string file() const { return (folder_ / "heeler.db").string(); }

    [[nodiscard]] Place place() const {
        return {"SQLite", [this] { return std::make_unique<StoreOf<SqliteStore>>(SqliteStore{file()}); },
                [this] {
                    for (const char* name : {"heeler.db", "heeler.db-wal", "heeler.db-shm"})
                        std::filesystem::remove(folder_ / name);
                },
                (folder_ / "log").string()};
    }

private:
    std::filesystem::path folder_;
};

}  // namespace crash
