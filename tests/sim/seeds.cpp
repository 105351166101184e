// Many worlds, each from a seed: whatever goes wrong in them, the promises hold.
//
// HEELER_SIM_SEEDS=N lives so many of them, HEELER_SIM_SEED=N this one alone.
#include <cstdlib>

#include "sim/number.hpp"
#include "sim/world.hpp"
#include "support/catch.hpp"
#include "support/slowed.hpp"

namespace sim {
namespace {

constexpr unsigned short_story = 24;

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

/// What was found and done, whenever it was; people are told by the day's clock.
[[nodiscard]] std::vector<std::string> deeds_of(const Story& story) {
    std::vector<std::string> deeds;
    for (std::string line : trace_of(story)) {
        line.erase(0, line.find(' ') + 1);
        if (!line.starts_with("sent")) deeds.push_back(std::move(line));
    }
    return deeds;
}

constexpr std::uint64_t few = heeler_test::is_slowed ? 3 : 15;

[[nodiscard]] std::string fault_of(const Story& story) {
    World world{story};
    world.live();
    return world.fault().substr(0, world.fault().find(':'));
}

/// Leaves out what the fault does not need.
[[nodiscard]] Story shrunk(Story story) {
    const std::string fault = fault_of(story);
    for (std::size_t part = std::max<std::size_t>(story.happenings.size() / 2, 1); part > 0; part /= 2)
        for (std::size_t at = 0; at + part <= story.happenings.size();) {
            Story less = story;
            const auto from = less.happenings.begin() + static_cast<std::ptrdiff_t>(at);
            less.happenings.erase(from, from + static_cast<std::ptrdiff_t>(part));
            if (fault_of(less) == fault)
                story = std::move(less);
            else
                at += part;
        }
    return story;
}

[[nodiscard]] std::string report_of(const Story& story) {
    World world{story};
    world.live();
    std::string text = "seed " + std::to_string(story.seed) + ": " + world.fault() + "\n" + told(story) + "\ntrace:";
    for (const std::string& line : world.trace()) text += "\n  " + line;
    return text;
}

}  // namespace

TEST_CASE("whatever goes wrong in a world of agents and watchdogs, the promises hold") {
    const std::uint64_t only = number_of("HEELER_SIM_SEED", 0);
    const std::uint64_t first = only == 0 ? number_of("HEELER_SIM_FROM", 1) : only;
    const std::uint64_t count = only == 0 ? number_of("HEELER_SIM_SEEDS", heeler_test::is_slowed ? 12 : 300) : 1;
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

TEST_CASE("one seed is one trace, by whatever it was compiled") {
    std::vector<std::string> all;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
        for (const std::string& line : trace_of(story_of(seed, short_story))) all.push_back(line);
    // It changes with every verdict, effect and message of these worlds: whoever changes one of those writes it anew.
    CHECK(hash_of(all) == 0x6BBDB417ABE899F3u);
}

TEST_CASE("verdicts do not depend on what day it is") {
    for (std::uint64_t seed = 1; seed <= few; ++seed) {
        Story story = untroubled(seed);
        const auto usual = trace_of(story);
        story.later = std::chrono::hours{24 * 365 * 5};
        CHECK(trace_of(story) == usual);
    }
}

TEST_CASE("time in which every run is paused counts for nothing") {
    for (std::uint64_t seed = 1; seed <= few; ++seed) {
        Story story = untroubled(seed);
        const auto usual = deeds_of(story);
        story.rests = true;
        INFO("seed " << seed);
        CHECK(deeds_of(story) == usual);
    }
}

TEST_CASE("in shadow mode nothing is done and nobody is told") {
    for (std::uint64_t seed = 1; seed <= few; ++seed) {
        Story story = untroubled(seed);
        story.rules.mode = heeler::Mode::shadow;
        for (const std::string& line : trace_of(story)) {
            CHECK(line.find(" effect ") == std::string::npos);
            CHECK(line.find(" sent ") == std::string::npos);
        }
    }
}

}  // namespace sim
