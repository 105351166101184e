// A disk that loses what was not synced, under SQLite: for tests of what a power failure leaves.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sqlite3.h>

namespace heeler_test {

/// While it lives, SQLite writes through it. Files whose path begins with `path` are kept in mind as they would be on
/// the disk: what was synced, and what was written since.
class LossyDisk {
public:
    /// The files as they are after a power failure, by what their names have behind `path`.
    using Image = std::map<std::string, std::string>;
    /// What becomes of each 512 bytes that were not synced: true, they are there. Other bytes of the file stay.
    using Fate = std::function<bool()>;

    /// `on_sync` is called before each sync, and after it: with all that the disk was asked for before it.
    LossyDisk(std::string path, std::function<void()> on_sync) : path_{std::move(path)}, on_sync_{std::move(on_sync)} {
        real_ = sqlite3_vfs_find(nullptr);
        shim_ = *real_;
        shim_.zName = "lossy";
        shim_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
        shim_.xOpen = [](sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
            return that_->open(name, file, flags, out);
        };
        shim_.xDelete = [](sqlite3_vfs*, const char* name, int sync) { return that_->remove(name, sync); };
        that_ = this;
        sqlite3_vfs_register(&shim_, 1);
    }
    LossyDisk(const LossyDisk&) = delete;
    LossyDisk& operator=(const LossyDisk&) = delete;
    ~LossyDisk() {
        sqlite3_vfs_unregister(&shim_);
        that_ = nullptr;
    }

    [[nodiscard]] Image after_power_failure(const Fate& fate) const {
        Image image;
        for (const auto& [name, content] : gone_)
            if (fate()) image[name] = content.left(fate);  // that it was removed is not on the disk
        for (const auto& [name, content] : files_)
            if (content.entered || fate()) image[name] = content.left(fate);
        return image;
    }

private:
    static constexpr std::size_t sector = 512;

    struct Write {
        std::size_t at = 0;
        std::string bytes{};
        bool cuts = false;  ///< the file ends at `at`
    };

    struct Content {
        std::string synced{};
        std::vector<Write> since{};
        bool entered = false;  ///< its name is on the disk

        static void put(std::string& to, std::size_t at, std::string_view bytes) {
            if (to.size() < at + bytes.size()) to.resize(at + bytes.size());
            to.replace(at, bytes.size(), bytes);
        }
        [[nodiscard]] std::string left(const Fate& fate) const {
            std::string bytes = synced;
            for (const Write& write : since) {
                if (write.cuts && fate()) bytes.resize(write.at);
                for (std::size_t from = 0; from < write.bytes.size();) {
                    const std::size_t length = sector - (write.at + from) % sector;
                    if (fate()) put(bytes, write.at + from, std::string_view{write.bytes}.substr(from, length));
                    from += length;
                }
            }
            return bytes;
        }
        void sync() {
            synced = left([] { return true; });
            since.clear();
        }
    };

    /// What SQLite has of an open file. The real one follows.
    struct File {
        sqlite3_file base;
        Content* content;  ///< null: a file of no interest

        static File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
        static sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<sqlite3_file*>(&of(file) + 1); }
    };

    int open(const char* name, sqlite3_file* file, int flags, int* out) {
        sqlite3_file* const real = File::real(file);
        file->pMethods = nullptr;
        const int result = real_->xOpen(real_, name, real, flags, out);
        if (real->pMethods == nullptr) return result;
        file->pMethods = &methods();
        const bool known = name != nullptr && std::string_view{name}.starts_with(path_);
        File::of(file).content = known ? &files_[name + path_.size()] : nullptr;
        return result;
    }

    int remove(const char* name, int sync) {
        const int result = real_->xDelete(real_, name, sync);
        if (result != SQLITE_OK || !std::string_view{name}.starts_with(path_)) return result;
        if (const auto found = files_.find(name + path_.size()); found != files_.end())
            gone_.insert(files_.extract(found));
        if (sync != 0) gone_.clear();
        return result;
    }

    void sync(Content& content) {
        on_sync_();
        content.sync();
        // The first sync of a file enters it in the directory, and with that all that was removed is.
        if (!std::exchange(content.entered, true)) gone_.clear();
        on_sync_();
    }

    static const sqlite3_io_methods& methods() {
        static const sqlite3_io_methods all = make_methods();
        return all;
    }

    template <auto Method>
    static constexpr auto forwarded() {
        return [](sqlite3_file* file, auto... arguments) {
            sqlite3_file* const real = File::real(file);
            return (real->pMethods->*Method)(real, arguments...);
        };
    }

    static sqlite3_io_methods make_methods() {
        using Io = sqlite3_io_methods;
        Io all{};
        all.iVersion = 2;
        all.xClose = forwarded<&Io::xClose>();
        all.xRead = forwarded<&Io::xRead>();
        all.xFileSize = forwarded<&Io::xFileSize>();
        all.xLock = forwarded<&Io::xLock>();
        all.xUnlock = forwarded<&Io::xUnlock>();
        all.xCheckReservedLock = forwarded<&Io::xCheckReservedLock>();
        all.xFileControl = forwarded<&Io::xFileControl>();
        all.xSectorSize = forwarded<&Io::xSectorSize>();
        all.xDeviceCharacteristics = forwarded<&Io::xDeviceCharacteristics>();
        all.xShmMap = forwarded<&Io::xShmMap>();
        all.xShmLock = forwarded<&Io::xShmLock>();
        all.xShmBarrier = forwarded<&Io::xShmBarrier>();
        all.xShmUnmap = forwarded<&Io::xShmUnmap>();
        all.xWrite = [](sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
            if (Content* const content = File::of(file).content; content != nullptr)
                content->since.push_back(
                    {static_cast<std::size_t>(at), {static_cast<const char*>(bytes), static_cast<std::size_t>(count)}});
            return File::real(file)->pMethods->xWrite(File::real(file), bytes, count, at);
        };
        all.xTruncate = [](sqlite3_file* file, sqlite3_int64 size) {
            if (Content* const content = File::of(file).content; content != nullptr)
                content->since.push_back({static_cast<std::size_t>(size), {}, true});
            return File::real(file)->pMethods->xTruncate(File::real(file), size);
        };
        all.xSync = [](sqlite3_file* file, int flags) {
            if (Content* const content = File::of(file).content; content != nullptr) that_->sync(*content);
            return File::real(file)->pMethods->xSync(File::real(file), flags);
        };
        return all;
    }

    inline static LossyDisk* that_ = nullptr;

    std::string path_;
    std::function<void()> on_sync_;
    sqlite3_vfs* real_ = nullptr;
    sqlite3_vfs shim_{};
    std::map<std::string, Content> files_, gone_;
};

}  // namespace heeler_test
