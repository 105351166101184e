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
        Place place{"SQLite", [this] { return std::make_unique<StoreOf<SqliteStore>>(SqliteStore{file()}); },
                    [this] { put("none", ""); }, (folder_ / "log").string()};
        place.keep = [this] { put("", "kept"); };
        place.restore = [this] { put("kept", ""); };
        return place;
    }

private:
    /// The file, and what SQLite keeps beside it, with other endings; of a set that there is not, nothing is put there.
    void put(const std::string& from, const std::string& to) const {
        for (const std::string name : {"heeler.db", "heeler.db-wal", "heeler.db-shm"}) {
            std::filesystem::remove(folder_ / (name + to));
            if (std::filesystem::exists(folder_ / (name + from)))
                std::filesystem::copy_file(folder_ / (name + from), folder_ / (name + to));
        }
    }

    std::filesystem::path folder_;
};

}  // namespace crash
