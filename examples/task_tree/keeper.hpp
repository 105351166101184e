// The watchdog beside the tracker: its watches, its own store, and whoever drives it.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include <heeler/clock/system_clock.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/events.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/tree/node_ref.hpp>
#include <heeler/tree/watch/tree_watch.hpp>

#include "../common/any_store.hpp"
#include "../common/channels.hpp"
#include "host.hpp"
#include "run_activity.hpp"
#include "tracker.hpp"

namespace tracker {

/// What people are told stands in the audit feed. The same alert comes with the same key and stands there once.
class Board {
public:
    static constexpr std::string_view name = "board";

    explicit Board(Tracker& tracker) : tracker_{&tracker} {}

    heeler::Result<heeler::Receipt> send(const heeler::Alert& alert);

private:
    Tracker* tracker_;
};

struct KeeperSettings {
    std::string store{};                                          ///< file of the watchdog
    heeler::Duration every = std::chrono::seconds{60};            ///< how often all watches look, changes or not
    heeler::Duration first_run_grace = std::chrono::seconds{15};  ///< how long a new issue may wait for its first run
    heeler::Duration silence = std::chrono::hours{4};  ///< how long a run may say nothing before people are told
};

/// Any thread.
class Keeper {
public:
    Keeper(Tracker& tracker, const KeeperSettings& settings, common::Channels channels);
    ~Keeper();

    [[nodiscard]] heeler::TreeWatch& trees() noexcept { return trees_; }

    /// Something of this issue changed: its watch, and those above it, look at once.
    void changed(const heeler::NodeRef& issue);
    /// Whatever is due, also what is to be looked at again.
    void look(heeler::TickCause cause = heeler::TickCause::period);
    /// For how long nothing is due.
    [[nodiscard]] heeler::Duration idle();

private:
    void run(const std::function<heeler::CycleReport()>& cycle);
    void tell(const heeler::CycleReport& report);
    void copy(const heeler::AuditRow& row);
    void copy_all();

    Tracker& tracker_;
    KeeperSettings settings_;
    Host host_{tracker_};
    RunActivity activity_{tracker_};
    std::mutex cycles_;  ///< one cycle at a time, whoever asks for it
    heeler::Watchdog<heeler::SystemClock, common::AnyStore, common::WithChannels<Board>> dog_;
    heeler::TreeWatch trees_;
    heeler::OrphanRecovery orphans_;
};

}  // namespace tracker
