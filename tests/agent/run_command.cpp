#include <heeler/agent/run_command.hpp>

#include "support/catch.hpp"
#include "support/real_process.hpp"

using heeler::ErrorCode;
using heeler::run_command;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("a short command answers its status and what it said") {
    const auto end = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"}, seconds(10));
    REQUIRE(end);
    CHECK(end->status == 3);
    CHECK(end->output == "out\nerr\n");
    CHECK(run_command({"sh", "-c", "kill -KILL $$"}, seconds(10))->status == 137);
    CHECK(run_command({"echo", "$(id) ; `id`"}, seconds(10))->output == "$(id) ; `id`\n");
    CHECK(run_command({"heeler-no-such-command"}, seconds(10)).error().code == ErrorCode::failed);
}

TEST_CASE("a short command that takes too long or says too much is killed") {
    const heeler_test::ScratchDirectory scratch;
    const auto begin = std::chrono::steady_clock::now();
    const auto late = run_command(
        {"sh", "-c", "trap '' TERM; echo $$ >" + (scratch / "pid") + "; sleep 300; sleep 300"}, milliseconds(2000));
    REQUIRE_FALSE(late);
    CHECK(late.error().code == ErrorCode::timed_out);
    CHECK(late.error().message == "\"sh\" did not end within 2000 ms");
    CHECK(std::chrono::steady_clock::now() - begin < seconds(60));
    const auto pid = static_cast<pid_t>(std::stol(heeler_test::file_content(scratch / "pid")));
    CHECK(::kill(pid, 0) != 0);

    const auto much =
        run_command({"sh", "-c", "while :; do echo 0123456789012345678901234567890123456789; done"}, seconds(60));
    REQUIRE_FALSE(much);
    CHECK_THAT(much.error().message, ContainsSubstring("wrote more than 1048576 bytes"));

    const auto held = run_command({"sh", "-c", "exec >/dev/null 2>&1; sleep 30"}, milliseconds(200));
    REQUIRE_FALSE(held);
    CHECK(held.error().code == ErrorCode::timed_out);
}

TEST_CASE("a short command that reads to the end finds it at once") {
    const auto end = heeler::run_command({"cat"}, std::chrono::seconds(10));
    REQUIRE(end);
    CHECK(end->status == 0);
    CHECK(end->output.empty());
}
