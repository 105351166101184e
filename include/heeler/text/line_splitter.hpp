// Cuts streamed text into lines, whatever the chunks, and fingerprints each. A line of any length costs bounded memory.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include <heeler/core/list.hpp>
#include <heeler/text/fingerprint.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/secret_finder.hpp>

namespace heeler::inline HEELER_ABI::text {

/// Keeps the unfinished last line between two calls. Lines longer than a block are fingerprinted block by block, so
/// that the result is the same for every way of cutting the stream. One thread at a time.
class LineSplitter {
public:
    static constexpr std::size_t block = 2048;   ///< bytes of an unfinished line that are kept
    static constexpr std::size_t context = 512;  ///< and before them: what is cut in two is seen for what it is

    /// Calls `on_line(text, fingerprint)` for each finished line; of a line longer than a block, `text` is its last
    /// part, from behind a secret, or an endless word, that began before it. Unless `partial`, the end of `text` ends a
    /// line too.
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

    void archive(auto& a) {
        if (a.is_loading() || kept_.empty()) {
            a(kept_, blocks_, long_line_);
            if (going_on().size() > block) kept_.resize(cut() + block);  // it was damaged
            return;
        }
        std::string shown = redact(kept_);  // what is stored is kept for long, and read by others
        const std::size_t most = long_line_ ? block + context : block;
        if (shown.size() > most) shown.erase(0, shown.size() - most);
        a(shown, blocks_, long_line_);
    }

private:
    [[nodiscard]] bool unfinished() const noexcept { return !kept_.empty() || long_line_; }

    /// Where the bytes of the block begin that is going on.
    [[nodiscard]] std::size_t cut() const noexcept {
        return !long_line_ ? 0 : kept_.size() < context ? kept_.size() : context;
    }

    [[nodiscard]] std::string_view going_on() const noexcept { return std::string_view{kept_}.substr(cut()); }

    void keep(std::string_view text) {
        while (going_on().size() + text.size() > block) {
            kept_.reserve(block + context);
            const std::size_t room = block - going_on().size();
            kept_.append(text.substr(0, room));
            text.remove_prefix(room);
            blocks_ = combine(blocks_, fingerprint_text(going_on()));
            kept_.erase(0, kept_.size() - context);
            long_line_ = true;
        }
        if (kept_.capacity() < kept_.size() + text.size()) kept_.reserve(block);
        kept_.append(text);
    }

    template <class OnLine>
    void finish(std::string_view rest, OnLine&& on_line) {
        if (!unfinished() && rest.size() <= block)
            return on_line(without_return(rest), fingerprint_line(without_return(rest)));
        keep(rest);
        std::string_view line = without_return(going_on());
        Fingerprint print = fingerprint_line(line);
        if (long_line_) {
            print.exact = combine(blocks_, print.exact);
            print.normal = static_cast<std::uint32_t>(print.exact);
            const std::size_t hidden = secret_from_before();
            line.remove_prefix(hidden < line.size() ? hidden : line.size());
        }
        on_line(line, print);
        kept_.clear();
        blocks_ = 0;
        long_line_ = false;
    }

    /// How many bytes of the last part nobody could tell to be secret who does not know what stood before it.
    [[nodiscard]] std::size_t secret_from_before() const {
        const std::string_view all = kept_, part = going_on();
        const std::size_t known = all.substr(0, cut()).find_first_of(ends_word);
        std::size_t hidden = known != std::string_view::npos ? 0 : part.find_first_of(ends_word);
        if (hidden == std::string_view::npos) return part.size();
        const List<detail::Span> alone = detail::SecretFinder(part).find();
        for (const detail::Span& whole : detail::SecretFinder(all).find()) {
            if (whole.end <= cut()) continue;
            bool seen = false;
            for (const detail::Span& each : alone)
                seen = seen || (each.begin + cut() <= whole.begin && whole.end <= each.end + cut());
            if (!seen && whole.end - cut() > hidden) hidden = whole.end - cut();
        }
        return hidden;
    }

    [[nodiscard]] static std::string_view without_return(std::string_view line) noexcept {
        if (line.ends_with('\r')) line.remove_suffix(1);
        return line;
    }

    static constexpr std::string_view ends_word = " \t\"',;&";

    std::string kept_;  ///< of a long line with `context` in front
    std::uint64_t blocks_ = 0;
    bool long_line_ = false;
};

}  // namespace heeler::inline HEELER_ABI::text
