// What most runs never have: one pointer until it is written to for the first time.
#pragma once

#include <memory>
#include <utility>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI {

/// A value that reads as `T{}` until `edit` makes one. A copy holds a copy.
template <class T>
class Seldom {
public:
    Seldom() = default;
    Seldom(const Seldom& other) : value_{other.value_ ? std::make_unique<T>(*other.value_) : nullptr} {}
    Seldom(Seldom&&) noexcept = default;
    Seldom& operator=(const Seldom& other) {
        if (this != &other) value_ = Seldom{other}.value_;
        return *this;
    }
    Seldom& operator=(Seldom&&) noexcept = default;
    ~Seldom() = default;

    [[nodiscard]] explicit operator bool() const noexcept { return value_ != nullptr; }
    [[nodiscard]] const T& operator*() const noexcept { return value_ ? *value_ : none(); }
    [[nodiscard]] const T* operator->() const noexcept { return &**this; }

    [[nodiscard]] T& edit() {
        if (!value_) value_ = std::make_unique<T>();
        return *value_;
    }
    [[nodiscard]] T take() { return value_ ? std::move(*std::exchange(value_, nullptr)) : T{}; }
    void reset() noexcept { value_.reset(); }

    template <class A>
    void archive(A& a) {
        bool present = value_ != nullptr;
        a(present);
        if constexpr (A::is_loading) value_.reset();
        if (present) a(edit());
    }

private:
    static const T& none() noexcept {
        static const T value{};
        return value;
    }

    std::unique_ptr<T> value_;
};

}  // namespace heeler::inline HEELER_ABI
