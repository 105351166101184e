// A list of values, one after the other in memory: what the library uses of `std::vector`, at a quarter of its cost.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

#include <heeler/config.hpp>
#include <heeler/core/guard.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// What is the same of a list whatever it lists.
class ListStorage {
public:
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

protected:
    ListStorage() = default;
    ~ListStorage() { ::operator delete(first_); }

    void check(std::size_t at) const {
        if (at >= size_) raise("heeler: a list has no such place");
    }
    void swap_storage(ListStorage& other) noexcept {
        std::swap(first_, other.first_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
    }

    void* first_ = nullptr;
    std::size_t size_ = 0, room_ = 0;
};

}  // namespace detail

/// Rows and other values of the library, in order. Used like `std::vector<T>`, with pointers for iterators, which any
/// change may leave dangling. It exists because every source that includes the library compiles its lists anew: of each
/// kind of `std::vector` a compiler that does not optimise emits about eighty functions, of this one fifteen.
template <class T>
class List : public detail::ListStorage {
public:
    using value_type = T;
    using size_type = std::size_t;
    using iterator = T*;
    using const_iterator = const T*;

    HEELER_ACCESSOR List() noexcept = default;
    HEELER_ACCESSOR explicit List(std::size_t count) : List() { resize(count); }
    List(std::size_t count, const T& value) : List() {
        reserve(count);
        while (size_ < count) push_back(value);
    }
    HEELER_ACCESSOR List(const T* first, const T* last) : List() {
        append(first, static_cast<std::size_t>(last - first));
    }
    HEELER_ACCESSOR List(std::initializer_list<T> values) : List() { append(values.begin(), values.size()); }
    HEELER_ACCESSOR List(const List& other) : List() { append(other.data(), other.size_); }
    HEELER_ACCESSOR List(List&& other) noexcept { swap_storage(other); }
    // Not one that takes a value: Clang 14 forgets to destroy what a template assigns to it in braces.
    HEELER_ACCESSOR List& operator=(const List& other) {
        List taken{other.begin(), other.end()};
        swap_storage(taken);
        return *this;
    }
    HEELER_ACCESSOR List& operator=(List&& other) noexcept {
        List taken{static_cast<List&&>(other)};
        swap_storage(taken);
        return *this;
    }
    HEELER_ACCESSOR ~List() { clear(); }

    [[nodiscard]] HEELER_ACCESSOR T* data() noexcept { return static_cast<T*>(first_); }
    [[nodiscard]] HEELER_ACCESSOR const T* data() const noexcept { return static_cast<const T*>(first_); }
    [[nodiscard]] HEELER_ACCESSOR T* begin() noexcept { return static_cast<T*>(first_); }
    [[nodiscard]] HEELER_ACCESSOR const T* begin() const noexcept { return static_cast<const T*>(first_); }
    [[nodiscard]] HEELER_ACCESSOR T* end() noexcept { return static_cast<T*>(first_) + size_; }
    [[nodiscard]] HEELER_ACCESSOR const T* end() const noexcept { return static_cast<const T*>(first_) + size_; }
    [[nodiscard]] HEELER_ACCESSOR T& operator[](std::size_t at) noexcept {
        HEELER_ASSERT(at < size_);
        return static_cast<T*>(first_)[at];
    }
    [[nodiscard]] HEELER_ACCESSOR const T& operator[](std::size_t at) const noexcept {
        HEELER_ASSERT(at < size_);
        return static_cast<const T*>(first_)[at];
    }
    /// Throws if there is none.
    [[nodiscard]] HEELER_ACCESSOR T& at(std::size_t at) { return check(at), (*this)[at]; }
    [[nodiscard]] HEELER_ACCESSOR const T& at(std::size_t at) const { return check(at), (*this)[at]; }
    [[nodiscard]] HEELER_ACCESSOR T& front() noexcept { return (*this)[0]; }
    [[nodiscard]] HEELER_ACCESSOR const T& front() const noexcept { return (*this)[0]; }
    [[nodiscard]] HEELER_ACCESSOR T& back() noexcept { return (*this)[size_ - 1]; }
    [[nodiscard]] HEELER_ACCESSOR const T& back() const noexcept { return (*this)[size_ - 1]; }

    void reserve(std::size_t count) {
        static_assert(std::is_nothrow_move_constructible_v<T> && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
        if (count <= room_) return;
        T* const from = static_cast<T*>(first_);
        T* const to = static_cast<T*>(::operator new(count * sizeof(T)));
        for (std::size_t i = 0; i < size_; ++i) {
            ::new (to + i) T(static_cast<T&&>(from[i]));
            from[i].~T();
        }
        ::operator delete(first_);
        first_ = to;
        room_ = count;
    }
    void resize(std::size_t count) {
        reserve(count);
        while (size_ < count) push_back(T());
        while (size_ > count) pop_back();
    }
    void push_back(T value) {
        if (size_ == room_) reserve(size_ == 0 ? 1 : 2 * size_);
        ::new (static_cast<T*>(first_) + size_) T(static_cast<T&&>(value));
        ++size_;
    }
    template <class... From>
    T& emplace_back(From&&... from) {
        push_back(T(static_cast<From&&>(from)...));
        return static_cast<T*>(first_)[size_ - 1];
    }
    void pop_back() noexcept {
        HEELER_ASSERT(size_ > 0);
        static_cast<T*>(first_)[--size_].~T();
    }
    void clear() noexcept {
        while (size_ > 0) static_cast<T*>(first_)[--size_].~T();
    }
    T* insert(const T* before, T value) {
        const std::ptrdiff_t at = before - begin();
        push_back(static_cast<T&&>(value));
        T* const place = begin() + at;
        for (T* each = end() - 1; each != place; --each) std::swap(*each, *(each - 1));
        return place;
    }
    T* erase(const T* first, const T* last) {
        T* const place = begin() + (first - begin());
        if (first == last) return place;
        T* to = place;
        for (T* from = begin() + (last - begin()); from != end(); ++from, ++to) *to = static_cast<T&&>(*from);
        while (end() != to) pop_back();
        return place;
    }
    HEELER_ACCESSOR T* erase(const T* one) { return erase(one, one + 1); }

    HEELER_ACCESSOR void swap(List& other) noexcept { swap_storage(other); }

    friend bool operator==(const List& a, const List& b) {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!(a[i] == b[i])) return false;
        return true;
    }

private:
    void append(const T* first, std::size_t count) {
        reserve(size_ + count);
        for (std::size_t i = 0; i < count; ++i) push_back(first[i]);
    }
};

}  // namespace heeler::inline HEELER_ABI
