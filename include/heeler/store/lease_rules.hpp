// What all stores have in common about leases: limits, whom a claim is for, and the words for a refusal; for stores.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI::detail {

inline constexpr std::size_t longest_lease_name = 128;
inline constexpr Duration shortest_lease = std::chrono::milliseconds{10};
inline constexpr Duration longest_lease = std::chrono::hours{1};

/// The most runs that one claim takes, whatever it asks for.
inline constexpr std::uint64_t most_claimed = 100'000;

[[nodiscard]] constexpr bool has_controls(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        const auto next = text::decode_utf8(text, at);
        if (!next.valid || next.value < 0x20 || (next.value >= 0x7f && next.value < 0xa0)) return true;
        at += next.size;
    }
    return false;
}

[[nodiscard]] inline Result<void> check_lease_name(std::string_view what, std::string_view name) {
    if (!name.empty() && name.size() <= longest_lease_name && !has_controls(name)) return {};
    return fail(ErrorCode::invalid_argument, std::string{what} + " \"" + text::shown_name(name, 160) + "\" has " +
                                                 std::to_string(name.size()) +
                                                 " bytes: it must be 1 to 128 bytes of UTF-8 without control "
                                                 "characters");
}

[[nodiscard]] inline Result<void> check_lease(Claimant who, Duration length) {
    if (auto usable = check_lease_name("the name of a watchdog", who.holder); !usable) return usable;
    if (auto usable = check_lease_name("the owner of a lease", who.owner); !usable) return usable;
    if (length >= shortest_lease && length <= longest_lease) return {};
    return fail(ErrorCode::invalid_argument,
                "the length of a lease is " + std::to_string(length.count()) + " us: it must be 10 ms to 1 h");
}

[[nodiscard]] inline bool is_in(const std::vector<std::string>& names, std::string_view name) noexcept {
    return contains(names, name);
}

/// Whether a claim by class is for runs of this class that `holder` held last.
[[nodiscard]] inline bool asks_for(const Claim& claim, std::string_view class_name, std::string_view holder) noexcept {
    if (is_in(claim.classes, class_name)) return true;
    return (holder.empty() || holder == claim.lease.holder) && is_in(claim.own_classes, class_name);
}

/// What is stored of a run that a claim takes, as it is after the claim.
inline void hand_over(RunRow& row, std::string& taken_from, const Lease& to) {
    taken_from = row.holder;
    row.holder = to.holder;
    row.epoch = to.epoch;
    ++row.version;
}

/// Another process has the lease of `holder`.
[[nodiscard]] inline Error name_is_taken(std::string_view place, std::string_view holder, std::string_view owner,
                                         Duration left) {
    const auto ms = detail::max_of<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(left).count());
    std::string message{"store "};
    message.append(place).append(": the watchdog \"").append(holder).append("\" is run by \"").append(owner);
    message.append("\" for another ").append(std::to_string(ms));
    return Error{ErrorCode::busy, message.append(" ms; give each watchdog its own name")};
}

/// The lease was taken away, or given up: whoever writes under it is late.
[[nodiscard]] inline Error lease_was_lost(std::string_view place, const Lease& lease) {
    std::string message{"store "};
    message.append(place).append(": the lease of \"").append(text::one_line(lease.holder, 160)).append("\" (epoch ");
    message.append(std::to_string(lease.epoch)).append(") was taken away or given up; nothing was stored: claim it ");
    return Error{ErrorCode::fenced, message.append("anew")};
}

}  // namespace heeler::inline HEELER_ABI::detail
