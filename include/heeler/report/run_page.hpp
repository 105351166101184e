// What a page about one run shows: its facts, and what happened when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/alert.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// The rows of the timeline, from the top.
enum class PageLane : std::uint8_t {
    state,       ///< what the run was at: working, waiting, over
    beat,        ///< signs of life, and lines of output
    call,        ///< tool calls, from the call to its result
    message,     ///< what was said
    checkpoint,  ///< durable notes
    verdict,     ///< what the watchdog found
    action,      ///< what it did, and what came of it
    alert,       ///< what people were told
    record,      ///< what else was put on record
};

[[nodiscard]] constexpr PageLane last_value(PageLane) noexcept { return PageLane::record; }

[[nodiscard]] constexpr std::string_view name_of(PageLane lane) noexcept {
    constexpr std::string_view names[] = {"state",   "life",   "calls",  "messages", "checkpoints",
                                          "verdict", "action", "alerts", "records"};
    return names[static_cast<std::size_t>(lane)];
}

/// Something that happened. All texts may be anybody's: they are cleaned and escaped where they are shown, but secrets
/// are to be taken out beforehand (`text::redact`).
struct PageMark {
    WallTime at{};
    Duration lasts{};  ///< zero: a moment
    PageLane lane = PageLane::record;
    Severity severity = Severity::none;
    std::string label{};
    std::string text{};  ///< what is shown of it on demand; may be empty
    /// Of a call: what it is, with its outcome but for numbers; equal ones have equal colours. 0: no unit.
    std::uint64_t unit = 0;
};

/// It stays at `value` until the next one.
struct PagePoint {
    WallTime at{};
    double value = 0;
};

struct PageCurve {
    std::string name{};
    std::vector<PagePoint> points{};  ///< oldest first
};

/// One run. Make one of a store with `stored_page`, or of what happens with a `PageRecorder`.
struct RunPage {
    std::string title{};
    std::vector<Detail> facts{};
    WallTime begin{}, end{};
    std::vector<PageMark> marks{};  ///< oldest first
    std::vector<PageCurve> curves{};
    std::size_t left_out = 0;  ///< marks for which there was no room
};

}  // namespace heeler::inline HEELER_ABI
