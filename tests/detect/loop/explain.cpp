#include <heeler/detect/loop/explain.hpp>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/archive.hpp>
#include <heeler/detect/loop/standing.hpp>

#include "support/catch.hpp"

namespace loops_explain {

using namespace heeler;

namespace {

std::string saved(const Loop::Memory& memory) {
    Loop::Memory copy = memory;
    ArchiveWriter to{Instant{}};
    to(copy);
    return to.take();
}

/// A run that is asked why before each event is learned. Asking must change nothing, and say what learning then finds.
struct Told {
    Loop::Settings settings{};
    Loop::Memory memory{};
    Observation seen{};
    Explanation why{};

    template <class Event>
    Told& tell(const Event& event) {
        seen.at += Duration{1'000'000};
        seen.event = event;
        const std::string before = saved(memory);
        why = Loop::explain(memory, settings, seen);
        CHECK(saved(memory) == before);
        Loop{}.learn(memory, settings, seen);
        const auto found = Loop{}.check(memory, settings, Run{}, Instant{});
        CHECK(why.verdict.level == (found ? found->level : Level::none));
        if (found) CHECK(why.verdict.rule == found->evidence.rule);
        ++seen.index;
        return *this;
    }
    Told& unit(std::string_view name, std::string_view args, std::string_view answer, std::optional<bool> ok = {}) {
        tell(ToolCall{name, args, ""});
        return tell(ToolResult{ok, answer, ""});
    }
    [[nodiscard]] Reason rule(std::string_view name) const {
        for (std::size_t i = 0; i < why.count; ++i)
            if (why.rules[i].rule == name) return why.rules[i];
        return {};
    }
};

}  // namespace

TEST_CASE("explain: the event before the last one needed says two of three, the next one speaks") {
    Told told;
    for (int i = 0; i < 2; ++i) told.unit("Bash", R"({"command":"make test"})", "1 failed", false);
    CHECK(told.why.saw == "a failure");
    CHECK(told.why.verdict.level == Level::none);
    CHECK(told.why.answers == 2);
    CHECK(told.rule("repeat").count == 2);
    CHECK(told.rule("repeat").needed == 3);
    CHECK(told.rule("errclass").count == 2);
    CHECK(told.rule("write").needed == 0);
    CHECK_FALSE(told.why.episode_open);
    told.unit("Bash", R"({"command":"make test"})", "1 failed", false);
    CHECK(told.rule("repeat").count == 3);
    CHECK(told.why.verdict.level == Level::nudge);
    CHECK(told.why.verdict.rule == "repeat");
    CHECK(told.why.episode_open);
    CHECK(told.why.episode.first == 0);
    CHECK(told.why.episode.needed == 5);
    REQUIRE(told.why.kind_count == 1);
    CHECK(told.why.kinds[0] == "the same call");
}

TEST_CASE("explain: the class of each outcome, a wait, and progress") {
    Told told;
    CHECK(told.unit("Bash", R"({"command":"make"})", "1 failed", false).why.saw == "a failure");
    CHECK(told.unit("Grep", R"({"pattern":"x"})", "").why.saw == "nothing (an empty answer)");
    told.unit("Write", R"({"file_path":"/a","content":"x"})", "ok");
    CHECK(told.why.saw == "done (a short answer that tells no more)");
    CHECK(told.why.progress.starts_with("it is an edit"));
    told.unit("Read", R"({"file_path":"/a"})", "a text of some length that says something");
    CHECK(told.why.saw == "information");
    CHECK(told.why.progress.starts_with("it is news"));
    CHECK(told.unit("Fetch", R"({"url":"/a"})", "HTTP 503 Service Unavailable", false).why.saw ==
          "infra (a service that did not answer)");
    CHECK(told.rule("infra").count == 1);
    for (const std::string_view args : {R"({"text":"a b c"})", R"({"text":"d e"})"})
        told.unit("classify", args, "positive");
    CHECK(told.why.progress == "no progress, but a short answer to another question");
    told.unit("Bash", R"({"command":"make"})", "a failed\nb failed\nc failed\nd failed\nthe rest was skipped", false);
    CHECK(told.why.progress == "no progress, but a long failure that is new");
    for (const std::string_view text : {"error: 9 strings untranslated", "error: 8 strings untranslated"}) {
        told.unit("Write", R"({"file_path":"/b","content":")" + std::string{text.substr(7, 1)} + R"("})", "ok");
        told.unit("Bash", R"({"command":"make check"})", text, false);
    }
    CHECK(told.why.progress == "it is progress: the same failure, of fewer things since the edit");
    told.unit("Bash", R"({"command":"sleep 30"})", "");
    CHECK(told.why.saw.starts_with("a wait"));
    CHECK(told.rule("frozen_poll").count == 1);
    CHECK(told.rule("repeat").rule.empty());
}

TEST_CASE("explain: what cancels says so, for an edit, news, a message of the user and an intervention") {
    Told told;
    const auto loop = [&] {
        for (int i = 0; i < 3; ++i) told.unit("Bash", R"({"command":"make test"})", "all is as it was", true);
        CHECK(told.why.verdict.level >= Level::nudge);
    };
    loop();
    told.unit("Write", R"({"file_path":"/a","content":"x"})", "ok");
    CHECK(told.why.episode.because == "the edit ended the one before");
    CHECK(told.why.verdict.level == Level::none);
    told.unit("Bash", R"({"command":"make test"})", "all is as it was", true);
    CHECK(told.rule("repeat").because == loops::why::edited);
    loop();
    told.unit("Read", R"({"file_path":"/b"})", "a line that nobody has seen");
    CHECK(told.why.episode.because == "the news ended the one before");
    loop();
    told.tell(Message{false, "Do something else"});
    CHECK(told.why.cancelled.starts_with("a message of the user"));
    CHECK(told.why.episode.because == "a message of the user ended the one before");
    told.tell(Message{false, "continue", MessageChannel::user, true});
    CHECK(told.why.cancelled.starts_with("no person wrote it"));
    loop();
    told.tell(Watermark{});
    CHECK(told.why.saw == "the watchdog has intervened");
    CHECK(told.why.episode_open);
}

TEST_CASE("explain: what is no unit says what it is") {
    Told told;
    told.settings.tools = {{"job_*", ToolTreatment::exempt}};
    CHECK(told.tell(ToolCall{"Bash", "{}", "a"}).why.saw.starts_with("a call: nobody has reported"));
    CHECK(told.rule("call_only").needed == 5);
    CHECK(told.tell(ToolResult{{}, "x", "other"}).why.saw.starts_with("a result of no call"));
    CHECK(told.tell(ToolCall{"job_status", "{}", "b"}).why.saw == "a call: it is judged when its result comes");
    CHECK(told.tell(ToolResult{{}, "x", "b"}).why.saw.starts_with("the result of a tool that the host exempts"));
    CHECK(told.tell(Message{true, "I look at it"}).why.saw == "what the agent says");
    CHECK(told.rule("monologue").count == 1);
    CHECK(told.tell(Output{"a line\n"}).why.saw == "output");
    CHECK(told.tell(Usage{5, 5}).why.saw.starts_with("tokens"));
    CHECK(told.tell(Compaction{5, 5}).why.saw == "its context was condensed");
    CHECK(told.rule("compaction").count == 1);
    CHECK(told.tell(Progress{5}).why.saw.empty());
}

TEST_CASE("explain: asking changes nothing and says what learning finds, whatever happens") {
    for (std::uint32_t seed = 1; seed <= 12; ++seed) {
        CAPTURE(seed);
        std::minstd_rand random{seed};
        const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
        Told told;
        for (int i = 0; i < 120; ++i) {
            const std::string number = std::to_string(pick(3));
            switch (pick(12)) {
                case 0:
                    told.unit("Write", R"({"file_path":"/a","content":")" + number + "\"}", "ok");
                    break;
                case 1:
                    told.unit("Read", R"({"file_path":"/a","offset":)" + number + ",\"limit\":9}",
                              "line " + std::to_string(pick(9)) + " of it\nand more");
                    break;
                case 2:
                    told.tell(Message{true, "Let me look again at it, number " + number});
                    break;
                case 3:
                    told.unit("Bash", R"({"command":":"})", "");
                    break;
                case 4:
                    if (pick(6) == 0) told.tell(Message{false, "go on"});
                    if (pick(6) == 0) told.tell(Watermark{});
                    break;
                default:
                    told.unit("Bash", R"({"command":"make )" + number + "\"}", "error: no rule to make it", false);
            }
            for (std::size_t k = 0; k < told.why.count; ++k) {
                const Reason& row = told.why.rules[k];
                CAPTURE(row.rule, row.count, row.needed, row.because);
                if (row.level >= Level::nudge) CHECK(row.count >= row.needed);
                if (row.needed != 0 && row.level < Level::nudge && row.because.empty()) CHECK(row.count < row.needed);
                if (row.needed == 0) CHECK_FALSE(row.because.empty());
            }
        }
    }
}

TEST_CASE("standing: where the families stand, from what is remembered alone") {
    Told told;
    CHECK(loops::standing(told.memory, told.settings).verdict.level == Level::none);
    for (int i = 0; i < 2; ++i) told.unit("Bash", R"({"command":"make test"})", "1 failed", false);
    told.why = loops::standing(told.memory, told.settings);
    CHECK(told.rule("repeat").count == 2);
    CHECK(told.rule("repeat").needed == 3);
    CHECK(told.rule("errclass").count == 2);
    CHECK(told.rule("fruitless").count == 1);
    for (int i = 0; i < 2; ++i) told.unit("Bash", R"({"command":"make test"})", "1 failed", false);
    told.why = loops::standing(told.memory, told.settings);
    CHECK(told.why.verdict.level == Level::nudge);
    CHECK(told.why.verdict.rule == "repeat");
    CHECK(told.why.episode_open);
    CHECK(told.rule("repeat").level == Level::nudge);
}

}  // namespace loops_explain
