#include <heeler/detect/loop_detector.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>

#include <heeler/core/archive.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

/// One run's detector, fed with letters: a letter and its capital differ, but are the same once masked.
template <class Item = Line>
class Fed {
public:
    using Detector = LoopDetector<Item>;

    explicit Fed(BlockRule rule = {}) { settings_.rule = rule; }

    typename Detector::Settings& settings() { return settings_; }

    Fed& operator()(std::string_view letters) {
        for (const char& letter : letters) {
            const std::string_view text{&letter, 1};
            if constexpr (std::is_same_v<Item, Call>)
                learn(ToolCall{text}, letter);
            else
                learn(OutputLine{text}, letter);
        }
        return *this;
    }
    Fed& mark() {
        learn(Watermark{}, ' ');
        return *this;
    }
    Fed& other(const decltype(Observation::event)& what) {
        learn(what, 'a');
        return *this;
    }

    [[nodiscard]] std::optional<Finding> finding() const { return Detector{}.check(memory_, settings_, {}, {}); }
    [[nodiscard]] std::uint32_t period() const { return static_cast<std::uint32_t>(fact("period")); }
    [[nodiscard]] double fact(std::string_view name) const {
        const auto found = finding();
        if (!found) return 0;
        for (const Fact& fact : found->evidence.facts)
            if (fact.name == name) return fact.value;
        return -1;
    }

    /// The same detector after a restart.
    [[nodiscard]] Fed reloaded() {
        ArchiveWriter writer{Instant{}};
        memory_.archive(writer);
        Fed copy{settings_.rule};
        ArchiveReader reader{writer.bytes(), Instant{}};
        copy.memory_.archive(reader);
        REQUIRE(reader.ok());
        copy.index_ = index_;
        return copy;
    }

private:
    void learn(const decltype(Observation::event)& what, char letter) {
        const auto exact = static_cast<std::uint64_t>(static_cast<unsigned char>(letter));
        Detector{}.learn(memory_, settings_, {{}, index_++, exact, static_cast<std::uint32_t>(exact | 0x20u), what});
    }

    typename Detector::Settings settings_;
    typename Detector::Memory memory_;
    std::uint64_t index_ = 0;
};

std::string times(std::size_t count, std::string_view block) {
    std::string text;
    while (count-- > 0) text += block;
    return text;
}

/// `count` lines without any repetition, the same each time: "0 1 2 ..." in the alphabet beyond the letters.
std::string distinct(std::size_t count, unsigned char from = 128) {
    std::string text;
    // Pairs of neighbours never come again at the distance of a period, since the step changes.
    for (std::size_t i = 0; i < count; ++i) text += static_cast<char>(from + (i * i + i / 64) % 61);
    return text;
}

/// The rule as its text says it, looked up from scratch: the smallest period for which a long enough stretch of the
/// newest `window` items after the watermark repeats itself; 0 if there is none.
std::uint32_t naive_period(const std::string& items, std::size_t watermark, const BlockRule& rule) {
    const std::size_t first =
        std::max(watermark, items.size() > rule.window ? items.size() - rule.window : std::size_t{0});
    for (std::uint32_t period = rule.min_period; period <= rule.max_period; ++period) {
        const double blocks = std::max<double>(rule.min_repeats, std::ceil(double(rule.min_items) / period));
        const auto stretch = static_cast<std::size_t>(blocks) * period;
        std::size_t equal = 0;
        for (std::size_t i = first + period; i < items.size(); ++i) {
            equal = items[i] == items[i - period] ? equal + 1 : 0;
            if (equal + period >= stretch) return period;
        }
    }
    return 0;
}

}  // namespace

TEST_CASE("five lines three times in a row are a loop [M-052]", "[detect]") {
    Fed<> lines{five_line_block};
    lines("xyz")(times(2, "abcde"))("abcd");
    CHECK_FALSE(lines.finding());
    lines("e");
    REQUIRE(lines.finding());
    CHECK(lines.finding()->condition == Condition::loop_detected);
    CHECK(lines.finding()->kind == "loop_lines");
    CHECK(lines.period() == 5);
    CHECK(lines.fact("repeats") == 3);
    CHECK(lines.finding()->evidence.first == 3);
    CHECK(lines.finding()->evidence.last == 17);
}

TEST_CASE("a block counts for as long as all of it is in the window [M-052]", "[detect]") {
    Fed<> lines{five_line_block};
    lines(times(3, "abcde"))(distinct(185));
    CHECK(lines.period() == 5);
    lines("!");
    CHECK_FALSE(lines.finding());
}

TEST_CASE("twice is no loop, nor three times in pieces [M-053]", "[detect]") {
    Fed<> lines{five_line_block};
    lines(times(2, "abcde"))("-")("abcde");
    CHECK_FALSE(lines.finding());
    lines("abcde")("abcde");
    CHECK(lines.period() == 5);
}

