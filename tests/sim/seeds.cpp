// Many worlds, each from a seed: whatever goes wrong in them, the promises hold.
//
// HEELER_SIM_SEEDS=N lives so many of them, HEELER_SIM_SEED=N this one alone; HEELER_SIM_ALIKE_SEEDS=N compares so many
// with others that must be like them. Thousands are lived by a program that is compiled for it (many_worlds.cpp).
#include <algorithm>
#include <chrono>

#include "sim/number.hpp"
#include "sim/report.hpp"
#include "sim/world.hpp"
#include "support/catch.hpp"
#include "support/slowed.hpp"

namespace sim {
namespace {

using namespace heeler;

/// A world in which nothing goes wrong but what agents do.
[[nodiscard]] Story untroubled(std::uint64_t seed) {
    Story story = story_of(seed, short_story);
    std::erase_if(story.happenings, [](const Happening& each) { return each.what > What::mood; });
    story.dogs = 1;
    return story;
}

[[nodiscard]] std::vector<std::string> trace_of(const Story& story) {
    World world{story};
    world.live();
    INFO("seed " << story.seed << ": " << world.fault());
    REQUIRE(world.fault().empty());
    return world.trace();
}

[[nodiscard]] bool is_sent(const std::string& line) { return line.find(" sent ") != std::string::npos; }

/// Somebody outside of the watchdog notices it.
[[nodiscard]] bool touches(const std::string& line) {
    return is_sent(line) || line.find(" effect ") != std::string::npos;
}

/// What was found and done, whenever it was; people are told by the day's clock.
[[nodiscard]] std::vector<std::string> deeds_of(std::vector<std::string> trace) {
    std::erase_if(trace, is_sent);
    for (std::string& line : trace) line.erase(0, line.find(' ') + 1);
    return trace;
}

/// What was found before anybody of `usual` was first asked for something: from then on the worlds differ. Whether an
/// agent has stopped is such a question: who asks nobody counts a continuation as started for which another one, who
/// got no proof, asks a person.
[[nodiscard]] std::vector<std::string> until_touched(std::vector<std::string> trace,
                                                     const std::vector<std::string>& usual, const RunClass& rules) {
    const bool asks = rules.stop_proof == StopProofNeeded::proved && rules.ladder.asks_for(ActionKind::spawn);
    const auto asked = std::find_if(usual.begin(), usual.end(), [&](const std::string& line) {
        return (touches(line) && !is_sent(line)) || (asks && line.find(" sent escalation ") != std::string::npos) ||
               line.find(" end ") != std::string::npos;
    });
    const std::size_t length = static_cast<std::size_t>(asked - usual.begin());
    const auto untold = static_cast<std::size_t>(std::count_if(usual.begin(), asked, is_sent));
    std::erase_if(trace, is_sent);
    trace.resize(std::min(trace.size(), length - untold));
    return trace;
}

constexpr std::uint64_t few = heeler_test::is_slowed ? 3 : 15;

/// The first run always works, and all others stand above it. That somebody writes no checkpoint or shows no life is
/// another matter.
[[nodiscard]] Story family_of(std::uint64_t seed) {
    Story story = story_of(seed, short_story);
    // A watchdog that was away, and dies before it has seen that runs go on, counts the time as seen.
    const bool dies = seed % 2 == 0;
    std::erase_if(story.happenings, [&](const Happening& each) {
        return dies ? each.what == What::pause || each.what == What::stall
                    : each.what == What::crash || each.what == What::restart;
    });
    story.dogs = 1;
    story.runs = std::max(story.runs, 2u);
    story.steady = story.family = true;
    DetectorSettings& detectors = story.rules.detectors;
    if (detectors.find<HeartbeatContract<CheckpointAge>>() != nullptr)
        detectors.turn_off<HeartbeatContract<CheckpointAge>>().turn_on<HeartbeatContract<ProgressAge>>(
            {.act_after = std::chrono::seconds{300}});
    detectors.turn_off<HeartbeatContract<AliveAge>>();
    return story;
}

}  // namespace

// Without a sanitizer heeler_sim_worlds lives these and thousands more, optimised.
TEST_CASE("whatever goes wrong in a world of agents and watchdogs, the promises hold") {
    const std::uint64_t only = number_of("HEELER_SIM_SEED", 0);
    const std::uint64_t first = only == 0 ? number_of("HEELER_SIM_FROM", 1) : only;
    const std::uint64_t count = only == 0 ? number_of("HEELER_SIM_SEEDS", heeler_test::is_slowed ? 12 : 4) : 1;
    std::size_t effects = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const Story story = story_of(seed, short_story);
        World world{story};
        world.live();
        effects += world.trace().size();
        if (!world.fault().empty()) FAIL(report_of(shrunk(story)));
    }
    CHECK(effects > count);
}

TEST_CASE("whatever else goes wrong, nobody stands still while a run below works [M-192]", "[I31]") {
    const std::uint64_t count = number_of("HEELER_SIM_FAMILIES", heeler_test::is_slowed ? 6 : 100);
    std::size_t lines = 0;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        const Story story = family_of(seed);
        World world{story};
        world.live();
        lines += world.trace().size();
        if (!world.fault().empty()) FAIL(report_of(shrunk(story)));
    }
    CHECK(lines > count);
}

TEST_CASE("one seed is one trace, by whatever it was compiled") {
    std::vector<std::string> all;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Story story = story_of(seed, short_story);
        const auto trace = trace_of(story);
        all.insert(all.end(), trace.begin(), trace.end());
        if (seed > few) continue;
        // Whatever goes wrong in it, nor does another day change it, nor what arrives twice.
        story.later = std::chrono::hours{24 * 365 * 3} + std::chrono::seconds{17};
        story.echoes = true;
        INFO("seed " << seed);
        CHECK(trace_of(story) == trace);
    }
    // It changes with every verdict, effect and message of these worlds: whoever changes one of those writes it anew.
    CHECK(hash_of(all) == 0xA3BF6389F66CD265u);
}

TEST_CASE("the same world on another day, with hours in which nobody works, or with echoes has the same verdicts") {
    for (std::uint64_t seed = 1; seed <= number_of("HEELER_SIM_ALIKE_SEEDS", few); ++seed) {
        INFO("seed " << seed);
        const Story story = untroubled(seed);
        const auto usual = trace_of(story);
        Story other = story;
        other.later = std::chrono::seconds{17} + std::chrono::hours{24 * 365 * (seed % 2 == 0 ? 5 : -5)};
        CHECK(trace_of(other) == usual);
        other = story;
        other.echoes = true;
        CHECK(trace_of(other) == usual);
        other = story;
        constexpr RunState states[] = {RunState::paused, RunState::waiting_human, RunState::rate_limited,
                                       RunState::waiting_child, RunState::queued};
        other.rests = states[seed % std::size(states)];
        // Who is replaced after a rate limit does not count.
        if (other.rests == RunState::rate_limited && story.rules.limits.restarts.most != 0) other.rests = states[0];
        CHECK(deeds_of(trace_of(other)) == deeds_of(usual));
        other = story;
        other.rules.mode = Mode::shadow;
        const auto shadow = trace_of(other);
        CHECK(std::none_of(shadow.begin(), shadow.end(), touches));
        CHECK(until_touched(shadow, usual, other.rules) == until_touched(usual, usual, other.rules));
    }
}

}  // namespace sim
