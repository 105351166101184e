#include <heeler/agent/process_control.hpp>

#include "support/catch.hpp"
#include "support/real_process.hpp"

using heeler::ActionRequest;
using heeler::ErrorCode;
using heeler::ProcessControl;
using heeler::StopProof;
using heeler_test::read_until;
using heeler_test::shell;

namespace {

ActionRequest saying(std::string_view text) {
    ActionRequest request;
    request.run = "run";
    request.key = "key";
    request.text = text;
    return request;
}

pid_t number_after(const std::string& seen, const std::string& word) {
    return static_cast<pid_t>(std::stol(seen.substr(seen.find(word) + word.size())));
}

}  // namespace

TEST_CASE("injected text arrives on standard input, 'done' is said for nothing else") {
    auto control = ProcessControl::start(shell("while read line; do echo \"got $line\"; done"));
    REQUIRE(control);
    REQUIRE(control->inject(saying("first\nsecond")));
    std::string seen;
    CHECK(read_until(*control, seen, "got second\n"));
    CHECK(control->inject(saying(std::string(16385, 'x'))).error().code == ErrorCode::invalid_argument);
    CHECK(control->inject(saying("a\x03")).error().code == ErrorCode::invalid_argument);
    CHECK(control->inject(saying(std::string(16384, 'x'))));
    CHECK(read_until(*control, seen, std::string(16384, 'x') + "\n"));
    CHECK(control->terminate({}));
    CHECK(control->inject(saying("late")).error().code == ErrorCode::ended);
}

TEST_CASE("a command that closed or never reads its input rejects text, without signal or waiting") {
    auto closed = ProcessControl::start(shell("exec 0<&-; echo closed; sleep 30"));
    REQUIRE(closed);
    std::string seen;
    REQUIRE(read_until(*closed, seen, "closed\n"));
    CHECK(closed->inject(saying("x")).error().code == ErrorCode::rejected);
    CHECK(closed->terminate({}));

    auto deaf = ProcessControl::start(shell("sleep 30"));
    REQUIRE(deaf);
    heeler::Result<heeler::ActionDone> answer;
    for (int round = 0; round < 100 && answer; ++round) answer = deaf->inject(saying(std::string(10000, 'x')));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::timed_out);
    answer = deaf->inject(saying("x"));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::rejected);
    CHECK(answer.error().message.find("is not read") != std::string::npos);
    CHECK(deaf->terminate({}));
}

TEST_CASE("pause stops the whole group, resume lets it go on, and a paused group can be ended") {
    auto control = ProcessControl::start(shell("sleep 30 & sh -c 'while :; do echo tick; sleep 0.05; done'"));
    REQUIRE(control);
    std::string seen;
    REQUIRE(read_until(*control, seen, "tick"));
    const auto paused = control->pause({});
    REQUIRE(paused);
    for (const auto& row : heeler::family_of(control->identity()).members) CHECK((row.stopped() || row.state == 'D'));
    static_cast<void>(control->read_output([](std::string_view) {}));
    ::poll(nullptr, 0, 200);
    CHECK(control->read_output([](std::string_view) {})->bytes == 0);
    CHECK(control->alive());
    CHECK(control->prove_stopped("run") == StopProof::running);
    REQUIRE(control->resume({}));
    seen.clear();
    CHECK(read_until(*control, seen, "tick"));
    REQUIRE(control->pause({}));
    const auto ended = control->terminate({});
    REQUIRE(ended);
    CHECK(ended->note == "ended by SIGTERM");
    CHECK(control->prove_stopped("run") == StopProof::stopped);
    CHECK(control->exit_status() == 128 + SIGTERM);
}

TEST_CASE("a command is given 5 s to end, and 10 s to be seen dead [M-112]") {
    CHECK(heeler::ProcessSpec{}.term_grace == std::chrono::seconds(5));
    CHECK(heeler::ProcessSpec{}.kill_grace == std::chrono::seconds(10));
}