TEST_CASE("blocks of any period are found, short ones only if they fill enough lines [M-054]", "[detect]") {
    CHECK(Fed<>{}(times(14, "a")).period() == 0);
    CHECK(Fed<>{}(times(15, "a")).period() == 1);
    CHECK(Fed<>{}(times(7, "ab")).period() == 0);
    CHECK(Fed<>{}(times(8, "ab")).period() == 2);
    CHECK(Fed<>{}(times(3, "abcdefghijklmnopqrst")).period() == 20);
    CHECK(Fed<>{}(times(3, "abcdefghijklmnopqrstu")).period() == 0);
    CHECK(Fed<>{BlockRule{1, 64, 3, 15, 256}}(times(3, distinct(64))).period() == 64);
    CHECK(Fed<>{five_line_block}(times(30, "a")).period() == 5);
}

TEST_CASE("what a run with lines keeps of them stays small") { CHECK(sizeof(LoopDetector<Line>::Ring) <= 1'600); }

TEST_CASE("lines that differ in their numbers only are no exact repetition [M-052]", "[detect]") {
    Fed<> lines{five_line_block};
    lines("abcde")("abcdE")("abcde")("abCde")("abcde");
    CHECK_FALSE(lines.finding());
    lines("abcde")("abcde");
    CHECK(lines.period() == 5);
}

TEST_CASE("what an intervention answered is not judged again [M-055]", "[detect]") {
    Fed<> lines{five_line_block};
    lines(times(3, "abcde"));
    REQUIRE(lines.finding());
    lines.mark();
    CHECK_FALSE(lines.finding());
    lines(times(2, "abcde"))("abcd");
    CHECK_FALSE(lines.finding());
    lines("e");
    CHECK(lines.period() == 5);
    CHECK(lines.fact("repeats") == 3);
}

TEST_CASE("legitimate repetition is passed over [M-061]", "[detect]") {
    Fed<Call> calls{BlockRule{1, 20, 3, 5, 200}};
    calls.settings().exempt = [](const Observation& seen) { return std::get<ToolCall>(seen.event).name == "w"; };
    calls(times(50, "w"));
    CHECK_FALSE(calls.finding());
    calls("awaaw")("a");
    CHECK_FALSE(calls.finding());
    calls("wa");
    CHECK(calls.period() == 1);
    CHECK(calls.finding()->kind == "loop_calls");
}

TEST_CASE("only its own items reach a detector [M-052]", "[detect]") {
    Fed<Line> lines{BlockRule{1, 5, 2, 2, 10}};
    for (int i = 0; i < 20; ++i) lines.other(ToolCall{"a"}).other(Message{}).other(Progress{});
    CHECK_FALSE(lines.finding());
    CHECK(lines("aa").period() == 1);
}

TEST_CASE("a loop of a million lines stays one [M-052]", "[detect]") {
    Fed<> lines;
    lines(times(100'000, "abcdefghij"));
    CHECK(lines.period() == 10);
    CHECK(lines.fact("repeats") > 6'000);
    lines(distinct(200));
    CHECK_FALSE(lines.finding());
}

TEST_CASE("what repeats is named alike in every run, wherever a run begins with it [M-054]", "[detect]") {
    const auto identity = [](const std::string& items, BlockRule rule = {}) {
        const auto found = Fed<>{rule}(items).finding();
        REQUIRE(found);
        return found->identity;
    };
    const auto abc = identity(times(5, "abc"));
    CHECK(abc != 0);
    CHECK(identity(times(5, "bca")) == abc);
    CHECK(identity("xy" + times(9, "cab")) == abc);
    CHECK(identity(distinct(70) + times(5, "abc") + distinct(100)) == abc);
    CHECK(identity(times(5, "aBc")) == abc);
    CHECK(identity(times(5, "abd")) != abc);
    CHECK(identity(times(4, "abcd")) != abc);
    CHECK(identity(times(15, "a")) != identity(times(30, "a"), five_line_block));
    Fed<> later{};
    later(times(5, "abd"))(times(5, "xyz"))(times(5, "abc"))(distinct(200));
    later(times(5, "bca"));
    CHECK(later.finding()->identity == abc);
    CHECK(later.reloaded().finding()->identity == abc);
    CHECK(later.finding()->subject.view() == "a");
}

TEST_CASE("what repeats keeps its name for as long as the loop goes on [M-054]", "[detect]") {
    Fed<> lines;
    lines(times(15, "a"));
    const auto name = lines.finding()->identity;
    for (int i = 0; i < 300; ++i) REQUIRE(lines("a").finding()->identity == name);
    lines(times(3, "vwxyz"))(distinct(200));
    lines(times(5, "vwxyz"));
    CHECK(lines.period() == 5);
    CHECK(lines.finding()->identity != name);
    Fed<> zero{BlockRule{1, 1, 2, 2, 10}};
    zero(times(2, std::string_view("\0", 1)));
    CHECK(zero.finding()->identity != 0);
}

TEST_CASE("a loop is told by what ends its shortest block, and how often it stood [M-114]", "[detect]") {
    Fed<> lines;
    lines("xyz")(times(16, "a"));
    CHECK(lines.finding()->subject.view() == "a");
    CHECK(LoopDetector<Line>::describe(*lines.finding()) == "Looping: a line of output (a) 16 times in a row");
    CHECK(lines.reloaded().finding()->subject.view() == "a");
    lines.mark();
    lines("pq")(times(3, "vwxyz"));
    REQUIRE(lines.period() == 5);
    CHECK(LoopDetector<Line>::describe(*lines.finding()) ==
          "Looping: a block of 5 lines of output (the last: z) 3 times in a row");
    Fed<Call> calls{BlockRule{1, 32, 3, 5, 200}};
    calls(times(5, "g"));
    CHECK(LoopDetector<Call>::describe(*calls.finding()) == "Looping: a tool call (g) 5 times in a row");
}

TEST_CASE("a name in a damaged store does no harm [M-114]", "[detect]") {
    ArchiveWriter writer{Instant{}};
    LoopDetector<Line>::Memory memory;
    LoopDetector<Line>::Ring& ring = memory.ring.edit();
    ring.hits.edit().archive(writer);
    const std::string bytes(writer.take().size(), '\xFF');
    ArchiveReader reader{bytes, Instant{}};
    ring.hits.edit().archive(reader);
    CHECK(ring.hits->last.view().size() == Subject::capacity);
    for (const std::uint32_t items : {0u, 1u, 200u, ~0u}) {
        ring.items = items;
        (void)LoopDetector<Line>{}.check(memory, {}, {}, {});
    }
    LoopDetector<Line>{}.learn(memory, {}, {{}, 1, 1, 1, OutputLine{"x"}});
    (void)LoopDetector<Line>{}.check(memory, {}, {}, {});
}

TEST_CASE("the verdict is that of a search from scratch [M-054] [M-052] [M-053] [M-055]", "[detect]") {
    std::mt19937 random{11};
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    std::size_t loops = 0;
    std::size_t quiet = 0;
    for (int stream = 0; stream < 120; ++stream) {
        BlockRule rule;
        rule.min_period = 1 + below(4);
        rule.max_period = rule.min_period + below(stream % 3 == 0 ? 60 : 12);
        rule.min_repeats = 2 + below(3);
        rule.min_items = 1 + below(40);
        rule.window = std::min(256u, rule.max_period * rule.repeats_for(rule.max_period) + below(60));
        if (rule.max_period * rule.repeats_for(rule.max_period) > rule.window) continue;
        CAPTURE(rule.min_period, rule.max_period, rule.min_repeats, rule.min_items, rule.window);
        Fed<> fed{rule};
        std::string items;
        std::size_t watermark = 0;
        const std::uint32_t letters = 1 + below(4);
        while (items.size() < 500) {
            std::string block;
            for (std::uint32_t size = 1 + below(rule.max_period + 3); size > 0; --size)
                block += static_cast<char>((below(8) == 0 ? 'A' : 'a') + static_cast<char>(below(letters)));
            block = times(1 + below(5), block);
            if (below(3) == 0) block[below(static_cast<std::uint32_t>(block.size()))] ^= 0x20;
            for (const char item : block) {
                items += item;
                fed(std::string_view{&item, 1});
                if (below(97) == 0) {
                    fed.mark();
                    watermark = items.size();
                }
                if (below(101) == 0) fed = fed.reloaded();
                if (below(4) != 0) continue;
                const std::uint32_t expected = naive_period(items, watermark, rule);
                if (fed.period() != expected) {
                    CAPTURE(items, watermark);
                    REQUIRE(fed.period() == expected);
                }
                ++(expected == 0 ? quiet : loops);
            }
        }
    }
    CHECK(loops > 1'000);
    CHECK(quiet > 1'000);
}

TEST_CASE("how many items came since an intervention, or since the last one of a loop [D-09]") {
    using Detector = LoopDetector<Line>;
    Detector::Memory memory;
    Detector::Settings settings;
    const auto since = [&] { return Detector::new_items(memory, settings); };
    const auto lines = [&](std::uint64_t first, int count, std::uint64_t step) {
        for (int i = 0; i < count; ++i, first += step)
            Detector{}.learn(memory, settings, {{}, 0, first, static_cast<std::uint32_t>(first), OutputLine{"x"}});
    };
    CHECK(since() == 0);
    lines(1, 14, 0);
    CHECK(since() == 14);
    lines(1, 3, 0);
    CHECK(since() == 0);
    lines(100, 9, 1);
    CHECK(since() == 9);
    Detector{}.learn(memory, settings, {{}, 0, 0, 0, Watermark{}});
    CHECK(since() == 0);
}
