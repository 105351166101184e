// Fingerprints a tool call by what it means: the order of keys and white space in its JSON arguments do not matter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <heeler/text/fingerprint.hpp>
#include <heeler/text/json_string.hpp>

namespace heeler::inline HEELER_ABI::text {

/// Arguments nested deeper are taken as plain text.
inline constexpr std::size_t max_argument_depth = 64;

}  // namespace heeler::inline HEELER_ABI::text

namespace heeler::inline HEELER_ABI::detail {

/// Two hashes that grow together: of the value as it is, and with its numbers masked. Not initialised by itself, since
/// most of the frames that hold one are never used.
struct TwoHashes {
    std::uint64_t exact;
    std::uint64_t normal;
};

[[nodiscard]] constexpr TwoHashes combine_both(TwoHashes a, TwoHashes b) noexcept {
    return {text::combine(a.exact, b.exact), text::combine(a.normal, b.normal)};
}

[[nodiscard]] constexpr TwoHashes tagged(TwoHashes hashes, std::uint64_t tag) noexcept {
    return combine_both(hashes, {tag, tag});
}

/// Hashes decoded text line by line, so that masking looks at lines; lines longer than the buffer are cut.
class LinesHasher {
public:
    void put(std::string_view text) noexcept {
        while (text.size() > std::size(buffer_) - size_) {
            const auto part = text.substr(0, std::size(buffer_) - size_);
            append(part);
            text.remove_prefix(part.size());
            end_line(cut);
        }
        append(text);
    }
    void put(char c) noexcept {
        if (c == '\n') return end_line(line_feed);
        put(std::string_view(&c, 1));
    }
    [[nodiscard]] TwoHashes finish() noexcept {
        end_line(cut);
        return sum_;
    }

    static constexpr std::size_t longest_line = 1024;

    /// The same as `put(line)` and `finish()`; `line` has no line break and at most `longest_line` bytes.
    [[nodiscard]] static TwoHashes hash_one(std::string_view line) noexcept { return add(TwoHashes{}, line, cut); }

private:
    static constexpr std::uint64_t cut = 1;
    static constexpr std::uint64_t line_feed = 2;

    [[nodiscard]] static TwoHashes add(TwoHashes sum, std::string_view text, std::uint64_t how) noexcept {
        const auto line = text::fingerprint_line(text);
        return combine_both(sum, {line.exact + how, line.normal + how});
    }
    void append(std::string_view text) noexcept {
        if (!text.empty()) std::memcpy(buffer_ + size_, text.data(), text.size());
        size_ += text.size();
    }
    void end_line(std::uint64_t how) noexcept {
        sum_ = add(sum_, {buffer_, size_}, how);
        size_ = 0;
    }

    TwoHashes sum_{};
    std::size_t size_ = 0;
    char buffer_[longest_line];
};

/// Reads one JSON object or array from front to back without recursion and hashes it on the way.
class ArgumentScanner {
public:
    explicit ArgumentScanner(std::string_view json) noexcept : at_(json.data()), end_(json.data() + json.size()) {}

    /// False if this is not a JSON object or array, or is nested too deep.
    [[nodiscard]] bool scan(TwoHashes& out) noexcept {
        if (next() != '{' && next() != '[') return false;
        for (;;) {
            if (!value()) return false;
            while (!opened_) {
                if (depth_ == 0) {
                    out = value_;
                    return next() == '\0' && at_ == end_;
                }
                if (!after_value()) return false;
                if (!closed_) break;
            }
        }
    }

private:
    enum Tag : std::uint64_t { tag_string = 1, tag_number, tag_word, tag_array, tag_object };

    struct Frame {
        TwoHashes sum;
        std::uint64_t key;
        bool object;
    };

    /// The next character that is not white space; 0 at the end.
    [[nodiscard]] char next() noexcept {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
        return at_ != end_ ? *at_ : '\0';
    }

    [[nodiscard]] bool take(char c) noexcept {
        if (next() != c || at_ == end_) return false;
        ++at_;
        return true;
    }

    /// Reads a value, or opens an array or object that is not empty (`opened_`).
    [[nodiscard]] bool value() noexcept {
        opened_ = false;
        const char c = next();
        if (c == '{' || c == '[') return open(c == '{');
        if (c == '"') return string(value_);
        return word();
    }

