#include <heeler/detect/loop/monologue.hpp>

#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/reloaded.hpp"

namespace loops_monologue {

using namespace heeler;
using loops::Channel;
using loops::Common;
using loops::Hit;
using loops::Monologue;
using loops::Speech;
using loops::Varied;

namespace {

class Assistant {
public:
    Hit says(std::string_view text) {
        ++common.index;
        part = facts::reloaded(part);
        return Monologue::learn(part, {}, Speech{text, Channel::assistant, true}, common);
    }
    Assistant& gets_a_result() {
        ++common.results;
        return *this;
    }

    Monologue::Part part{};
    Common common{};
};

}  // namespace

TEST_CASE("the third equal message is heard, the sixth is worth stopping for") {
    Assistant assistant;
    CHECK(assistant.says("I am done.").level == Level::none);
    CHECK(assistant.says("I am done.").level == Level::watch);
    CHECK(assistant.says("I am done.").level == Level::nudge);
    CHECK(assistant.says("I am done.").level == Level::nudge);
    CHECK(assistant.says("I am done.").level == Level::nudge);
    const Hit sixth = assistant.says("I am done.");
    CHECK(sixth.level == Level::stop);
    CHECK(sixth.count == 6);
    CHECK(sixth.first == 1);
    CHECK(sixth.varied == Varied::nothing);
}

TEST_CASE("digits, case and white space make no message another") {
    Assistant assistant;
    CHECK(assistant.says("Attempt 1: still waiting").level == Level::none);
    CHECK(assistant.says("attempt 27:  still\nwaiting").level == Level::watch);
    const Hit third = assistant.says("Attempt 300: still waiting ");
    CHECK(third.level == Level::nudge);
    CHECK(third.varied == Varied::numbers);
    CHECK(assistant.says("Attempt 300. Still waiting").level == Level::none);
}

TEST_CASE("a filler sentence before different calls is no monologue") {
    Assistant assistant;
    for (int i = 0; i < 100; ++i) REQUIRE(assistant.gets_a_result().says("Let me look at this.").level == Level::none);
    CHECK(assistant.says("Let me look at this.").level == Level::watch);
    CHECK(assistant.gets_a_result().says("Let me look at this.").level == Level::none);
}

TEST_CASE("a few messages in turn are heard the third time") {
    for (int period = 2; period <= 8; ++period) {
        Assistant assistant;
        Hit hit;
        for (int i = 0; i < 3 * period; ++i) {
            CAPTURE(period, i);
            CHECK(hit.level < Level::nudge);
            hit = assistant.says(std::string(3, static_cast<char>('a' + i % period)));
        }
        CHECK(hit.level == Level::nudge);
        CHECK(hit.period == period);
        Assistant other;
        Hit rotated;
        for (int i = 1; i <= 3 * period; ++i) rotated = other.says(std::string(3, static_cast<char>('a' + i % period)));
        CHECK(rotated.identity == hit.identity);
    }
    Assistant assistant;
    for (int i = 0; i < 60; ++i)
        REQUIRE(assistant.says(std::string(3, static_cast<char>('a' + i % 9))).level < Level::nudge);
}

TEST_CASE("the fifth message that is worded alike is heard") {
    Assistant assistant;
    const std::string_view ends[] = {"now", "soon", "later", "today", "tomorrow", "tonight"};
    Hit hit;
    for (const std::string_view end : ends) {
        CHECK(hit.level < (end == "tonight" ? Level::stop : Level::nudge));
        hit = assistant.says("I am going to look at the failing test of the parser " + std::string{end});
    }
    CHECK(hit.level == Level::nudge);
    CHECK(hit.varied == Varied::wording);
    Assistant brief;  // two words are too few to be alike
    for (const std::string_view said : {"yes, done", "done: yes", "yes; done", "done, yes", "yes - done", "done. yes"})
        REQUIRE(brief.says(said).level < Level::nudge);
}

TEST_CASE("a message without a word says nothing") {
    Assistant assistant;
    for (int i = 0; i < 20; ++i) REQUIRE(assistant.says(i % 2 == 0 ? "" : " \n...").level == Level::none);
    CHECK(assistant.says("word").level == Level::none);
}

TEST_CASE("what is said in long messages is looked at from both ends") {
    Assistant assistant;
    const std::string middle(1'000'000, 'x');
    CHECK(assistant.says("first" + middle + "last").level == Level::none);
    CHECK(assistant.says("first" + middle + "last").level == Level::watch);
    CHECK(assistant.says("first" + middle + "other").level == Level::none);
    CHECK(assistant.says("another" + middle + "other").level == Level::none);
}

}  // namespace loops_monologue
