// What a `heeler_watchdog` is.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/c/host.hpp>
#include <heeler/engine/any_watchdog.hpp>
#include <heeler/spend.hpp>

namespace heeler::inline HEELER_ABI::c {

/// A ledger of what runs spend, with a handle of its own on the watchdog's rows: of a store on disk, a connection.
struct OwnLedger {
    template <class Store>
    explicit OwnLedger(Store rows) {
        auto kept = std::make_shared<Store>(std::move(rows));
        ledger = std::make_unique<SpendLedger>(*kept);
        store = std::move(kept);
    }

    std::shared_ptr<void> store{};
    std::unique_ptr<SpendLedger> ledger{};  ///< refers to the store
};

/// A watchdog, and what counts for it.
struct Opened {
    OwnLedger spend;
    AnyWatchdog dog;  ///< refers to the ledger
};

}  // namespace heeler::inline HEELER_ABI::c

struct heeler_watchdog {
    heeler::c::HostClock clock;
    heeler::c::HostControl control;
    heeler::c::OwnLedger spend;
    heeler::AnyWatchdog dog;  ///< refers to the control and the ledger
    std::string preset;
    bool shares_store;
    unsigned forks;  ///< of its process, when it was opened
    void (*tell)(void* context, const char* line);
    void* context;  ///< of `tell`
    std::atomic<bool> in_cycle{false};
};

namespace heeler::inline HEELER_ABI::c {

/// How often this process was forked, counted in children.
[[nodiscard]] unsigned forks() noexcept;

/// What a function of one watchdog does.
template <class Call>
int with(heeler_watchdog* watchdog, Call&& call) noexcept {
    return answered([&] {
        check_pointer(watchdog, "watchdog");
        if (watchdog->forks != forks())
            refuse(ErrorCode::invalid_argument,
                   "the watchdog is of the process that this one was forked from; "
                   "open another one here");
        call(*watchdog);
    });
}

/// A run that is watched here, without the store; else what is known of it.
[[nodiscard]] inline RunHandle run_of(heeler_watchdog& watchdog, const char* run) {
    const auto id = text(run);
    if (const auto known = heeler::detail::Above::engine_of(watchdog.dog).handle_of(id)) return *known;
    return taken(watchdog.dog.find(id));
}

}  // namespace heeler::inline HEELER_ABI::c
