// What a seed stands for: who is watched by whom, by which rules, what may go wrong, and what happens one after
// another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/observation.hpp>
#include <heeler/core/settings.hpp>

namespace sim {

enum class What : std::uint8_t {
    time,     ///< passes; everybody goes on with what he does
    mood,     ///< an agent begins to do something else
    late,     ///< an agent that was replaced reports once more
    finish,   ///< the host ends a run
    operate,  ///< a person decides
    control,  ///< verbs of the agent control answer differently from now on
    channel,  ///< so does the way to people
    store,    ///< so does the store of one watchdog
    crash,    ///< one watchdog dies in the middle of what it does
    restart,  ///< one ends in order and begins anew
    pause,    ///< one stands still, or goes on
    wall,     ///< somebody sets the wall clock
    suspend,  ///< the machine sleeps
    stall,    ///< one stands still in the middle of a cycle: a commit or an effect takes longer than its lease
};
inline constexpr std::size_t kinds_of_happening = 14;

[[nodiscard]] std::string_view name_of(What what) noexcept;

/// `who` and `value` are any numbers: what they mean depends on the story so far, so that any part of it may be left
/// out.
struct Happening {
    What what = What::time;
    unsigned who = 0;
    unsigned value = 0;
};

/// How an agent control can be asked about what it has done.
enum class Honesty : std::uint8_t {
    finds,    ///< it answers `find(key)`
    repeats,  ///< a repeated key changes nothing
    neither,  ///< nobody can tell what became of a call that was cut short
};

/// What is wrong all the time, until everything works again.
enum class Trouble : std::uint8_t {
    none,
    refused,  ///< the store takes no row of the last run
    unheard,  ///< nobody gets what is said of it
    hostile,  ///< the control falls over when something is asked of it
    outage,   ///< whoever hangs needs what nobody has: nothing helps
};

struct Story {
    std::uint64_t seed = 0;
    std::string preset{};
    heeler::RunClass rules{};  ///< those of the preset, some of them changed
    unsigned dogs = 1;         ///< more than one share the store under names
    unsigned runs = 2;
    bool steady = false;  ///< the first run works whatever happens
    bool family = false;  ///< each run is the parent of the one before it
    bool flaps = false;   ///< agents come and go, for minutes each
    bool hands_on =
        false;  ///< people do by themselves what a ladder would: pause a run, take its next step, let it go on
    Honesty honesty = Honesty::finds;
    bool proves = false;                      ///< the control can tell whether an agent has stopped
    heeler::Duration later{};                 ///< the wall clock of this world is so much further
    std::optional<heeler::RunState> rests{};  ///< for hours, somewhere in it, every run is said to be in this state
    bool echoes = false;                      ///< what agents report arrives twice
    Trouble trouble = Trouble::none;
    bool own_luck = false;  ///< what becomes of one run has nothing to do with the others
    unsigned at_once = 1;   ///< an agent that works does so many parts of it in one step
    bool told = false;  ///< it keeps a scenario of itself, and what happens between two cycles has a moment of its own
    std::vector<Happening> happenings{};

    /// Whether anything of the kind happens.
    [[nodiscard]] bool has(What what) const noexcept;
};

/// So much happens in a world of which many are lived.
inline constexpr unsigned short_story = 24;

/// Each seed switches some kinds of fault on, so that none hides behind the others. `length`: of the story.
[[nodiscard]] Story story_of(std::uint64_t seed, unsigned length);

/// One of those that stories go by.
[[nodiscard]] heeler::RunClass preset_named(std::string_view preset);

/// In words, for whoever looks into a failure.
[[nodiscard]] std::string told(const Story& story);

}  // namespace sim
