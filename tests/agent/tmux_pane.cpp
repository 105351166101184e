#include <heeler/agent/tmux_pane.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <heeler/agent/command_reset.hpp>
#include <heeler/agent/terminal_input.hpp>

#include "support/catch.hpp"
#include "support/real_process.hpp"

using heeler::ErrorCode;
using heeler::TmuxPane;
using heeler::TmuxPaneRow;
using heeler::TmuxServer;
using heeler_test::ScratchDirectory;
using heeler_test::wait_for;

namespace {

/// A server of its own, which ends with it.
struct Tmux {
    ScratchDirectory scratch;
    heeler::TmuxSocket socket{{}, scratch / "s"};
    TmuxServer server{socket};

    Tmux() = default;
    Tmux(const Tmux&) = delete;
    Tmux& operator=(const Tmux&) = delete;
    ~Tmux() { static_cast<void>(server.run({{"kill-server"}})); }

    /// Opens a session with one pane in which the script runs.
    [[nodiscard]] TmuxPane open(const std::string& session, const std::string& script) const {
        const auto made =
            heeler::run_command({"tmux", "-S", socket.path, "-f", "/dev/null", "new-session", "-d", "-P", "-F",
                                 "#{pane_id}", "-x", "80", "-y", "12", "-s", session, "sh", "-c", script},
                                std::chrono::seconds(10));
        REQUIRE(made);
        REQUIRE(made->status == 0);
        return TmuxPane(server, made->output.substr(0, made->output.find('\n')));
    }
};

[[nodiscard]] bool no_tmux() { return !heeler::run_command({"tmux", "-V"}, std::chrono::seconds(10)); }

[[nodiscard]] std::string shown(TmuxPane& pane) {
    std::string text;
    if (const auto capture = pane.capture(2000))
        for (const std::string& row : capture->rows) text += row + "\n";
    return text;
}

[[nodiscard]] bool shows(TmuxPane& pane, const std::string& text) {
    return wait_for([&] { return shown(pane).find(text) != std::string::npos; });
}

constexpr const char* reader = "stty -echo; echo ready; while IFS= read -r line; do echo \"<$line>\"; done";

}  // namespace

TEST_CASE("what is typed into a pane arrives as it is, whatever it looks like [M-015]") {
    if (no_tmux()) HEELER_SKIP("no tmux here");
    const Tmux tmux;
    auto pane = tmux.open("worker", reader);
    REQUIRE(shows(pane, "ready"));
    for (const std::string text :
         {"go on", "-l -- x", "Enter", "C-c", "end;", "end\\;", ";", "kill-server ; kill-session", "#{pane_id} #(id)",
          "$(id) `id` ~ * \"'", "\xc3\xbcml\xc3\xa4ut", "two\nlines\x03\x1b[A"}) {
        REQUIRE(heeler::submit_line(pane, text));
        CHECK(shows(pane, "<" + heeler::typed_line(text) + ">\n"));
    }
    CHECK(pane.type("a\rb").error().code == ErrorCode::invalid_argument);
}

TEST_CASE("what was typed and never entered is taken back by the next line, and nothing else is [M-015] [M-134]") {
    if (no_tmux()) HEELER_SKIP("no tmux here");
    const Tmux tmux;
    auto killed = tmux.open("monitor", reader);
    REQUIRE(shows(killed, "ready"));
    REQUIRE(killed.type("/cl"));
    REQUIRE(killed.type("\xc3\xa4r"));
    TmuxPane pane{tmux.server, killed.id()};
    REQUIRE(heeler::submit_line(pane, "/clear"));
    CHECK(shows(pane, "</clear>\n"));
    REQUIRE(tmux.server.run({{"send-keys", "-t", pane.id(), "-l", "--", "a person, "}}));
    REQUIRE(heeler::submit_line(pane, "and we"));
    CHECK(shows(pane, "<a person, and we>\n"));
    REQUIRE(pane.take_back());
    REQUIRE(heeler::submit_line(pane, "done"));
    CHECK(shows(pane, "<done>\n"));
}

