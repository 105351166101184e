// Real commands for tests: a scratch directory, /bin/sh scripts, and bounded waits for what they do.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <poll.h>

#include <heeler/agent/process_control.hpp>

namespace heeler_test {

/// A directory that is removed with its owner.
class ScratchDirectory {
public:
    ScratchDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "heeler-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ScratchDirectory(const ScratchDirectory&) = delete;
    ScratchDirectory& operator=(const ScratchDirectory&) = delete;
    ~ScratchDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / name).string(); }
    [[nodiscard]] std::string text() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

[[nodiscard]] inline heeler::ProcessSpec shell(std::string script) {
    heeler::ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", std::move(script)};
    spec.term_grace = std::chrono::milliseconds(300);
    spec.kill_grace = std::chrono::seconds(5);
    spec.die_with_parent = true;
    return spec;
}

template <class Condition>
[[nodiscard]] bool wait_for(Condition condition, std::chrono::milliseconds limit = std::chrono::seconds(60)) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        ::poll(nullptr, 0, 5);
    }
    return true;
}

/// Reads output until `text` has been seen. Everything read is appended to `seen`.
[[nodiscard]] inline bool read_until(heeler::ProcessControl& control, std::string& seen, std::string_view text) {
    return wait_for([&] {
               const auto read = control.read_output([&](std::string_view chunk) { seen += chunk; });
               return seen.find(text) != std::string::npos || !read;
           }) &&
           seen.find(text) != std::string::npos;
}

[[nodiscard]] inline std::string file_content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace heeler_test
