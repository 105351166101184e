// Worlds in which one thing is wrong all the time: with one run, with what all of them need, or with how much an agent
// says.
#include <algorithm>
#include <string>
#include <vector>

#include <heeler/settings/presets.hpp>

#include "sim/number.hpp"
#include "sim/world.hpp"
#include "support/catch.hpp"
#include "support/slowed.hpp"

namespace sim {
namespace {

using namespace heeler;
using namespace std::chrono_literals;

constexpr std::uint64_t few_in_trouble = heeler_test::is_slowed ? 2 : 12;

/// Nothing goes wrong but what agents do, and each run is told of by itself.
[[nodiscard]] Story of_runs_apart(std::uint64_t seed) {
    Story story = story_of(seed, 24);
    std::erase_if(story.happenings, [](const Happening& each) { return each.what > What::mood; });
    story.dogs = 1;
    story.runs = std::max(story.runs, 2u);
    story.own_luck = true;
    story.rules.alerts.outbox.group_wait = story.rules.alerts.outbox.group_interval = {};
    return story;
}

[[nodiscard]] std::vector<std::string> went_through(const Story& story) {
    World world{story};
    world.live();
    INFO("seed " << story.seed << ": " << world.fault());
    REQUIRE(world.fault().empty());
    return world.trace();
}

/// What becomes of all runs but the last one.
[[nodiscard]] std::vector<std::string> of_the_others(std::vector<std::string> trace, const Story& story) {
    const std::string last = " run-" + std::to_string(story.runs - 1) + " ";
    std::erase_if(trace, [&](const std::string& line) {
        return line.find(last) != std::string::npos || line.find(" run-") == std::string::npos;
    });
    return trace;
}

/// What all agents need is gone for an hour. Whoever hangs is to be replaced, or nudged first and then ended.
[[nodiscard]] Story outage_of(std::uint64_t seed) {
    Story story;
    story.seed = seed;
    story.runs = 6 + static_cast<unsigned>(seed % 4);
    story.rules = presets::long_run();
    story.rules.name = "watched";
    story.rules.interval.fixed = 60s;
    story.rules.stop_proof = StopProofNeeded::presumed;
    if (seed % 2 == 0) story.rules.ladder.as<RecoveryLadder>()->retry = Backoff{3, 10s, 4, 1800s};
    story.rules.limits.mass_stall.runs = 5;
    story.trouble = Trouble::outage;
    constexpr unsigned silent = static_cast<unsigned>(Mood::silent), longest = 7;
    story.happenings.push_back({What::time, 0, longest});
    for (unsigned i = 0; i < story.runs - seed % 2; ++i) story.happenings.push_back({What::mood, i, silent});
    for (int i = 0; i < 3; ++i) story.happenings.push_back({What::time, 0, longest});
    return story;
}

}  // namespace

TEST_CASE("a run that cannot be stored, told of or touched changes nothing for the others [M-008]", "[I22]") {
    std::size_t lines = 0;
    for (std::uint64_t seed = 1; seed <= number_of("HEELER_SIM_ALIKE_SEEDS", few_in_trouble); ++seed) {
        const Story story = of_runs_apart(seed);
        const auto usual = of_the_others(went_through(story), story);
        lines += usual.size();
        for (const Trouble trouble : {Trouble::refused, Trouble::unheard, Trouble::hostile}) {
            Story other = story;
            other.trouble = trouble;
            INFO("seed " << seed << ", trouble " << static_cast<int>(trouble));
            CHECK(of_the_others(went_through(other), story) == usual);
        }
    }
    CHECK(lines > few_in_trouble);
}

TEST_CASE("while many runs hang together nobody is ended or replaced, and all goes on when they do", "[I30]") {
    for (std::uint64_t seed = 1; seed <= (heeler_test::is_slowed ? 2u : 8u); ++seed) {
        const auto trace = went_through(outage_of(seed));
        CHECK(std::count_if(trace.begin(), trace.end(),
                            [](const std::string& line) { return line.find("STALLED") != std::string::npos; }) >= 5);
    }
}

TEST_CASE("what is kept of a run is bounded, however much its agent says", "[I23]") {
    Story story = story_of(GENERATE(3u, 4u), 0);
    story.dogs = story.runs = 1;
    story.at_once = heeler_test::is_slowed ? 20 : 100;
    for (int i = 0; i < 6; ++i) story.happenings.push_back({What::time, 0, 7});
    (void)went_through(story);
}

}  // namespace sim