TEST_CASE("A-50: the context behind a pane is cleared by the command that is typed there [M-138]") {
    if (no_tmux()) HEELER_SKIP("no tmux here");
    const Tmux tmux;
    auto pane = tmux.open("monitor", R"(stty -echo; echo ready; while IFS= read -r line; do
        case $line in /clear) printf '\033[H\033[2J\033[3J'; echo "empty $$" ;; *) seq 40 ;; esac; done)");
    REQUIRE(shows(pane, "ready"));
    REQUIRE(heeler::submit_line(pane, "check"));
    REQUIRE(wait_for([&] { return pane.capture()->history > 20; }));
    heeler::CommandReset unnamed{pane, "/clear"};
    CHECK(unnamed.clear().error().code == ErrorCode::rejected);
    TmuxPane named{tmux.server, pane.id(), "sh"};
    heeler::CommandReset reset{named, "/clear"};
    CHECK(reset.size() > 30U);
    REQUIRE(reset.clear());
    const auto row = tmux.server.panes();
    REQUIRE(row);
    CHECK(shows(pane, "empty " + row->front().process));
    CHECK(pane.capture()->history == 0);
    CHECK(reset.size() == 1U);
    CHECK(reset.clear());  // as little as after the last one
}

TEST_CASE("a clear is one when the pane shows it [M-134]") {
    if (no_tmux()) HEELER_SKIP("no tmux here");
    const Tmux tmux;
    auto pane = tmux.open("monitor", reader);
    REQUIRE(shows(pane, "ready"));
    TmuxPane named{tmux.server, pane.id(), "sh"};
    heeler::CommandReset reset{named, "/clear"};
    const auto unheard = reset.clear();  // this program knows no such command
    REQUIRE_FALSE(unheard);
    CHECK(unheard.error().code == ErrorCode::timed_out);
    CHECK_THAT(unheard.error().message, ContainsSubstring("as much as before"));

    // What moves by itself is none: here a row goes that said that the program works.
    auto spinning = tmux.open("spins", R"(stty -echo; seq 5; printf '* working'; while read -r line; do
        printf '\r\033[K'; done)");
    REQUIRE(shows(spinning, "* working"));
    TmuxPane named_spinning{tmux.server, spinning.id(), "sh"};
    heeler::CommandReset of_spinning{named_spinning, "/clear"};
    CHECK(of_spinning.clear().error().code == ErrorCode::timed_out);

    // Nor is what leaves the screen upwards.
    auto talking = tmux.open("talks", "stty -echo; seq 8; while read -r line; do seq 101 140; done");
    REQUIRE(shows(talking, "8"));
    TmuxPane named_talking{tmux.server, talking.id(), "sh"};
    heeler::CommandReset of_talking{named_talking, "/clear"};
    CHECK(of_talking.clear().error().code == ErrorCode::timed_out);

    // Nor that nothing can be seen any more.
    auto leaving = tmux.open("leaves", "stty -echo; echo ready; read -r line");
    REQUIRE(shows(leaving, "ready"));
    TmuxPane named_leaving{tmux.server, leaving.id(), "sh"};
    heeler::CommandReset of_leaving{named_leaving, "/clear"};
    CHECK(of_leaving.clear().error().code == ErrorCode::ended);
    CHECK(of_leaving.clear().error().code == ErrorCode::ended);
}