TEST_CASE("a command that ignores SIGTERM is killed after the grace, and not before [M-112]") {
    auto control = ProcessControl::start(shell("trap '' TERM; echo ready; while :; do sleep 0.1; done"));
    REQUIRE(control);
    std::string seen;
    REQUIRE(read_until(*control, seen, "ready"));
    const auto begin = std::chrono::steady_clock::now();
    const auto ended = control->terminate({});
    CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(300));
    REQUIRE(ended);
    CHECK(ended->note == "ended by SIGKILL");
    CHECK(control->exit_status() == 128 + SIGKILL);
    CHECK(control->terminate({}).error().code == ErrorCode::ended);
    CHECK(control->pause({}).error().code == ErrorCode::ended);
    CHECK(control->resume({}).error().code == ErrorCode::ended);
}

TEST_CASE("grandchildren are ended too, also when the command itself is over") {
    auto control = ProcessControl::start(shell("sh -c 'trap \"\" TERM; echo pid $$; while :; do sleep 1; done' &"));
    REQUIRE(control);
    std::string seen;
    REQUIRE(read_until(*control, seen, "pid "));
    REQUIRE(heeler_test::wait_for([&] { return !control->alive(); }));
    CHECK(control->exit_status() == 0);
    CHECK(control->prove_stopped("run") == StopProof::running);
    const auto ended = control->terminate({});
    REQUIRE(ended);
    CHECK(ended->note == "ended by SIGKILL");
    CHECK(control->prove_stopped("run") == StopProof::stopped);
}

TEST_CASE("a descendant that left the session is ended with the command, and named") {
    const bool parent_lives = GENERATE(true, false);
    const bool ignores = GENERATE(true, false);
    const std::string stray = std::string("setsid sh -c '") + (ignores ? "trap \"\" TERM; " : "") +
                              "echo pid $$; while :; do sleep 0.1; done' &";
    auto control = ProcessControl::start(shell(parent_lives ? stray + " wait" : "(" + stray + ") ; exec sleep 30"));
    REQUIRE(control);
    std::string seen;
    REQUIRE(read_until(*control, seen, "\n"));
    const pid_t pid = number_after(seen, "pid ");
    if (!parent_lives) REQUIRE(heeler_test::wait_for([&] { return heeler::read_process(pid)->parent == 1; }));
    const auto ended = control->terminate({});
    REQUIRE(ended);
    CHECK(ended->note.find("also ended, having left its session: pid " + std::to_string(pid)) != std::string::npos);
    CHECK(ended->note.starts_with(ignores ? "ended by SIGKILL" : "ended by SIGTERM"));
    const auto row = heeler::read_process(pid);
    CHECK((!row || row->dead()));
    CHECK(control->prove_stopped("run") == StopProof::stopped);
    CHECK(control->terminate({}).error().code == ErrorCode::ended);
}

TEST_CASE("what a descendant that left the session starts while it is ended is ended as well") {
    auto control = ProcessControl::start(
        shell("setsid sh -c 'trap \"sleep 29 & exit\" TERM; echo pid $$; while :; do sleep 0.1; done' & wait"));
    REQUIRE(control);
    std::string seen;
    REQUIRE(read_until(*control, seen, "\n"));
    REQUIRE(control->terminate({}));
    CHECK(control->strays().empty());
    CHECK(control->prove_stopped("run") == StopProof::stopped);
}

TEST_CASE("who left the session is found by who takes the command over, also when the command is over") {
    auto own = ProcessControl::start(shell("(setsid sh -c 'echo pid $$; exec sleep 30' &) ; exit 0"));
    REQUIRE(own);
    std::string seen;
    REQUIRE(read_until(*own, seen, "\n"));
    const pid_t pid = number_after(seen, "pid ");
    REQUIRE(heeler_test::wait_for([&] { return !own->alive(); }));
    auto adopted = ProcessControl::adopt(own->identity());
    REQUIRE(adopted);
    CHECK(adopted->prove_stopped("run") == StopProof::running);
    const auto ended = adopted->terminate({});
    REQUIRE(ended);
    CHECK(ended->note.find("pid " + std::to_string(pid)) != std::string::npos);
    CHECK(adopted->prove_stopped("run") == StopProof::stopped);
}

