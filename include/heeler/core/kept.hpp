// A value of any type, kept for who knows which.
#pragma once

#include <type_traits>
#include <typeinfo>
#include <utility>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// A copy holds a copy. In place of `std::any`, of which each type costs who includes this four times as many
/// functions.
class Kept {
public:
    Kept() = default;
    template <class T>
    requires(!std::is_same_v<T, Kept>) explicit Kept(T value) : value_{new T(std::move(value))}, type_{&type_of<T>} {}
    Kept(const Kept& other)
        : value_{other.type_ != nullptr ? other.type_->copy(other.value_) : nullptr}, type_{other.type_} {}
    Kept(Kept&& other) noexcept : value_{other.value_}, type_{other.type_} {
        other.value_ = nullptr;
        other.type_ = nullptr;
    }
    Kept& operator=(Kept other) noexcept {
        std::swap(value_, other.value_);
        std::swap(type_, other.type_);
        return *this;
    }
    ~Kept() {
        if (type_ != nullptr) type_->destroy(value_);
    }

    /// Whatever it is; null: nothing.
    [[nodiscard]] void* get() noexcept { return value_; }
    [[nodiscard]] const void* get() const noexcept { return value_; }

    /// Null if it is of another type.
    template <class T>
    [[nodiscard]] T* as() noexcept {
        return is<T>() ? static_cast<T*>(value_) : nullptr;
    }
    template <class T>
    [[nodiscard]] const T* as() const noexcept {
        return is<T>() ? static_cast<const T*>(value_) : nullptr;
    }

private:
    struct Type {
        void* (*copy)(const void* value);
        void (*destroy)(void* value) noexcept;
#if defined(__cpp_rtti)
        const std::type_info* name;  ///< the same in each library of a program
#endif
    };

    template <class T>
    static void* copy(const void* value) {
        return new T(*static_cast<const T*>(value));
    }
    template <class T>
    static void destroy(void* value) noexcept {
        delete static_cast<T*>(value);
    }
#if defined(__cpp_rtti)
    template <class T>
    static constexpr Type type_of{&copy<T>, &destroy<T>, &typeid(T)};
#else
    template <class T>
    static constexpr Type type_of{&copy<T>, &destroy<T>};
#endif

    template <class T>
    [[nodiscard]] bool is() const noexcept {
        if (type_ == nullptr) return false;
#if defined(__cpp_rtti)
        return *type_->name == typeid(T);
#else
        return type_ == &type_of<T>;
#endif
    }

    void* value_ = nullptr;
    const Type* type_ = nullptr;
};

}  // namespace heeler::inline HEELER_ABI::detail
