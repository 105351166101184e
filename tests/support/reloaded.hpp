// What a memory is after a restart.
#pragma once

#include <heeler/core/archive.hpp>

#include "support/catch.hpp"

namespace facts {

template <class Memory>
[[nodiscard]] Memory reloaded(Memory memory) {
    heeler::ArchiveWriter writer{heeler::Instant{}};
    writer(memory);
    Memory copy;
    heeler::ArchiveReader reader{writer.bytes(), heeler::Instant{}};
    reader(copy);
    REQUIRE(reader.ok());
    REQUIRE(reader.at_end());
    return copy;
}

}  // namespace facts
