#include "input.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <unistd.h>
#include <zlib.h>

namespace replay {
namespace {

using heeler::ErrorCode;
using heeler::fail;
using heeler::Result;

/// Cuts a stream of bytes into lines.
class LineCutter {
public:
    void feed(std::string_view bytes) {
        while (!bytes.empty()) {
            const auto end = bytes.find('\n');
            append(bytes.substr(0, end));
            if (end == std::string_view::npos) return;
            finish_line();
            bytes.remove_prefix(end + 1);
        }
    }

    [[nodiscard]] std::vector<InputLine> take() {
        finish_line();
        return std::move(lines_);
    }

private:
    void append(std::string_view part) {
        if (line_.too_long) return;
        if (line_.text.size() + part.size() > max_line_bytes) {
            line_.too_long = true;
            line_.text = {};
        } else {
            line_.text += part;
        }
    }

    void finish_line() {
        line_.number = ++count_;
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        if (count_ == 1 && line_.text.starts_with(byte_order_mark)) line_.text.erase(0, byte_order_mark.size());
        const bool blank = !line_.too_long && line_.text.find_first_not_of(" \t\r") == std::string::npos;
        if (!blank) lines_.push_back(std::move(line_));
        line_ = {};
    }

    std::vector<InputLine> lines_;
    InputLine line_;
    std::size_t count_ = 0;
};

struct CloseGzip {
    void operator()(gzFile file) const { gzclose(file); }
};
using Gzip = std::unique_ptr<std::remove_pointer_t<gzFile>, CloseGzip>;

tl::unexpected<heeler::Error> cannot_read(const std::string& path, const char* why) {
    return fail(ErrorCode::io, "cannot read '" + path + "': " + why);
}

/// Hands every piece of the input to `feed`. zlib passes on what is not compressed as it is.
template <class RunSource>
Result<void> read_pieces(const std::string& path, RunSource feed) {
    errno = 0;
    const Gzip file{path == "-" ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb")};
    if (file == nullptr) return cannot_read(path, errno != 0 ? std::strerror(errno) : "not enough memory");
    std::vector<char> buffer(std::size_t{1} << 18);
    for (;;) {
        const int size = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
        if (size > 0 && !feed(std::string_view{buffer.data(), static_cast<std::size_t>(size)})) return {};
        if (size > 0) continue;
        int code = Z_OK;
        const char* message = gzerror(file.get(), &code);
        if (size == 0 && code != Z_BUF_ERROR) return {};
        return cannot_read(path, code == Z_ERRNO ? std::strerror(errno) : message);
    }
}

}  // namespace

Result<std::vector<InputLine>> read_lines(const std::string& path) {
    LineCutter lines;
    const auto read = read_pieces(path, [&](std::string_view piece) {
        lines.feed(piece);
        return true;
    });
    if (!read) return tl::unexpected<heeler::Error>(read.error());
    return lines.take();
}

Result<std::string> read_file(const std::string& path) {
    std::string content;
    const auto read = read_pieces(path, [&](std::string_view piece) {
        content += piece;
        return content.size() <= max_line_bytes;
    });
    if (!read) return tl::unexpected<heeler::Error>(read.error());
    if (content.size() > max_line_bytes)
        return fail(ErrorCode::invalid_argument, "'" + path + "' is larger than 64 MB");
    return content;
}

}  // namespace replay