TEST_CASE("a clear is one in an agent that fills the terminal before and after [M-134] [M-138]") {
    if (no_tmux()) HEELER_SKIP("no tmux here");
    const Tmux tmux;
    auto pane = tmux.open("monitor", R"(stty -echo; printf '\033[?1049h'; said=0; slow=0
        draw() {
            printf '\033[H\033[2J'
            for row in 1 2 3 4 5 6 7 8 9 10; do
                text=; [ $row -gt $said ] || text="said $row"
                printf '| %-60s |\r\n' "$text"
            done
            printf '| > %-58s |\r\n? for help' ''
        }
        draw
        while read -r line; do
            case $line in
                /clear) [ $slow = 0 ] || sleep 4; slow=0; said=0 ;;
                /unknown) ;;
                slow) slow=1; said=9 ;;
                *) said=$line ;;
            esac
            draw
        done)");
    REQUIRE(shows(pane, "? for help"));
    TmuxPane named{tmux.server, pane.id(), "sh"};
    heeler::CommandReset reset{named, "/clear"};
    for (const std::string rows : {"8", "8", "1"}) {  // and what it says again is as new as what it says first
        REQUIRE(heeler::submit_line(pane, rows));
        REQUIRE(shows(pane, "said " + rows));
        CHECK(reset.size() == 12U);
        CHECK(reset.clear());
        CHECK(reset.size() == 12U);
        CHECK(shown(pane).find("said") == std::string::npos);
    }
    CHECK(reset.clear());  // there is nothing to clear

    heeler::CommandReset unknown{named, "/unknown"};
    REQUIRE(heeler::submit_line(pane, "8"));
    REQUIRE(shows(pane, "said 8"));
    CHECK_FALSE(unknown.clear());
    CHECK_FALSE(unknown.clear());  // what stands since the last one proves nothing
    CHECK(reset.clear());

    REQUIRE(heeler::submit_line(pane, "slow"));
    REQUIRE(shows(pane, "said 9"));
    CHECK_FALSE(reset.clear());  // not within its time
    REQUIRE(wait_for([&] { return shown(pane).find("said") == std::string::npos; }));
    CHECK(reset.clear());
}

TEST_CASE("nothing is typed into a shell, or into another program than was named [M-138]") {
    if (no_tmux()) HEELER_SKIP("no tmux here");
    const Tmux tmux;
    auto pane = tmux.open("monitor", "PS1='$ '; export PS1; echo ready; exec sh -i");
    REQUIRE(shows(pane, "ready"));
    REQUIRE(wait_for([&] { return !pane.type("x").has_value(); }));
    for (const char* program : {"", "sh", "claude"}) {
        TmuxPane other{tmux.server, pane.id(), program};
        const auto refused = heeler::submit_line(other, "echo executed");
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::rejected);
        CHECK_THAT(refused.error().message, ContainsSubstring("it runs sh, which is a shell"));
        CHECK_FALSE(heeler::CommandReset{other, "/clear"}.clear());
    }
    CHECK(shown(pane).find("executed") == std::string::npos);
    CHECK(shown(pane).find("/clear") == std::string::npos);

    const std::string script = tmux.scratch / "agent";
    std::ofstream(script) << "#!/bin/sh\nstty -echo; echo ready; while IFS= read -r line; do "
                             "printf '\\033[H\\033[2J\\033[3J'; done\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    auto runs = tmux.open("agent", "exec " + script);
    REQUIRE(shows(runs, "ready"));
    TmuxPane right{tmux.server, runs.id(), "agent"};
    CHECK(heeler::CommandReset{right, "/clear"}.clear());
    CHECK(right.size() == 0U);
    TmuxPane wrong{tmux.server, runs.id(), "claude"};
    const auto refused = heeler::CommandReset{wrong, "/clear"}.clear();
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, ContainsSubstring("it runs agent, not claude"));
}

TEST_CASE("a shell waits for commands, or runs a script [M-138]") {
    const auto is_prompt = [](const std::vector<std::string>& words) {
        return heeler::detail::ForegroundProgram::of(words).is_prompt;
    };
    using Words = std::vector<std::string>;
    for (const Words& words :
         {Words{"sh"}, Words{"-zsh"}, Words{"/usr/bin/fish"}, Words{"bash", "-i"}, Words{"bash", "--norc", "-l"},
          Words{"bash", "--rcfile", "/x", "-i"}, Words{"bash", "--init-file", "/x"}, Words{"bash", "-o", "vi"},
          Words{"busybox", "sh"}, Words{"busybox", "ash", "-l"}, Words{"/usr/bin/python3.11", "/usr/bin/xonsh"},
          Words{"-ksh93"}, Words{"zsh-5.9"}, Words{"bash-static"}, Words{"rbash"}, Words{"yash"}})
        CHECK(is_prompt(words));
    for (const Words& words :
         {Words{"sh", "/x/monitor.sh"}, Words{"sh", "-c", "read x"}, Words{"vim"}, Words{"bash", "-e", "/x/run"},
          Words{"busybox", "sh", "/x/run"}, Words{"python3", "/usr/bin/xonsh", "/x/run"}, Words{"python3", "agent.py"},
          Words{"claude"}, Words{"/bin/showers"}})
        CHECK_FALSE(is_prompt(words));
    const auto names = [](const Words& words) { return heeler::detail::ForegroundProgram::of(words).names; };
    CHECK(names({"node", "--no-warnings", "/usr/bin/claude"}) == Words{"node", "claude"});
    CHECK(names({"vim", "claude"}) == Words{"vim"});
    CHECK(names({"/bin/sh", "./monitor.sh", "x"}) == Words{"sh", "monitor.sh"});
}

