#include <heeler/alert/session_alert.hpp>

#include <heeler/notify/log_notifier.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

Alert session_alert() {
    Alert alert;
    alert.kind = "run.unhealthy";
    alert.run = {"abcdef1234567", "nightly", "", "ai"};
    alert.severity = Severity::warning;
    alert.summary = "abcdef1234567 is TIMEOUT";
    alert.issues = {"Running for 3 hours"};
    alert.details = {{"session", "abcdef12"}, {"duration", hours_and_minutes(11'100s)}, {"tool_calls", "37"}};
    return alert;
}

}  // namespace

TEST_CASE("A-64: a session alert names session, project, duration, calls and issues [M-124]") {
    Alert alert = session_alert();
    CHECK(format_session_alert(alert) ==
          "\xE2\x9A\xA0 Session abcdef12\n"
          "Project: ai\n"
          "Duration: 3h 5m\n"
          "Tool calls: 37\n"
          "\xE2\x80\xA2 Running for 3 hours");

    alert.severity = Severity::critical;
    alert.issues.emplace_back("Silent for 10 minutes");
    alert.details.push_back({"next", "abandoned"});
    const std::string text = format_session_alert(alert);
    CHECK(text.starts_with("\xF0\x9F\x9A\xA8 Session abcdef12\n"));
    CHECK(text.ends_with("\n\xE2\x80\xA2 Running for 3 hours\n\xE2\x80\xA2 Silent for 10 minutes\nNext: abandoned"));
}

TEST_CASE("a session alert says what can be done [M-118]") {
    Alert alert = session_alert();
    alert.kind = "worker.stuck";
    CHECK(format_session_alert(alert).ends_with("\nSuggested: investigate, nudge, restart"));
    alert.details.push_back({"stop", "heeler-ctl stop"});
    CHECK(format_session_alert(alert).ends_with("\nSuggested: investigate, nudge, restart\nStop: heeler-ctl stop"));
}

TEST_CASE("a command in a session alert is whole, and an id that hides something shows it [M-124]") {
    Alert alert = session_alert();
    const std::string command = "heeler-ctl --store 'sqlite:/" + std::string(1000, 'd') + "' snooze --for 2h -- 'id'";
    alert.details.push_back({"stop", command});
    CHECK(format_session_alert(alert).ends_with("\nStop: " + command));
    alert.details.back().value = std::string(5000, 'd');
    alert.run.id =
        "\xE2\x80\xAE"
        "abcdefghij";
    CHECK_THAT(format_session_alert(alert),
               ContainsSubstring("Session \\u{202E}abcdefg\n") && !ContainsSubstring("Stop"));
}

TEST_CASE("A-64: a duration is hours and minutes, or minutes alone [M-124]") {
    CHECK(hours_and_minutes(11'100s) == "3h 5m");
    CHECK(hours_and_minutes(2700s) == "45m");
    CHECK(hours_and_minutes(59s) == "0m");
    CHECK(hours_and_minutes(3599s) == "59m");
    CHECK(hours_and_minutes(3600s) == "1h 0m");
    CHECK(hours_and_minutes(100h) == "100h 0m");
    CHECK(hours_and_minutes(-5s) == "0m");
}

TEST_CASE("a session is called by its first eight characters [M-124]") {
    CHECK(short_id("abcdef1234567") == "abcdef12");
    CHECK(short_id("abc") == "abc");
    CHECK(short_id("").empty());
    CHECK(short_id("\xC3\xA4\xC3\xB6\xC3\xBC\xE2\x82\xAC\xF0\x9F\x90\xB6"
                   "1234") ==
          "\xC3\xA4\xC3\xB6\xC3\xBC\xE2\x82\xAC\xF0\x9F\x90\xB6"
          "123");
    CHECK(short_id("\xff\xff\xff\xff\xff\xff\xff\xff\xff").size() == 8);
}

TEST_CASE("what an alert does not say takes no line") {
    Alert alert = session_alert();
    alert.run.project.clear();
    alert.details.clear();
    CHECK(format_session_alert(alert) == "\xE2\x9A\xA0 Session abcdef12\n\xE2\x80\xA2 Running for 3 hours");

    alert.kind = "run.recovered";
    alert.severity = Severity::none;
    alert.issues.clear();
    alert.summary = "abcdef1234567 is healthy again";
    CHECK(format_session_alert(alert) == "\xE2\x9C\x85 Session abcdef12\nSummary: abcdef1234567 is healthy again");
    alert.details = {{"lasted", "4m 30s"}, {"steps", "inject:nudge: recovered"}, {"cost", "0.42 USD"}};
    CHECK_THAT(format_session_alert(alert),
               ContainsSubstring("\nLasted: 4m 30s\nSteps: inject:nudge: recovered\nCost: 0.42 USD"));
    CHECK(LogNotifier::line_of(alert).ends_with("; lasted: 4m 30s; steps: inject:nudge: recovered; cost: 0.42 USD"));
}

TEST_CASE("no text in an alert can add a line to the message") {
    Alert alert = session_alert();
    alert.run.project = "ai\n\xE2\x80\xA2 forged";
    alert.issues = {"Looping: a\nb\x1b[2J called 5 times consecutively"};
    const std::string text = format_session_alert(alert);
    CHECK(std::count(text.begin(), text.end(), '\n') == 4);
    CHECK(text.find('\x1b') == std::string::npos);

    alert.issues.assign(1000, std::string(10'000, 'x'));
    CHECK(format_session_alert(alert).size() < 16'384);
    CHECK_THAT(format_session_alert(alert), ContainsSubstring("... and 984 more"));
}
