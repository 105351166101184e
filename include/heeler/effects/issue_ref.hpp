// What files issues, whatever its type, as the engine keeps it.
#pragma once

#include <concepts>
#include <string>

#include <heeler/core/guard.hpp>
#include <heeler/core/issue.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Refers to an issue sink that must outlive it. What a sink throws is a failure.
class IssueRef {
public:
    IssueRef() = default;

    template <IssueSinkLike Sink>
    explicit IssueRef(Sink& sink) : sink_{&sink}, file_{&ask<Sink>}, idempotent_{can_repeat<Sink>()} {}

    [[nodiscard]] bool idempotent() const noexcept { return idempotent_; }

    [[nodiscard]] Result<ActionDone> file(const Issue& issue) const {
        if (sink_ == nullptr) return fail(ErrorCode::unsupported, "no issue sink was given to the watchdog");
        return file_(sink_, issue);
    }

private:
    template <class Sink>
    static Result<ActionDone> ask(void* self, const Issue& issue) {
        return detail::guarded(ErrorCode::failed, "the issue sink",
                               [&] { return static_cast<Sink*>(self)->file(issue); });
    }

    template <class Sink>
    static constexpr bool can_repeat() {
        if constexpr (requires {
                          { Sink::idempotent } -> std::convertible_to<bool>;
                      })
            return Sink::idempotent;
        else
            return false;
    }

    void* sink_ = nullptr;
    Result<ActionDone> (*file_)(void*, const Issue&) = nullptr;
    bool idempotent_ = false;
};

}  // namespace heeler::inline HEELER_ABI::detail
