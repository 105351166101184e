// A log file of its own for a test, written the ways agents and log rotation write.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

/// A directory that goes with its owner, and a log in it that is not there yet.
class ScratchLog {
public:
    ScratchLog() {
        std::string name = (std::filesystem::temp_directory_path() / "heeler_log_XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) std::abort();
        folder_ = name;
    }
    ScratchLog(const ScratchLog&) = delete;
    ScratchLog& operator=(const ScratchLog&) = delete;
    ~ScratchLog() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    [[nodiscard]] std::string path(const std::string& name = "tools.jsonl") const { return (folder_ / name).string(); }

    void append(std::string_view text) const { write(text, std::ios::app); }

    /// The same inode with other content.
    void rewrite(std::string_view text) const { write(text, std::ios::trunc); }

    void rotate() const { std::filesystem::rename(path(), path("tools.jsonl.1")); }

    void resize(std::uint64_t size) const { std::filesystem::resize_file(path(), size); }

    [[nodiscard]] std::string content() const {
        std::ostringstream text;
        text << std::ifstream{path(), std::ios::binary}.rdbuf();
        return text.str();
    }

private:
    void write(std::string_view text, std::ios::openmode how) const {
        std::ofstream{path(), std::ios::binary | how} << text;
    }

    std::filesystem::path folder_;
};
