// The watchdog: takes runs in, folds what is reported of them, judges them in cycles, carries out what it decides.
#pragma once

#include <utility>

#include <heeler/core/concepts.hpp>
#include <heeler/engine/edge.hpp>
#include <heeler/engine/engine.hpp>
#include <heeler/engine/watchdog_verbs.hpp>
#include <heeler/fwd.hpp>

namespace heeler::inline HEELER_ABI {

/// Keeps runs moving: in the clock, store and notifier of its host, which it owns and gives access to.
///
/// Threads: `observe` and `observe_as` from any thread, never blocking on I/O; `status` and `describe` from any thread,
/// also from a `PromptSettings` function; `start find checkpoint finish decide flush report explain` from any thread,
/// waiting for the store within its time limits; `tick` and `deliver` each from one thread at a time, which may be two
/// threads. The store is called from one thread at a time.
///
/// Lifetimes: the constructor does no I/O and cannot fail; the first `start` or `tick` loads. Agent control, issue
/// sink, mailbox and sources are referred to: they must outlive the watchdog, or be detached. At the end: stop whoever
/// calls `tick` and `deliver` (a `Runner`), `flush()` (or `leave()` among several), then destroy the watchdog, then
/// what it refers to.
template <class Clock, class Store, class Notifier>
class Watchdog : public detail::WatchdogVerbs<Watchdog<Clock, Store, Notifier>> {
    static_assert(check_clock<Clock>());
    static_assert(check_store<Store>());
    static_assert(check_notifier<Notifier>());

public:
    explicit Watchdog(Clock clock, Store store, Notifier notifier, EngineSettings settings = {})
        : clock_{std::move(clock)},
          store_{std::move(store)},
          notifier_{std::move(notifier)},
          engine_{std::move(settings), clock_edge_, store_edge_, notifier_edge_} {}
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    [[nodiscard]] Clock& clock() noexcept { return clock_; }
    [[nodiscard]] Store& store() noexcept { return store_; }
    [[nodiscard]] Notifier& notifier() noexcept { return notifier_; }

private:
    friend detail::WatchdogVerbs<Watchdog>;

    [[nodiscard]] detail::Engine& own_engine() noexcept { return engine_; }
    [[nodiscard]] const detail::Engine& own_engine() const noexcept { return engine_; }
    [[nodiscard]] Instant own_now() { return clock_.now(); }

    Clock clock_;
    Store store_;
    Notifier notifier_;
    detail::ClockEdge<Clock> clock_edge_{clock_};
    detail::StoreEdge<Store> store_edge_{store_};
    detail::NotifierEdge<Notifier> notifier_edge_{notifier_};
    detail::Engine engine_;
};

}  // namespace heeler::inline HEELER_ABI
