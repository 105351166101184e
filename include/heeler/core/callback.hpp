// What a host gives to be called: what the library uses of `std::function`.
#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI {

template <class Signature>
class Callback;

/// A lambda, a function, a `std::function` or whatever else can be called so; empty, and then false, by default. A copy
/// holds a copy of it. As thread-safe as what it holds. In place of the standard's, whose header is ten thousand lines
/// for whoever includes this.
template <class R, class... Args>
class Callback<R(Args...)> {
public:
    HEELER_ACCESSOR Callback() = default;
    HEELER_ACCESSOR Callback(std::nullptr_t) noexcept {}  // NOLINT: as std::function
    template <class Call>
    requires(!std::is_same_v<std::remove_cvref_t<Call>, Callback> &&
             std::is_invocable_r_v<R, std::decay_t<Call>&, Args...>) HEELER_ACCESSOR
        Callback(Call&& call) {  // NOLINT: likewise
        using Held = std::decay_t<Call>;
        constexpr bool is_always_there = std::is_empty_v<Held> || std::is_function_v<std::remove_reference_t<Call>>;
        if constexpr (!is_always_there && requires { call == nullptr; })
            if (call == nullptr) return;
        held_ = new Held(std::forward<Call>(call));
        verbs_ = &verbs_of<Held>;
    }
    HEELER_ACCESSOR Callback(const Callback& other)
        : held_{other.verbs_ != nullptr ? other.verbs_->copy(other.held_) : nullptr}, verbs_{other.verbs_} {}
    HEELER_ACCESSOR Callback(Callback&& other) noexcept : held_{other.held_}, verbs_{other.verbs_} {
        other.verbs_ = nullptr;
    }
    HEELER_ACCESSOR Callback& operator=(Callback other) noexcept {
        std::swap(held_, other.held_);
        std::swap(verbs_, other.verbs_);
        return *this;
    }
    HEELER_ACCESSOR ~Callback() {
        if (verbs_ != nullptr) verbs_->drop(held_);
    }

    [[nodiscard]] HEELER_ACCESSOR explicit operator bool() const noexcept { return verbs_ != nullptr; }
    friend bool operator==(const Callback& call, std::nullptr_t) noexcept { return call.verbs_ == nullptr; }

    /// Not of an empty one.
    HEELER_ACCESSOR R operator()(Args... args) const {
        assert(verbs_ != nullptr);
        return verbs_->call(held_, std::forward<Args>(args)...);
    }

private:
    struct Verbs {
        R (*call)(void*, Args&&...);
        void* (*copy)(const void*);
        void (*drop)(void*);
    };

    template <class Held>
    static R call_held(void* held, Args&&... args) {
        return static_cast<R>((*static_cast<Held*>(held))(std::forward<Args>(args)...));
    }
    template <class Held>
    static void* copy_held(const void* held) {
        return new Held(*static_cast<const Held*>(held));
    }
    template <class Held>
    static void drop_held(void* held) {
        delete static_cast<Held*>(held);
    }
    template <class Held>
    static constexpr Verbs verbs_of{&call_held<Held>, &copy_held<Held>, &drop_held<Held>};

    void* held_ = nullptr;  // owned
    const Verbs* verbs_ = nullptr;
};

}  // namespace heeler::inline HEELER_ABI
