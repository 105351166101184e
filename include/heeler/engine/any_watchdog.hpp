// A watchdog whose type does not name its clock, store and notifier: a member of a class, and moved with it.
#pragma once

#include <memory>
#include <utility>

#include <heeler/engine/watchdog.hpp>

namespace heeler::inline HEELER_ABI {

/// Use it where a `Watchdog` is a member, is returned, or is chosen at run time (SQLite here, PostgreSQL there). It
/// answers all that a `Watchdog` answers, with the same threads and lifetimes; its clock, store and notifier are the
/// host's no more: keep a handle on what is still needed of them. What refers to it (`RunScope`, `Runner`, a tree
/// watch) stays good when it is moved; one that was moved from may only be destroyed or assigned to.
class AnyWatchdog : public detail::WatchdogVerbs<AnyWatchdog> {
public:
    template <class Clock, class Store, class Notifier>
    explicit AnyWatchdog(Clock clock, Store store, Notifier notifier, EngineSettings settings = {})
        : dog_{std::make_unique<Owner<Clock, Store, Notifier>>(std::move(clock), std::move(store), std::move(notifier),
                                                               std::move(settings))} {}

private:
    friend detail::WatchdogVerbs<AnyWatchdog>;

    struct Owned {
        Owned() = default;
        Owned(const Owned&) = delete;
        Owned& operator=(const Owned&) = delete;
        virtual ~Owned() = default;
        [[nodiscard]] virtual detail::Engine& engine() noexcept = 0;
        [[nodiscard]] virtual Instant now() = 0;
    };
    template <class Clock, class Store, class Notifier>
    struct Owner final : Owned {
        Owner(Clock clock, Store store, Notifier notifier, EngineSettings settings)
            : dog{std::move(clock), std::move(store), std::move(notifier), std::move(settings)} {}
        [[nodiscard]] detail::Engine& engine() noexcept override { return detail::Above::engine_of(dog); }
        [[nodiscard]] Instant now() override { return dog.clock().now(); }

        Watchdog<Clock, Store, Notifier> dog;
    };

    [[nodiscard]] detail::Engine& own_engine() noexcept { return dog_->engine(); }
    [[nodiscard]] const detail::Engine& own_engine() const noexcept { return dog_->engine(); }
    [[nodiscard]] Instant own_now() { return dog_->now(); }

    std::unique_ptr<Owned> dog_;
};

}  // namespace heeler::inline HEELER_ABI
