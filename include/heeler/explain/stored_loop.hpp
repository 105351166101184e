// Why the loop detector says of a stored run what it says, from what it remembered when the run was written last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/archive.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/detect/loop.hpp>
#include <heeler/detect/loop/standing.hpp>
#include <heeler/explain/explanation_text.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/append.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What the detector of this kind had saved with the run; absent: nothing, or it cannot be read.
[[nodiscard]] inline std::optional<std::string> saved_by(std::string_view kind, std::uint32_t layout,
                                                         const RunRow& row) {
    if (!row.memory) return std::nullopt;
    const Instant now{Elapsed{}, row.updated_at};
    ArchiveReader from{*row.memory, now};
    RunMemory watched;
    std::uint8_t written = 0;
    std::string cursor;
    std::uint32_t count = 0;
    from(written);
    if (written != RunMemory::memory_layout) return std::nullopt;
    from(cursor, watched.lines, watched.results, watched.watermark, watched.acted, count);
    for (std::uint32_t i = 0; i < count && from.ok(); ++i) {
        std::string name, bytes;
        std::uint32_t its = 0;
        from(name, its, bytes);
        if (from.ok() && name == kind && its == layout) return bytes;
    }
    return std::nullopt;
}

/// Empty if the run has no loop detector, or it has seen nothing. The class's settings are not stored: counts are shown
/// against `settings`.
[[nodiscard]] inline std::string loop_standing(const RunRow& row, const Loop::Settings& settings = {}) {
    const auto bytes = saved_by(Loop::kind, detector_ops<Loop>.layout, row);
    if (!bytes) return {};
    Loop::Memory memory;
    ArchiveReader from{*bytes, Instant{Elapsed{}, row.updated_at}};
    from(memory);
    if (!from.ok() || !from.at_end() || !memory.calls) return {};
    return text::concat("The loop detector after event ", std::to_string(memory.calls->ledger.common.index),
                        ", the newest that was stored; counts against heeler's own thresholds\n",
                        to_text(loops::standing(memory, settings)));
}

}  // namespace heeler::inline HEELER_ABI::detail
