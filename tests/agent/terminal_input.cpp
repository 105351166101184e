#include <heeler/agent/terminal_input.hpp>

#include <vector>

#include "support/catch.hpp"
#include "support/pty_script.hpp"
#include "support/typed.hpp"

using heeler::ErrorCode;
using heeler::submit_line;
using heeler_test::PtyScript;
using heeler_test::Typed;

TEST_CASE("a line is typed in two phases: text, flush, 200 ms, Enter, flush [M-015]") {
    Typed terminal;
    REQUIRE(submit_line(terminal, "go on"));
    REQUIRE(terminal.all() == std::vector<std::string>{"go on", "flush", "\r", "flush"});
    CHECK(terminal.calls[2].at - terminal.calls[1].at >= std::chrono::milliseconds(200));
}

TEST_CASE("nothing that is typed is a key but the Enter at its end") {
    const auto typed = [](std::string_view text) {
        Typed terminal;
        REQUIRE(submit_line(terminal, text));
        REQUIRE(terminal.calls.size() == 4);
        return terminal.calls[0].what;
    };
    CHECK(typed("one\ntwo\r\nthree\rfour") == "one two three four");
    CHECK(typed("a\tb") == "a b");
    CHECK(typed("stop\x03\x04\x1a\x15 it\x7f") == "stop it");
    CHECK(typed("\x1b[A\x1b[200~paste\x1b[201~\x1b]0;title\x07") == "paste");
    CHECK(typed("\xc2\x9b"
                "31m \xe2\x80\xa8"
                "end\n\n") == "  end");
    CHECK(typed("bro\xffken") == "bro\xef\xbf\xbdken");
    const std::string capped = typed(std::string(100000, 'x'));
    CHECK(capped.size() <= heeler::max_typed_bytes);
    CHECK(capped.size() > heeler::max_typed_bytes - 4);
    CHECK_THAT(capped, ContainsSubstring("bytes left out"));
}

TEST_CASE("Enter alone is not pressed") {
    for (const char* text : {"", "  ", "\n", "\x1b[A", "\r\n\t"}) {
        Typed terminal;
        const auto answer = submit_line(terminal, text);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == ErrorCode::invalid_argument);
        CHECK(terminal.calls.empty());
    }
}

TEST_CASE("what could not be typed is not submitted") {
    for (const std::size_t fails : {0U, 1U, 2U, 3U}) {
        Typed terminal;
        terminal.fails_at = fails;
        const auto answer = submit_line(terminal, "go on");
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == ErrorCode::io);
        CHECK(terminal.calls.size() == fails + 1);
    }
}

TEST_CASE("a program that takes fast input for pasted text gets the line and then Enter [M-015]") {
    // Reads single keys, and a CR that comes within 100 ms of the key before as part of a paste.
    const std::string script =
        "stty raw -echo min 1 time 0; printf 'ready>'; text=$(dd bs=4096 count=1 2>/dev/null); "
        "stty min 0 time 1; late=$(dd bs=1 count=1 2>/dev/null | od -An -tx1); stty min 1 time 0; "
        "key=$(dd bs=1 count=1 2>/dev/null | od -An -tx1); printf '[%s][%s][%s]end' \"$text\" \"$late\" \"$key\"";
    bool submitted = false;
    for (int round = 0; round < 5 && !submitted; ++round) {  // a busy machine may start the script's commands late
        PtyScript program(script);
        REQUIRE(program.shows("ready>"));
        REQUIRE(submit_line(program.terminal, "go on; rm -rf '$HOME' `x` \xc3\xbc"));
        submitted = program.shows("[go on; rm -rf '$HOME' `x` \xc3\xbc][][ 0d]end", std::chrono::seconds(5));
    }
    CHECK(submitted);
}

TEST_CASE("a program with a terminal in line mode reads one line, as long as it may be") {
    PtyScript program("stty -echo; echo ready; while IFS= read -r line; do echo \"<${#line}>\"; done");
    REQUIRE(program.shows("ready"));
    REQUIRE(submit_line(program.terminal, std::string(10000, 'x')));
    const std::size_t typed = heeler::typed_line(std::string(10000, 'x')).size();
    CHECK(program.shows("<" + std::to_string(typed) + ">"));
}

TEST_CASE("a terminal whose program is gone or reads nothing is an error, soon") {
    PtyScript gone("exit 0");
    REQUIRE(heeler_test::wait_for([&] { return !gone.terminal.write("x"); }));
    CHECK(submit_line(gone.terminal, "x").error().code == ErrorCode::rejected);

    PtyScript deaf("stty raw -echo; echo ready; exec sleep 300");
    REQUIRE(deaf.shows("ready"));
    heeler::Result<void> answer;
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 0; round < 100 && answer; ++round) answer = deaf.terminal.write(std::string(4095, 'x'));
    REQUIRE_FALSE(answer);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(100));
}
