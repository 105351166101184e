// Reads the arguments of a tool call once, from front to back, and hands out every scalar with its path.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <heeler/core/plain_loops.hpp>
#include <heeler/detect/loop/masks.hpp>
#include <heeler/text/canonical_args.hpp>
#include <heeler/text/json_string.hpp>

namespace heeler::inline HEELER_ABI::loops::detail {

/// What a key of the arguments stands for.
enum class KeyRole : std::uint8_t {
    none,
    free_text,    ///< for people, if it stands at the top and looks like a sentence
    description,  ///< for people, if it stands at the top
    changing,     ///< another value at each try
    command,
    path,
    old_text,
    new_text,
    whole,   ///< a file's content
    span,    ///< which part is meant
    option,  ///< how a command is run
};

struct KeyName {
    std::uint32_t hash = 0;
    KeyRole role = KeyRole::none;
};

/// Keys are the same whether they are written `file_path`, `filePath` or `file-path`.
[[nodiscard]] constexpr std::uint32_t key_hash(std::string_view key) noexcept {
    std::uint32_t hash = 2166136261u;
    for (const char c : key)
        if (c != '_' && c != '-') hash = (hash ^ static_cast<unsigned char>(fold(c))) * 16777619u;
    return hash ^ (hash >> 15);
}

class KeyRoles {
public:
    consteval KeyRoles() {
        add(KeyRole::free_text,
            "thought thoughts reason reasoning comment explanation justification rationale note summary intent "
            "status statustext activeform");
        add(KeyRole::description, "description");
        add(KeyRole::changing,
            "nonce requestid idempotencykey correlationid traceid spanid timestamp ts time now attempt retry retries "
            "seq cachebuster cb sinceid uuid callid");
        add(KeyRole::changing, "");
        add(KeyRole::command, "command cmd code");
        add(KeyRole::path, "path filepath filename file targetfile absolutepath notebookpath");
        add(KeyRole::old_text, "oldstring oldstr oldtext oldcontent search original");
        add(KeyRole::new_text, "newstring newstr newtext newcontent replace replacement updated");
        add(KeyRole::whole, "content contents filetext newsource text");
        add(KeyRole::span,
            "offset limit viewrange start end startline endline linestart lineend line page pagenumber pagesize "
            "perpage cursor nextcursor nexttoken pagetoken skip headlimit fromline toline");
        add(KeyRole::option,
            "timeout timeoutms timeoutseconds cwd workdir workingdir workingdirectory directory shell login "
            "background runinbackground isbackground isinput securityrisk yieldtimems maxoutputtokens "
            "dangerouslydisablesandbox blocking");
    }
    [[nodiscard]] constexpr KeyRole of(std::string_view key) const noexcept {
        const std::uint32_t hash = key_hash(key);
        for (std::size_t i = hash % std::size(names_); names_[i].role != KeyRole::none; i = (i + 1) % std::size(names_))
            if (names_[i].hash == hash) return names_[i].role;
        return KeyRole::none;
    }

private:
    /// `names`: with blanks between; empty: of a key without a name.
    consteval void add(KeyRole role, std::string_view names) {
        do {
            const std::uint32_t hash = key_hash(heeler::detail::take_word(names));
            std::size_t i = hash % std::size(names_);
            while (names_[i].role != KeyRole::none) i = (i + 1) % std::size(names_);
            names_[i] = {hash, role};
        } while (!names.empty());
    }
    KeyName names_[256]{};
};
inline constexpr KeyRoles key_roles{};

/// One value of the arguments that is neither object nor array.
struct Scalar {
    std::uint64_t path = 0;  ///< a hash of the keys and places that lead to it
    std::uint32_t depth = 0;
    std::uint32_t place = 0;  ///< in the innermost array
    bool in_array = false;
    bool is_text = false;
    KeyRole role = KeyRole::none;  ///< of the innermost key
    bool changing = false;         ///< under a key of that role
};

/// Walks over one JSON object or array without recursion. `Sink` has `begin(const Scalar&)`, `put(string_view)`,
/// `put(char)` and `end()`.
template <class Sink>
class ArgumentWalker {
public:
    ArgumentWalker(std::string_view json, Sink& sink) noexcept
        : at_{json.data()}, end_{json.data() + json.size()}, sink_{sink} {}

