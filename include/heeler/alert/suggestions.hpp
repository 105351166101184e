// What people can do about a worker that they are told of.
#pragma once

#include <string_view>

#include <heeler/core/alert.hpp>

namespace heeler::inline HEELER_ABI {

/// "investigate, nudge, restart": one word each, the first the mildest (the worker monitor); empty for alerts of other
/// kinds.
[[nodiscard]] constexpr std::string_view suggestions_for(std::string_view alert_kind) noexcept {
    if (alert_kind == name_of(AlertKind::worker_stuck)) return "investigate, nudge, restart";
    if (alert_kind == name_of(AlertKind::worker_error)) return "investigate, retry, abandon";
    if (alert_kind == name_of(AlertKind::worker_complete)) return "collect, merge, cleanup";
    if (alert_kind == name_of(AlertKind::worker_needs_input)) return "approve, decline, review";
    return {};
}

}  // namespace heeler::inline HEELER_ABI
