// A file that others read at any moment: it is replaced as a whole.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <heeler/core/result.hpp>

namespace worker_monitor {

[[nodiscard]] inline heeler::Result<void> write_anew(const std::filesystem::path& file, const std::string& text) {
    const std::filesystem::path beside = file.string() + ".new";
    std::ofstream out{beside, std::ios::trunc};
    out << text << std::flush;
    std::error_code error;
    if (out) std::filesystem::rename(beside, file, error);
    if (out && !error) return {};
    return heeler::fail(heeler::ErrorCode::io, "cannot write " + file.string());
}

}  // namespace worker_monitor
