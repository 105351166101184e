#include <heeler/run/fold.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::Folder;
using detail::WatchedRun;

namespace {

/// One run, to which things are reported at moments of its working clock.
struct Folded {
    rooms::House house;
    RunHandle handle;
    WatchedRun& watched;

    explicit Folded(MetricKind metric = MetricKind::reported)
        : handle{house.run(rooms::bare_class(), of(metric))}, watched{house.at(handle)} {}

    static RunSpec of(MetricKind metric) {
        RunSpec spec = bench::spec_of("r");
        spec.metric = metric;
        return spec;
    }
    [[nodiscard]] Folder at(Duration when) const {
        return Folder{watched, {bench::start.elapsed + when, bench::start.wall + when}};
    }
    [[nodiscard]] const Run& run() const { return watched.run; }
};

}  // namespace

TEST_CASE("a heartbeat is life, a repeated result is activity, a new one is progress", "[run]") {
    Folded f;
    f.at(1s)(Heartbeat{});
    CHECK((f.run().last_alive == 1s && !f.run().last_activity && !f.run().last_progress));
    f.at(2s)(ToolResult{true, "new", {}, {}});
    CHECK(f.run().last_progress == 2s);
    f.at(3s)(ToolResult{true, "new", {}, {}});
    CHECK((f.run().last_activity == 3s && f.run().last_progress == 2s));
    f.at(4s)(Message{false, "a person speaks"});
    CHECK((f.run().last_alive == 4s && f.run().last_activity == 3s));
    f.at(5s)(SignOfLife{"transcript"});
    CHECK((f.run().last_sign == 5s && f.run().last_activity == 3s));
}

TEST_CASE("what is more than output is told apart from it", "[run]") {
    Folded f{MetricKind::output_lines};
    f.at(1s)(Output{"a line\n"});
    CHECK((f.run().last_progress == 1s && !f.run().last_gain));
    f.at(2s)(ToolResult{true, "new", {}, {}});
    f.at(3s)(ToolResult{true, "new", {}, {}});
    CHECK(f.run().last_gain == 2s);
    f.at(4s)(Progress{1});
    f.at(5s)(Progress{1});
    CHECK(f.run().last_gain == 4s);
    f.at(6s).checkpoint(1, "one", CheckpointReason::scheduled);
    f.at(7s).checkpoint(1, "one", CheckpointReason::scheduled);
    CHECK(f.run().last_gain == 6s);
    f.at(8s).begin_attempt(1);
    CHECK(f.run().last_gain == 8s);
}

TEST_CASE("what is reported late takes nothing back", "[run]") {
    Folded f;
    f.at(9s)(Progress{3});
    f.at(4s)(Progress{4});
    CHECK((f.run().last_progress == 9s && f.run().last_activity == 9s && f.run().reported_value == 4));
}

TEST_CASE("lines are counted when they are finished, and are progress where they are the metric", "[run]") {
    Folded f{MetricKind::output_lines};
    f.at(1s)(Output{"half", true});
    CHECK((f.run().lines == 0 && !f.run().last_progress && f.run().last_activity == 1s));
    f.at(2s)(Output{" a line\nand ", true});
    CHECK((f.run().lines == 1 && f.run().last_progress == 2s));
}

TEST_CASE("waiting stops the working clock, and a wait that ends lets it go on where it stood", "[run]") {
    Folded f;
    f.at(10s)(StateChange{RunState::rate_limited, {}, bench::start.wall + 40s, {}});
    CHECK(f.run().working(bench::start.elapsed + 30s) == 10s);
    CHECK(f.watched.seldom->waits_until == bench::start.elapsed + 40s);
    CHECK(f.watched.state_told);
    f.at(30s)(StateChange{RunState::waiting_human, {}, {}, {}});  // the same wait goes on
    f.at(50s)(StateChange{RunState::running, {}, {}, {}});
    CHECK((f.run().waited == 40s && !f.run().waiting_since && !f.watched.seldom->waits_until));
    CHECK(f.run().working(bench::start.elapsed + 55s) == 15s);
}

