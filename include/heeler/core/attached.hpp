// A part that exists once something is attached to it.
#pragma once

#include <atomic>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Made by the first that attaches something, and never replaced. Any thread.
template <class Part>
class Attached {
public:
    Attached() = default;
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;
    ~Attached() { delete part_.load(std::memory_order_relaxed); }

    /// Null: there is none yet.
    [[nodiscard]] Part* get() const noexcept { return part_.load(std::memory_order_acquire); }

    /// Takes the part over, unless another thread was faster.
    Part& make(Part* made) noexcept {
        Part* before = nullptr;
        if (part_.compare_exchange_strong(before, made)) return *made;
        delete made;
        return *before;
    }

private:
    std::atomic<Part*> part_{nullptr};
};

}  // namespace heeler::inline HEELER_ABI::detail