TEST_CASE("a pane shows what its program wrote, with what has left the screen") {
    if (no_tmux()) HEELER_SKIP("no tmux here");
    const Tmux tmux;
    auto pane = tmux.open("worker", "seq 1 30; printf '\\033[31mred\\033[0m  \\nAllow? (y/n) '; exec sleep 60");
    REQUIRE(shows(pane, "Allow?"));
    auto capture = pane.capture();
    REQUIRE(capture);
    CHECK(capture->history == 20);
    CHECK(capture->above == 0);
    CHECK(capture->rows.size() == 12);
    CHECK(capture->rows.front() == "21");
    CHECK(capture->rows[10] == "red");
    CHECK(capture->rows.back() == "Allow? (y/n)");
    capture = pane.capture(5);
    REQUIRE(capture);
    CHECK(capture->above == 5);
    CHECK(capture->rows.front() == "16");
    capture = pane.capture(1000);
    REQUIRE(capture);
    CHECK(capture->above == 20);
    CHECK(capture->rows.size() == 32);
}

TEST_CASE("panes are listed with names and tags, and no name or tag is more than text") {
    if (no_tmux()) HEELER_SKIP("no tmux here");
    const Tmux tmux;
    const std::string evil = "-t ../../etc;$(touch x)#{pane_id}#(touch y) end;";
    auto plain = tmux.open("plain", "exec sleep 60");
    auto odd = tmux.open("odd name\t", "printf '\\033]2;%s\\033\\\\' '#(touch z)'; exec sleep 60");
    REQUIRE(tmux.server.run({{"rename-window", "-t", odd.id(), "--", "-t ../../etc;$(touch x) end;"},
                             {"set-option", "-p", "-t", odd.id(), "@tags", "worker\nurgent\t" + evil},
                             {"set-option", "-p", "-t", odd.id(), "@long", std::string(5000, 'x')}}));
    REQUIRE(wait_for([&] { return tmux.server.panes()->front().title == "#(touch z)"; }));
    const auto rows = tmux.server.panes({"@tags", "@long", "@none"});
    REQUIRE(rows);
    REQUIRE(rows->size() == 2);
    const auto& row = *std::find_if(rows->begin(), rows->end(), [&](const auto& each) { return each.id == odd.id(); });
    CHECK(row.window == "-t ../../etc;$(touch x) end;");
    CHECK(row.options == std::vector<std::string>{"worker urgent " + evil, std::string(256, 'x'), ""});
    CHECK_FALSE(row.dead);
    CHECK(row.end.empty());
    CHECK(row.process != "0");
    const auto& other = row.id == rows->front().id ? rows->back() : rows->front();
    CHECK(other.id == plain.id());
    CHECK(other.session == "plain");
    CHECK(other.options == std::vector<std::string>{"", "", ""});
    CHECK(tmux.server.panes({"@tags}#(touch z)"}).error().code == ErrorCode::invalid_argument);
    for (const char* made : {"x", "y", "z"}) CHECK_FALSE(std::filesystem::exists(made));
    CHECK(heeler::submit_line(plain, "hello"));
    CHECK_FALSE(shown(odd).find("hello") != std::string::npos);
}

TEST_CASE("only the id of a pane reaches it, never a pattern or an option") {
    if (no_tmux()) HEELER_SKIP("no tmux here");
    const Tmux tmux;
    auto pane = tmux.open("worker", reader);
    REQUIRE(shows(pane, "ready"));
    for (const char* id : {"", "%", "work", "worker:0.0", "*", "-a", "{last}", "%0;kill-server", "../x", "%0 "}) {
        TmuxPane other{tmux.server, id};
        CHECK(heeler::submit_line(other, "hello").error().code == ErrorCode::invalid_argument);
        CHECK(other.capture().error().code == ErrorCode::invalid_argument);
        CHECK(other.exists().error().code == ErrorCode::invalid_argument);
    }
    CHECK(shown(pane) == "ready\n");
}

