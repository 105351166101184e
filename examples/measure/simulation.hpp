// A day of agents under a real watchdog, in virtual time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/engine/watchdog.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>

#include "../common/any_store.hpp"
#include "../common/truths.hpp"
#include "agents.hpp"
#include "lives.hpp"
#include "options.hpp"
#include "reckoning.hpp"

namespace measure {

/// What became of the runs of one kind.
struct Tally {
    std::uint64_t runs = 0;
    std::uint64_t flagged = 0;
    std::uint64_t continued = 0;
    std::uint64_t finished = 0;
    std::uint64_t given_up = 0;
};

struct Result {
    std::map<Kind, Tally> kinds;
    heeler::Metrics metrics;
    std::uint64_t cycles = 0;
    std::uint64_t spawns = 0;         ///< continuations that were started
    std::uint64_t failed_spawns = 0;  ///< that could not be started at first
    std::uint64_t fenced = 0;         ///< reports of agents that had been replaced
    heeler::Duration length{};
    std::vector<std::string> faults;  ///< where the watchdog and the second reckoning differ
};

class Simulation {
public:
    Simulation(const Options& options, common::AnyStore store);

    [[nodiscard]] Result play();

private:
    using Dog = heeler::Watchdog<heeler::ManualClock, common::AnyStore, heeler::RecordingNotifier>;

    struct Player {
        std::string id;
        Kind kind = Kind::steady;
        Dice dice;
        std::int64_t steps = 0;
        std::int64_t done = 0;  ///< steps whose checkpoint was taken
        heeler::RunHandle handle{};
        Reckoned reckoned;
        std::uint32_t agent = 1;  ///< incarnation of the newest one
        bool given_up = false;
        int refused = 0;  ///< continuations in a row that could not be started
        int told = 0;     ///< how often that was said
        heeler::Duration rests_until{};
    };

    struct Event {
        heeler::Duration at{};
        std::size_t player = 0;
        std::uint32_t agent = 0;  ///< 0: the run begins
        Deed deed{};

        friend bool operator>(const Event& a, const Event& b) {
            return a.at != b.at ? a.at > b.at : a.player > b.player;
        }
    };

    [[nodiscard]] Player player(std::int64_t number);
    void begin(Event event);
    void start_agent(std::size_t player, Kind kind, heeler::Duration at);
    void carry_out(const Event& event);
    void checkpoint(Player& player, const Event& event);
    void end(Player& player, heeler::RunEnd how);
    void cycle(heeler::Duration t);
    void compare(heeler::Duration t, const std::vector<Spawn>& seen);
    static void refuse(Player& player, heeler::Duration t);
    void look_back();
    void fault(const std::string& run, std::string_view what);

    Options options_;
    heeler::ManualClock clock_;
    heeler::RecordingNotifier notifier_;
    Agents agents_;
    Dog dog_;
    heeler::Duration now_{};
    std::vector<Player> players_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::map<std::string, std::size_t, std::less<>> by_id_;
    common::Truths truths_;
    Result result_;
};

}  // namespace measure
