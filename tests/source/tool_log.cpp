#include <heeler/source/tool_log.hpp>

#include <cstdlib>
#include <ctime>

#include <heeler/text/duration.hpp>
#include <heeler/text/sha256.hpp>

#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

std::string pre(int number) {
    return R"({"event":"pre_tool_use","tool_name":"Tool_)" + std::to_string(number) + "\"}\n";
}

/// One poll of a new log that holds `text`.
struct Read {
    explicit Read(std::string_view text) {
        log.append(text);
        auto found = tool_log.poll("");
        REQUIRE(found);
        polled = std::move(*found);
    }

    const ToolCall& call(std::size_t i) const { return std::get<ToolCall>(polled.events.at(i).what); }
    const ToolResult& result(std::size_t i) const { return std::get<ToolResult>(polled.events.at(i).what); }
    std::string time() const {
        REQUIRE(polled.events.size() == 1);
        return polled.events[0].at ? text::rfc3339(*polled.events[0].at) : "absent";
    }
    std::string problem() const { return polled.problems.size() == 1 ? polled.problems[0].message : "not one"; }

    ScratchLog log;
    ToolLog tool_log{log.path()};
    Polled polled;
};

Read timed(const std::string& json) { return Read{R"({"event":"pre_tool_use","timestamp":)" + json + "}\n"}; }

}  // namespace

TEST_CASE("calls and results are read under the names that loggers use") {
    const Read read{
        R"({"event": "pre_tool_use", "tool_name": "Bash", "tool_input": {"b": 1, "a": "x\ny"}, "tool_use_id": "t1"})"
        "\n"
        R"({"type": "post_tool_use", "tool_name": "Bash", "tool_output_preview": "line\nError: no", "is_error": true, "call_id": "t2"})"
        "\r\n"
        R"({"event":"post_tool_use","output_preview":"p","is_error":false})"
        "\n"
        R"({"event":"post_tool_use","output":{"exit": 1}})"
        "\n"};
    REQUIRE(read.polled.events.size() == 4);
    CHECK(read.polled.problems.empty());
    CHECK(read.call(0).name == "Bash");
    CHECK(read.call(0).args == R"({"b": 1, "a": "x\ny"})");
    CHECK(read.call(0).call_id == "t1");
    CHECK(read.result(1).output == "line\nError: no");
    CHECK(read.result(1).ok == false);
    CHECK(read.result(1).call_id == "t2");
    CHECK(read.result(2).output == "p");
    CHECK(read.result(2).ok == true);
    CHECK(read.result(3).output == R"({"exit": 1})");
    CHECK_FALSE(read.result(3).ok.has_value());
}

TEST_CASE("what a call does not say has a value all the same") {
    const Read read{
        R"({"event":"pre_tool_use"})"
        "\n"
        R"({"event":"pre_tool_use","tool_name":"T","tool_name":null,"tool_input":null})"
        "\n"
        R"({"event":"pre_tool_use","tool_name":"T","tool_input":"ls -l \u00e9"})"
        "\n"
        R"({"event":"pre_tool_use","tool_name":7,"tool_input": [1, 2] })"
        "\n"
        R"({"event":"pre_tool_use","tool_name":"first","tool_name":"second","tool_input":123456789012345678901234567890 })"
        "\n"};
    REQUIRE(read.polled.events.size() == 5);
    CHECK(read.call(0).name == "unknown");
    CHECK(read.call(0).args == "");
    CHECK(read.call(1).name == "unknown");
    CHECK(read.call(2).args == "ls -l \xC3\xA9");
    CHECK(read.call(3).name == "7");
    CHECK(read.call(3).args == "[1, 2]");
    CHECK(read.call(4).name == "second");
    CHECK(read.call(4).args == "123456789012345678901234567890");
}

