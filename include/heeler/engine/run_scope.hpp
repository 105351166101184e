// Handles to runs as a host gets them: the answer of `start`, and a run that ends with a scope.
#pragma once

#include <utility>

#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/engine/answers.hpp>
#include <heeler/engine/engine.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {
template <class>
inline constexpr bool never = false;
}  // namespace detail

/// What `start` and `attach` answer: a `Result<Registered>` that cannot be taken for a handle by mistake.
struct Started : Result<Registered> {
    using Result<Registered>::Result;
    Started(Result<Registered> answer) : Result<Registered>{std::move(answer)} {}  // NOLINT: the same thing

    template <class T>
    requires(std::is_same_v<T, RunHandle>) operator T() const {  // NOLINT: there to be refused
        static_assert(detail::never<T>,
                      "heeler: `start` and `attach` answer a Result: test it, then use `*run` as the handle (README: "
                      "Handles and lifetimes)");
        return {};
    }
};

/// A registered run that ends with its scope. Movable; must not outlive its watchdog. One thread at a time, but for
/// `handle()`.
class RunScope {
public:
    RunScope(detail::Engine& engine, Registered run) : engine_{&engine}, run_{std::move(run)} {}
    RunScope(RunScope&& other) noexcept : engine_{std::exchange(other.engine_, nullptr)}, run_{std::move(other.run_)} {}
    RunScope& operator=(RunScope&& other) noexcept {
        if (this == &other) return *this;
        close();
        engine_ = std::exchange(other.engine_, nullptr);
        run_ = std::move(other.run_);
        return *this;
    }
    ~RunScope() { close(); }

    [[nodiscard]] RunHandle handle() const noexcept { return run_; }
    operator RunHandle() const noexcept { return run_; }  // NOLINT: it is one
    /// Why the run is not durable yet; it is watched all the same.
    [[nodiscard]] const std::optional<Error>& not_stored() const noexcept { return run_.not_stored; }

    /// Ends the run now; the scope's end changes nothing any more.
    [[nodiscard]] Result<void> finish(RunEnd how = RunEnd::completed) {
        if (engine_ == nullptr) return fail(ErrorCode::ended, "the run was finished before");
        return std::exchange(engine_, nullptr)->finish(run_, how);
    }
    /// The run goes on after the scope.
    RunHandle keep() noexcept {
        engine_ = nullptr;
        return run_;
    }

private:
    void close() noexcept {
        if (engine_ != nullptr) static_cast<void>(engine_->finish(run_, RunEnd::cancelled));
        engine_ = nullptr;
    }

    detail::Engine* engine_;
    Registered run_;
};

}  // namespace heeler::inline HEELER_ABI
