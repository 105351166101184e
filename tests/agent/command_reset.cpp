#include <heeler/agent/command_reset.hpp>

#include <vector>

#include "support/catch.hpp"
#include "support/pty_script.hpp"
#include "support/typed.hpp"

using heeler::CommandReset;
using heeler_test::PtyScript;
using heeler_test::Typed;

TEST_CASE("A-50: clearing is one write of the command, flush, 200 ms, submit, and nothing else [M-138] [M-015]") {
    Typed terminal;
    CommandReset reset{terminal, "/clear"};
    REQUIRE(reset.clear());
    REQUIRE(terminal.all() == std::vector<std::string>{"/clear", "flush", "\r", "flush"});
    CHECK(terminal.calls[2].at - terminal.calls[1].at >= std::chrono::milliseconds(200));
    REQUIRE(reset.clear());
    CHECK(terminal.calls.size() == 8);
}

TEST_CASE("A-50: an agent's conversation is cleared and prompt, tools and identity stay as they were [M-138] [M-137]") {
    PtyScript agent(R"(stty -echo; prompt='You watch.' tools='mail ps' told=0
        while IFS= read -r line; do
            case $line in
                /clear) told=0 ;;
                who) echo "pid $$ prompt=$prompt tools=$tools told=$told." ;;
                *) told=$((told + 1)); echo "told $told" ;;
            esac
        done)");
    const auto who = [&](int told) {
        return "pid " + std::to_string(agent.pid) + " prompt=You watch. tools=mail ps told=" + std::to_string(told) +
               ".";
    };
    REQUIRE(heeler::submit_line(agent.terminal, "check"));
    REQUIRE(heeler::submit_line(agent.terminal, "check"));
    REQUIRE(heeler::submit_line(agent.terminal, "who"));
    REQUIRE(agent.shows(who(2)));
    CommandReset reset{agent.terminal};
    REQUIRE(reset.clear());
    REQUIRE(heeler::submit_line(agent.terminal, "who"));
    CHECK(agent.shows(who(0)));
    REQUIRE(heeler::submit_line(agent.terminal, "check"));
    REQUIRE(heeler::submit_line(agent.terminal, "who"));
    CHECK(agent.shows(who(1)));
}

TEST_CASE("a clear that fails says so, and the next one is tried anew [M-138]") {
    Typed terminal;
    terminal.fails_at = 0;
    CommandReset reset{terminal};
    const auto answer = reset.clear();
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message == "the terminal is broken");
    CHECK(reset.clear());
}