TEST_CASE("a command below another one belongs to both, and a third one to neither") {
    auto spec = shell("env -i HEELER_FAMILY=\"$HEELER_FAMILY,77.88\" setsid sh -c 'echo pid $$; exec sleep 30' & wait");
    auto outer = ProcessControl::start(spec);
    auto other = ProcessControl::start(shell("exec sleep 30"));
    REQUIRE(outer);
    REQUIRE(other);
    std::string seen;
    REQUIRE(read_until(*outer, seen, "\n"));
    // While a program takes another one's place it has no environment.
    std::string marks;
    REQUIRE(
        heeler_test::wait_for([&] { return !(marks = heeler::detail::marks_of(number_after(seen, "pid "))).empty(); }));
    CHECK(heeler::detail::holds_mark(marks, heeler::detail::family_mark(outer->identity())));
    CHECK(heeler::detail::holds_mark(marks, "77.88"));
    CHECK_FALSE(heeler::detail::holds_mark(marks, "77.8"));
    CHECK_FALSE(heeler::detail::holds_mark(marks, heeler::detail::family_mark(other->identity())));
    CHECK(other->strays().empty());
    CHECK(outer->strays().size() == 1);
    CHECK(other->terminate({}));
    CHECK(outer->strays().size() == 1);
    CHECK(outer->terminate({}));
}

TEST_CASE("who left the session may be left alone, and is named") {
    auto control = ProcessControl::start(shell("setsid sh -c 'echo pid $$; exec sleep 30' & wait"));
    REQUIRE(control);
    std::string seen;
    REQUIRE(read_until(*control, seen, "\n"));
    const pid_t stray = number_after(seen, "pid ");
    const auto ended = control->terminate_session();
    REQUIRE(ended);
    CHECK(ended->note.find("still alive, having left its session: pid " + std::to_string(stray)) != std::string::npos);
    CHECK(control->prove_stopped("run") == StopProof::running);
    CHECK(::kill(stray, SIGKILL) == 0);
    CHECK(heeler_test::wait_for([&] { return control->prove_stopped("run") == StopProof::stopped; }));
}

TEST_CASE("a job of its own group in the same session is paused and ended with the rest") {
    auto spec = shell("set -m; (while :; do sleep 0.05; done) & echo job $!; wait");
    spec.io = heeler::ProcessIo::pty;
    auto control = ProcessControl::start(spec);
    REQUIRE(control);
    std::string seen;
    REQUIRE(read_until(*control, seen, "\n"));
    const pid_t job = number_after(seen, "job ");
    const auto row = heeler::read_process(job);
    REQUIRE(row);
    REQUIRE(row->group != control->identity().pgid);
    REQUIRE(control->pause({}));
    // Also in the middle of starting a program, which is stopped in its place.
    CHECK(heeler_test::wait_for([&] {
        const auto now = heeler::read_process(job);
        return now && heeler::detail::held(*now, heeler::family_of(control->identity()).members);
    }));
    const auto ended = control->terminate({});
    REQUIRE(ended);
    CHECK_FALSE(heeler::identity_alive({job, row->group, row->start_time}));
    CHECK(ended->note.find("still alive") == std::string::npos);
}

TEST_CASE("a command that would not stop is said to run on [M-112]") {
    auto spec = shell("trap '' TERM; echo ready; while :; do sleep 0.1; done");
    spec.term_grace = spec.kill_grace = heeler::Duration(0);
    bool ran_on = false;  // without any grace it may be gone before anybody looks
    for (int tries = 0; tries < 50 && !ran_on; ++tries) {
        auto control = ProcessControl::start(spec);
        REQUIRE(control);
        std::string seen;
        REQUIRE(read_until(*control, seen, "ready"));
        ::kill(-control->identity().pgid, SIGSTOP);
        const auto ended = control->terminate({});
        ran_on = !ended;
        if (ran_on) {
            CHECK(ended.error().code == ErrorCode::failed);
            CHECK(ended.error().message.find("would not stop") == 0);
        }
        CHECK(heeler_test::wait_for([&] { return control->prove_stopped("run") == StopProof::stopped; }));
    }
    CHECK(ran_on);
}

