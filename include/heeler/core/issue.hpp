// An issue for a tracker, and the contract of what files it.
#pragma once

#include <concepts>
#include <string>

#include <heeler/core/action.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

/// What is filed about a run that nobody could mend. All text is sanitised and redacted already.
struct Issue {
    std::string key{};  ///< idempotency key: the same issue carries the same key
    std::string title{};
    std::string body{};
    RunRef run{};
};

/// Files an issue once; `note` of the answer says where. Called from the thread that delivers. A `static constexpr bool
/// idempotent = true` says that a repeated key is harmless: an issue whose filing a crash cut short, or that was
/// answered with `timed_out` or `delivery_failed`, is filed once more, at once. Without it, and if that is answered so
/// too, its outcome is unknown.
template <class T>
concept IssueSinkLike = requires(T& sink, const Issue& issue) {
    { sink.file(issue) } -> std::same_as<Result<ActionDone>>;
};

template <class T>
consteval bool check_issue_sink() {
    static_assert(IssueSinkLike<T>,
                  "heeler: an IssueSink needs `heeler::Result<heeler::ActionDone> file(const heeler::Issue&)` (README: "
                  "Write an issue sink)");
    return true;
}

}  // namespace heeler::inline HEELER_ABI
