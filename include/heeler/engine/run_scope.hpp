// Handles to runs as a host gets them: the answer of `start`, and a run that ends with a scope.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/time.hpp>
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

/// Something takes long while this lives (`Watchdog::expect`). Movable; must not outlive its watchdog, but its run may
/// be over. One thread at a time.
class Expectation {
public:
    [[nodiscard]] static Result<Expectation> begin(detail::Engine& engine, RunHandle run, Expect what) {
        if (auto taken = engine.expect(run, what); !taken) return tl::unexpected<Error>(std::move(taken.error()));
        return Expectation{engine, run, what.number};
    }
    Expectation(Expectation&& other) noexcept : engine_{nullptr} { *this = std::move(other); }
    Expectation& operator=(Expectation&& other) noexcept {
        std::swap(engine_, other.engine_);
        std::swap(run_, other.run_);
        std::swap(number_, other.number_);
        return *this;
    }
    ~Expectation() { end(); }

    /// It is over now; the scope's end changes nothing any more.
    void end() noexcept {
        Expect over{.over = true, .number = number_};
        if (engine_ != nullptr) static_cast<void>(std::exchange(engine_, nullptr)->expect(run_, over));
    }

private:
    Expectation(detail::Engine& engine, RunHandle run, std::uint32_t number) noexcept
        : engine_{&engine}, run_{run}, number_{number} {}

    detail::Engine* engine_;
    RunHandle run_{};
    std::uint32_t number_ = 0;
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

    /// Something takes long: `Watchdog::expect`.
    [[nodiscard]] Result<Expectation> expect(Duration takes, std::string_view what) {
        if (engine_ == nullptr) return fail(ErrorCode::ended, "the run was finished before");
        return Expectation::begin(*engine_, run_, {takes, what});
    }

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
