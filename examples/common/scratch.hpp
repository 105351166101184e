// A directory that nobody else may read, for as long as it is needed.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace common {

/// A directory of its own, which goes with it.
class Scratch {
public:
    /// It is named after the program.
    explicit Scratch(const std::string& program) {
        std::string name = (std::filesystem::temp_directory_path() / (program + "-XXXXXX")).string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no temporary directory can be made"};
        path_ = name;
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace common
