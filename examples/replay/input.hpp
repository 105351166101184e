// The lines of the input, from a file, a gzip file or standard input.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <heeler/core/result.hpp>

namespace replay {

/// A longer line is not kept; it is reported and skipped.
inline constexpr std::size_t max_line_bytes = std::size_t{64} << 20;

struct InputLine {
    std::size_t number = 0;  // from 1
    std::string text;
    bool too_long = false;  // `text` is empty then
};

/// All lines that are not blank. "-" is standard input; what begins like gzip is unpacked.
[[nodiscard]] heeler::Result<std::vector<InputLine>> read_lines(const std::string& path);

/// The whole content of a small file. Errors: `io`; `invalid_argument` if it is longer than a line may be.
[[nodiscard]] heeler::Result<std::string> read_file(const std::string& path);

}  // namespace replay
