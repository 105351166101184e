#include <heeler/detect/loop/outcome.hpp>

#include <memory>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace loops_error_key {

using namespace heeler;
using namespace heeler::loops;

namespace {

const Overrides no_rules;

/// What came of a shell's command that failed.
Outcome failed(std::string_view command, std::string_view text) {
    const auto learned = std::make_unique<Learned>();
    std::string args = R"({"command":")" + std::string{command} + R"("})";
    ToolCall call;
    call.name = "Bash";
    call.args = args;
    ToolResult result;
    result.ok = false;
    result.output = text;
    return classify(*learned, facts_of(call, no_rules), facts_of(result), text, false);
}

struct Pair {
    std::string_view first_command, first;
    std::string_view second_command, second;
};

}  // namespace

TEST_CASE("Loop errors: one failure, whatever the call was about") {
    const Pair pairs[] = {
        {"cat aa", "cat: aa: No such file or directory", "cat bb", "cat: bb: No such file or directory"},
        {"cat a.txt", "cat: a.txt: No such file or directory", "cat src/b.c",
         "cat: src/b.c: No such file or directory"},
        {"cat aa bb cc", "cat: aa bb cc: No such file", "cat one", "cat: one: No such file"},
        {"find red", "Could not find [red]. Similar: ['Red', 'reed']", "find blue ball",
         "Could not find [blue ball]. Similar: ['Ball']"},
        {"x", "error at line 12, column 3", "x", "error at line 120, column 14"},
        {"x", "Error: timed out after 12.5 s", "x", "Error: timed out after 300ms"},
        {"x", "Error: request req_81aKd92 failed", "x", "Error: request req_77xx1qz failed"},
        {"x", "Error: cannot write /tmp/tmpab12xy", "x", "Error: cannot write /tmp/tmpzz19qq"},
        {"x", "Error: cannot read src/a.c", "x", "Error: cannot read lib/b.c"},
        {"x", "ERROR: it is broken", "x", "error:  it is broken!"},
        {"x", "\x1b[31mError\x1b[0m: it is broken", "x", "Error: it is broken"},
        {"x", "Exit code 1\nError: it is broken", "x", "Error: it is broken"},
        {"x", "$ make failed\nError: it is broken", "x", "Error: it is broken"},
        {"x", "first words\nError: it is broken", "x", "other words\nError: it is broken"},
        {"x", "Traceback (most recent call last):\n  File \"a.py\", line 3\n    f(1)\nKeyError: 'k'", "x",
         "Traceback (most recent call last):\n  File \"b.py\", line 31\n    g(2)\nKeyError: 'k'"},
        {"x", "Error: it is broken. Try the first way", "x", "Error: it is broken. Try the second way"},
        {"ls 'my file'", "ls: cannot access 'my file': No such file", "ls other",
         "ls: cannot access 'other': No such file"},
        {"ls aa",
         "ls: cannot access \xE2\x80\x98"
         "aa\xE2\x80\x99: No such file",
         "ls bb",
         "ls: cannot access \xE2\x80\x98"
         "bb\xE2\x80\x99: No such file"},
        {"put for a in b", "Error: no place for `for a\n    in b` today", "put not in it",
         "Error: no place for `not in it"},
        {"x", "test_12 failed here", "x", "test_7 failed here"},
        {"x", "Die Datei 3 fehlt", "x", "Die Datei 14 fehlt"},
        {"x", "Attempt 3 of 10 failed: no display", "x", "Attempt 4 of 10 failed: no display"},
        {"x", "retry (2/5) failed", "x", "retry (3/5) failed"},
        {"x", "#7 0.213 ERROR: it is broken", "x", "#7 1.877 ERROR: it is broken"},
        {"x", "12 ERROR it is broken", "x", "14 ERROR it is broken"},
        {"x", "Error: no index (trace=9f8a21cc07d1)", "x", "Error: no index (trace=a07b0e2d1f33)"},
        {"x", "<code>Error</code> it is broken <id>4442587FB7D0A2F9</id>", "x",
         "<code>Error</code> it is broken <id>B1C2587FB7D0A2EE</id>"},
        {"x", "Error: it is broken, host kqX81aZ77mPp2Lw90", "x", "Error: it is broken, host 7aZq0Pp2Lw91kmX8b"},
        {"pip install qux", "ERROR: nothing satisfies qux today", "pip install qux==1.20",
         "ERROR: nothing satisfies qux==1.20 today"},
    };
    for (const Pair& pair : pairs) {
        INFO(pair.first << " and " << pair.second);
        CHECK(failed(pair.first_command, pair.first).error_key == failed(pair.second_command, pair.second).error_key);
    }
}