    /// False if this is not one JSON object or array, or is nested too deep; what was handed out until then is void.
    [[nodiscard]] bool walk() noexcept {
        if (next() != '{' && next() != '[') return false;
        for (;;) {
            if (!value()) return false;
            while (!opened_) {
                if (depth_ == 0) return next() == '\0' && at_ == end_;
                if (take(frames_[depth_ - 1].object ? '}' : ']')) {
                    --depth_;
                    continue;
                }
                if (!take(',')) return false;
                ++frames_[depth_ - 1].place;
                if (frames_[depth_ - 1].object && !key()) return false;
                break;
            }
        }
    }

private:
    struct Frame {  // not initialised by itself: most frames are never used
        std::uint64_t path;
        std::uint64_t key;
        std::uint32_t place;
        bool object;
        bool changing;
        KeyRole role;
    };
    struct KeyText {
        std::array<char, 64> text;  // as many as there are
        std::size_t size = 0;
        std::uint64_t longer = 0;
        void put(char c) noexcept {
            if (size < text.size())
                text[size++] = c;
            else
                longer = text::combine(longer, static_cast<unsigned char>(c));
        }
        void put(std::string_view part) noexcept {
            for (const char c : part) put(c);
        }
        [[nodiscard]] std::string_view view() const noexcept { return {text.data(), size}; }
    };

    [[nodiscard]] char next() noexcept {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
        return at_ != end_ ? *at_ : '\0';
    }
    [[nodiscard]] bool take(char c) noexcept {
        if (next() != c || at_ == end_) return false;
        ++at_;
        return true;
    }

    [[nodiscard]] bool value() noexcept {
        opened_ = false;
        const char c = next();
        if (c == '{' || c == '[') return open(c == '{');
        if (c != '"') return word();
        ++at_;
        sink_.begin(scalar(true));
        if (!read_json_string(at_, end_, sink_)) return false;
        sink_.end();
        return true;
    }
    [[nodiscard]] Scalar scalar(bool is_text) const noexcept {
        if (depth_ == 0) return {};
        const Frame& frame = frames_[depth_ - 1];
        return {path_of(frame),
                static_cast<std::uint32_t>(depth_),
                frame.object ? 0 : frame.place,
                !frame.object,
                is_text,
                frame.role,
                frame.changing};
    }
    [[nodiscard]] static std::uint64_t path_of(const Frame& frame) noexcept {
        return text::combine(frame.path, frame.object ? frame.key : frame.place);
    }
    [[nodiscard]] bool open(bool object) noexcept {
        if (depth_ == std::size(frames_)) return false;
        ++at_;
        Frame& frame = frames_[depth_];
        frame = {0, 0, 0, object, false, KeyRole::none};
        if (depth_ > 0) {
            const Frame& outer = frames_[depth_ - 1];
            frame.path = path_of(outer);
            frame.role = outer.role;
            frame.changing = outer.changing;
        }
        ++depth_;
        if (take(object ? '}' : ']')) {
            --depth_;
            return true;
        }
        opened_ = true;
        return !object || key();
    }
    [[nodiscard]] bool key() noexcept {
        if (next() != '"') return false;
        ++at_;
        KeyText name;
        if (!read_json_string(at_, end_, name) || !take(':')) return false;
        Frame& frame = frames_[depth_ - 1];
        frame.key = text::combine(text::fingerprint_text(name.view()), name.longer);
        frame.role = key_roles.of(name.view());
        frame.changing = (depth_ > 1 && frames_[depth_ - 2].changing) || frame.role == KeyRole::changing;
        return true;
    }
    /// A number or a literal; `null` is as good as no value.
    [[nodiscard]] bool word() noexcept {
        const char* first = at_;
        while (at_ != end_ && (is_letter(*at_) || is_digit(*at_) || *at_ == '-' || *at_ == '+' || *at_ == '.')) ++at_;
        const std::string_view text = between(first, at_);
        if (text.empty()) return false;
        const bool number = text[0] == '-' || is_digit(text[0]);
        if (text == "null") return true;
        if (!number && text != "true" && text != "false") return false;
        sink_.begin(scalar(false));
        sink_.put(text);
        sink_.end();
        return true;
    }
    [[nodiscard]] static bool read_json_string(const char*& at, const char* end, auto& to) noexcept {
        return heeler::detail::read_json_string(at, end, to);
    }

