#include <heeler/detect/tail_loop.hpp>

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <string_view>

#include <heeler/text/canonical_args.hpp>

#include "support/catch.hpp"
#include "support/checked_settings.hpp"
#include "support/reloaded.hpp"

using namespace heeler;

namespace {

using Detector = LoopDetector<Call, TailRule>;

/// A tool log as the engine hands it to the detector.
class Log {
public:
    explicit Log(TailRule rule = {}) { settings.rule = rule; }

    Log& call(std::string_view tool, std::string_view args = "{}") {
        const text::Fingerprint print = text::fingerprint_call(tool, args);
        learn(ToolCall{tool, args}, print.exact, print.normal);
        return *this;
    }
    Log& calls(int count, std::string_view tool, std::string_view args = "{}") {
        for (int i = 0; i < count; ++i) call(tool, args);
        return *this;
    }
    Log& distinct(int count) {
        for (int i = 0; i < count; ++i) call("Tool_" + std::to_string(i));
        return *this;
    }
    Log& results(int count) {
        for (int i = 0; i < count; ++i) learn(ToolResult{true, "fine"}, 7, 7);
        return *this;
    }
    Log& learn(const decltype(Observation::event)& what, std::uint64_t exact = 0, std::uint32_t normal = 0) {
        Detector{}.learn(memory, settings, {{}, index_++, exact, normal, what});
        return *this;
    }

    [[nodiscard]] std::uint32_t count() const { return Detector::count_of(memory, settings).count; }
    [[nodiscard]] bool looping() const { return Detector::count_of(memory, settings).looping; }
    [[nodiscard]] std::optional<Finding> finding() const { return Detector{}.check(memory, settings, {}, {}); }

    Detector::Settings settings;
    Detector::Memory memory;

private:
    std::uint64_t index_ = 0;
};

}  // namespace

TEST_CASE("A-60: the counts of equal calls at the end [M-056] [M-058]") {
    CHECK(Log{}.count() == 0);
    CHECK(Log{}.distinct(5).count() == 1);
    CHECK(Log{}.calls(3, "Read").count() == 0);
    CHECK(Log{}.calls(5, "Bash").count() == 5);
    CHECK(Log{}.calls(8, "Read").count() == 8);
    CHECK(Log{}.distinct(3).calls(5, "Bash").count() == 5);
    Log inputs;
    for (const char* input : {"1", "2", "3", "4", "5"}) inputs.call("Read", input);
    CHECK(inputs.count() == 1);
    CHECK(Log{}.results(10).count() == 0);
}

TEST_CASE("A-60: which of them are loops [M-056]") {
    CHECK_FALSE(Log{}.looping());
    CHECK_FALSE(Log{}.distinct(5).looping());
    CHECK_FALSE(Log{}.calls(3, "Read").looping());
    CHECK_FALSE(Log{}.calls(4, "Read").looping());
    CHECK(Log{}.calls(5, "Bash").looping());
    CHECK(Log{}.calls(8, "Read").looping());
    CHECK(Log{}.distinct(3).calls(5, "Bash").looping());
    CHECK_FALSE(Log{}.results(10).looping());
    CHECK(Log{TailRule{3, 50}}.calls(3, "Bash").looping());
    CHECK_FALSE(Log{TailRule{3, 50}}.calls(2, "Bash").looping());
    CHECK_FALSE(Log{}.calls(4, "Bash").call("Read").calls(4, "Bash").looping());
}

TEST_CASE("four equal calls after another one are counted, but no loop [M-058]") {
    CHECK(Log{}.call("Read").calls(4, "Bash").count() == 4);
    CHECK_FALSE(Log{}.call("Read").calls(4, "Bash").finding());
    CHECK(Log{}.calls(4, "Bash").count() == 0);
}

