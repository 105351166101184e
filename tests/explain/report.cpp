#include <heeler/explain/report.hpp>

#include <heeler/text/json_writer.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

Report told_report() {
    Report report;
    report.run = "r";
    report.name = "port \"it\"";
    report.total = 90s;
    report.intervals = 1;
    report.conditions = {"STALLED"};
    report.interventions = {
        {1, 1, 1, Condition::stalled, ActionKind::nudge, InterventionOutcome::recovered, bench::start.wall}};
    report.heartbeats = {{1, std::nullopt, 0, bench::start.wall + 60s}};
    report.metric = "files";
    report.interval = 300s;
    report.actions.resize(1);
    report.actions[0].intervention = 1;
    report.actions[0].outcome = ActionOutcome::done;
    report.actions[0].note = "typed\ninto %3";
    report.final_status = "recovered";
    return report;
}

}  // namespace

TEST_CASE("the record of an intervention has five fields, its time from a moment or as a date [M-179]", "[explain]") {
    const Intervention record = told_report().interventions[0];
    text::JsonLine line;
    write_intervention(line, record, "r", bench::start.wall - 60s);
    CHECK(std::move(line).text() ==
          R"({"timestamp":60,"run_id":"r","condition":"STALLED","action_taken":"inject:nudge","outcome":"recovered"})");
    text::JsonLine dated;
    write_intervention(dated, record, "r", std::nullopt);
    CHECK_THAT(std::move(dated).text(), ContainsSubstring(R"("timestamp":"2027-01-15T08:00:00.000Z")"));
}

TEST_CASE("a report as JSON says null for what there is not, and quotes what hosts wrote [M-180]", "[explain]") {
    const std::string text = to_json(told_report());
    CHECK_THAT(text,
               ContainsSubstring(
                   R"("heartbeats":[{"interval":1,"value":null,"delta":0,"timestamp":"2027-01-15T08:01:00.000Z"}])") &&
                   ContainsSubstring(R"("metric":"files","interval_s":300,"intervals":1)") &&
                   ContainsSubstring(R"("final_status":"recovered","completed_by":null)") &&
                   ContainsSubstring(R"("name":"port \"it\"")"));
}

TEST_CASE("a report for people has its facts, and tables of what there was [M-180]", "[explain]") {
    Report report = told_report();
    std::string text = to_text(report);
    CHECK_THAT(text, ContainsSubstring("| Total time") && ContainsSubstring("1m 30s") &&
                         ContainsSubstring("| Action taken") && ContainsSubstring("| Interval |"));
    CHECK_THAT(text, ContainsSubstring("| Progress metric     | files") &&
                         ContainsSubstring("| Interval            | 5m 0s") &&
                         ContainsSubstring("| inject:nudge | 1            | done    | typed into %3 |") &&
                         ContainsSubstring("| 1        | 2027-01-15T08:01:00.000Z | -     | 0     |"));
    CHECK(text.find("Recommendation") == std::string::npos);
    report.interventions.clear();
    report.actions.clear();
    report.heartbeats[0].at = WallTime{};
    CHECK_THAT(to_json(report), ContainsSubstring(R"("delta":0,"timestamp":null)"));
    CHECK_THAT(to_text(report), ContainsSubstring("| 1        | -    | -     | 0     |"));
    report.heartbeats.clear();
    report.recommendation = "Start again.";
    text = to_text(report);
    CHECK(text.find("Action") == std::string::npos);
    CHECK_THAT(text, ContainsSubstring("\nRecommendation: Start again.\n"));
}

TEST_CASE("a log warns of what was done and said, and whispers what was held back [M-183]", "[explain]") {
    CycleReport cycle;
    ActionEvent done{"r", {}};
    done.action.outcome = ActionOutcome::done;
    ActionEvent skipped = done;
    skipped.action.outcome = ActionOutcome::skipped;
    AlertEvent dead;
    dead.row.state = AlertRow::State::dead;
    cycle.events = {done, skipped, dead};
    cycle.error("store", "r", Error{ErrorCode::io, "disk\nfull"});
    cycle.suppressed = 2;
    std::string levels;
    for (const LogLine& line : log_lines(cycle)) levels += std::to_string(static_cast<int>(line.level));
    CHECK(levels == "10220");
    CHECK_THAT(log_lines(cycle).back().text, ContainsSubstring("2 rungs held back"));
    CHECK_THAT(error_text(cycle, bench::start.wall), ContainsSubstring(" ERROR heeler [r] store: disk"));
    CHECK(log_lines(CycleReport{}).empty());
}
