#include <heeler/detect/failure_streak.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/checked_settings.hpp"
#include "support/facts.hpp"
#include "support/reloaded.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

struct Streak : facts::Taught<FailureStreak> {
    bool waits = false;

    template <class Event>
    Streak& learn(const Event& event) {
        facts::Taught<FailureStreak>::learn(event);
        return *this;
    }
    /// As by a cycle.
    void looked_at() {
        facts::At at{1s};
        if (waits) at.run.waiting_since = at.now.elapsed;
        (void)FailureStreak{}.poll(memory, settings, at.run, {}, at.now);
    }
    Streak& bad(int times) {
        for (int i = 0; i < times; ++i) learn(ToolResult{false, "no"});
        return *this;
    }
    Streak& result(std::optional<bool> ok, std::string_view output) {
        learn(ToolResult{ok, output});
        return *this;
    }
    [[nodiscard]] std::optional<Finding> finding() const { return check(facts::At{1s}); }
};

}  // namespace

TEST_CASE("five failures in a row are a streak, four are not [M-072]") {
    Streak streak;
    CHECK_FALSE(streak.finding());
    CHECK_FALSE(streak.bad(4).finding());
    CHECK(streak.bad(1).finding());
    CHECK(streak.bad(1).finding()->evidence.facts[0].value == 6);
}

TEST_CASE("a success ends the streak [M-072]") {
    Streak streak;
    CHECK_FALSE(streak.bad(4).result(true, "Error: not one").bad(4).finding());
    CHECK(streak.bad(1).finding());
    CHECK_FALSE(streak.result({}, "fine").finding());
    CHECK_FALSE(streak.bad(4).finding());
}

TEST_CASE("a text that begins with Error: is a failure where the host does not know [M-071] [M-072]") {
    Streak streak;
    CHECK(streak.bad(2).result({}, "Error: no").result({}, "Error: no").result({}, "Error: no").finding());
    CHECK_FALSE(streak.result({}, "a fatal error").finding());
}

TEST_CASE("after an intervention it takes as many failures again [M-072]") {
    Streak streak;
    streak.bad(5).learn(Watermark{});
    CHECK_FALSE(streak.finding());
    CHECK_FALSE(streak.bad(4).finding());
    CHECK(streak.bad(1).finding());
}

TEST_CASE("how many results came since an intervention, of a streak that goes on none [D-09]") {
    const auto since = [](const Streak& streak) { return FailureStreak::new_items(streak.memory, streak.settings); };
    Streak streak;
    CHECK(since(streak.bad(4)) == 4);
    CHECK(since(streak.bad(1)) == 0);
    CHECK(since(streak.learn(Watermark{})) == 0);
    CHECK(since(streak.bad(1)) == 1);
}

TEST_CASE("a streak that was found ends with the next failure, and five more are another [M-072]") {
    Streak streak;
    streak.bad(5).looked_at();
    CHECK(streak.finding());
    streak.looked_at();
    CHECK(streak.finding());  // nothing came after it
    CHECK_FALSE(streak.bad(1).finding());
    CHECK_FALSE(streak.bad(3).finding());
    CHECK(streak.bad(1).finding()->evidence.fact("failures") == 5);
}

TEST_CASE("a streak that nobody looked at goes on, and a look at a run that waits is none [M-072]") {
    Streak streak;
    streak.bad(4).looked_at();
    CHECK(streak.bad(3).finding()->evidence.fact("failures") == 7);
    streak.waits = true;
    streak.looked_at();
    CHECK(streak.bad(1).finding()->evidence.fact("failures") == 8);
}

TEST_CASE("the finding of a streak names the tools that failed in it, and no others [M-072]") {
    Streak streak;
    streak.learn(ToolCall{"Edit", "{}"});
    streak.bad(2).result(true, "").learn(ToolCall{"Read", "{}"});
    streak.bad(3).learn(ToolCall{"Bash", "{}"});
    streak.bad(1).learn(ToolCall{"Read", "{}"});
    const auto found = streak.bad(1).finding();
    REQUIRE(found);
    CHECK(found->condition == Condition::error_cascade);
    CHECK(found->level == Level::nudge);
    CHECK(found->kind == "failure_streak");
    CHECK(found->evidence.rule == "failures_in_a_row");
    REQUIRE(found->evidence.count == 2);
    CHECK((found->evidence.facts[0].name == "failures" && found->evidence.facts[0].value == 5));
    CHECK((found->evidence.facts[1].name == "threshold" && found->evidence.facts[1].value == 5));
    CHECK(found->subject.view() == "Read, Bash");
    CHECK(FailureStreak::describe(*found) == "5 tool failures in a row (Read, Bash)");

    Streak nameless, endless;
    nameless.learn(ToolCall{"", "{}"});
    CHECK(nameless.bad(5).finding()->subject.view() == "unknown");
    for (int i = 0; i < 100; ++i) endless.learn(ToolCall{std::to_string(i) + std::string(300, 't'), "{}"}).bad(1);
    CHECK(endless.finding()->subject.view() == "0" + std::string(Subject::capacity - 1, 't'));
    CHECK(endless.memory.tools.size() <= 8);
}

TEST_CASE("a streak says where it began and where it is [M-072]") {
    FailureStreak::Memory memory;
    std::uint64_t index = 0;
    for (const bool ok : {false, true, false, false, false, false, false})
        FailureStreak{}.learn(memory, {}, {{}, index++, 0, 0, ToolResult{ok}});
    const auto found = FailureStreak{}.check(memory, {}, {}, {});
    REQUIRE(found);
    CHECK(found->evidence.first == 2);
    CHECK(found->evidence.last == 6);
}

TEST_CASE("a streak goes on after a restart [M-072]") {
    Streak streak;
    streak.learn(ToolCall{"a tool with quite a long name", "{}"});
    streak.bad(4);
    streak.memory = facts::reloaded(streak.memory);
    CHECK_FALSE(streak.finding());
    REQUIRE(streak.bad(1).finding());
    CHECK(streak.finding()->subject.view() == "a tool with quite a long name");
    streak.looked_at();
    streak.memory = facts::reloaded(streak.memory);
    CHECK_FALSE(streak.bad(1).finding());
}

TEST_CASE("streaks of none and of too many are refused [M-072]") {
    CHECK(checked<FailureStreak>({1}));
    CHECK(checked<FailureStreak>({1000}));
    CHECK_FALSE(checked<FailureStreak>({0}));
    CHECK_FALSE(checked<FailureStreak>({1001}));
    CHECK(checked<FailureStreak>({1001}).error().message.find("1001") != std::string::npos);
}

TEST_CASE("after an intervention more failures are told from a result that is none [D-60]") {
    Streak streak;
    streak.bad(5).learn(Watermark{});
    const auto more = [&] { return FailureStreak::more_of_same(streak.memory, streak.settings, 0); };
    CHECK(more() == 0);
    streak.bad(2);
    CHECK(more() == 2);
    streak.result(true, "fine").bad(1);
    CHECK_FALSE(more());
}
