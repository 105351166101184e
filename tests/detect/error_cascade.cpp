#include <heeler/detect/error_cascade.hpp>

#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/checked_settings.hpp"
#include "support/reloaded.hpp"

using namespace heeler;

namespace {

class Results {
public:
    explicit Results(ErrorCascade::Settings chosen = {}) : settings{chosen} {}

    Results& add(int count, std::optional<bool> ok, std::string_view output = "done") {
        for (int i = 0; i < count; ++i) learn(ToolResult{ok, output});
        return *this;
    }
    Results& good(int count) { return add(count, true); }
    Results& bad(int count) { return add(count, false); }
    Results& learn(const decltype(Observation::event)& what) {
        ErrorCascade{}.learn(memory, settings, {{}, index_++, 0, 0, what});
        return *this;
    }

    [[nodiscard]] std::optional<Finding> finding() const { return ErrorCascade{}.check(memory, settings, {}, {}); }
    [[nodiscard]] std::size_t errors() const { return memory.failures.size(); }

    ErrorCascade::Settings settings;
    ErrorCascade::Memory memory;

private:
    std::uint64_t index_ = 0;
};

constexpr ErrorCascade::Settings by_words{5, 20, true};

}  // namespace

TEST_CASE("five errors among the last twenty results are a cascade, four are not [M-069]") {
    CHECK_FALSE(Results{}.finding());
    CHECK_FALSE(Results{}.good(20).finding());
    CHECK_FALSE(Results{}.good(18).bad(2).finding());
    CHECK_FALSE(Results{}.good(16).bad(4).finding());
    CHECK(Results{}.good(15).bad(5).finding());
    CHECK(Results{}.bad(5).finding());
    CHECK(Results{}.bad(10).finding()->evidence.facts[0].value == 10);
}

TEST_CASE("the same by words alone [M-069] [M-070]") {
    const auto errors = [](int good, int bad) {
        return Results{by_words}.add(good, true, "all fine").add(bad, true, "Traceback (most recent call last)");
    };
    CHECK_FALSE(errors(20, 0).finding());
    CHECK(errors(18, 2).errors() == 2);
    CHECK_FALSE(errors(18, 2).finding());
    CHECK(errors(15, 5).finding());
    CHECK(errors(0, 10).finding());
}

TEST_CASE("errors older than the window do not count [M-069]") {
    CHECK_FALSE(Results{}.bad(30).good(20).finding());
    Results edge;
    edge.bad(5).good(15);
    CHECK(edge.finding());
    edge.good(1);
    CHECK(edge.errors() == 4);
    CHECK_FALSE(edge.finding());
    Results narrow{{2, 2, false}};
    CHECK(narrow.bad(2).finding());
    CHECK_FALSE(narrow.good(1).finding());
    CHECK(Results{{64, 64, false}}.bad(1000).errors() == 64);
}

TEST_CASE("calls and everything else are no results [M-069]") {
    Results results;
    for (int i = 0; i < 30; ++i)
        results.learn(ToolCall{"error", "failed"}).learn(OutputLine{"error"}).learn(Message{true, "error"});
    CHECK(results.errors() == 0);
    results.bad(5);
    for (int i = 0; i < 30; ++i) results.learn(ToolCall{"Bash"});
    CHECK(results.finding());
}

TEST_CASE("each indicator counts, once per result [M-070]") {
    Results results{by_words};
    for (const std::string_view word : error_indicators) results.add(1, {}, "x " + std::string{word} + " y");
    CHECK(results.errors() == 8);
    CHECK(Results{by_words}.add(4, {}, "fatal error: failed, cannot, not found").errors() == 4);
    CHECK(Results{by_words}.add(1, {}, "PERMISSION Denied").errors() == 1);
}

TEST_CASE("what the host knows goes before words, unless words alone decide [M-071]") {
    CHECK(Results{}.add(5, true, "0 errors").errors() == 0);
    CHECK(Results{}.add(5, false, "fine").errors() == 5);
    CHECK(Results{}.add(5, {}, "0 errors").errors() == 5);
    CHECK(Results{}.add(5, {}, "Error: no such tool").errors() == 5);
    CHECK(Results{}.add(5, {}, "fine").errors() == 0);
    CHECK(Results{by_words}.add(5, true, "0 errors").errors() == 5);
    CHECK(Results{by_words}.add(5, false, "fine").errors() == 0);
}

TEST_CASE("errors before an intervention are not judged again [M-055]") {
    Results results;
    results.bad(5).learn(Watermark{});
    CHECK_FALSE(results.finding());
    CHECK_FALSE(results.bad(4).finding());
    CHECK(results.bad(1).finding());
}

TEST_CASE("by words alone as well [D-09]") {
    Results results{by_words};
    results.add(5, {}, "error").learn(Watermark{});
    CHECK_FALSE(results.finding());
}

TEST_CASE("how many results came since an intervention, or since the last error of a cascade [D-09]") {
    const auto since = [](const Results& results) { return ErrorCascade::new_items(results.memory, results.settings); };
    Results results;
    CHECK(since(results.good(2).bad(4)) == 6);
    CHECK(since(results.bad(1).good(3)) == 3);
    CHECK(since(results.learn(Watermark{})) == 0);
    CHECK(since(results.bad(1).good(1)) == 2);
}

TEST_CASE("the finding of a cascade says how many, of how many, and where [M-069]") {
    const auto found = Results{}.good(3).bad(2).good(1).bad(4).good(2).finding();
    REQUIRE(found);
    CHECK(found->condition == Condition::error_cascade);
    CHECK(found->level == Level::nudge);
    CHECK(found->kind == "error_cascade");
    CHECK(found->evidence.rule == "errors_in_window");
    REQUIRE(found->evidence.count == 3);
    CHECK((found->evidence.facts[0].name == "errors" && found->evidence.facts[0].value == 6));
    CHECK((found->evidence.facts[1].name == "window" && found->evidence.facts[1].value == 20));
    CHECK((found->evidence.facts[2].name == "threshold" && found->evidence.facts[2].value == 5));
    CHECK(found->evidence.first == 3);
    CHECK(found->evidence.last == 9);
    CHECK(found->identity == 0);
    CHECK(found->condition.status() == Status::healthy);
}

TEST_CASE("a cascade goes on after a restart, and ends where it would have [M-069]") {
    Results results;
    results.good(7).bad(4).good(3);
    results.memory = facts::reloaded(results.memory);
    CHECK(results.errors() == 4);
    results.bad(1);
    REQUIRE(results.finding());
    CHECK(results.finding()->evidence.first == 7);
    CHECK(results.good(12).finding());
    CHECK_FALSE(results.good(1).finding());
}

TEST_CASE("cascades that cannot be are refused with their numbers [M-069]") {
    CHECK(checked<ErrorCascade>({}));
    CHECK(checked<ErrorCascade>({1, 1, false}));
    CHECK(checked<ErrorCascade>({64, 64, false}));
    CHECK_FALSE(checked<ErrorCascade>({0, 20, false}));
    CHECK_FALSE(checked<ErrorCascade>({21, 20, false}));
    CHECK_FALSE(checked<ErrorCascade>({5, 65, false}));
    CHECK(checked<ErrorCascade>({5, 65, false}).error().message.find("window is 65; it must be 1 to 64") !=
          std::string::npos);
}
