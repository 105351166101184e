// Saves and loads values as compact bytes: what a detector or a run must remember across a restart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <heeler/core/last_value.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// Passes values one after the other, to bytes or from them. A type of its own takes part with `void archive(auto& a) {
/// a(x, y); }`, the same function for saving and loading. Elapsed times become wall times, seen from `now`.
class Archive {
public:
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;

    template <class... Ts>
    HEELER_ACCESSOR void operator()(Ts&... values) {
        (pass(values), ...);
    }

    [[nodiscard]] bool is_loading() const noexcept { return loading_; }
    /// Of what is loaded: that it is whole. If it is not, every further value keeps what it had.
    [[nodiscard]] bool ok() const noexcept { return ok_; }
    /// What was read makes no sense: nothing more is read.
    void refuse() noexcept { ok_ = false; }

protected:
    explicit Archive(Instant now) : now_{now} {}
    Archive(std::string_view bytes, Instant now) : unread_{bytes}, now_{now}, loading_{true} {}
    ~Archive() = default;

    HEELER_ACCESSOR void spill() {
        written_.append(near_, held_);
        held_ = 0;
    }

    std::string written_{};
    std::string_view unread_{};

private:
    bool pass_bytes(void* value, std::size_t size) {
        if (!loading_) {
            put_bytes(value, size);
            return true;
        }
        if (!ok_ || unread_.size() < size) return ok_ = false;
        unread_.copy(static_cast<char*>(value), size);
        unread_.remove_prefix(size);
        return true;
    }
    /// Nearly all values are of one or eight bytes: they are put together before they go to the text.
    void put_bytes(const void* value, std::size_t size) {
        if (size > sizeof near_ - held_) {
            spill();
            if (size > sizeof near_) return static_cast<void>(written_.append(static_cast<const char*>(value), size));
        }
        char* const place = near_ + held_;
        held_ += size;
        if (size == 1)
            *place = *static_cast<const char*>(value);
        else if (size == 8)
            std::memcpy(place, value, 8);
        else if (size > 0)
            std::memcpy(place, value, size);
    }
    /// Seven bits in each byte, the last of which is below 128: most texts and lists are short.
    void put_count(std::size_t count) {
        for (unsigned char byte = 128; byte >= 128; count /= 128) {
            byte = static_cast<unsigned char>(count % 128 + (count >= 128 ? 128 : 0));
            put_bytes(&byte, 1);
        }
    }
    /// A count that the remaining bytes can hold at all, so that damage cannot ask for all memory.
    std::size_t take_count() {
        std::uint64_t count = 0;
        std::uint8_t byte = 128;
        for (unsigned shift = 0; byte >= 128; shift += 7) {
            if (shift > 56) ok_ = false;
            if (!pass_bytes(&byte, 1)) return 0;
            count |= std::uint64_t{byte % 128u} << shift;
        }
        if (count > unread_.size()) ok_ = false;
        return ok_ ? static_cast<std::size_t>(count) : 0;
    }
    template <class Text>
    void pass_text(Text& text) {
        const std::size_t size = loading_ ? take_count() : text.size();
        if (!ok_) return;
        if (!loading_) {
            put_count(size);
            put_bytes(text.data(), size);
        } else {
            text = unread_.substr(0, size);
            unread_.remove_prefix(size);
        }
    }

    template <class T>
    static constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

    template <class T>
    void pass(T& value) {
        if constexpr (requires { value.archive(*this); }) {
            value.archive(*this);
        } else if constexpr (requires { value.emplace_back(); }) {
            if (loading_) return load(value);
            put_count(value.size());
            if constexpr (is_number<typename T::value_type>)
                put_bytes(value.data(), value.size() * sizeof(typename T::value_type));
            else
                for (auto& each : value) pass(each);
        } else if constexpr (std::is_enum_v<T>) {
            static_assert(detail::Counted<T>,
                          "heeler: give this enumeration a `constexpr E last_value(E)`: what is loaded is checked");
            T passed = value;
            if (!pass_bytes(&passed, sizeof passed)) return;
            if (static_cast<std::size_t>(passed) >= detail::count_of<T>) return refuse();
            value = passed;
        } else {
            static_assert(std::is_trivially_copyable_v<T>, "heeler: give this type a member `void archive(auto& a)`");
            pass_bytes(&value, sizeof value);
        }
    }
    template <class T>
    void load(T& list) {
        const std::size_t count = take_count();
        if (!ok_) return;
        list.clear();
        for (std::size_t i = 0; i < count && ok_; ++i) pass(list.emplace_back());
    }
    template <class T>
    void pass(std::optional<T>& value) {
        std::uint8_t present = value.has_value();
        if (!pass_bytes(&present, 1)) return;
        if (present == 0) return value.reset();
        if (loading_) value.emplace();
        pass(*value);
    }
    void pass(bool& value) {
        std::uint8_t byte = value;
        if (pass_bytes(&byte, 1)) value = byte != 0;
    }
    void pass(Elapsed& when) {
        WallTime wall = loading_ ? WallTime{} : wall_at(now_, when);
        if (pass_bytes(&wall, sizeof wall) && loading_) when = elapsed_at(now_, in_calendar(wall));
    }
    void pass(WallTime& when) {
        WallTime wall = when;
        if (pass_bytes(&wall, sizeof wall) && loading_) when = in_calendar(wall);
    }
    /// At most ten thousand years either way, so that damage cannot make sums overflow.
    void pass(Duration& length) {
        constexpr Duration most = std::chrono::hours{24 * 365 * 10'000};
        Duration passed = length;
        if (!pass_bytes(&passed, sizeof passed) || !loading_) return;
        length = passed < -most ? -most : passed > most ? most : passed;
    }
    void pass(std::string& text) { pass_text(text); }
    /// Loaded, it refers to the bytes that are read.
    void pass(std::string_view& text) { pass_text(text); }

    Instant now_;
    bool loading_ = false, ok_ = true;
    std::size_t held_ = 0;
    char near_[512]{};  // what is behind the text, so many bytes of it; GCC cannot tell that no others are read
};

/// Saves.
class ArchiveWriter : public Archive {
public:
    explicit ArchiveWriter(Instant now) : Archive{now} {}

    [[nodiscard]] std::string take() {
        spill();
        return std::move(written_);
    }
    [[nodiscard]] const std::string& bytes() {
        spill();
        return written_;
    }
};

/// Loads what an `ArchiveWriter` saved. After damage or truncation `ok()` is false.
class ArchiveReader : public Archive {
public:
    ArchiveReader(std::string_view bytes, Instant now) : Archive{bytes, now} {}

    [[nodiscard]] bool at_end() const noexcept { return unread_.empty(); }
};

/// A type that an archive can save and load.
template <class T>
concept Archivable = std::is_trivially_copyable_v<T> || requires(T& value, Archive& archive) {
    value.archive(archive);
};

}  // namespace heeler::inline HEELER_ABI
