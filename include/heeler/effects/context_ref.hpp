// What clears the monitor's own context, whatever its type, as the engine keeps it.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include <heeler/core/context_reset.hpp>
#include <heeler/core/guard.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Refers to a context that must outlive it. What it throws is a failure.
class ContextRef {
public:
    ContextRef() = default;

    template <ContextResetLike Context>
    explicit ContextRef(Context& context) : context_{&context}, clear_{&ask<Context>}, size_{&measure<Context>} {}

    [[nodiscard]] bool present() const noexcept { return context_ != nullptr; }
    [[nodiscard]] Result<void> clear() const { return clear_(context_); }
    [[nodiscard]] std::optional<std::uint64_t> size() const { return size_(context_); }

private:
    template <class Context>
    static Result<void> ask(void* self) {
        return detail::guarded(ErrorCode::failed, "the context", [&] { return static_cast<Context*>(self)->clear(); });
    }
    template <class Context>
    static std::optional<std::uint64_t> measure([[maybe_unused]] void* self) {
        std::optional<std::uint64_t> size;
        if constexpr (requires(Context & context) {
                          { context.size() } -> std::convertible_to<std::optional<std::uint64_t>>;
                      })
            static_cast<void>(detail::survives([&] { size = static_cast<Context*>(self)->size(); }));
        return size;
    }

    void* context_ = nullptr;
    Result<void> (*clear_)(void*) = nullptr;
    std::optional<std::uint64_t> (*size_)(void*) = nullptr;
};

}  // namespace heeler::inline HEELER_ABI::detail