TEST_CASE("other events are passed over in silence") {
    const Read read{R"({"event":"session_start"})"
                    "\n{}\n"
                    R"({"tool_name":"Bash"})"
                    "\n"
                    R"({"event":["pre_tool_use"]})"
                    "\n" +
                    pre(1)};
    CHECK(read.polled.events.size() == 1);
    CHECK(read.polled.problems.empty());
    CHECK(read.tool_log.other_events() == 4);
}

TEST_CASE("the last 50 lines are read without their corrupt and blank ones [A-62] [M-059]") {
    ScratchLog log;
    ToolLog tool_log{log.path()};
    const auto missing = tool_log.poll("");
    REQUIRE(missing);
    CHECK(missing->events.empty());
    CHECK(missing->problems.empty());
    CHECK(missing->cursor.empty());

    std::string text;
    for (int i = 0; i < 60; ++i) {
        const bool corrupt = i == 3 || i == 20 || i == 40 || i == 59;
        const bool blank = i == 5 || i == 30 || i == 50;
        text += corrupt ? "{\"event\": \"pre_tool_use\", \"tool_na\n" : blank ? " \t\r\n" : pre(i);
    }
    log.append(text);
    const auto polled = tool_log.poll(missing->cursor);
    REQUIRE(polled);
    CHECK(polled->events.size() == 45);
    CHECK(std::get<ToolCall>(polled->events.front().what).name == "Tool_10");
    CHECK(std::get<ToolCall>(polled->events.back().what).name == "Tool_58");
    REQUIRE(polled->problems.size() == 1);
    CHECK(polled->problems[0].code == ErrorCode::corrupt);
    CHECK_THAT(polled->problems[0].message, ContainsSubstring("3 lines are no JSON objects, first at byte "));
}

TEST_CASE("a smaller window reads the last lines, and nothing is nothing [M-059]") {
    ScratchLog log;
    log.append("");
    ToolLog tool_log{log.path(), {.first_lines = 5}};
    const auto empty = tool_log.poll("");
    REQUIRE(empty);
    CHECK(empty->events.empty());

    std::string text;
    for (int i = 0; i < 20; ++i) text += pre(i);
    log.append(text);
    const auto polled = ToolLog{log.path(), {.first_lines = 5}}.poll("");
    REQUIRE(polled);
    CHECK(polled->events.size() == 5);
}

TEST_CASE("the log stays as it is [A-72] [M-106]") {
    ScratchLog log;
    for (int i = 0; i < 60; ++i) log.append(pre(i) + "not JSON\n");
    log.append("{\"half");
    const auto before = text::sha256_hex(log.content());
    const auto written = std::filesystem::last_write_time(log.path());
    ToolLog tool_log{log.path(), {.first_lines = 0, .read_bytes = 200}};
    std::string cursor;
    for (int i = 0; i < 10; ++i) {
        const auto polled = tool_log.poll(cursor);
        REQUIRE(polled);
        cursor = polled->cursor;
    }
    CHECK(text::sha256_hex(log.content()) == before);
    CHECK(std::filesystem::last_write_time(log.path()) == written);
    std::filesystem::permissions(log.path(), std::filesystem::perms::owner_read);
    CHECK(tool_log.poll(cursor));
}

TEST_CASE("a time without zone is UTC wherever the process lives [M-006]") {
    const char* const zone = std::getenv("TZ");
    const std::string before = zone == nullptr ? "" : zone;
    ::setenv("TZ", "Asia/Bangkok", 1);
    ::tzset();
    const auto now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
    auto text = text::rfc3339(now - 5s);
    text.pop_back();
    const Read read = timed('"' + text + '"');
    REQUIRE(read.polled.events.size() == 1);
    REQUIRE(read.polled.events[0].at);
    const auto age = now - *read.polled.events[0].at;
    CHECK(age >= 5s);
    CHECK(age < 5s + 1ms);
    before.empty() ? ::unsetenv("TZ") : ::setenv("TZ", before.c_str(), 1);
    ::tzset();
}

