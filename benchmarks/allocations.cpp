#include "allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> count{0};

constexpr std::size_t block_header = sizeof(std::size_t);

void* counted(void* block) {
    if (block == nullptr) throw std::bad_alloc{};
    live.fetch_add(malloc_usable_size(block) + block_header, std::memory_order_relaxed);
    count.fetch_add(1, std::memory_order_relaxed);
    return block;
}

void discard(void* block) noexcept {
    if (block == nullptr) return;
    live.fetch_sub(malloc_usable_size(block) + block_header, std::memory_order_relaxed);
    std::free(block);
}

}  // namespace

std::size_t bench::live_bytes() noexcept { return live.load(std::memory_order_relaxed); }
std::size_t bench::allocations() noexcept { return count.load(std::memory_order_relaxed); }

void* operator new(std::size_t size) { return counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto unit = static_cast<std::size_t>(alignment);
    return counted(std::aligned_alloc(unit, (size + unit - 1) / unit * unit));
}
void operator delete(void* block) noexcept { discard(block); }
void operator delete(void* block, std::size_t) noexcept { discard(block); }
void operator delete(void* block, std::align_val_t) noexcept { discard(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { discard(block); }