TEST_CASE("a sample is taken once per interval of the working clock, and a late one keeps the grid", "[run]") {
    Folded f;
    f.at(0s)(Progress{5});
    CHECK_FALSE(f.at(59s).sample());
    f.at(59s)(Progress{7});
    CHECK(f.at(60s).sample());
    CHECK_FALSE(f.at(61s).sample());
    CHECK(f.at(200s).sample());
    CHECK_FALSE(f.at(239s).sample());
    CHECK(f.at(240s).sample());
    const auto& rows = *f.watched.seldom->heartbeats;
    REQUIRE(rows.size() == 3);
    CHECK((rows[0].value == 7 && rows[0].delta == 2));
    CHECK(rows[2].at - rows[0].at == 180s);
    CHECK((rows[2].number == 3 && rows[2].delta == 0));
    f.at(250s)(StateChange{RunState::waiting_child, {}, {}, {}});
    CHECK_FALSE(f.at(900s).sample());
}

TEST_CASE("a call is open until its result, which may come before it", "[run]") {
    Folded f;
    f.at(1s)(ToolResult{true, "x", {}, {}});
    f.at(1s)(ToolCall{"ls", "{}", {}});
    f.at(2s)(ToolCall{"ls", "{}", {}});
    f.at(3s)(ToolResult{true, "x", {}, {}});
    CHECK((f.run().open_calls == 1 && f.run().calls == 2));
}

TEST_CASE("steps that are done count once and are kept in order", "[run]") {
    Folded f;
    for (const std::int64_t step : {3, 1, 3, 2}) f.at(1s).checkpoint(step, "done", CheckpointReason::scheduled);
    CHECK(f.watched.checkpoints->steps == std::vector<std::int64_t>{1, 2, 3});
    CHECK(f.watched.checkpoints->last.step == 2);
    const auto progressed = f.run().last_progress;
    f.at(9s).checkpoint(2, "done", CheckpointReason::scheduled);
    CHECK((f.run().last_progress == progressed && f.run().checkpoint_base == 9s));
}

TEST_CASE("a continuation is counted once, however often its outcome is taken in", "[run]") {
    Folded f;
    f.at(1s)(ToolCall{"ls", "{}", {}});
    f.at(9s).begin_attempt(1);
    f.at(20s).begin_attempt(1);
    CHECK((f.run().attempt == 2 && f.run().incarnation == 2 && f.run().open_calls == 0));
    CHECK(f.run().checkpoint_base == 9s);
    f.watched.run.incarnation = 3;
    f.at(21s).keep_attempt();
    CHECK(f.run().incarnation == 2);
}

TEST_CASE("a checkpoint is a row of its incarnation, without its secrets", "[run]") {
    Folded f;
    Folder folder = f.at(5s);
    detail::record(f.watched, folder, CheckpointNote{2, "password=hunter2 \x1b[31mred"}, bench::start.wall);
    REQUIRE(f.watched.unsaved->checkpoints.size() == 1);
    const CheckpointRow& row = f.watched.unsaved->checkpoints[0];
    CHECK((row.number == 1 && row.incarnation == 1 && row.step == 2));
    CHECK(row.text.find("hunter2") == std::string::npos);
    CHECK(row.text.find('\x1b') == std::string::npos);
}

TEST_CASE("of a replaced agent it is on record once that it still reports", "[run]") {
    Folded f;
    f.watched.run.incarnation = 3;
    CHECK_FALSE(detail::fence_off(f.watched, 0, bench::start.wall));
    CHECK_FALSE(detail::fence_off(f.watched, 3, bench::start.wall));
    CHECK(detail::fence_off(f.watched, 1, bench::start.wall));
    CHECK(detail::fence_off(f.watched, 1, bench::start.wall));
    CHECK(f.watched.unsaved->audit.size() == 1);
    CHECK(detail::fence_off(f.watched, 2, bench::start.wall));
    CHECK(f.watched.unsaved->audit.size() == 2);
    CHECK(f.watched.dirty);
}

TEST_CASE("a report about a resource is neither life nor work [M-188]", "[run]") {
    Folded f;
    f.at(1s)(Resource{"disk", 99, 100});
    CHECK((f.run().observations == 1 && !f.run().last_alive && !f.run().last_activity && !f.run().last_progress));
}

TEST_CASE("what a run says of itself is kept without secrets [M-184]", "[run]") {
    Folded f;
    StateChange said{RunState::waiting_human, {}, {}, {}};
    said.prompt = "go on with --token hunter2?";
    const std::string outcome = std::string(RunWords::longest - 20, 'x') + " password=0123456789abcdefghij";
    said.outcome = outcome;
    f.at(1s)(said);
    CHECK(f.run().words->prompt == "go on with --token [redacted]");
    CHECK_THAT(f.run().words->outcome, !ContainsSubstring("012"));
}
