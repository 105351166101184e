// A value of which each copy is the same one: what the library uses of `std::shared_ptr`.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Lives as long as one of its copies, which any thread may hold. In place of the standard's, whose header is two
/// thousand lines for whoever includes this.
template <class T>
class Shared {
public:
    HEELER_ACCESSOR Shared() = default;
    HEELER_ACCESSOR Shared(std::nullptr_t) noexcept {}  // NOLINT: as std::shared_ptr
    HEELER_ACCESSOR Shared(const Shared& other) noexcept : block_{other.block_} {
        if (block_ != nullptr) block_->owners.fetch_add(1, std::memory_order_relaxed);
    }
    HEELER_ACCESSOR Shared(Shared&& other) noexcept : block_{other.block_} { other.block_ = nullptr; }
    Shared& operator=(Shared other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    HEELER_ACCESSOR ~Shared() { drop(); }

    template <class... From>
    [[nodiscard]] static Shared make(From&&... from) {
        Shared made;
        made.block_ = new Block{1, T(std::forward<From>(from)...)};
        return made;
    }

    [[nodiscard]] HEELER_ACCESSOR explicit operator bool() const noexcept { return block_ != nullptr; }
    [[nodiscard]] HEELER_ACCESSOR T& operator*() const noexcept { return block_->value; }
    [[nodiscard]] HEELER_ACCESSOR T* operator->() const noexcept { return &block_->value; }

private:
    struct Block {
        std::atomic<long> owners;
        T value;
    };

    void drop() noexcept {
        // Whoever is last sees what all others did with it.
        if (block_ != nullptr && block_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete block_;
    }

    Block* block_ = nullptr;  // owned
};

}  // namespace heeler::inline HEELER_ABI::detail