TEST_CASE("A-60: the order of keys does not matter, values do, other input is its text [M-057]") {
    Log keys;
    keys.calls(3, "Edit", R"({"file": "a.cpp", "line": 7})").calls(2, "Edit", R"({"line":7,"file":"a.cpp"})");
    CHECK(keys.looping());
    CHECK(keys.call("Edit", R"({"line":8,"file":"a.cpp"})").count() == 1);
    CHECK(Log{}.calls(5, "Bash", "ls -l").looping());
    CHECK(Log{}.calls(4, "Bash", "ls -l").call("Bash", "ls -a").count() == 1);
    CHECK(Log{}.calls(2, "").calls(3, "unknown").count() == 5);
    CHECK(Log{}.calls(5, "").finding()->subject.view() == "unknown");
}

TEST_CASE("A-60: results are no calls, and do not interrupt a loop [M-060]") {
    Log log;
    for (int i = 0; i < 5; ++i) log.call("Bash").results(1).learn(Message{}).learn(OutputLine{"x"});
    CHECK(log.count() == 5);
    CHECK(log.looping());
}

TEST_CASE("only the last entries of the log count, results among them [M-059]") {
    Log log;
    log.calls(5, "Bash").results(45);
    CHECK(log.count() == 5);
    log.results(1);
    CHECK(log.count() == 0);
    CHECK_FALSE(log.finding());
    Log longer;
    for (int i = 0; i < 40; ++i) longer.call("Bash").results(1);
    CHECK(longer.count() == 25);
    CHECK(Log{}.calls(200, "Bash").count() == 50);
    CHECK(Log{TailRule{5, 64}}.calls(200, "Bash").count() == 64);
    CHECK(Log{TailRule{5, 5}}.calls(5, "Bash").results(1).count() == 0);
}

TEST_CASE("the finding names tool, numbers, place and what repeats [M-056]") {
    Log log;
    log.distinct(3).calls(6, "Bash", R"({"command":"make"})").results(1);
    const auto found = log.finding();
    REQUIRE(found);
    CHECK(found->condition == Condition::loop_detected);
    CHECK(found->level == Level::nudge);
    CHECK(found->kind == "loop_tail");
    CHECK(found->evidence.rule == "tail_repetition");
    REQUIRE(found->evidence.count == 3);
    CHECK((found->evidence.facts[0].name == "count" && found->evidence.facts[0].value == 6));
    CHECK((found->evidence.facts[1].name == "threshold" && found->evidence.facts[1].value == 5));
    CHECK((found->evidence.facts[2].name == "window" && found->evidence.facts[2].value == 50));
    CHECK(found->evidence.first == 3);
    CHECK(found->evidence.last == 8);
    CHECK(found->subject.view() == "Bash");
    CHECK(found->identity == text::fingerprint_call("Bash", R"({"command":"make"})").exact);
    CHECK(found->identity != 0);
}

TEST_CASE("what repeats is never without an identity [M-056]") {
    Log log;
    for (int i = 0; i < 5; ++i) log.learn(ToolCall{"Bash"}, 0);
    REQUIRE(log.finding());
    CHECK(log.finding()->identity != 0);
}

TEST_CASE("a long name is cut between characters, not within one [M-056]") {
    const std::string name = std::string(46, 'n') + "\u00E9 and more";
    CHECK(Log{}.calls(5, name).finding()->subject.view() == std::string(46, 'n'));
    CHECK(Log{}.calls(5, std::string(60, 'n')).finding()->subject.view() == std::string(47, 'n'));
}

TEST_CASE("after an intervention it takes as many calls again, and another call ends a loop [D-09]") {
    Log log;
    log.calls(5, "Bash").learn(Watermark{});
    CHECK(log.count() == 0);
    CHECK_FALSE(log.calls(4, "Bash").finding());
    CHECK(log.call("Bash").looping());
    log.call("Read");
    CHECK(log.count() == 1);
    CHECK_FALSE(log.finding());
}

TEST_CASE("how many calls came since, of a loop that goes on none [D-09]") {
    const auto since = [](const Log& log) { return Detector::new_items(log.memory, log.settings); };
    Log log;
    CHECK(since(log) == 0);
    CHECK(since(log.calls(4, "Bash").results(3)) == 4);
    CHECK(since(log.call("Bash")) == 0);
    CHECK(since(log.call("Read")) == 6);
    CHECK(since(log.learn(Watermark{})) == 0);
}

