#include <heeler/detect/resource_limit.hpp>

#include <string>

#include <heeler/core/archive.hpp>

#include "support/catch.hpp"
#include "support/checked_settings.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// What a host told, as the engine hands it on.
struct Told : facts::Taught<ResourceLimit> {
    Told& operator()(const std::string& name, std::int64_t used, std::int64_t limit = 100) {
        Observation seen;
        seen.index = ++told;
        seen.exact = std::hash<std::string>{}(name);
        seen.event = Resource{name, used, limit};
        ResourceLimit{}.learn(memory, settings, seen);
        return *this;
    }
    [[nodiscard]] std::optional<Finding> found() const { return check(facts::At{1s}); }

    std::uint64_t told = 0;
};

}  // namespace

TEST_CASE("a resource is shown from 90 % on and exhausted at 100 % [M-188]", "[detect]") {
    Told told;
    CHECK_FALSE(told.found());
    CHECK_FALSE(told("disk", 89).found());
    const auto nearly = told("disk", 90).found();
    REQUIRE(nearly);
    CHECK((nearly->condition == Condition::exhausted && nearly->level == Level::watch));
    CHECK((nearly->evidence.rule == "nearly_exhausted" && nearly->evidence.fact("threshold") == 0.9));
    CHECK(told("disk", 99).found()->level == Level::watch);
    const auto exhausted = told("disk", 100).found();
    REQUIRE(exhausted);
    CHECK((exhausted->level == Level::nudge && exhausted->evidence.rule == "exhausted"));
    CHECK((exhausted->evidence.fact("used") == 100 && exhausted->evidence.fact("limit") == 100));
    CHECK((exhausted->subject.view() == "disk" && exhausted->evidence.last == 4));
    CHECK(ResourceLimit::describe(*nearly) == "Nearly exhausted: disk, 90 of 100 used (90 %)");
    CHECK(ResourceLimit::describe(*told("disk", 2'000'000, 1'000'000).found()) ==
          "Exhausted: disk, 2,000,000 of 1,000,000 used (200 %)");
    CHECK_FALSE(told("disk", 10).found());
}

TEST_CASE("of several resources the fullest is found, each by its whole name [M-188]", "[detect]") {
    Told told;
    told("disk", 95)("context window", 4000, 4096)("quota", 10);
    REQUIRE(told.found());
    CHECK(told.found()->subject.view() == "context window");
    const std::string longest(200, 'n');
    told(longest + "1", 100)(longest + "2", 1);
    CHECK(told.found()->subject.view() == std::string(Subject::capacity, 'n'));
    CHECK(told.memory.resources.size() == 5);
    for (int i = 0; i < 1000; ++i) told("temporary " + std::to_string(i), i % 50);
    CHECK(told.memory.resources.size() == ResourceLimit::most_resources);
    CHECK(told.found()->level == Level::nudge);
    CHECK_FALSE(told(longest + "1", 3)("context window", 3)("disk", 3).found());
}

TEST_CASE("what an agent had used says nothing about the one that took its run up [M-188]", "[detect]") {
    Told told;
    told("context window", 100).learn(Acted{ActionKind::nudge, ActionOutcome::done, {}});
    told.learn(Acted{ActionKind::spawn, ActionOutcome::failed, {}});
    CHECK(told.found());
    CHECK_FALSE(told.learn(Acted{ActionKind::spawn, ActionOutcome::done, {}}).check(facts::At{1s}));
}

TEST_CASE("what is known of resources survives a restart [M-136]", "[detect]") {
    Told told, restarted;
    told("disk", 100)("quota", 1);
    ArchiveWriter writer{Instant{}};
    told.memory.archive(writer);
    ArchiveReader reader{writer.bytes(), Instant{}};
    restarted.memory.archive(reader);
    REQUIRE((reader.ok() && reader.at_end() && restarted.found()));
    CHECK(restarted.found()->subject.view() == "disk");
    CHECK_FALSE(restarted("disk", 1).found());
}

TEST_CASE("shares that are none, or in the wrong order, are refused [M-188]", "[detect]") {
    CHECK(checked<ResourceLimit>({}));
    CHECK(checked<ResourceLimit>({1, 1}));
    CHECK_FALSE(checked<ResourceLimit>({0, 1}));
    CHECK_FALSE(checked<ResourceLimit>({0.95, 0.9}));
    CHECK_FALSE(checked<ResourceLimit>({0.9, 11}));
    CHECK(checked<ResourceLimit>({0.9, 0.8}).error().message.find("watch_at is 0.9") != std::string::npos);
}
