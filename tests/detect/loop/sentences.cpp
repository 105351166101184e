#include <heeler/detect/loop/sentences.hpp>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/reloaded.hpp"

namespace loops_sentences {

using namespace heeler;
using loops::Channel;
using loops::Hit;
using loops::Sentences;
using loops::Speech;

namespace {

const std::vector<std::string> paraphrases{
    "I should look at the file once more.",       "Let me look at the file once more!",
    "Perhaps the file has to be read again.",     "Wait, what did the user really ask for?",
    "The user asked for the file to be changed.", "So the file has to be changed now.",
    "But first the file must be read again.",     "I will look at the file once more."};

/// So many sentences, in no order, of which so many differ.
std::string circling(std::size_t count, std::size_t distinct, std::string_view between = " ") {
    std::mt19937 random{21};
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t which = i < distinct ? i : random() % distinct;
        text += which < paraphrases.size() ? paraphrases[which]
                                           : "And now another sentence, which has a " + std::string(which, 'x') + ".";
        text += between;
    }
    return text;
}

Level heard(std::string_view text, bool finished = true) {
    Sentences::Part part;
    return Sentences::learn(part, {}, Speech{text, Channel::thinking, finished}, {}).level;
}

}  // namespace

TEST_CASE("who says the same eight sentences in another order each time is heard") {
    CHECK(heard(circling(32, 8)) == Level::nudge);
    CHECK(heard(circling(31, 8)) == Level::none);
    CHECK(heard(circling(32, 9)) == Level::watch);
    CHECK(heard(circling(500, 8)) == Level::nudge);  // never more than that
    CHECK(heard(circling(40, 8, "\n")) == Level::nudge);
    CHECK(heard(circling(40, 8, "\n\n")) == Level::nudge);
    CHECK(heard(circling(40, 8, "\n- ")) == Level::nudge);
    CHECK(heard(circling(40, 8, "\r\n7. ")) == Level::nudge);
}

TEST_CASE("case, digits and the ends of lines make no difference to a sentence") {
    std::string text;
    for (int i = 0; i < 40; ++i)
        text += i % 2 == 0 ? "Step " + std::to_string(i % 90) + " is to look at\nthe file again. "
                           : "step " + std::to_string(i % 90) + " is to look AT the file again.\n";
    CHECK(heard(text) == Level::nudge);
}

TEST_CASE("what is no prose is not counted") {
    const auto forty = [](std::string_view line) {
        std::string text;
        for (int i = 0; i < 40; ++i) text += std::string{line} + "\n";
        return heard(text);
    };
    CHECK(forty("the same few words again.") == Level::nudge);
    CHECK(forty("three words only.") == Level::none);
    CHECK(forty("a heading without a full stop") == Level::none);
    CHECK(forty("request 2025 of the client was answered.") == Level::none);
    CHECK(forty("call the function open(path) = 3; then stop.") == Level::none);
    CHECK(forty("a | table | of words | and more.") == Level::none);
    CHECK(forty("1 2 3 4 5 6 a b c d 7 8 9 10.") == Level::none);
    CHECK(forty("see the file www.example.com for it") == Level::none);
    CHECK(forty("\n# a heading of some words\n\nthe file shrank.") == Level::none);
    CHECK(forty("\na title {of} code\n\nthe same few words again.") == Level::nudge);
    CHECK(forty("a name: {of} code\n- the same few words again.") == Level::nudge);
}

TEST_CASE("sentences are the same in whatever pieces they come, and across restarts") {
    const std::string text = circling(36, 8) + "\n\n# Heading\n\n" + circling(40, 8, "\n");
    Sentences::Part each;
    std::vector<Level> levels;
    for (const char& c : text)
        levels.push_back(Sentences::learn(each, {}, Speech{{&c, 1}, Channel::output, false}, {}).level);
    std::mt19937 random{22};
    for (const std::size_t most : {3u, 50u, 900u}) {
        Sentences::Part part;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t size = std::min(text.size() - at, 1 + random() % most);
            part = facts::reloaded(part);
            const Level told =
                Sentences::learn(part, {}, Speech{std::string_view{text}.substr(at, size), Channel::output, false}, {})
                    .level;
            Level expected = Level::none;
            for (std::size_t i = at; i < at + size; ++i) expected = std::max(expected, levels[i]);
            REQUIRE(told == expected);
            at += size;
        }
    }
}

TEST_CASE("a filler sentence in each of many messages is none of them") {
    Sentences::Part part;
    for (int i = 0; i < 100; ++i)
        REQUIRE(
            Sentences::learn(part, {}, Speech{"Let me have a look at this now.", Channel::assistant, true}, {}).level ==
            Level::none);
}

TEST_CASE("the same few sentences are known again in another order") {
    Sentences::Part one, other;
    const Hit a = Sentences::learn(one, {}, Speech{circling(64, 8), Channel::output, true}, {});
    const Hit b = Sentences::learn(other, {}, Speech{circling(96, 8, "\n"), Channel::output, true}, {});
    CHECK(a.identity == b.identity);
    CHECK(a.identity != 0);
}

}  // namespace loops_sentences