TEST_CASE("times are read as text and as seconds, and unreadable ones are absent") {
    CHECK(timed(R"("2026-01-31T16:05:00+07:00")").time() == "2026-01-31T09:05:00.000Z");
    CHECK(timed("1769850300").time() == "2026-01-31T09:05:00.000Z");
    CHECK(timed("1769850300.5 ").time() == "2026-01-31T09:05:00.500Z");
    CHECK(timed(R"("2999-01-01T00:00:00")").time() == "2999-01-01T00:00:00.000Z");
    for (const char* unreadable :
         {"null", "0", "-5", "\"\"", "\"yesterday\"", "true", "{}", "[1]", "1e300", "99999999999999999999"})
        CHECK(timed(unreadable).time() == "absent");
    CHECK(Read{pre(1)}.time() == "absent");
}

TEST_CASE("what is no JSON object is counted, and never shown") {
    const Read one{pre(1) + "password=hunter2\n" + pre(2)};
    CHECK(one.polled.events.size() == 2);
    CHECK(one.problem() == "1 line is no JSON object, first at byte " + std::to_string(pre(1).size()));

    for (const char* corrupt : {"1", "\"text\"", "[{}]", "null", "{", "}", "{]", "{}{}", "{} x", "{x}", "{\"event\"}",
                                "{\"event\":}", "{\"event\":\"pre_tool_use\"", "{\"event\":\"pre_tool_use\",}",
                                "{\"event\":\"pre_tool_use}", "{\"event\":\"pre_tool_use\"}}", "\xFF\xFE"}) {
        CAPTURE(corrupt);
        const Read read{std::string{corrupt} + "\n" + pre(1)};
        CHECK(read.polled.events.size() == 1);
        CHECK(read.problem() == "1 line is no JSON object, first at byte 0");
    }
}

TEST_CASE("text that is not quite JSON does not hide a call") {
    const Read read{
        "{\"event\":\"post_tool_use\",\"output\":\"cut \xC3\"}\n"
        R"({"event":"post_tool_use","output":"half \ud83d"})"
        "\n"
        R"({"event":"pre_tool_use","tool_name":"T","tool_input":{"n":1e999,"m":99999999999999999999}})"
        "\n"
        R"({"event":"pre_tool_use","tool_name":"\u0042ash","tool_input":{"a":"\ud800"},"\ud800":1})"
        "\n"};
    CHECK(read.polled.problems.empty());
    REQUIRE(read.polled.events.size() == 4);
    CHECK(read.result(0).output == "cut \xEF\xBF\xBD");
    CHECK(read.result(1).output == "half \\ud83d");
    CHECK(read.call(2).args == R"({"n":1e999,"m":99999999999999999999})");
    CHECK(read.call(3).name == "Bash");
    CHECK(read.call(3).args == R"({"a":"\ud800"})");
}

