// One of two streams that a watchdog sees as one: only whole lines of it, so that none consists of halves of both.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace supervise {

/// One thread at a time.
class WholeLines {
public:
    /// A longer line is not waited for.
    static constexpr std::size_t longest = std::size_t{1} << 16;

    /// The lines that are finished now, or nothing; valid until the next call.
    [[nodiscard]] std::string_view add(std::string_view text) {
        held_.erase(0, given_);
        const std::size_t end = text.rfind('\n');
        given_ = end == std::string_view::npos ? 0 : held_.size() + end + 1;
        held_ += text;
        if (held_.size() - given_ > longest) given_ = held_.size();
        return std::string_view{held_}.substr(0, given_);
    }

private:
    std::string held_;
    std::size_t given_ = 0;  ///< bytes that the last call answered
};

}  // namespace supervise
