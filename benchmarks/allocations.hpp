// Counts what this program allocates. The counting `operator new` is in allocations.cpp.
#pragma once

#include <cstddef>

namespace bench {

/// Bytes that are allocated now, with what the allocator adds to each block.
[[nodiscard]] std::size_t live_bytes() noexcept;

/// How often something was allocated so far.
[[nodiscard]] std::size_t allocations() noexcept;

}  // namespace bench