TEST_CASE("keys reach the program of a pane that is scrolled, and no other pane") {
    if (no_tmux()) HEELER_SKIP("no tmux here");
    const Tmux tmux;
    auto pane = tmux.open("worker", reader);
    REQUIRE(shows(pane, "ready"));
    REQUIRE(tmux.server.run({{"copy-mode", "-t", pane.id()}}));
    REQUIRE(heeler::submit_line(pane, "qqq"));
    CHECK(shows(pane, "<qqq>"));
    REQUIRE(tmux.server.run({{"set-option", "-w", "-t", pane.id(), "synchronize-panes", "on"}}));
    const auto shared = heeler::submit_line(pane, "hello");
    REQUIRE_FALSE(shared);
    CHECK(shared.error().code == ErrorCode::rejected);
    CHECK_THAT(shared.error().message, ContainsSubstring("synchronize-panes"));
}

TEST_CASE("a pane that is gone, a program that is over and a missing server are told apart") {
    if (no_tmux()) HEELER_SKIP("no tmux here");
    const Tmux tmux;
    const auto none = tmux.server.panes();
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::io);
    CHECK_THAT(none.error().message, ContainsSubstring("there is no tmux server: "));
    auto stays = tmux.open("stays", "exec sleep 60");
    auto leaves = tmux.open("leaves", "sleep 0.1");
    auto kept = tmux.open("kept", reader);
    CHECK(*stays.exists());
    REQUIRE(wait_for([&] { return !*leaves.exists(); }));
    CHECK(leaves.capture().error().message == "the pane is gone: can't find pane: " + leaves.id());
    CHECK(heeler::submit_line(leaves, "x").error().code == ErrorCode::ended);
    REQUIRE(tmux.server.run(
        {{"set-option", "-w", "-t", kept.id(), "remain-on-exit", "on"}, {"send-keys", "-t", kept.id(), "C-d"}}));
    REQUIRE(wait_for([&] { return !*kept.exists(); }));
    CHECK(kept.capture());
    const auto over = heeler::submit_line(kept, "x");
    REQUIRE_FALSE(over);
    CHECK(over.error().message == "the program in the pane " + kept.id() + " is over");
    REQUIRE(tmux.server.run({{"kill-server"}}));
    CHECK(stays.capture().error().code == ErrorCode::io);
    CHECK(stays.exists().error().code == ErrorCode::io);
    CHECK(heeler::submit_line(stays, "x").error().code == ErrorCode::io);
}

TEST_CASE("the reason is found before and after what else tmux prints") {
    for (const std::string_view said :
         {"can't find pane: %1\n \n", " \ncan't find pane: %1\n", "can't find pane: %1"}) {
        const heeler::Error error = heeler::detail::tmux_error(said);
        CHECK(error.code == ErrorCode::ended);
        CHECK(error.message == "the pane is gone: can't find pane: %1");
    }
}

TEST_CASE("without tmux, or with a server that hangs, the answer comes in time") {
    const ScratchDirectory scratch;
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", scratch.text().c_str(), 1);
    const auto missing = TmuxServer().panes();
    std::ofstream(scratch / "tmux") << "#!/bin/sh\nexec /bin/sleep 300\n";
    std::filesystem::permissions(scratch / "tmux", std::filesystem::perms::owner_all);
    const auto begin = std::chrono::steady_clock::now();
    const auto hangs = TmuxServer({}, std::chrono::milliseconds(200)).panes();
    const auto took = std::chrono::steady_clock::now() - begin;
    ::setenv("PATH", path.c_str(), 1);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message == "cannot start \"tmux\": No such file or directory");
    REQUIRE_FALSE(hangs);
    CHECK(hangs.error().code == ErrorCode::timed_out);
    CHECK(took < std::chrono::seconds(60));
}
