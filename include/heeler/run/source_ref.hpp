// Sources of observations, whatever their type, as the engine keeps them.
#pragma once

#include <concepts>
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
        if constexpr (ListsRuns<Source>) list_ = &ask_for_list<Source>;
    }

    [[nodiscard]] bool present() const noexcept { return source_ != nullptr; }
    /// Nobody is replaced sooner than this after a checkpoint; 0 if the source does not say.
    [[nodiscard]] Duration checkpoint_every() const noexcept { return checkpoint_every_; }
    [[nodiscard]] Result<Answer> poll(Asked asked) const { return poll_(source_, asked); }
    [[nodiscard]] bool lists() const noexcept { return list_ != nullptr; }
    [[nodiscard]] Result<std::vector<RunSpec>> list() const { return list_(source_); }

private:
    template <class Source>
    static Result<Answer> ask(void* self, Asked asked) {
        return detail::guarded(ErrorCode::failed, "the source",
                               [&] { return static_cast<Source*>(self)->poll(asked); });
    }

    template <class Source>
    static Result<std::vector<RunSpec>> ask_for_list(void* self) {
        return detail::guarded(ErrorCode::failed, "the list", [&] { return static_cast<Source*>(self)->list(); });
    }

    void* source_ = nullptr;
    Result<Answer> (*poll_)(void*, Asked) = nullptr;
    Result<std::vector<RunSpec>> (*list_)(void*) = nullptr;
    Duration checkpoint_every_{};
};

using SourceRef = PollRef<std::string_view, Polled>;                                    ///< of one run
using GroupSourceRef = PollRef<const std::vector<RunCursor>&, std::vector<PolledRun>>;  ///< of a class of runs

}  // namespace heeler::inline HEELER_ABI::detail