TEST_CASE("legitimate repetition of calls is passed over [M-061]") {
    Log log;
    log.settings.exempt = [](const Observation& seen) { return std::get<ToolCall>(seen.event).name == "Poll"; };
    log.calls(50, "Poll").results(3);
    CHECK(log.count() == 0);
    log.calls(3, "Bash").call("Poll").calls(2, "Bash");
    CHECK(log.count() == 5);
    CHECK(log.looping());
}

TEST_CASE("a run without calls and results takes no memory for the rule [M-056]") {
    Log log;
    log.learn(OutputLine{"x"}).learn(Message{}).learn(Watermark{});
    CHECK(log.memory.tail.capacity() == 0);
    CHECK(log.call("Bash").memory.tail.size() == 1);
}

TEST_CASE("a loop goes on after a restart [M-056]") {
    Log log;
    log.distinct(2).calls(4, "Bash").results(2);
    log.memory = facts::reloaded(log.memory);
    CHECK(log.count() == 4);
    log.call("Bash");
    REQUIRE(log.finding());
    CHECK(log.finding()->subject.view() == "Bash");
    CHECK(log.finding()->evidence.first == 2);
    CHECK(facts::reloaded(Detector::Memory{}).tail.empty());
}

TEST_CASE("the count is that of a search from scratch [M-056] [M-058] [M-059] [M-060]") {
    std::mt19937 random{5};
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    std::size_t loops = 0;
    for (int stream = 0; stream < 200; ++stream) {
        const TailRule rule{2 + below(5), 10 + below(55)};
        Log log{rule};
        std::deque<char> entries;  // newest last; '-' is a result
        for (int i = 0; i < 150; ++i) {
            const char entry = below(3) == 0 ? '-' : below(9) == 0 ? 'b' : 'a';
            entry == '-' ? log.results(1) : log.call(std::string_view{&entry, 1});
            entries.push_back(entry);
            if (entries.size() > rule.window) entries.pop_front();
            std::string calls;
            std::copy_if(entries.begin(), entries.end(), std::back_inserter(calls), [](char c) { return c != '-'; });
            std::uint32_t expected = 0;
            if (calls.size() >= rule.min_repeats)
                while (expected < calls.size() && calls[calls.size() - 1 - expected] == calls.back()) ++expected;
            REQUIRE(log.count() == expected);
            REQUIRE(log.looping() == (expected >= rule.min_repeats));
            loops += log.looping();
        }
    }
    CHECK(loops > 1'000);
}

TEST_CASE("rules that cannot work are refused with their numbers [M-056]") {
    const auto good = [](std::uint32_t repeats, std::uint32_t window) {
        return checked<Detector>({TailRule{repeats, window}, {}}).has_value();
    };
    CHECK(good(5, 50));
    CHECK(good(2, 2));
    CHECK(good(64, 64));
    CHECK_FALSE(good(1, 50));
    CHECK_FALSE(good(5, 4));
    CHECK_FALSE(good(5, 65));
    const auto refused = checked<Detector>({TailRule{1, 50}, {}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::invalid_argument);
    CHECK(refused.error().message.find("min_repeats is 1; it must be 2 to 64") != std::string::npos);
}

TEST_CASE("after an intervention more of the same call is told from anything else [D-60]") {
    Log log;
    log.calls(5, "Bash");
    const std::uint64_t identity = log.finding()->identity;
    const auto more = [&] { return Detector::more_of_same(log.memory, log.settings, identity); };
    log.learn(Watermark{});
    CHECK(more() == 0);
    log.results(1);
    CHECK(more() == 0);
    log.call("Bash");
    CHECK(more() == 1);
    log.call("Bash");
    CHECK(more() == 2);
    log.call("Read");
    CHECK_FALSE(more());
    log.learn(Watermark{}).call("Read");
    CHECK_FALSE(more());
}