TEST_CASE("arguments of any depth and a line of nothing but brackets do no harm") {
    const std::string open(200'000, '[');
    const std::string closed(200'000, ']');
    const Read read{R"({"event":"pre_tool_use","tool_input":)" + open + closed + "}\n" + open + "\n" +
                    R"({"event":"pre_tool_use","other":)" + open + "}\n" + pre(1)};
    CHECK(read.polled.events.size() >= 1);
    CHECK(read.call(read.polled.events.size() - 1).name == "Tool_1");
    CHECK_THAT(read.problem(), ContainsSubstring("no JSON object"));
}

TEST_CASE("views stay valid until the next poll") {
    std::string text;
    for (int i = 0; i < 50; ++i)
        text += R"({"event":"pre_tool_use","tool_name":"\u0041)" + std::to_string(i) + R"(","tool_input":{"i":)" +
                std::to_string(i) + "}}\n";
    const Read read{text};
    REQUIRE(read.polled.events.size() == 50);
    for (std::size_t i = 0; i < 50; ++i) {
        CHECK(read.call(i).name == "A" + std::to_string(i));
        CHECK(read.call(i).args == "{\"i\":" + std::to_string(i) + "}");
    }
}

TEST_CASE("a log is followed from poll to poll") {
    Read read{pre(1) + "{\"event\":\"pre_tool"};
    CHECK(read.polled.events.size() == 1);
    read.log.append("_use\",\"tool_name\":\"later\"}\n");
    const auto later = read.tool_log.poll(read.polled.cursor);
    REQUIRE(later);
    REQUIRE(later->events.size() == 1);
    CHECK(std::get<ToolCall>(later->events[0].what).name == "later");
    CHECK(later->problems.empty());

    read.log.rotate();
    read.log.append(pre(7) + "x\n");
    const auto rotated = read.tool_log.poll(later->cursor);
    REQUIRE(rotated);
    CHECK(rotated->events.size() == 1);
    CHECK(rotated->problems.size() == 2);
}

TEST_CASE("the calls of the whole log are told, and when it began, however little of it is read [M-124]") {
    std::string text = "{\"event\":\"session_start\",\"timestamp\":60}\nno JSON\n";
    for (int i = 0; i < 99; ++i)
        text += pre(i) + R"({"event":"post_tool_use","output":"\"pre_tool_use\""})" + std::string(500, ' ') + "\n";
    text += R"({"event":"pre\u005ftool_use","tool_name":"spelt","timestamp":120})"
            "\n";
    const ScratchLog log;
    log.append(text);
    ToolLog all{log.path(), {.read_bytes = 1 << 20}};
    const auto whole = all.poll("");
    REQUIRE(whole);
    CHECK(whole->events.size() == 50);
    CHECK(whole->calls == 100);
    CHECK(whole->began == WallTime{60s});
    CHECK_FALSE(whole->more);
    CHECK(all.began() == WallTime{60s});

    ToolLog parts{log.path(), {.first_lines = 3, .read_bytes = 4096}};
    std::string cursor;
    std::uint64_t calls = 0;
    bool more = true;
    int polls = 0;
    for (; more && polls < 10; ++polls) {
        const auto polled = parts.poll(cursor);
        REQUIRE(polled);
        CHECK(*polled->calls >= calls);
        CHECK(polled->began == WallTime{60s});
        calls = *polled->calls;
        cursor = polled->cursor;
        more = polled->more;
    }
    CHECK(calls == 100);
    CHECK(polls == 3);

    log.append(pre(100) + pre(101));
    CHECK(parts.poll(cursor)->calls == 102);
    CHECK(all.poll(cursor)->calls == 102);
}

TEST_CASE("calls are counted on after rotation, after a jump, and by a cursor from before they were counted [M-124]") {
    const ScratchLog log;
    log.append(pre(0) + pre(1));
    ToolLog tool_log{log.path(), {.first_lines = 1, .read_bytes = 1024, .backlog_bytes = 1024}};
    auto polled = tool_log.poll("");
    REQUIRE(polled);
    CHECK(polled->calls == 2);

    for (int i = 0; i < 100; ++i) log.append(pre(i));  // more than is ever read of it as events
    polled = tool_log.poll(polled->cursor);
    REQUIRE(polled);
    CHECK(polled->events.size() < 100);
    while (polled && polled->more) polled = tool_log.poll(polled->cursor);
    CHECK(polled->calls == 102);

    LineFollower lines{log.path()};
    polled = tool_log.poll(lines.read("")->cursor);
    REQUIRE(polled);
    CHECK(polled->events.empty());
    CHECK(polled->calls == 102);

    log.rotate();
    log.append(pre(0));
    polled = tool_log.poll(polled->cursor);
    REQUIRE(polled);
    CHECK(polled->calls == 103);
}

TEST_CASE("a log that is a directory is an error") {
    const ScratchLog log;
    const auto polled = ToolLog{std::filesystem::path{log.path()}.parent_path().string()}.poll("");
    REQUIRE_FALSE(polled);
    CHECK(polled.error().code == ErrorCode::invalid_argument);
}
