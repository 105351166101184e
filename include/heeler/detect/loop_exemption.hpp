// Which calls of good work repeat, and are no loop.
#pragma once

#include <string_view>

#include <heeler/core/observation.hpp>

namespace heeler::inline HEELER_ABI {

/// Says of a tool call that it is progress, for `LoopDetector<Call, ...>::Settings::progress`: commits, by the name of
/// the tool or a command in its arguments. Tests and a commit in turn are then no loop, however often. Reads of a file
/// in pieces, and reads between edits, need no exemption: their arguments differ, and only equal calls are a loop.
/// Pure.
struct LoopExemption {
    [[nodiscard]] bool operator()(const Observation& seen) const noexcept {
        const auto* call = std::get_if<ToolCall>(&seen.event);
        if (call == nullptr) return false;
        if (call->name == "commit" || call->name.ends_with("_commit") || call->name.ends_with("Commit")) return true;
        for (const std::string_view command : {"git commit", "hg commit", "jj commit", "svn commit"})
            if (call->args.find(command) != std::string_view::npos) return true;
        return false;
    }
};

}  // namespace heeler::inline HEELER_ABI
