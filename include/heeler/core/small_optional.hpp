// An optional number or time that is no larger than the value: runs are kept by the hundred thousand.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

#include <heeler/config.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

template <class T>
inline constexpr T least_value = T::min();
template <>
inline constexpr std::int64_t least_value<std::int64_t> = std::numeric_limits<std::int64_t>::min();

}  // namespace detail

/// Used as `std::optional<T>` is, and becomes one. The least value of `T` stands for "absent": no run has it.
template <class T>
class SmallOptional {
public:
    HEELER_ACCESSOR constexpr SmallOptional() noexcept = default;
    HEELER_ACCESSOR constexpr SmallOptional(std::nullopt_t) noexcept {}  // NOLINT: as std::optional
    template <class Value>
    requires(std::convertible_to<Value, T>) constexpr SmallOptional(Value value) noexcept  // NOLINT: as std::optional
        : value_(value) {}
    HEELER_ACCESSOR constexpr SmallOptional(const std::optional<T>& value) noexcept  // NOLINT: the same thing
        : value_{value.value_or(absent)} {}

    [[nodiscard]] HEELER_ACCESSOR constexpr bool has_value() const noexcept { return value_ != absent; }
    HEELER_ACCESSOR constexpr explicit operator bool() const noexcept { return has_value(); }
    [[nodiscard]] HEELER_ACCESSOR constexpr const T& operator*() const noexcept { return value_; }
    [[nodiscard]] constexpr T value_or(T otherwise) const noexcept { return has_value() ? value_ : otherwise; }
    HEELER_ACCESSOR constexpr operator std::optional<T>() const noexcept {  // NOLINT: the same thing
        return has_value() ? std::optional<T>{value_} : std::nullopt;
    }
    HEELER_ACCESSOR constexpr void reset() noexcept { value_ = absent; }

    /// Absent is less than any value.
    friend constexpr bool operator==(const SmallOptional&, const SmallOptional&) noexcept = default;
    friend constexpr auto operator<=>(const SmallOptional&, const SmallOptional&) noexcept = default;
    template <class Value>
    requires(std::convertible_to<Value, T>) friend constexpr bool operator==(const SmallOptional& a,
                                                                             const Value& b) noexcept {
        return a.has_value() && *a == b;
    }
    /// Else the standard library would take an absent one for a value.
    friend constexpr bool operator==(const SmallOptional& a, const std::optional<T>& b) noexcept {
        return a == SmallOptional{b};
    }

    void archive(auto& a) {
        std::optional<T> value = *this;
        a(value);
        *this = value;
    }

private:
    static constexpr T absent = detail::least_value<T>;

    T value_ = absent;
};

}  // namespace heeler::inline HEELER_ABI
