// Saves and loads values as compact bytes: what a detector or a run must remember across a restart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <heeler/core/last_value.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// Writes values one after the other. A type of its own takes part with `template <class A> void archive(A& a) { a(x,
/// y); }`, the same function for saving and loading. Elapsed times become wall times, seen from `now`.
class ArchiveWriter {
public:
    static constexpr bool is_loading = false;

    explicit ArchiveWriter(Instant now) : now_{now} {}

    template <class... Ts>
    void operator()(Ts&... values) {
        (put(values), ...);
    }

    [[nodiscard]] std::string take() { return std::move(bytes_); }
    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

private:
    template <class T>
    void put(T& value) {
        if constexpr (requires { value.archive(*this); })
            value.archive(*this);
        else {
            static_assert(std::is_trivially_copyable_v<T>,
                          "heeler: give this type a member `template <class A> void archive(A&)`");
            bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        }
    }
    void put(Elapsed& when) {
        auto wall = wall_at(now_, when);
        bytes_.append(reinterpret_cast<const char*>(&wall), sizeof wall);
    }
    void put(std::string& text) {
        put_count(text.size());
        bytes_ += text;
    }
    template <class T>
    void put(std::optional<T>& value) {
        auto present = static_cast<std::uint8_t>(value.has_value());
        put(present);
        if (value) put(*value);
    }
    template <class T>
    void put(std::vector<T>& values) {
        put_count(values.size());
        for (auto& value : values) put(value);
    }

    /// Seven bits in each byte, the last of which is below 128: most texts and lists are short.
    void put_count(std::size_t count) {
        for (; count >= 128; count /= 128) bytes_ += static_cast<char>(static_cast<unsigned char>(count % 128 + 128));
        bytes_ += static_cast<char>(count);
    }

    Instant now_;
    std::string bytes_;
};

/// Reads what `ArchiveWriter` wrote. After damage or truncation `ok()` is false, and every further value keeps what it
/// had.
class ArchiveReader {
public:
    static constexpr bool is_loading = true;

    ArchiveReader(std::string_view bytes, Instant now) : bytes_{bytes}, now_{now} {}

    template <class... Ts>
    void operator()(Ts&... values) {
        (get(values), ...);
    }

    [[nodiscard]] bool ok() const noexcept { return ok_; }
    /// What was read makes no sense: nothing more is read.
    void refuse() noexcept { ok_ = false; }
    [[nodiscard]] bool at_end() const noexcept { return bytes_.empty(); }

private:
    bool take(void* to, std::size_t size) {
        if (!ok_ || bytes_.size() < size) return ok_ = false;
        bytes_.copy(static_cast<char*>(to), size);
        bytes_.remove_prefix(size);
        return true;
    }
    /// A count that the remaining bytes can hold at all, so that damage cannot ask for all memory.
    std::size_t take_count(std::size_t least_bytes_each) {
        std::uint64_t count = 0;
        std::uint8_t byte = 128;
        for (unsigned shift = 0; byte >= 128; shift += 7) {
            if (shift > 56) ok_ = false;
            if (!take(&byte, 1)) return 0;
            count |= std::uint64_t{byte % 128u} << shift;
        }
        if (count > bytes_.size() / least_bytes_each) ok_ = false;
        return ok_ ? static_cast<std::size_t>(count) : 0;
    }

    template <class T>
    void get(T& value) {
        if constexpr (requires { value.archive(*this); }) {
            value.archive(*this);
        } else if constexpr (std::is_enum_v<T>) {
            static_assert(detail::Counted<T>,
                          "heeler: give this enumeration a `constexpr E last_value(E)`: what is loaded is checked");
            T read = value;
            if (!take(&read, sizeof read)) return;
            if (static_cast<std::size_t>(read) >= detail::count_of<T>) return refuse();
            value = read;
        } else {
            static_assert(std::is_trivially_copyable_v<T>,
                          "heeler: give this type a member `template <class A> void archive(A&)`");
            T read = value;
            if (take(&read, sizeof read)) value = read;
        }
    }
    void get(bool& value) {
        std::uint8_t byte = 0;
        if (take(&byte, 1)) value = byte != 0;
    }
    void get(Elapsed& when) {
        WallTime wall{};
        if (take(&wall, sizeof wall)) when = elapsed_at(now_, in_calendar(wall));
    }
    void get(WallTime& when) {
        WallTime wall{};
        if (take(&wall, sizeof wall)) when = in_calendar(wall);
    }
    /// At most ten thousand years either way, so that damage cannot make sums overflow.
    void get(Duration& length) {
        constexpr Duration most = std::chrono::hours{24 * 365 * 10'000};
        Duration read{};
        if (take(&read, sizeof read)) length = read < -most ? -most : read > most ? most : read;
    }
    void get(std::string& text) {
        const std::size_t size = take_count(1);
        if (!ok_) return;
        text.assign(bytes_.data(), size);
        bytes_.remove_prefix(size);
    }
    /// Refers to the bytes that are read.
    void get(std::string_view& text) {
        const std::size_t size = take_count(1);
        if (!ok_) return;
        text = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
    }
    template <class T>
    void get(std::optional<T>& value) {
        std::uint8_t present = 0;
        if (!take(&present, 1)) return;
        if (present == 0) return value.reset();
        get(value.emplace());
    }
    template <class T>
    void get(std::vector<T>& values) {
        const std::size_t count = take_count(1);
        if (!ok_) return;
        values.clear();
        for (std::size_t i = 0; i < count && ok_; ++i) get(values.emplace_back());
    }

    std::string_view bytes_;
    Instant now_;
    bool ok_ = true;
};

/// A type that an archive can save and load.
template <class T>
concept Archivable = std::is_trivially_copyable_v<T> ||
    requires(T& value, ArchiveWriter& writer, ArchiveReader& reader) {
    value.archive(writer);
    value.archive(reader);
};

}  // namespace heeler::inline HEELER_ABI
