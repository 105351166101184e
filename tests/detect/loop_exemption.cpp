#include <heeler/detect/loop_exemption.hpp>

#include <string>

#include <heeler/detect/loop_detector.hpp>
#include <heeler/detect/tail_loop.hpp>
#include <heeler/text/canonical_args.hpp>
#include <heeler/text/fingerprint.hpp>

#include "support/catch.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// Two detectors of loops of calls, fed as by an engine.
struct LoopWatch {
    facts::Taught<LoopDetector<Call>> cycles;
    facts::Taught<LoopDetector<Call, TailRule>> tail;
    std::uint64_t index = 0;

    explicit LoopWatch(bool commits_count = true) {
        cycles.settings.rule = {1, 32, 3, 5, 200};
        if (!commits_count) return;
        cycles.settings.progress = LoopExemption{};
        tail.settings.progress = LoopExemption{};
    }
    LoopWatch& call(std::string_view name, std::string_view args) {
        Observation seen;
        const text::Fingerprint print = text::fingerprint_call(name, args);
        seen.exact = print.exact;
        seen.normal = print.normal;
        seen.index = index++;
        seen.event = ToolCall{name, args, {}};
        LoopDetector<Call>{}.learn(cycles.memory, cycles.settings, seen);
        LoopDetector<Call, TailRule>{}.learn(tail.memory, tail.settings, seen);
        return *this;
    }
    [[nodiscard]] bool looping() const { return cycles.check(facts::At{1s}) || tail.check(facts::At{1s}); }
};

std::string piece(int at) { return R"({"path":"big.log","limit":200,"offset":)" + std::to_string(at) + "}"; }

}  // namespace

TEST_CASE("a file that is read in pieces is no loop, one piece again and again is [M-061]") {
    LoopWatch watch;
    for (int i = 0; i < 60; ++i) watch.call("Read", piece(i * 200));
    CHECK_FALSE(watch.looping());
    for (int i = 0; i < 5; ++i) watch.call("Read", piece(0));
    CHECK(watch.looping());
}

TEST_CASE("reads between edits are no loop, the same edit again and again is [M-061]") {
    LoopWatch watch;
    for (int i = 0; i < 40; ++i)
        watch.call("Read", R"({"path":"a.cpp"})")
            .call("Edit", R"({"path":"a.cpp","old":"x)" + std::to_string(i) + R"(","new":"y"})");
    CHECK_FALSE(watch.looping());
    for (int i = 0; i < 5; ++i) watch.call("Read", R"({"path":"a.cpp"})").call("Edit", R"({"path":"a.cpp"})");
    CHECK(watch.looping());
}

TEST_CASE("commits are progress: what is done between them may be the same each time [M-061]") {
    const std::string commit = R"({"command":"git commit -qam wip"})";
    for (const bool commits_count : {true, false}) {
        LoopWatch watch{commits_count};
        for (int i = 0; i < 30; ++i) watch.call("Bash", R"({"command":"make test"})").call("Bash", commit);
        CHECK(watch.looping() == !commits_count);
    }
    LoopWatch watch;
    for (int i = 0; i < 30; ++i) watch.call("Bash", commit);
    CHECK_FALSE(watch.looping());
    for (int i = 0; i < 4; ++i) watch.call("Bash", R"({"command":"make test"})");
    CHECK_FALSE(watch.looping());
    CHECK(watch.call("Bash", R"({"command":"make test"})").looping());
}

TEST_CASE("a commit is known by its tool or its command [M-061]") {
    const auto is_commit = [](std::string_view name, std::string_view args) {
        Observation seen;
        seen.event = ToolCall{name, args, {}};
        return LoopExemption{}(seen);
    };
    CHECK(is_commit("commit", "{}"));
    CHECK(is_commit("mcp_git_commit", "{}"));
    CHECK(is_commit("GitCommit", "{}"));
    CHECK(is_commit("Bash", "cd x && jj commit -m y"));
    CHECK_FALSE(is_commit("Bash", "git status"));
    CHECK_FALSE(is_commit("committee", "{}"));
    CHECK_FALSE(LoopExemption{}(Observation{}));
}
