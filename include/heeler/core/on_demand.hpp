// What most runs never have: one pointer until it is written to for the first time.
#pragma once

#include <utility>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI {

/// A value that reads as `T{}` until `edit` makes one. A copy holds a copy.
template <class T>
class OnDemand {
public:
    HEELER_ACCESSOR OnDemand() = default;
    HEELER_ACCESSOR OnDemand(const OnDemand& other) : value_{other ? new T(*other.value_) : nullptr} {}
    HEELER_ACCESSOR OnDemand(OnDemand&& other) noexcept : value_{other.value_} { other.value_ = nullptr; }
    HEELER_ACCESSOR OnDemand& operator=(OnDemand other) noexcept {
        T* const mine = value_;
        value_ = other.value_;
        other.value_ = mine;
        return *this;
    }
    HEELER_ACCESSOR ~OnDemand() { delete value_; }

    [[nodiscard]] HEELER_ACCESSOR explicit operator bool() const noexcept { return value_ != nullptr; }
    [[nodiscard]] HEELER_ACCESSOR const T& operator*() const noexcept { return value_ != nullptr ? *value_ : none(); }
    [[nodiscard]] HEELER_ACCESSOR const T* operator->() const noexcept { return &**this; }

    friend bool operator==(const OnDemand& a, const OnDemand& b) { return *a == *b; }

    [[nodiscard]] T& edit() {
        if (value_ == nullptr) value_ = new T();
        return *value_;
    }
    [[nodiscard]] T take() {
        OnDemand taken{std::move(*this)};
        return taken ? std::move(*taken.value_) : T{};
    }
    HEELER_ACCESSOR void reset() noexcept {
        delete value_;
        value_ = nullptr;
    }

    void archive(auto& a) {
        bool present = value_ != nullptr;
        a(present);
        if (a.is_loading()) reset();
        if (!present) return;
        if constexpr (requires(T & value) { value.archive(a); })
            edit().archive(a);
        else
            a(edit());
    }

private:
    static const T& none() noexcept {
        static const T value{};
        return value;
    }

    T* value_ = nullptr;  // owned; a smart pointer would cost every user of the core the header <memory>
};

}  // namespace heeler::inline HEELER_ABI