TEST_CASE("an ended command is noticed without waiting, and its last output can still be read") {
    auto control = ProcessControl::start(shell("printf 'a\\0b\\n'; exit 7"));
    REQUIRE(control);
    REQUIRE(heeler_test::wait_for([&] { return !control->alive(); }));
    CHECK(control->exit_status() == 7);
    std::string seen;
    const auto read = control->read_output([&](std::string_view chunk) { seen += chunk; });
    REQUIRE(read);
    CHECK(read->closed);
    CHECK(seen == std::string("a\0b\n", 4));
    CHECK(control->read_output([](std::string_view) {})->closed);
    CHECK(control->inject(saying("x")).error().code == ErrorCode::ended);
    CHECK(control->terminate({}).error().code == ErrorCode::ended);
    CHECK(control->prove_stopped("run") == StopProof::stopped);
}

TEST_CASE("a gigabyte of output passes in bounded pieces") {
    auto control = ProcessControl::start(shell("head -c 1000000000 /dev/zero"));
    REQUIRE(control);
    std::size_t total = 0;
    std::size_t largest = 0;
    pollfd ready{control->poll_fd(), POLLIN, 0};
    while (::poll(&ready, 1, 20000) > 0) {
        const auto read = control->read_output([](std::string_view) {}, 65536);
        REQUIRE(read);
        total += read->bytes;
        largest = std::max(largest, read->bytes);
        if (read->closed) break;
    }
    CHECK(total == 1000000000);
    CHECK(largest < 65536 + 16384);
}

TEST_CASE("an output file is emptied at its limit, and what it held is kept once") {
    const heeler_test::ScratchDirectory scratch;
    auto spec = shell("while read line; do printf '%03000d\\n' 0 | tr 0 \"$line\"; done");
    spec.output_file = scratch / "output";
    spec.output_limit = 4096;
    auto control = ProcessControl::start(spec);
    REQUIRE(control);
    std::string seen;
    for (const char* const each : {"a", "b", "c"}) {
        seen.clear();
        REQUIRE(control->inject(saying(each)));
        REQUIRE(read_until(*control, seen, "\n"));
        CHECK(seen == std::string(3000, *each) + "\n");
    }
    CHECK(heeler_test::file_content(spec.output_file) == std::string(3000, 'c') + "\n");
    CHECK(heeler_test::file_content(spec.output_file + ".1") ==
          std::string(1094, 'a') + "\n" + std::string(3000, 'b') + "\n");
    CHECK(control->terminate({}));
}

TEST_CASE("an output file that another file took the place of is left alone, and one that was emptied is followed") {
    const heeler_test::ScratchDirectory scratch;
    auto spec = shell("while read line; do echo $line; done");
    spec.output_file = scratch / "output";
    spec.output_limit = 1;
    std::ofstream(scratch / "other") << "other";
    auto control = ProcessControl::start(spec);
    REQUIRE(control);
    std::filesystem::rename(spec.output_file, scratch / "moved");
    std::filesystem::create_symlink(scratch / "other", spec.output_file);
    std::string seen;
    REQUIRE(control->inject(saying("first")));
    REQUIRE(read_until(*control, seen, "first\n"));
    CHECK(heeler_test::file_content(scratch / "other") == "other");
    std::filesystem::resize_file(scratch / "moved", 0);
    REQUIRE(control->inject(saying("new")));
    CHECK(read_until(*control, seen, "new\n"));
    CHECK(seen == "first\nnew\n");
    CHECK(control->terminate({}));
}

TEST_CASE("who reads an output file too slowly reads the end of it, and knows how much was skipped") {
    const heeler_test::ScratchDirectory scratch;
    auto spec = shell("head -c 20000000 /dev/zero; echo end; exec sleep 30");
    spec.output_file = scratch / "output";
    auto control = ProcessControl::start(spec);
    REQUIRE(control);
    REQUIRE(heeler_test::wait_for([&] { return std::filesystem::file_size(spec.output_file) == 20000004; }));
    std::string seen;
    const auto read =
        control->read_output([&](std::string_view chunk) { seen += chunk; }, ProcessControl::max_output_behind);
    REQUIRE(read);
    CHECK(read->skipped + read->bytes == 20000004);
    CHECK(read->skipped > 20000004 - ProcessControl::max_output_behind);
    CHECK(seen.ends_with("end\n"));
    CHECK(control->terminate({}));
}