    [[nodiscard]] bool open(bool object) noexcept {
        if (depth_ == std::size(frames_)) return false;
        ++at_;
        frames_[depth_++] = {{}, 0, object};
        if (take(object ? '}' : ']')) {
            close();
            return true;
        }
        opened_ = true;
        return !object || key();
    }

    void close() noexcept {
        const auto& frame = frames_[--depth_];
        value_ = tagged(frame.sum, frame.object ? tag_object : tag_array);
    }

    [[nodiscard]] bool key() noexcept {
        TwoHashes name{};
        if (next() != '"' || !string(name) || !take(':')) return false;
        frames_[depth_ - 1].key = name.exact;
        return true;
    }

    /// Adds the value to what holds it; then a comma, or an end that makes the holder the value (`closed_`).
    [[nodiscard]] bool after_value() noexcept {
        auto& frame = frames_[depth_ - 1];
        if (frame.object) {
            const auto member = combine_both({frame.key, frame.key}, value_);
            frame.sum.exact += member.exact;
            frame.sum.normal += member.normal;
        } else {
            frame.sum = combine_both(frame.sum, value_);
        }
        closed_ = take(frame.object ? '}' : ']');
        if (closed_)
            close();
        else if (!take(',') || (frame.object && !key()))
            return false;
        return true;
    }

    /// A number or a literal: whatever stands there up to the next delimiter, if it can be one.
    [[nodiscard]] bool word() noexcept {
        const char* start = at_;
        while (at_ != end_ && (is_json_part(*at_) || (*at_ >= 'a' && *at_ <= 'z'))) ++at_;
        const std::string_view text(start, static_cast<std::size_t>(at_ - start));
        if (text.empty()) return false;
        const bool number = text[0] == '-' || class_of(text[0]) == char_digit;
        if (!number && text != "true" && text != "false" && text != "null") return false;
        const auto exact = text::fingerprint_text(text);
        value_ = tagged({exact, number ? 0 : exact}, number ? tag_number : tag_word);
        return true;
    }

    [[nodiscard]] static bool is_json_part(char c) noexcept {
        return class_of(c) == char_digit || c == '-' || c == '+' || c == '.' || c == 'E';
    }

    [[nodiscard]] bool string(TwoHashes& out) noexcept {
        const char* start = ++at_;
        const char* stop = find_string_stop(start, end_);
        const std::string_view plain(start, static_cast<std::size_t>(stop - start));
        if (stop != end_ && *stop == '"' && plain.size() <= LinesHasher::longest_line) {
            at_ = stop + 1;
            out = tagged(LinesHasher::hash_one(plain), tag_string);
            return true;
        }
        LinesHasher text;
        if (!read_json_string(at_, end_, text)) return false;
        out = tagged(text.finish(), tag_string);
        return true;
    }

    const char* at_;
    const char* end_;
    std::size_t depth_ = 0;
    bool opened_ = false;
    bool closed_ = false;
    TwoHashes value_{};
    Frame frames_[text::max_argument_depth];
};

[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept {
    while (!text.empty() && class_of(text.front()) == char_space) text.remove_prefix(1);
    while (!text.empty() && class_of(text.back()) == char_space) text.remove_suffix(1);
    return text;
}

}  // namespace heeler::inline HEELER_ABI::detail

namespace heeler::inline HEELER_ABI::text {

/// The fingerprint of calling `tool_name` (empty: "unknown") with `args_json`. Values, types and the order in arrays
/// matter; the order of keys, white space and how a string is escaped do not; `1` and `1.0` differ. Anything but an
/// object or array counts as its text. `normal` has numbers in values masked, never in names. Linear, never allocates.
[[nodiscard]] inline Fingerprint fingerprint_call(std::string_view tool_name, std::string_view args_json) noexcept {
    const auto name = fingerprint_text(tool_name.empty() ? "unknown" : tool_name);
    detail::TwoHashes arguments{};
    if (!detail::ArgumentScanner(args_json).scan(arguments)) {
        const auto text = fingerprint_line(detail::trimmed(args_json));
        arguments = {text.exact, text.normal};
    }
    return {combine(name, arguments.exact), static_cast<std::uint32_t>(combine(name, arguments.normal))};
}

}  // namespace heeler::inline HEELER_ABI::text
