// Cuts streamed text into lines, whatever the chunks, and fingerprints each. A line of any length costs bounded memory.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include <heeler/text/fingerprint.hpp>

namespace heeler::inline HEELER_ABI {

/// Keeps the unfinished last line between two calls. Lines longer than a block are fingerprinted block by block, so
/// that the result is the same for every way of cutting the stream. One thread at a time.
class LineSplitter {
public:
    static constexpr std::size_t block = 2048;  ///< bytes of an unfinished line that are kept

    /// Calls `on_line(text, fingerprint)` for each finished line; of a line longer than a block, `text` is its last
    /// part. Unless `partial`, the end of `text` ends a line too.
    template <class OnLine>
    void feed(std::string_view text, bool partial, OnLine&& on_line) {
        if (text.empty() && !partial) return finish({}, on_line);
        while (!text.empty()) {
            const auto* end = static_cast<const char*>(std::memchr(text.data(), '\n', text.size()));
            if (end == nullptr) {
                keep(text);
                break;
            }
            const auto length = static_cast<std::size_t>(end - text.data());
            finish(text.substr(0, length), on_line);
            text.remove_prefix(length + 1);
        }
        if (!partial && unfinished()) finish({}, on_line);
    }

    template <class A>
    void archive(A& a) {
        a(kept_, blocks_, long_line_);
    }

private:
    [[nodiscard]] bool unfinished() const noexcept { return !kept_.empty() || long_line_; }

    void keep(std::string_view text) {
        while (kept_.size() + text.size() > block) {
            kept_.reserve(block);
            const std::size_t room = block - kept_.size();
            kept_.append(text.substr(0, room));
            text.remove_prefix(room);
            blocks_ = combine(blocks_, fingerprint_text(kept_));
            long_line_ = true;
            kept_.clear();
        }
        if (kept_.capacity() < kept_.size() + text.size()) kept_.reserve(block);
        kept_.append(text);
    }

    template <class OnLine>
    void finish(std::string_view rest, OnLine&& on_line) {
        if (!unfinished() && rest.size() <= block)
            return on_line(without_return(rest), fingerprint_line(without_return(rest)));
        keep(rest);
        const std::string_view line = without_return(kept_);
        Fingerprint print = fingerprint_line(line);
        if (long_line_) {
            print.exact = combine(blocks_, print.exact);
            print.normal = static_cast<std::uint32_t>(print.exact);
        }
        on_line(line, print);
        kept_.clear();
        blocks_ = 0;
        long_line_ = false;
    }

    [[nodiscard]] static std::string_view without_return(std::string_view line) noexcept {
        if (line.ends_with('\r')) line.remove_suffix(1);
        return line;
    }

    std::string kept_;
    std::uint64_t blocks_ = 0;
    bool long_line_ = false;
};

}  // namespace heeler::inline HEELER_ABI