TEST_CASE("a snapshot is taken of the configured directory") {
    const heeler_test::ScratchDirectory scratch;
    std::filesystem::create_directory(scratch / "work");
    std::ofstream(scratch / "work/file") << "content";
    auto spec = shell("true");
    spec.snapshot_source = scratch / "work";
    spec.snapshot_destination = scratch / "saved";
    auto control = ProcessControl::start(spec);
    REQUIRE(control);
    REQUIRE(control->snapshot(saying("")));
    CHECK(heeler_test::file_content(scratch / ("saved/" + heeler::snapshot_name("key") + "/file")) == "content");
}

TEST_CASE("a command of an earlier process is adopted by identity, paused, and ended") {
    auto own = ProcessControl::start(shell("while :; do sleep 0.05; done"));
    REQUIRE(own);
    const heeler::ProcessIdentity identity = own->identity();
    CHECK(ProcessControl::adopt({identity.pid, identity.pgid, identity.start_time + 1}).error().code ==
          ErrorCode::ended);
    CHECK(ProcessControl::adopt({identity.pid, 1, identity.start_time}).error().code == ErrorCode::invalid_argument);
    CHECK(ProcessControl::adopt({}).error().code == ErrorCode::invalid_argument);
    heeler::ProcessSpec spec;
    spec.term_grace = std::chrono::milliseconds(300);
    auto adopted = ProcessControl::adopt(identity, spec);
    REQUIRE(adopted);
    CHECK(adopted->alive());
    CHECK(adopted->inject(saying("x")).error().code == ErrorCode::unsupported);
    CHECK(adopted->read_output([](std::string_view) {}).error().code == ErrorCode::unsupported);
    REQUIRE(adopted->pause({}));
    REQUIRE(adopted->resume({}));
    REQUIRE(adopted->terminate({}));
    CHECK(adopted->prove_stopped("run") == StopProof::stopped);
    CHECK_FALSE(adopted->exit_status());
    CHECK_FALSE(adopted->alive());
    CHECK(own->exit_status() == 128 + SIGTERM);
    CHECK(ProcessControl::adopt(identity).error().code == ErrorCode::ended);
}

TEST_CASE("errors are read apart from output where that is asked for, each to its end") {
    heeler::ProcessSpec spec = shell("echo out; echo err >&2; exec 1>&-; sleep 0.1; echo late >&2");
    SECTION("apart") {
        spec.errors_apart = true;
        auto control = ProcessControl::start(spec);
        REQUIRE(control);
        CHECK(control->errors_fd() >= 0);
        std::string out;
        std::string err;
        bool out_closed = false;
        bool err_closed = false;
        CHECK(heeler_test::wait_for([&] {
            out_closed = control->read_output([&](std::string_view chunk) { out += chunk; })->closed;
            err_closed = control->read_errors([&](std::string_view chunk) { err += chunk; })->closed;
            return out_closed && err_closed;
        }));
        CHECK(out == "out\n");
        CHECK(err == "err\nlate\n");
        CHECK(control->errors_fd() < 0);
    }
    SECTION("together") {
        auto control = ProcessControl::start(spec);
        REQUIRE(control);
        CHECK(control->errors_fd() < 0);
        CHECK(control->read_errors([](std::string_view) {})->closed);
        std::string seen;
        CHECK(read_until(*control, seen, "out\nerr\nlate\n"));
    }
    SECTION("not from a terminal, or with an output file") {
        spec.errors_apart = true;
        spec.io = heeler::ProcessIo::pty;
        CHECK(ProcessControl::start(spec).error().code == ErrorCode::invalid_argument);
        spec.io = heeler::ProcessIo::pipe;
        spec.output_file = "/tmp/none";
        CHECK(ProcessControl::start(spec).error().code == ErrorCode::invalid_argument);
    }
}

TEST_CASE("who reads something else is not spoken to") {
    heeler::ProcessSpec spec = shell("sleep 30");
    spec.input = heeler::ProcessInput::none;
    auto control = ProcessControl::start(spec);
    REQUIRE(control);
    const auto answer = control->inject(saying("x"));
    REQUIRE_FALSE(answer);
    CHECK(answer.error().code == ErrorCode::unsupported);
    CHECK(control->terminate({}));
}
