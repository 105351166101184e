#include <heeler/detect/loop/call_facts.hpp>
#include <heeler/detect/loop/result_facts.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace loops_normalise {

using namespace heeler;
using namespace heeler::loops;

namespace {

[[nodiscard]] bool have_same(const TokenSet& a, const TokenSet& b) { return std::ranges::equal(a.tokens, b.tokens); }

const Overrides no_rules;

CallFacts call(std::string_view args) {
    ToolCall made;
    made.name = "tool";
    made.args = args;
    return facts_of(made, no_rules);
}
ResultFacts result(std::string_view text) {
    ToolResult made;
    made.output = text;
    return facts_of(made);
}

struct Pair {
    std::string_view first;
    std::string_view second;
};

}  // namespace

TEST_CASE("Loop facts: arguments that mean the same have one hash") {
    const Pair same[] = {
        {R"({"a":"x","b":"y"})", R"({"b":"y","a":"x"})"},
        {R"({"a":"x  y"})", "{\"a\":\" x\\ny \"}"},
        {R"({"a":{"b":"c","d":"e"}})", R"({"a":{"d":"e","b":"c"}})"},
        {R"({"a":"x"})", "\n{ \"a\" : \"x\" }\n"},
        {R"({"command":"ls","description":"List files"})", R"({"command":"ls","description":"Show"})"},
        {R"({"q":"x","thought":"I will look again"})", R"({"q":"x","thought":"let me try once more"})"},
        {R"({"q":"x","reason":""})", R"({"q":"x"})"},
        {R"({"q":"x","request_id":"1"})", R"({"q":"x","request_id":"2"})"},
        {R"({"q":"x","requestId":"1"})", R"({"q":"x","requestId":"2"})"},
        {R"({"q":"x","meta":{"nonce":"a"}})", R"({"q":"x","meta":{"nonce":"b"}})"},
        {R"({"q":"x","_":1})", R"({"q":"x","_":2})"},
        {R"({"q":"x","attempt":1})", R"({"q":"x","attempt":2})"},
        {R"({"q":"x","page":null})", R"({"q":"x"})"},
        {R"({"q":"\u0061b"})", R"({"q":"ab"})"},
        {"plain  text", " plain text\n"},
    };
    for (const Pair& pair : same) {
        INFO(pair.first << " and " << pair.second);
        CHECK(call(pair.first).exact == call(pair.second).exact);
        CHECK(call(pair.first).typed == call(pair.second).typed);
        CHECK(call(pair.first).shape == call(pair.second).shape);
        CHECK(have_same(call(pair.first).tokens, call(pair.second).tokens));
    }
}

TEST_CASE("Loop facts: arguments that mean something else have another hash") {
    const Pair others[] = {
        {R"({"a":"x"})", R"({"a":"y"})"},
        {R"({"a":"x"})", R"({"b":"x"})"},
        {R"({"a":["x","y"]})", R"({"a":["y","x"]})"},
        {R"({"a":{"b":"x"}})", R"({"b":"x"})"},
        {R"({"cursor":"a"})", R"({"cursor":"b"})"},
        {R"({"path":"a"})", R"({"path":"b"})"},
        {R"({"status":"done"})", R"({"status":"open"})"},
        {R"({"todos":[{"status":"pending"}]})", R"({"todos":[{"status":"completed"}]})"},
        {R"({"todos":[{"status":"is in progress"}]})", R"({"todos":[{"status":"is not yet done"}]})"},
        {R"({"thought":"this is all there is"})", R"({"thought":"and this is something else"})"},
        {"plain text", "other text"},
        {R"({"a":""})", "{}"},
    };
    for (const Pair& pair : others) {
        INFO(pair.first << " and " << pair.second);
        CHECK(call(pair.first).typed != call(pair.second).typed);
        CHECK(call(pair.first).shape != call(pair.second).shape);
    }
}

