#include <heeler/report/page_recorder.hpp>
#include <heeler/report/run_page_html.hpp>
#include <heeler/report/stored_page.hpp>

#include <string>
#include <string_view>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

constexpr WallTime start{1'700'000'000s};

std::size_t count_of(std::string_view text, std::string_view what) {
    std::size_t count = 0;
    for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++count;
    return count;
}

Report report_of(std::string run) {
    Report report;
    report.run = std::move(run);
    report.final_status = "completed";
    report.metric = "files";
    return report;
}

/// What the run says and does, told to a recorder a second apart.
struct Told {
    PageRecorder recorder{"r", start};
    WallTime at = start;

    template <class What>
    Told& heard(const What& what) {
        recorder.heard(what, at += 1s);
        return *this;
    }
    Told& call(std::string_view args, std::string_view output, std::string_view id = "") {
        return heard(ToolCall{"bash", args, id}).heard(ToolResult{true, output, id});
    }
    [[nodiscard]] RunPage page() const { return recorder.page(report_of("r"), at); }
    [[nodiscard]] std::string html() const { return to_html(page()); }
};

const PageMark& mark_of(const RunPage& page, PageLane lane, std::size_t which = 0) {
    for (const PageMark& mark : page.marks)
        if (mark.lane == lane && which-- == 0) return mark;
    FAIL("no such mark");
    return page.marks.front();
}

}  // namespace

TEST_CASE("page: whatever a run says stays text", "[report]") {
    Told told;
    const std::string evil = "</title></pre><script>alert(1)</script>\" onload='x' \x1b[2J\x01 &amp;";
    Report report = report_of(evil);
    report.name = evil;
    told.call(evil, evil).heard(Message{true, evil}).heard(StateChange{RunState::waiting_human, evil, {}, evil});
    told.heard(CheckpointNote{3, evil});
    told.recorder.happened(ErrorEvent{"control", "r", Error{ErrorCode::failed, evil}}, told.at);
    RunPage page = told.recorder.page(report, told.at);
    page.curves.push_back({evil, {{start, 1}, {told.at, 2}}});
    for (PageMark& mark : page.marks) mark.text = evil;
    const std::string html = to_html(page);
    CHECK(count_of(html, "<script") == 0);
    CHECK(count_of(html, "onload='") == 0);
    CHECK(count_of(html, "</title>") == count_of(html, "<title>"));
    CHECK(count_of(html, "</pre>") == count_of(html, "<pre "));
    CHECK(html.find('\x1b') == std::string::npos);
    CHECK(html.find('\x01') == std::string::npos);
    CHECK(count_of(html, "&lt;script&gt;alert(1)") >= 8);
    CHECK(count_of(html, "&amp;amp;") >= 8);
}

TEST_CASE("page: it needs nothing from elsewhere, and no script", "[report]") {
    const std::string html = Told{}.call("ls", "a b").html();
    CHECK(html.find("default-src 'none'") != std::string::npos);
    for (const std::string_view outside : {"http:", "https:", "src=", "@import", "url(", "<link", "<iframe", "<form"})
        CHECK(html.find(outside) == std::string::npos);
}

TEST_CASE("page: a call goes on until its result, and equal ones share a colour", "[report]") {
    Told told;
    for (const char* seconds : {"1.2", "1.3", "12.0"})  // how long it took does not matter
        told.call(R"({"command":"make test"})", std::string{"2 tests failed in "} + seconds + " s");
    told.call(R"({"command":"make test"})", "1 test failed");
    const RunPage page = told.page();
    const PageMark& first = mark_of(page, PageLane::call);
    CHECK(first.lasts == 1s);
    CHECK(first.label == "bash {\"command\":\"make test\"} \u2192 2 tests failed in 1.2 s");
    CHECK(first.unit == mark_of(page, PageLane::call, 2).unit);
    CHECK(first.unit != mark_of(page, PageLane::call, 3).unit);
    const std::string html = to_html(page);
    CHECK(count_of(html, "class=\"again\"") == 3);
    CHECK(html.find("<b>3 times</b>") != std::string::npos);
}

TEST_CASE("page: twice is no repetition, and a result without its call is passed over", "[report]") {
    Told told;
    told.call("a", "b").call("a", "b").heard(ToolResult{true, "nobody asked"});
    CHECK(count_of(told.html(), "class=\"again\"") == 0);
    told.heard(ToolCall{"bash", "x", "1"}).heard(ToolCall{"bash", "y", "2"}).heard(ToolResult{false, "no", "2"});
    const RunPage page = told.page();
    CHECK(mark_of(page, PageLane::call, 2).unit == 0);
    CHECK(mark_of(page, PageLane::call, 3).unit != 0);
    CHECK(mark_of(page, PageLane::call, 3).severity == Severity::warning);
}

TEST_CASE("page: states follow one another to the end", "[report]") {
    Told told;
    told.heard(StateChange{RunState::waiting_human, {}, {}, "which branch?"}).heard(StateChange{RunState::running});
    told.at += 10s;
    const RunPage page = told.page();
    CHECK(mark_of(page, PageLane::state, 0).lasts == 1s);
    CHECK(mark_of(page, PageLane::state, 1).label == "waiting_human: which branch?");
    CHECK(mark_of(page, PageLane::state, 2).lasts == 10s);
    CHECK(page.end == told.at);
}

