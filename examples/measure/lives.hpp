// What agents do with their time: healthy lives, stalls, and what no watchdog of checkpoints can tell apart.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <heeler/core/time.hpp>

namespace measure {

/// Numbers that follow from the seed alone, on every machine.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_{seed} {}

    [[nodiscard]] std::uint64_t next() {
        std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
        return mixed ^ (mixed >> 31);
    }
    /// From `least` to `most`, both included.
    [[nodiscard]] std::int64_t number(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(most - least + 1));
    }
    [[nodiscard]] heeler::Duration length(std::int64_t least_s, std::int64_t most_s) {
        return std::chrono::seconds{number(least_s, most_s)};
    }
    [[nodiscard]] bool chance(double share) { return static_cast<double>(next() >> 11) * 0x1p-53 < share; }

private:
    std::uint64_t state_;
};

enum class Kind : std::uint8_t {
    steady,      ///< a checkpoint every 8 to 11 min
    slow_step,   ///< one of the steps takes up to 19:59
    asks,        ///< waits for a person for up to two hours, and says so
    late,        ///< every checkpoint when the last one is 20:00 old, often just after a cycle
    forgetful,   ///< works, and writes no checkpoint for up to 45 min
    dies,        ///< stops at a random moment
    spins,       ///< an infinite loop that is alive and never gets to a checkpoint
    waits,       ///< waits for input without saying so
    never_runs,  ///< stops before its first checkpoint
    circles,     ///< an infinite loop that writes the same checkpoint again and again
};

inline constexpr std::array<std::string_view, 10> kind_names{
    "steady", "one slow step", "asks a person", "just in time", "forgets checkpoints",
    "dies",   "endless loop",  "waits unsaid",  "never starts", "loops through checkpoints"};

[[nodiscard]] constexpr bool is_healthy(Kind kind) noexcept { return kind <= Kind::forgetful; }

enum class Act : std::uint8_t { checkpoint, heartbeat, ask, go_on, finish, cancelled };

struct Deed {
    heeler::Duration after{};  ///< since the agent began
    Act act = Act::checkpoint;
    std::int64_t step = 0;  ///< of a checkpoint
};

struct Life {
    std::vector<Deed> deeds;                   ///< in the order of time
    std::optional<heeler::Duration> stalls{};  ///< when; absent: it works to the end
};

/// The life of an agent that works on steps `first` to `last`.
[[nodiscard]] Life live(Kind kind, std::int64_t first, std::int64_t last, Dice& dice);

}  // namespace measure