TEST_CASE("Loop facts: times and ids are masked, numbers only in the shape") {
    const Pair masked[] = {
        {"at 2024-03-01T12:00:01Z done", "at 2025-11-30T23:59:59.123+02:00 done"},
        {"at 12:00:17 done", "at 9:31:22 done"},
        {"id 6f1c2a34-0000-4abc-9def-0123456789ab", "id ffffffff-1111-4abc-9def-a123456789ab"},
        {"at 1700000000 done", "at 1699999999123 done"},
        {"took 12.5 s", "took 350ms"},
        {"took 1m30s", "took 2m1.5s"},
        {"took 3 minutes", "took 1 sec"},
        {"at 0x7ffe1234ab", "at 0x55d0c8a0f0"},
        {"in /tmp/tmpabc12x_y", "in /tmp/tmpzzq91k"},
        {"see req_a81Kd9", "see req_77xx1q"},
        {"see run-20240301", "see run-8817a"},
        {R"(, "elapsed": 0.2713,)", R"(, "elapsed": 14,)"},
        {"duration_ms=271 of it", "duration_ms=3 of it"},
        {R"(, "requestId": "9f8a21cc07",)", R"(, "requestId": "a77b0e2d1f",)"},
    };
    for (const Pair& pair : masked) {
        INFO(pair.first << " and " << pair.second);
        CHECK(call(pair.first).typed == call(pair.second).typed);
        CHECK(call(pair.first).exact != call(pair.second).exact);
        CHECK(result(pair.first).sum.typed == result(pair.second).sum.typed);
    }
    const Pair numbers[] = {
        {"line 12 of it", "line 7 of it"}, {"a.c:12:34: x", "a.c:7:8: x"}, {"page 3", "page 40"},
        {"1,200 rows", "7 rows"},          {"v1.2.3", "v1.20.4"},          {"test1.py", "test22.py"},
    };
    for (const Pair& pair : numbers) {
        INFO(pair.first << " and " << pair.second);
        CHECK(call(pair.first).typed != call(pair.second).typed);
        CHECK(call(pair.first).shape == call(pair.second).shape);
    }
    const Pair content[] = {
        {"digest 3f2a9b81cc", "digest 77aa9b81cd"},
        {"/tmp/notes.txt", "/tmp/other.txt"},
        {"run-tests", "run-lints"},
        {R"("etag": "9f8a21cc07")", R"("etag": "a77b0e2d1f")"},
        {"12 apples", "12 pears"},
        {"NAME  CPU  MEMORY\nweb   12m  64Mi", "NAME  CPU  MEMORY\nweb   13m  64Mi"},
        {"it is 12m", "it is 13m"},
    };
    for (const Pair& pair : content) {
        INFO(pair.first << " and " << pair.second);
        CHECK(call(pair.first).typed != call(pair.second).typed);
        CHECK(result(pair.first).sum.typed != result(pair.second).sum.typed);
    }
}

TEST_CASE("Loop facts: a day or a time of day in the arguments says which one is meant, in a result only when it was") {
    const Pair slots[] = {
        {"free on 2026-05-11?", "free on 2026-05-12?"},
        {"free at 10:00?", "free at 10:30?"},
        {"free at 2026-05-11T10:00:00Z?", "free at 2026-05-11T10:30:00Z?"},
        {"free at 2026-05-11 10:00?", "free at 2026-05-11 11:00?"},
    };
    for (const Pair& pair : slots) {
        INFO(pair.first << " and " << pair.second);
        CHECK(call(pair.first).typed != call(pair.second).typed);
        CHECK(call(pair.first).shape == call(pair.second).shape);
        CHECK(result(pair.first).sum.typed == result(pair.second).sum.typed);
    }
}

TEST_CASE("Loop facts: only a time is no news") {
    CHECK(result("at 12:00 done").sum.timed == result("at 12:01 done").sum.timed);
    CHECK(result("see req_a81Kd9").sum.timed != result("see req_77xx1q").sum.timed);
    CHECK(result("3 rows").sum.timed != result("4 rows").sum.timed);
    CHECK(result("api   0/1   1m   20m").sum.timed == result("api   0/1   3h26m   2d4h").sum.timed);
    CHECK(result("api   8 (5m ago)   32m").sum.timed == result("api   8 (47h ago)   3d").sum.timed);
    CHECK(result("api   8 (5m ago)   32m").sum.timed != result("api   9 (5m ago)   32m").sum.timed);
}

TEST_CASE("Loop facts: line ends, blank lines and reminders are no answer") {
    const std::string_view plain = "first line\nsecond line";
    for (const std::string_view same :
         {"first line\r\nsecond line\r\n", "first line\n\nsecond line\n\n", "first line  \nsecond line",
          "first line\n<system-reminder>do not\nforget</system-reminder>\nsecond line",
          "first line\nsecond line\n<system-reminder>never closed"}) {
        INFO(same);
        CHECK(result(same).sum.typed == result(plain).sum.typed);
        CHECK(result(same).lines == 2);
        CHECK(result(same).length == plain.size());
    }
}