TEST_CASE("Loop errors: other failures") {
    const Pair pairs[] = {
        {"x", "3 failed", "x", "2 failed"},
        {"x", "3 unit tests failed", "x", "2 unit tests failed"},
        {"x", "failed: 3/10", "x", "failed: 4/10"},
        {"x", "failed at 40%", "x", "failed at 50%"},
        {"x", "error in 3 of 10", "x", "error in 4 of 10"},
        {"x", "error in 3 out of 10", "x", "error in 4 out of 10"},
        {"x", "Error: it is broken\n5 items left", "x", "Error: it is broken\n4 items left"},
        {"x", "No module named 'first'", "x", "No module named 'second'"},
        {"x", "Error: it is broken", "x", "Error: it is closed"},
        {"x", "ERROR:\nit is broken", "x", "ERROR:\nit is closed"},
        {"x", "Error: column [a] is unknown", "x", "Error: column [b] is unknown"},
        {"x", "Die Datei fehlt", "x", "Die Mappe fehlt"},
        {"x", "error: 12.5% done", "x", "error: 12.7% done"},
        {"x", "1 error", "x", "2 errors"},
        {"x", "Error: unexpected `for a", "x", "Error: unexpected `not in"},
        {"x", "Error: deadbeef is broken", "x", "Error: feedface is broken"},
    };
    for (const Pair& pair : pairs) {
        INFO(pair.first << " and " << pair.second);
        CHECK(failed(pair.first_command, pair.first).error_key != failed(pair.second_command, pair.second).error_key);
    }
}

TEST_CASE("Loop errors: a failure in an object or in brackets has words of its own") {
    for (const std::string_view text :
         {R"({"error":"the door is closed"})", "[ERROR] the door is closed", "{'error': 'the door is closed'}"}) {
        INFO(text);
        CHECK(failed("x", text).enough_letters);
        CHECK(failed("x", text).words >= 2);
    }
    CHECK(failed("x", R"({"error":"not_found","id":"k1"})").error_key !=
          failed("x", R"({"error":"is_closed","id":"k1"})").error_key);
    CHECK(failed("open k1", R"({"error":"not_found","id":"k1"})").error_key ==
          failed("open k2", R"({"error":"not_found","id":"k2"})").error_key);
}

TEST_CASE("Loop errors: what a failure is about") {
    const Outcome red = failed("find red", "Could not find [red]");
    const Outcome blue = failed("find blue", "Could not find [blue]");
    CHECK(red.error_key == blue.error_key);
    CHECK(red.subject != blue.subject);
    CHECK(red.subject == failed("find red again", "Could not find [red]").subject);
    CHECK(failed("x", "Error: it is broken").subject == 0);
    const auto refused = [](std::string_view args) {
        const auto learned = std::make_unique<Learned>();
        const ToolCall call{"Edit", args};
        const ToolResult result{false, "Error: String to replace not found in file."};
        return classify(*learned, facts_of(call, no_rules), facts_of(result), result.output, false).subject;
    };
    const std::uint16_t first = refused(R"({"file_path":"/a.py","old_string":"one","new_string":"x"})");
    CHECK(first == refused(R"({"file_path":"/a.py","old_string":"two","new_string":"x"})"));
    CHECK(first != refused(R"({"file_path":"/b.py","old_string":"one","new_string":"x"})"));
}

TEST_CASE("Loop errors: what is not there is what was asked for") {
    CHECK(failed("get aa", "404 Not Found").error_key == failed("get bb", "404 Not Found").error_key);
    CHECK(failed("get aa", "404 Not Found").subject != failed("get bb", "404 Not Found").subject);
    CHECK(failed("get aa", "Error: it is broken").subject == failed("get bb", "Error: it is broken").subject);
}

TEST_CASE("Loop errors: a failure that names the tool is the same of another tool") {
    const auto unknown = [](std::string_view tool) {
        const auto learned = std::make_unique<Learned>();
        const std::string text = "Error: No such tool available: " + std::string{tool};
        ToolCall call;
        call.name = tool;
        call.args = "{}";
        ToolResult result;
        result.output = text;
        return classify(*learned, facts_of(call, no_rules), facts_of(result), text, false);
    };
    CHECK(unknown("open_browser").error_key == unknown("visit").error_key);
    CHECK(unknown("open_browser").subject == unknown("visit").subject);
}

TEST_CASE("Loop errors: numbers that move") {
    CHECK(failed("x", "error at line 12").numbers != failed("x", "error at line 13").numbers);
    CHECK(failed("x", "error at line 12").numbers == failed("x", "error at line 12").numbers);
    CHECK(failed("x", "error at line 12 after 3 s").numbers == failed("x", "error at line 12 after 7 s").numbers);
}

TEST_CASE("Loop errors: keys that say little") {
    CHECK(failed("x", "Error: it is broken").enough_letters);
    CHECK_FALSE(failed("x", "Error 12").enough_letters);
    CHECK_FALSE(failed("rm x", "Exit code 1").enough_letters);
    CHECK(failed("x", "not found").words == 2);
    CHECK(failed("x", "this was not found where it should be").words == 8);
}

TEST_CASE("Loop errors: the end of a long text is read as well") {
    std::string text = "collecting all of it";
    for (int i = 0; i < 2000; ++i) text += "\nsome line of output";
    CHECK(failed("x", text + "\nError: it is broken").error_key ==
          failed("y", text + "\nmore\nError: it is broken").error_key);
    CHECK(failed("x", text + "\nError: it is broken\n3 failed").error_key !=
          failed("x", text + "\nError: it is broken\n4 failed").error_key);
}

}  // namespace loops_error_key
