// What people can do about a worker that they are told of.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include <heeler/core/alert.hpp>

namespace heeler::inline HEELER_ABI {

/// One word each, the first the mildest (the worker monitor); none for alerts of other kinds.
[[nodiscard]] inline std::span<const std::string_view> suggestions_for(std::string_view alert_kind) noexcept {
    static constexpr std::array<std::string_view, 3> stuck{"investigate", "nudge", "restart"};
    static constexpr std::array<std::string_view, 3> error{"investigate", "retry", "abandon"};
    static constexpr std::array<std::string_view, 3> complete{"collect", "merge", "cleanup"};
    static constexpr std::array<std::string_view, 3> needs_input{"approve", "decline", "review"};
    const auto kind = alert_kind_of(alert_kind);
    if (kind == AlertKind::worker_stuck) return stuck;
    if (kind == AlertKind::worker_error) return error;
    if (kind == AlertKind::worker_complete) return complete;
    if (kind == AlertKind::worker_needs_input) return needs_input;
    return {};
}

}  // namespace heeler::inline HEELER_ABI