    const char* at_;
    const char* end_;
    Sink& sink_;
    std::size_t depth_ = 0;
    bool opened_ = false;
    Frame frames_[text::max_argument_depth];
};

/// Hashes the text of one value with runs of white space as one blank: as it is, masked, and without digits. Text
/// behind the first 48 KiB is not masked.
class ScalarHasher {
public:
    void reset() noexcept {
        sum_ = {};
        size_ = taken_ = 0;
        blank_ = false;
    }
    void put(char c) noexcept { put(std::string_view{&c, 1}); }
    void put(std::string_view text) noexcept {
        const char* at = text.data();
        const char* end = at + text.size();
        while (at != end) {
            const char* first = at;
            at = next_blank(at, end);
            while (at != end && is_single_blank(first, at, end)) at = next_blank(at + 1, end);
            if (at != first) {
                if (blank_ && (size_ > 0 || taken_ > 0)) append(" ");
                blank_ = false;
                append(between(first, at));
            }
            if (at == end) return;
            blank_ = true;
            ++at;
        }
    }

    struct Hashes {
        std::uint64_t exact = 0;
        std::uint64_t typed = 0;
        std::uint64_t shape = 0;
    };
    [[nodiscard]] Hashes finish() noexcept {
        spill(size_);
        return sum_;
    }

private:
    void append(std::string_view text) noexcept {
        while (!text.empty()) {
            if (size_ == std::size(buffer_)) make_room();
            const std::string_view part = text.substr(0, std::size(buffer_) - size_);
            std::memcpy(buffer_ + size_, part.data(), part.size());
            size_ += part.size();
            text.remove_prefix(part.size());
        }
    }
    /// The next white space, or the end.
    [[nodiscard]] static const char* next_blank(const char* at, const char* end) noexcept {
        while (heeler::detail::scans_words && end - at >= 8) {
            const std::uint64_t low = bits_below(heeler::detail::load_word(at), ' ' + 1);
            at += low != 0 ? heeler::detail::first_byte(low) : 8;
            if (low == 0) continue;
            if (is_blank(*at)) return at;
            ++at;
        }
        while (at != end && !is_blank(*at)) ++at;
        return at;
    }
    /// One between two words stays as it is.
    [[nodiscard]] static bool is_single_blank(const char* first, const char* at, const char* end) noexcept {
        return *at == ' ' && at != first && end - at > 1 && !is_blank(at[1]);
    }
    /// Between two words, if there are any.
    void make_room() noexcept {
        std::size_t cut = size_;
        while (cut > std::size(buffer_) / 2 && buffer_[cut - 1] != ' ') --cut;
        spill(cut > std::size(buffer_) / 2 ? cut : size_);
    }
    void spill(std::size_t count) noexcept {
        const std::string_view text{buffer_, count};
        const std::uint64_t exact = text::fingerprint_text(text);
        sum_.exact = text::combine(sum_.exact, exact);
        const bool masked = taken_ < most_masked && !MaskFinder{text.data(), text.data() + text.size()}.finds_nothing();
        std::uint64_t typed = exact, shape = exact;
        if (masked && count < 10 && digits_end(buffer_, buffer_ + count) == buffer_ + count) {  // too short for a time
            shape = text::combine(0, text::fingerprint_text("#"));
        } else if (masked) {
            bool has_slot = false;
            ShapeBuffer buffer{text.size()};
            const MaskedHashes hashes = hash_masked(text, ArgumentShape{{buffer}, has_slot});
            typed = has_slot ? exact : hashes.typed;
            shape = buffer.hash();
        }
        sum_.typed = text::combine(sum_.typed, typed);
        sum_.shape = text::combine(sum_.shape, shape);
        if (size_ != count) std::memmove(buffer_, buffer_ + count, size_ - count);
        size_ -= count;
        taken_ += count;
    }
    static constexpr std::size_t most_masked = std::size_t{48} * 1024;
    Hashes sum_{};
    std::size_t size_ = 0;
    std::size_t taken_ = 0;
    bool blank_ = false;
    char buffer_[1024];
};

}  // namespace heeler::inline HEELER_ABI::loops::detail
