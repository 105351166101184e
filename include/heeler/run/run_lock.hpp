// The lock of one run.
#pragma once

#include <atomic>
#include <cstdint>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// A mutex of four bytes, where `std::mutex` has forty: runs are kept by the hundred thousand. Who waits sleeps.
class RunLock {
public:
    void lock() noexcept {
        std::uint32_t seen = is_free;
        if (state_.compare_exchange_strong(seen, is_held, std::memory_order_acquire, std::memory_order_relaxed)) return;
        // Whoever had to wait cannot know whether others still do, and says that they do.
        while (state_.exchange(is_awaited, std::memory_order_acquire) != is_free)
            state_.wait(is_awaited, std::memory_order_relaxed);
    }
    void unlock() noexcept {
        if (state_.exchange(is_free, std::memory_order_release) == is_awaited) state_.notify_one();
    }

private:
    static constexpr std::uint32_t is_free = 0, is_held = 1, is_awaited = 2;

    std::atomic<std::uint32_t> state_{is_free};
};

}  // namespace heeler::inline HEELER_ABI::detail
