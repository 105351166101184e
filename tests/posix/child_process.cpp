#include <heeler/posix/child_process.hpp>

#include <filesystem>
#include <fstream>

#include <sys/stat.h>

#include "support/catch.hpp"
#include "support/real_process.hpp"

using heeler::ErrorCode;
using heeler::ProcessControl;
using heeler_test::read_until;
using heeler_test::shell;

TEST_CASE("a command that cannot be started is named, with the reason") {
    heeler::ProcessSpec spec;
    spec.argv = {"heeler-no-such-command", "x"};
    const auto missing = heeler::start_child(spec);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::failed);
    CHECK(missing.error().message == "cannot start \"heeler-no-such-command\": No such file or directory");

    spec.argv = {"/etc/passwd"};
    const auto denied = heeler::start_child(spec);
    REQUIRE_FALSE(denied);
    CHECK(denied.error().message == "cannot start \"/etc/passwd\": Permission denied");

    spec = shell("true");
    spec.working_directory = "/heeler/nowhere";
    const auto nowhere = heeler::start_child(spec);
    REQUIRE_FALSE(nowhere);
    CHECK(nowhere.error().message.find("\"/heeler/nowhere\": No such file or directory") != std::string::npos);
}

TEST_CASE("bad specifications are refused before anything is started") {
    heeler::ProcessSpec spec;
    CHECK(heeler::start_child(spec).error().code == ErrorCode::invalid_argument);
    spec.argv = {std::string("sh\0x", 4)};
    CHECK(heeler::start_child(spec).error().code == ErrorCode::invalid_argument);
    spec = shell("true");
    spec.environment = {{"A=B", "c"}};
    CHECK(heeler::start_child(spec).error().code == ErrorCode::invalid_argument);
    spec = shell("true");
    spec.term_grace = std::chrono::seconds(-1);
    CHECK(heeler::start_child(spec).error().code == ErrorCode::invalid_argument);
    spec = shell("true");
    spec.io = heeler::ProcessIo::pty;
    spec.output_file = "/dev/null";
    CHECK(heeler::start_child(spec).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("the command is recorded before it runs, and never runs if that fails") {
    const heeler_test::ScratchDirectory scratch;
    const std::string ran = scratch / "ran";
    auto spec = shell("echo ran > '" + ran + "'; cat");
    heeler::ProcessIdentity recorded;
    SECTION("recorded") {
        spec.on_prepared = [&](const heeler::ProcessIdentity& identity) -> heeler::Result<void> {
            recorded = identity;
            ::poll(nullptr, 0, 100);
            CHECK_FALSE(std::filesystem::exists(ran));
            CHECK(heeler::identity_alive(identity));
            return {};
        };
        auto control = ProcessControl::start(spec);
        REQUIRE(control);
        CHECK(recorded.pid == control->identity().pid);
        CHECK(recorded.pgid == recorded.pid);
        CHECK(recorded.start_time == control->identity().start_time);
        CHECK(heeler_test::wait_for([&] { return std::filesystem::exists(ran); }));
        CHECK(control->terminate({}));
    }
    SECTION("refused") {
        spec.on_prepared = [&](const heeler::ProcessIdentity& identity) -> heeler::Result<void> {
            recorded = identity;
            return heeler::fail(ErrorCode::io, "disk full");
        };
        const auto control = ProcessControl::start(spec);
        REQUIRE_FALSE(control);
        CHECK(control.error().message == "disk full");
        CHECK_FALSE(heeler::identity_alive(recorded));
        ::poll(nullptr, 0, 50);
        CHECK_FALSE(std::filesystem::exists(ran));
    }
}

TEST_CASE("a caller that dies before the release leaves nothing running") {
    const heeler_test::ScratchDirectory scratch;
    const std::string ran = scratch / "ran";
    auto ids = heeler::make_pipe();
    REQUIRE(ids);
    const pid_t caller = ::fork();
    if (caller == 0) {
        auto spec = shell("echo ran > '" + ran + "'; sleep 30");
        spec.on_prepared = [&](const heeler::ProcessIdentity& identity) -> heeler::Result<void> {
            static_cast<void>(::write(ids->writer.get(), &identity, sizeof identity) == 0);
            ::raise(SIGKILL);
            return {};
        };
        static_cast<void>(heeler::start_child(spec));
        ::_exit(0);
    }
    REQUIRE(caller > 0);
    ids->writer.close();  // or its end is never read
    heeler::ProcessIdentity child;
    REQUIRE(::read(ids->reader.get(), &child, sizeof child) == sizeof child);
    ::waitpid(caller, nullptr, 0);
    CHECK(heeler_test::wait_for([&] { return !heeler::identity_alive(child); }));
    CHECK_FALSE(std::filesystem::exists(ran));
}

TEST_CASE("a running command dies with its caller when asked to") {
    auto ids = heeler::make_pipe();
    REQUIRE(ids);
    const pid_t caller = ::fork();
    if (caller == 0) {
        auto child = heeler::start_child(shell("exec sleep 30"));
        static_cast<void>(::write(ids->writer.get(), &child->identity, sizeof child->identity) == 0);
        ::raise(SIGKILL);
    }
    REQUIRE(caller > 0);
    ids->writer.close();  // or its end is never read
    heeler::ProcessIdentity child;
    REQUIRE(::read(ids->reader.get(), &child, sizeof child) == sizeof child);
    ::waitpid(caller, nullptr, 0);
    CHECK(heeler_test::wait_for([&] { return !heeler::identity_alive(child); }));
}

TEST_CASE("the command gets its directory, variables, arguments, a clean signal state and no stray descriptors") {
    const heeler_test::ScratchDirectory scratch;
    ::signal(SIGPIPE, SIG_IGN);
    heeler::ProcessSpec spec;
    const std::string list = "exec ls /proc/self/fd";
    spec.argv = {"sh", "-c", R"(pwd; echo "$HEELER_TEST"; echo "$1"; grep SigIgn /proc/self/status; echo fds; )" + list,
                 "sh", "a b\tc"};
    spec.working_directory = scratch.text();
    spec.environment = {{"HEELER_TEST", "one"}};
    auto control = ProcessControl::start(spec);
    ::signal(SIGPIPE, SIG_DFL);
    REQUIRE(control);
    std::string seen;
    REQUIRE(heeler_test::wait_for([&] { return control->exit_status().has_value(); }));
    static_cast<void>(control->read_output([&](std::string_view chunk) { seen += chunk; }));
    CHECK(seen.find(std::filesystem::canonical(scratch.text()).string() + "\none\na b\tc\n") == 0);
    CHECK(seen.find("SigIgn:\t0000000000000000") != std::string::npos);
    // What the test itself inherited without close-on-exec is inherited on; nothing of ours is added.
    std::FILE* const reference = ::popen(list.c_str(), "r");
    char expected[1024] = {};
    REQUIRE(std::fread(expected, 1, sizeof expected - 1, reference) > 0);
    ::pclose(reference);
    CHECK(seen.substr(seen.rfind("fds\n") + 4) == expected);
    CHECK(control->exit_status() == 0);
}

TEST_CASE("a terminal is one for the command, and what is written to it is not echoed") {
    auto spec = shell("test -t 0 && test -t 1 && echo terminal; read line; echo \"got $line\"");
    spec.io = heeler::ProcessIo::pty;
    auto control = ProcessControl::start(spec);
    REQUIRE(control);
    std::string seen;
    REQUIRE(read_until(*control, seen, "terminal\n"));
    heeler::ActionRequest request;
    request.text = "go on";
    REQUIRE(control->inject(request));
    REQUIRE(read_until(*control, seen, "got"));
    REQUIRE(heeler_test::wait_for([&] {
        const auto read = control->read_output([&](std::string_view chunk) { seen += chunk; });
        return read && read->closed;
    }));
    CHECK(seen == "terminal\ngot go on\n");
    CHECK(control->exit_status() == 0);
}

TEST_CASE("a long text of many lines passes through a terminal whole") {
    auto spec = shell("while read -r line; do echo \"$line\"; done");
    spec.io = heeler::ProcessIo::pty;
    auto control = ProcessControl::start(spec);
    REQUIRE(control);
    std::string text;
    for (int line = 0; line < 300; ++line) text += "| line " + std::to_string(line) + " of the goal\n";
    heeler::ActionRequest request;
    request.text = text;
    REQUIRE(control->inject(request));
    std::string seen;
    REQUIRE(read_until(*control, seen, "line 299 of the goal\n"));
    CHECK(seen == text);
    CHECK(control->terminate({}));
}

TEST_CASE("output can go to a file that outlives its reader") {
    const heeler_test::ScratchDirectory scratch;
    auto spec = shell("echo one; read line; echo two");
    spec.output_file = scratch / "output";
    auto control = ProcessControl::start(spec);
    REQUIRE(control);
    CHECK(control->poll_fd() == -1);
    std::string seen;
    REQUIRE(read_until(*control, seen, "one\n"));
    REQUIRE(control->inject({}));
    REQUIRE(read_until(*control, seen, "two\n"));
    CHECK(heeler_test::file_content(spec.output_file) == "one\ntwo\n");
}

TEST_CASE("no command writes its output to what agents put in the place of the file, and nobody waits for it") {
    const heeler_test::ScratchDirectory scratch;
    std::ofstream{scratch / "precious"} << "precious";
    auto spec = shell("echo one; sleep 60");
    spec.output_file = scratch / "output";
    auto running = ProcessControl::start(spec);
    REQUIRE(running);
    std::filesystem::remove(spec.output_file);
    const std::string what = GENERATE("pipe", "link", "link to nothing");
    if (what == "pipe") REQUIRE(::mkfifo(spec.output_file.c_str(), 0600) == 0);
    if (what == "link") std::filesystem::create_symlink(scratch / "precious", spec.output_file);
    if (what == "link to nothing") std::filesystem::create_symlink(scratch / "made", spec.output_file);

    const auto refused = ProcessControl::start(spec);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("only regular files are opened") != std::string::npos);
    CHECK(heeler_test::file_content(scratch / "precious") == "precious");
    CHECK_FALSE(std::filesystem::exists(scratch / "made"));

    heeler::ProcessSpec adopted;
    adopted.output_file = spec.output_file;
    auto control = ProcessControl::adopt(running->identity(), adopted);
    REQUIRE(control);
    CHECK(control->read_output([](std::string_view) {}).error().code == ErrorCode::unsupported);
    CHECK(running->terminate({}));
}

TEST_CASE("a command reads what it is told until the caller closes it, nothing, or what it is given") {
    heeler::ProcessSpec spec = shell("cat; echo end");
    std::string seen;
    SECTION("nothing") {
        spec.input = heeler::ProcessInput::none;
        auto control = ProcessControl::start(spec);
        REQUIRE(control);
        CHECK(read_until(*control, seen, "end\n"));
        CHECK_FALSE(control->can_inject());
    }
    SECTION("a pipe that the caller got") {
        auto pipe = heeler::make_pipe();
        REQUIRE(pipe);
        spec.input = heeler::ProcessInput::given;
        spec.given_input = pipe->reader.get();
        auto control = ProcessControl::start(spec);
        REQUIRE(control);
        pipe->reader.close();
        REQUIRE(heeler::write_quietly(pipe->writer, "given\n") == 6);
        CHECK(read_until(*control, seen, "given\n"));
        pipe->writer.close();
        CHECK(read_until(*control, seen, "end\n"));
    }
    SECTION("nothing, in a terminal") {
        spec = shell("cat; test -t 1 && echo end");
        spec.io = heeler::ProcessIo::pty;
        spec.input = heeler::ProcessInput::none;
        auto control = ProcessControl::start(spec);
        REQUIRE(control);
        CHECK(read_until(*control, seen, "end\n"));
    }
    SECTION("a descriptor that is not open") {
        spec.input = heeler::ProcessInput::given;
        const auto refused = ProcessControl::start(spec);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().message.find("cannot give the command its input") == 0);
    }
    SECTION("a pipe from the caller") {
        auto child = heeler::start_child(spec);
        REQUIRE(child);
        child->input.close();
        int status = -1;
        CHECK(::waitpid(child->identity.pid, &status, 0) == child->identity.pid);
        CHECK(status == 0);
    }
}
