// Values as they are told to the detectors of trees (`Reading`).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/archive.hpp>

namespace heeler::inline HEELER_ABI {

template <class Value>
[[nodiscard]] std::string encoded(Value value) {
    ArchiveWriter writer{Instant{}};
    writer(value);
    return writer.take();
}

/// Absent if the text is none of these values.
template <class Value>
[[nodiscard]] std::optional<Value> decoded(std::string_view text) {
    Value value;
    ArchiveReader reader{text, Instant{}};
    reader(value);
    if (!reader.ok() || !reader.at_end()) return std::nullopt;
    return value;
}

}  // namespace heeler::inline HEELER_ABI