TEST_CASE("Loop facts: lines can be taken off at both ends without a second pass") {
    std::string text = "a b c";
    for (int i = 0; i < 100; ++i) text += "\nline number " + std::to_string(i) + " at 12:0" + std::to_string(i % 10);
    const ResultFacts whole = result("banner\n" + text + "\nfooter 1\nfooter 2");
    LineSum sum = whole.sum;
    loops::detail::drop_last(sum, whole.tail[0]);
    loops::detail::drop_last(sum, whole.tail[1]);
    loops::detail::drop_first(sum, whole.head[0], whole.lines - 3);
    CHECK(sum.typed == result(text).sum.typed);
    CHECK(sum.timed == result(text).sum.timed);
}

TEST_CASE("Loop facts: the digest of a cut output is part of it") {
    ToolResult cut;
    cut.output = "the beginning";
    cut.output_sha = "aa";
    const auto first = facts_of(cut);
    cut.output_sha = "bb";
    CHECK(facts_of(cut).sha != first.sha);
}

TEST_CASE("Loop facts: token sets") {
    const auto set = [](std::string_view text) { return call(text).tokens; };
    CHECK(are_alike(set("find the red ball"), set("find the blue ball"), 1, 2));
    CHECK_FALSE(are_alike(set("find the red ball"), set("sing a new song"), 1, 2));
    CHECK(are_alike(set(""), set(""), 1, 2));
    CHECK_FALSE(are_alike(set(""), set("word"), 1, 2));
    CHECK(set("The tool said Tool").count == 2);  // in any case, without the tool's own name
    CHECK(set("a 12 7").count == 2);              // words have two letters, numbers one digit
    std::string forth, back;
    for (int i = 0; i < 200; ++i) forth += " word" + std::to_string(i);
    for (int i = 199; i >= 0; --i) back += " word" + std::to_string(i);
    CHECK(set(forth).count == TokenSet::most);
    CHECK(have_same(set(forth), set(back)));
}

TEST_CASE("Loop facts: any length and any bytes") {
    std::string deep(100'000, '[');
    CHECK(call(deep).tokens.count == 0);
    std::string digits;
    for (int i = 0; i < 50'000; ++i) digits += "1-";
    CHECK(call(digits).typed != 0);
    CHECK(result(digits).lines == 1);
    std::string lines(100'000, '\n');
    CHECK(result(lines).lines == 0);
    std::string middle(200'000, 'x');
    std::string other = middle;
    other[100'000] = 'y';
    CHECK(result(middle).sum.typed != result(other).sum.typed);
}

TEST_CASE("Loop facts: words say the same wherever they stand in a text") {
    constexpr std::string_view words[] = {"error",     "KeyError",     "no such file", "FAIL",      "ok",
                                          "not found", "0 errors",     "on_error(",    "exit code", "xerror",
                                          "errors.py", "\xE2\x9C\x97", "did not match"};
    for (const std::string_view word : words)
        for (const char filler : {' ', '.', 'x', '7', '_', '\xC3'})
            for (std::size_t before = 0; before < 140; ++before) {
                const std::string text =
                    std::string(before, filler) + std::string{word} + std::string(140 - before, filler);
                CAPTURE(text);
                CHECK(said_in(text) == loops::detail::said_by_bytes(text));
                const std::string ends = text.substr(0, before + word.size());
                CHECK(said_in(ends) == loops::detail::said_by_bytes(ends));
            }
    CHECK((said_in(std::string(80, ' ') + "\x1b[31merror\x1b[0m") & said_strong) != 0);
}

TEST_CASE("Loop facts: a number has the shape of any other wherever it stands") {
    for (std::size_t before = 0; before < 100; ++before) {
        const std::string first(before, 'a'), last(100 - before, 'b');
        CHECK(shape_hash(first + "7" + last) == shape_hash(first + "123.45" + last));
        CHECK(shape_hash(first + "7" + last) != shape_hash(first + last));
        CHECK(shape_hash(first + "7x8" + last) == shape_hash(first + "12x90" + last));
    }
}

}  // namespace loops_normalise
