// Sources of observations, whatever their type, as the engine keeps them.
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/guard.hpp>
#include <heeler/core/source.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Refers to something that is polled with `Asked` and must outlive it. What it throws is an error of that poll.
template <class Asked, class Answer>
class PollRef {
public:
    PollRef() = default;

    template <class Source>
    explicit PollRef(Source& source) : source_{&source}, poll_{&ask<Source>} {
        if constexpr (requires {
                          { source.checkpoint_every() } -> std::convertible_to<Duration>;
                      })
            checkpoint_every_ = source.checkpoint_every();
    }

    [[nodiscard]] bool present() const noexcept { return source_ != nullptr; }
    /// Nobody is replaced sooner than this after a checkpoint; 0 if the source does not say.
    [[nodiscard]] Duration checkpoint_every() const noexcept { return checkpoint_every_; }
    [[nodiscard]] Result<Answer> poll(Asked asked) const { return poll_(source_, asked); }

private:
    template <class Source>
    static Result<Answer> ask(void* self, Asked asked) {
        return detail::guarded(ErrorCode::failed, "the source",
                               [&] { return static_cast<Source*>(self)->poll(asked); });
    }

    void* source_ = nullptr;
    Result<Answer> (*poll_)(void*, Asked) = nullptr;
    Duration checkpoint_every_{};
};

using SourceRef = PollRef<std::string_view, Polled>;                                 ///< of one run
using GroupSourceRef = PollRef<std::span<const RunCursor>, std::vector<PolledRun>>;  ///< of a class of runs

}  // namespace heeler::inline HEELER_ABI::detail
