// How values travel to PostgreSQL and back: binary, and text that a text column can hold; for the PostgreSQL store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <heeler/core/time.hpp>
#include <heeler/store/stored_columns.hpp>
#include <heeler/store/stored_names.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// PostgreSQL's numbers of the three types that the tables use.
enum class WireType : std::uint32_t { bytes = 17, integer = 20, text = 25 };

/// In front of two hexadecimal digits that stand for a byte which a text column cannot hold.
inline constexpr char wire_escape = '\x01';

/// Text columns hold UTF-8 without NUL: other bytes are escaped, so that nothing is lost and different texts stay
/// different. Text that was sanitised is stored as it is.
[[nodiscard]] inline std::string to_column(std::string_view text) {
    constexpr char digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto next = text::decode_utf8(text, at);
        const std::string_view bytes = text.substr(at, next.size);
        at += next.size;
        if (next.valid && next.value != 0 && next.value != static_cast<char32_t>(wire_escape)) {
            out += bytes;
            continue;
        }
        for (const char byte : bytes) {
            const auto value = static_cast<unsigned char>(byte);
            out += {wire_escape, digits[value >> 4], digits[value & 15]};
        }
    }
    return out;
}

[[nodiscard]] constexpr int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

[[nodiscard]] inline std::string from_column(std::string_view stored) {
    std::string out;
    out.reserve(stored.size());
    for (std::size_t at = 0; at < stored.size(); ++at) {
        const bool escaped = stored[at] == wire_escape && at + 2 < stored.size();
        const int high = escaped ? hex_digit(stored[at + 1]) : -1;
        const int low = escaped ? hex_digit(stored[at + 2]) : -1;
        out += high < 0 || low < 0 ? stored[at] : static_cast<char>(high * 16 + low);
        if (high >= 0 && low >= 0) at += 2;
    }
    return out;
}

inline void append_big_endian(std::string& out, std::uint64_t value, unsigned bytes) {
    for (unsigned left = bytes; left-- > 0;) out += static_cast<char>(value >> (8 * left));
}

inline void append_wire(std::string& out, std::string_view text) { out += to_column(text); }
template <class Text>
void append_wire(std::string& out, const Bytes<Text>& blob) {
    out += blob.bytes;
}
template <class Number>
void append_wire(std::string& out, const Bits<Number>& number) {
    append_big_endian(out, number.bits, 8);
}
template <class T>
requires std::is_integral_v<T>
void append_wire(std::string& out, T value) { append_big_endian(out, static_cast<std::uint64_t>(value), 8); }
template <class T>
requires Named<T>
void append_wire(std::string& out, const T& value) { out += stored_name(value); }
inline void append_wire(std::string& out, WallTime when) { append_wire(out, when.time_since_epoch().count()); }

template <class T>
inline constexpr WireType wire_type =
    std::is_integral_v<T> || std::is_same_v<T, WallTime> ? WireType::integer : WireType::text;
template <class Text>
inline constexpr WireType wire_type<Bytes<Text>> = WireType::bytes;
template <class Number>
inline constexpr WireType wire_type<Bits<Number>> = WireType::integer;
template <class T>
inline constexpr WireType wire_type<std::optional<T>> = wire_type<T>;

/// The parameters of a statement.
using WireValues = std::vector<std::string>;

template <class... Ts>
[[nodiscard]] WireValues wire_values(const Ts&... values) {
    WireValues all(sizeof...(Ts));
    std::size_t at = 0;
    ((append_wire(all[at++], values)), ...);
    return all;
}

/// One array parameter, built value by value.
class WireArray {
public:
    explicit WireArray(WireType type) noexcept : type_{type} {}

    template <class T>
    void add(const T& value) {
        const std::size_t start = values_.size();
        append_big_endian(values_, 0, 4);
        append_wire(values_, value);
        std::string size;
        append_big_endian(size, values_.size() - start - 4, 4);
        values_.replace(start, 4, size);
        ++count_;
    }
    template <class T>
    void add(const std::optional<T>& value) {
        if (value) return add(*value);
        append_big_endian(values_, 0xffffffff, 4);
        has_null_ = true;
        ++count_;
    }

    [[nodiscard]] std::string take() {
        std::string whole;
        append_big_endian(whole, count_ == 0 ? 0 : 1, 4);
        append_big_endian(whole, has_null_ ? 1 : 0, 4);
        append_big_endian(whole, static_cast<std::uint32_t>(type_), 4);
        if (count_ == 0) return whole;
        append_big_endian(whole, count_, 4);
        append_big_endian(whole, 1, 4);
        return whole += std::exchange(values_, {});
    }

private:
    WireType type_;
    std::string values_;
    std::uint64_t count_ = 0;
    bool has_null_ = false;
};

template <class Values>
[[nodiscard]] std::string wire_array(const Values& values) {
    WireArray array{wire_type<typename Values::value_type>};
    for (const auto& value : values) array.add(value);
    return array.take();
}

/// Rows as one array parameter per column.
class WireRows {
public:
    template <class... Ts>
    void add(const Ts&... values) {
        if (columns_.empty()) columns_ = {WireArray{wire_type<Ts>}...};
        std::size_t at = 0;
        (columns_[at++].add(values), ...);
        ++count_;
    }

    [[nodiscard]] bool empty() const noexcept { return columns_.empty(); }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    [[nodiscard]] WireValues take() {
        WireValues all;
        for (WireArray& column : columns_) all.push_back(column.take());
        columns_.clear();
        count_ = 0;
        return all;
    }

private:
    std::vector<WireArray> columns_;
    std::size_t count_ = 0;
};

}  // namespace heeler::inline HEELER_ABI::detail