TEST_CASE("page: what the watchdog found, did and said can be read", "[report]") {
    Told told;
    told.call("x", "y");
    Finding finding{Condition::loop_detected, Level::nudge, "loop", {.rule = "repeat"}};
    finding.evidence.add("repeats", 3).add("needed", 3);
    finding.evidence.last = 7;
    StatusEvent status{"r", Status::loop_detected, {}, Level::nudge, Severity::warning};
    status.findings.push_back(finding);
    told.recorder.happened(status, told.at, "because of this");
    told.recorder.happened(StatusEvent{"another", Status::stalled}, told.at);
    told.recorder.happened(
        ActionEvent{"r", {.kind = ActionKind::nudge, .outcome = ActionOutcome::done, .text = "Go on"}}, told.at);
    told.recorder.happened(OutcomeEvent{"r", 1, ActionKind::nudge, InterventionOutcome::recovered}, told.at);
    AlertRow row;
    row.alert.run.id = "r";
    row.alert.kind = "run.unhealthy";
    row.alert.summary = "run r: it loops";
    row.state = AlertRow::State::delivered;
    told.recorder.happened(AlertEvent{row, {"anna"}}, told.at);
    const RunPage page = told.page();
    CHECK(mark_of(page, PageLane::verdict).label == "LOOP_DETECTED (nudge)");
    CHECK(mark_of(page, PageLane::verdict).text ==
          "LOOP_DETECTED, level nudge: rule repeat of loop\n  repeats 3, needed 3\n  events 0 to 7 of the run\n"
          "because of this");
    CHECK(mark_of(page, PageLane::action).text == "Go on");
    CHECK(mark_of(page, PageLane::action, 1).label == "after inject:nudge: recovered");
    CHECK(mark_of(page, PageLane::alert).text == "run.unhealthy, delivered, read by anna");
    const std::string html = to_html(page);
    // Each can be reached from the timeline, and leads to where it is told.
    for (std::size_t i = 0; i < page.marks.size(); ++i) {
        const std::string place = "\"#e" + std::to_string(i) + "\"", id = "id=\"e" + std::to_string(i) + "\"";
        CHECK(count_of(html, place) == count_of(html, id));
    }
    CHECK(count_of(html, "href=\"#e") == 5);  // and the state
}

TEST_CASE("page: secrets are taken out", "[report]") {
    Told told;
    const std::string secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    told.call("curl -H " + secret, "token " + secret).heard(Message{true, "I use " + secret});
    told.heard(CheckpointNote{1, "with " + secret}).heard(StateChange{RunState::running, secret});
    CHECK(told.html().find("0123456789abcdefghij") == std::string::npos);
}

TEST_CASE("page: of a long run there is no more than can be shown, and that is said", "[report]") {
    Told told;
    for (int i = 0; i < 30'000; ++i) told.heard(Heartbeat{}).call(std::to_string(i), "ok");
    const RunPage page = told.page();
    CHECK(page.marks.size() < PageRecorder::most_marks + 5'000);  // signs of life are few, however many there are
    CHECK(page.left_out > 9'000);
    CHECK(page.end == told.at);
    const std::string html = to_html(page);
    CHECK(html.find(std::to_string(page.left_out) + " more calls") != std::string::npos);
    CHECK(html.size() < 10'000'000);
}

TEST_CASE("page: curves of progress and of what was spent", "[report]") {
    Told told;
    told.heard(Progress{3}).heard(Usage{100, 20, 1, 0, 0.5}).heard(Usage{0, 0, 1}).heard(Progress{9});
    const RunPage page = told.page();
    REQUIRE(page.curves.size() == 3);
    CHECK(page.curves[0].name == "files");
    CHECK(page.curves[0].points.size() == 2);
    CHECK(page.curves[1].points.size() == 1);
    CHECK(page.curves[1].points[0].value == 120);
    CHECK(page.curves[2].points[0].value == 0.5);
}

TEST_CASE("page: of a run that only a store knows", "[report]") {
    Report report = report_of("r");
    report.total = 100s;
    report.heartbeats.push_back({1, 4, 4, start + 10s});
    History known;
    known.row.emplace();
    known.row->ended_at = start + 100s;
    known.checkpoints.push_back({.number = 1, .at = start + 5s, .step = 2, .text = "half of it"});
    known.interventions.push_back(
        {1, 1, 1, Condition::stalled, ActionKind::nudge, InterventionOutcome::recovered, start + 50s});
    known.actions.push_back({.kind = ActionKind::nudge, .outcome = ActionOutcome::done, .intervention = 1});
    known.audit.push_back({start + 49s, "verdict", "r", R"({"status":"STALLED"})"});
    const RunPage page = stored_page(report, known, start + 500s);
    CHECK(page.begin == start);
    CHECK(page.end == start + 100s);
    CHECK(mark_of(page, PageLane::checkpoint).text == "half of it");
    CHECK(mark_of(page, PageLane::action).at == start + 50s);
    CHECK(mark_of(page, PageLane::record).text == R"({"status":"STALLED"})");
    CHECK(page.curves.front().points.front().value == 4);
    for (std::size_t i = 1; i < page.marks.size(); ++i) CHECK(page.marks[i - 1].at <= page.marks[i].at);
}

TEST_CASE("page: a run of no length, and moments before its beginning", "[report]") {
    RunPage page;
    page.marks.push_back({.at = start - 5s, .lane = PageLane::verdict, .label = "early"});
    page.begin = page.end = start;
    const std::string html = to_html(page);
    CHECK(html.find("early") != std::string::npos);
    CHECK(html.find("nan") == std::string::npos);
    CHECK(html.find("inf") == std::string::npos);
}

TEST_CASE("page: times as people read them", "[report]") {
    CHECK(detail::clock_text(7s) == "0:07");
    CHECK(detail::clock_text(12min + 31s) == "12:31");
    CHECK(detail::clock_text(3h + 4min + 5s) == "3:04:05");
    CHECK(detail::clock_text(48h + 3h + 4min + 5s) == "2d 3:04:05");
    CHECK(detail::clock_text(-5s) == "0:00");
}
