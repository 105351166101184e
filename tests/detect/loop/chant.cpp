#include <heeler/detect/loop/chant.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/reloaded.hpp"

namespace loops_chant {

using namespace heeler;
using loops::Channel;
using loops::Chant;
using loops::Hit;
using loops::Speech;

namespace {

/// Tells a channel piece by piece.
class Listener {
public:
    Hit hear(std::string_view text, bool finished = false) {
        return Chant::learn(part, settings, Speech{text, Channel::output, finished}, {.index = index++});
    }
    /// The level after each character.
    std::vector<Level> hear_each(std::string_view text) {
        std::vector<Level> levels;
        for (std::size_t i = 0; i < text.size(); ++i) levels.push_back(hear(text.substr(i, 1)).level);
        return levels;
    }

    Chant::Part part{};
    Chant::Settings settings{};
    std::uint32_t index = 0;
};

std::string times(std::size_t count, std::string_view text) {
    std::string all;
    while (count-- > 0) all += text;
    return all;
}

using Random = std::mt19937;

std::string word(Random& random) {
    std::string text;
    for (std::size_t size = 2 + random() % 9; size > 0; --size) text += static_cast<char>('a' + random() % 26);
    return text;
}

/// Prose of so many characters that does not repeat itself.
std::string prose(Random& random, std::size_t size) {
    std::string text;
    while (text.size() < size) text += word(random) + (random() % 12 == 0 ? ".\n" : random() % 9 == 0 ? ", " : " ");
    text.resize(size);
    return text;
}

/// A block of so many characters that no shorter block makes up.
std::string block(Random& random, std::size_t size) {
    std::string text = prose(random, size);
    text[0] = '\x01';
    return text;
}

std::string markdown(Random& random) {
    std::string text = "## Plan\n\n";
    for (int i = 0; i < 12; ++i) text += "- [ ] " + prose(random, 30) + "\n";
    text += "\n| name | value | note |\n|------|-------|------|\n";
    for (int i = 0; i < 20; ++i) text += "| " + word(random) + " | " + std::to_string(i * 17) + " | ok |\n";
    return text + "\n```cpp\nfor (int i = 0; i < count; ++i) {\n    total += values[i];\n}\n";
}

/// The number of characters of the chant after which it is spoken of.
std::size_t spoken_after(std::string_view before, std::string_view chant) {
    Listener listener;
    listener.hear(before);
    for (std::size_t i = 0; i < chant.size(); ++i)
        if (listener.hear(chant.substr(i, 1)).level >= Level::nudge) return i + 1;
    return 0;
}

/// The character at which it was spoken of: this one, or up to two before it.
bool is_at(std::size_t spoken, std::size_t due) { return spoken <= due && spoken + 2 >= due; }

std::string of_lines(int count, const auto& line) {
    std::string text;
    for (int i = 0; i < count; ++i) text += line(i) + "\n";
    return text;
}

std::string hex(std::uint32_t value, std::size_t digits) {
    std::string text;
    while (digits-- > 0) text += "0123456789abcdef"[value >> (4 * digits) & 0xF];
    return text;
}

}  // namespace

TEST_CASE("a chant of any period is spoken of in time, whatever stands before it") {
    Random random{11};
    const std::string before = markdown(random) + prose(random, 3'000);
    for (std::size_t period = 1; period <= 2'000; period += period < 130 ? 1 : 1 + random() % 40) {
        const std::string unit = block(random, period);
        const bool is_plain = period >= 10;  // shorter ones may have fewer than five different characters
        const std::size_t due = std::max<std::size_t>((32 * period + 9) / 10, 360);
        const std::size_t latest = std::max<std::size_t>(7 * period / 2, 400);
        const std::string chant = times((is_plain ? latest : 2'400) / period + 2, unit);
        CAPTURE(period, due);
        const std::size_t at = spoken_after(before, chant);
        REQUIRE(at != 0);
        if (!is_plain) continue;
        CHECK(at + 3 >= due);
        CHECK(at <= latest);
    }
}

TEST_CASE("a chant is the same in whatever pieces it comes") {
    Random random{12};
    for (int round = 0; round < 12; ++round) {
        const std::size_t period = 1 + random() % (round % 2 == 0 ? 60 : 1'200);
        const std::string text = markdown(random) + times(6'000 / period + 4, block(random, period)) +
                                 prose(random, 500) + times(100, "1. again and again\n");
        Listener each;
        const std::vector<Level> levels = each.hear_each(text);
        for (const std::size_t most : {2u, 7u, 80u, 5'000u}) {
            Listener listener;
            for (std::size_t at = 0; at < text.size();) {
                const std::size_t size = std::min(text.size() - at, 1 + random() % most);
                const Level told = listener.hear(std::string_view{text}.substr(at, size)).level;
                const auto from = levels.begin() + static_cast<std::ptrdiff_t>(at);
                CAPTURE(round, period, most, at, size);
                REQUIRE(told == *std::max_element(from, from + static_cast<std::ptrdiff_t>(size)));
                at += size;
            }
        }
    }
}

TEST_CASE("a chant survives a restart at any character") {
    Random random{13};
    const std::string text = "One. " + times(40, "- the café is closed, try later\n");
    Listener straight;
    const std::vector<Level> levels = straight.hear_each(text);
    Listener broken;
    for (std::size_t i = 0; i < text.size(); ++i) {
        broken.part = facts::reloaded(broken.part);
        REQUIRE(broken.hear(std::string_view{text}.substr(i, 1)).level == levels[i]);
    }
    CHECK(levels.back() == Level::stop);
}

TEST_CASE("what is loaded of a chant may be damaged") {
    Listener listener;
    listener.hear(times(100, "again and again, "));
    listener.part.following = 200;
    listener.part = facts::reloaded(listener.part);
    CHECK(listener.part.following == 0);
    CHECK(listener.hear(times(100, "again and again, ")).level == Level::stop);
}

TEST_CASE("healthy text is no chant") {
    Random random{14};
    const auto name = [&](int) { return word(random); };
    const auto quiet = [](std::string_view what, const std::string& text) {
        CAPTURE(what);
        Listener listener;
        CHECK(listener.hear(text).level < Level::nudge);
    };
    quiet("prose", prose(random, 60'000));
    quiet("a list", of_lines(400, [&](int i) { return std::to_string(i + 1) + ". " + prose(random, 20); }));
    quiet("short items", of_lines(400, [&](int i) { return "- item " + std::to_string(i); }));
    quiet("a table",
          of_lines(400, [&](int i) { return "| " + std::to_string(i) + " | " + name(i) + " | true | 0.00 | EUR |"; }));
    quiet("a table with wide columns", of_lines(300, [&](int i) {
              std::string row = name(i);
              row.resize(60, ' ');
              return row + "|" + std::string(40, ' ') + "|";
          }));
    quiet("includes", of_lines(200, [&](int i) { return "#include <library/" + name(i) + ".hpp>"; }));
    quiet("an array",
          of_lines(100, [](int) { return std::string{"    0x00, 0x00, 0x00, 0x00, 0x00, 0x00,"}; }).substr(0, 1'900));
    quiet("code", of_lines(300, [&](int i) {
              return i % 4 == 3 ? "}" : "    if (" + name(i) + ") return " + name(i) + "(" + name(i) + ");";
          }));
    quiet("a log", of_lines(500, [](int i) {
              return "2025-03-04T05:06:" + std::to_string(10 + i % 50) + "Z INFO request " + std::to_string(i) +
                     " done in 12 ms, status 200";
          }));
    quiet("a hex dump", of_lines(400, [&](int i) {
              return hex(static_cast<std::uint32_t>(16 * i), 8) + ": " + hex(static_cast<std::uint32_t>(random()), 8) +
                     " " + word(random);
          }));
    quiet("a hex dump of zeros", of_lines(400, [](int i) {
              return hex(static_cast<std::uint32_t>(16 * i), 8) + ": 0000 0000 0000 0000 0000 0000  ................";
          }));
    quiet("rulers", of_lines(60, [&](int i) { return i % 2 == 0 ? std::string(78, '=') : prose(random, 40); }));
    quiet("one long ruler", std::string(1'900, '-'));
    quiet("a ruler of two characters", times(600, "-="));
    quiet("padding", "value" + std::string(1'990, ' ') + "value");
    quiet("blank lines", times(5'000, "\n") + times(5'000, " \t\n"));
    quiet("dots of a test run", of_lines(20, [](int i) { return std::string(72, '.') + std::to_string(i) + "%"; }));
    quiet("steps", of_lines(300, [&](int i) { return "Step " + std::to_string(i) + ": looked at " + name(i); }));
}

TEST_CASE("a ruler or padding is a chant when nothing else comes any more") {
    Listener listener;
    const std::vector<Level> levels = listener.hear_each(std::string(5'100, '-'));
    CHECK(levels[1'990] == Level::watch);
    CHECK(levels[2'000] == Level::nudge);
    CHECK(levels[4'990] == Level::nudge);
    CHECK(levels[5'005] == Level::stop);
    CHECK(Listener{}.hear(std::string(9'000, ' ') + "\n").level == Level::none);
}

TEST_CASE("each threshold of a chant: the character before is silent") {
    const auto first = [](const std::vector<Level>& levels, Level level) {
        return static_cast<std::size_t>(std::find(levels.begin(), levels.end(), level) - levels.begin()) + 1;
    };
    // 20 characters: 360 is more than 3.2 times that.
    std::vector<Level> levels = Listener{}.hear_each(times(60, "let me think again, "));
    CHECK(is_at(first(levels, Level::watch), 180));
    CHECK(is_at(first(levels, Level::nudge), 360));
    CHECK(is_at(first(levels, Level::stop), 900));
    // 200 characters: 3.2 of them.
    Random random{15};
    levels = Listener{}.hear_each(times(10, block(random, 200)));
    CHECK(is_at(first(levels, Level::nudge), 640));
    CHECK(is_at(first(levels, Level::stop), 1'600));
    // Items of a list, without their numbers: 5 of them.
    std::string list;
    for (int i = 1; i < 40; ++i)
        list += std::to_string(i) + ". " + std::string{"the same step as before, "} +
                "with the same words, once more and again as it was said in the beginning\n";
    levels = Listener{}.hear_each(list);
    const std::size_t item = list.find("2. ") - 3;
    const std::size_t nudged = first(levels, Level::nudge);
    CHECK(nudged >= 5 * item);
    CHECK(nudged <= 5 * (item + 3) + 3);
    CHECK(Listener{}.hear(list.substr(0, 5 * item)).level < Level::nudge);
}

TEST_CASE("lists whose items are equal but for bullets need five of them") {
    for (const std::string_view bullet : {"- ", "* ", "+ ", "• ", "  - ", "17) "}) {
        const std::string item =
            "the same step as before, with the same words, and again once more and once more, and so on"
            ", and so on, until it is over";
        std::string text;
        for (int i = 0; i < 4; ++i) text += std::string{bullet} + item + "\n";
        Listener listener;
        CAPTURE(bullet);
        CHECK(listener.hear(text).level < Level::nudge);
        CHECK(listener.hear(text).level == Level::nudge);
    }
}

TEST_CASE("a character is what a reader takes for one") {
    // 14 characters of up to four bytes each.
    const std::string unit = "ещё раз — 🙂 да";
    Listener listener;
    const std::string chant = times(60, unit);
    std::size_t characters = 0, spoken = 0;
    for (const char c : chant) {
        characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
        const Hit hit = listener.hear({&c, 1});
        if (spoken == 0 && hit.level == Level::nudge) spoken = characters;
        if (spoken != 0) REQUIRE(hit.period == 14);
    }
    CHECK(is_at(spoken, 360));
    CHECK(Listener{}.hear(times(3'000, "\xFF\xC3\xE2\x82")).level <= Level::stop);  // no text at all
}

TEST_CASE("every finished message starts anew, whatever is left of it") {
    Listener listener;
    for (int i = 0; i < 200; ++i) REQUIRE(listener.hear("Now I run the tests again.\n", true).level == Level::none);
    CHECK(listener.hear(times(30, "Now I run the tests again.\n"), true).level == Level::nudge);
    CHECK(listener.hear("Now I run the tests again.\n", true).level == Level::none);
    CHECK(listener.hear(times(8, "Now I run the tests again.\n")).level == Level::watch);
    CHECK(listener.hear(times(8, "Now I run the tests again.\n"), true).level == Level::nudge);
}

TEST_CASE("a block of similar lines is a chant when the whole block repeats, whatever tells its lines apart") {
    Random random{17};
    std::size_t late = 0, blocks = 0;
    for (int round = 0; round < 400; ++round) {
        const std::string row = block(random, 8 + random() % 90);
        const std::size_t rows = 2 + random() % (1'990 / (row.size() + 4));
        const std::size_t place = random() % row.size();
        std::string unit;
        for (std::size_t i = 0; i < rows; ++i) {
            std::string line = row;
            line.insert(place, round % 3 == 0   ? std::to_string(i)
                               : round % 3 == 1 ? std::string(1, random() % 2 == 0 ? 'A' : 'B')
                                                : std::string(1, i == rows / 2 ? 'Z' : 'a'));
            unit += line + '\n';
        }
        if (unit.size() > 2'000) continue;  // longer than any period that is looked for
        const std::size_t latest = std::max<std::size_t>(7 * unit.size() / 2, 400);
        CAPTURE(round, row.size(), rows, unit.size());
        const std::size_t at = spoken_after("Now:\n", times(latest / unit.size() + 2, unit));
        REQUIRE(at != 0);
        ++blocks;
        late += at > latest ? 1 : 0;
        if (round % 3 == 0) CHECK(at + 3 >= std::max<std::size_t>((32 * unit.size() + 9) / 10, 360));
    }
    CHECK(late * 100 <= blocks);
}

TEST_CASE("a chant is known again wherever it begins, and others are not it") {
    Random random{16};
    for (const std::size_t period : {7U, 31U, 140U, 900U}) {
        std::string unit = block(random, period);
        Listener one, other, another;
        const Hit hit = one.hear(times(5'000 / period, unit));
        std::rotate(unit.begin(), unit.begin() + static_cast<std::ptrdiff_t>(period / 3), unit.end());
        const Hit rotated = other.hear(prose(random, 700) + times(5'000 / period, unit));
        const Hit strange = another.hear(times(5'000 / period, block(random, period)));
        CAPTURE(period);
        REQUIRE(hit.level >= Level::nudge);
        CHECK(hit.period == period);
        CHECK(hit.identity != 0);
        CHECK(hit.identity == rotated.identity);
        CHECK(hit.identity != strange.identity);
    }
}

TEST_CASE("one character that differs ends a chant") {
    const std::string unit = "we look at it again and again. ";
    Listener listener;
    CHECK(listener.hear(times(11, unit)).level == Level::watch);
    CHECK(listener.hear("We").level != Level::nudge);
    CHECK(listener.hear(times(11, unit)).level == Level::watch);
    std::string counting;
    for (int i = 0; i < 300; ++i) counting += "attempt " + std::to_string(i) + " of many, ";
    CHECK(Listener{}.hear(counting).level < Level::nudge);
}

TEST_CASE("a channel's memory of chants stays small") { CHECK(sizeof(Chant::Part) <= 1'792); }

}  // namespace loops_chant
