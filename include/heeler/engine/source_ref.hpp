// A source of observations, whatever its type, as the engine keeps it.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include <heeler/core/source.hpp>

namespace heeler::inline v0 {

/// Refers to a source that must outlive it. What a source throws is an error of that poll.
class SourceRef {
public:
    SourceRef() = default;

    template <class Source>
    explicit SourceRef(Source& source) : source_{&source}, poll_{&ask<Source>} {
        static_assert(check_source<Source>());
    }

    [[nodiscard]] bool present() const noexcept { return source_ != nullptr; }
    [[nodiscard]] Result<Polled> poll(std::string_view cursor) const { return poll_(source_, cursor); }

private:
    template <class Source>
    static Result<Polled> ask(void* self, std::string_view cursor) {
        try {
            return static_cast<Source*>(self)->poll(cursor);
        } catch (const std::exception& error) {
            return fail(ErrorCode::failed, std::string{"the source threw: "} + error.what());
        } catch (...) {
            return fail(ErrorCode::failed, "the source threw something that is no std::exception");
        }
    }

    void* source_ = nullptr;
    Result<Polled> (*poll_)(void*, std::string_view) = nullptr;
};

}  // namespace heeler::inline v0
