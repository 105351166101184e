#include <heeler/alert/group.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

constexpr WallTime group_start{1'800'000'000s};

[[nodiscard]] OutboxSettings grouping() {
    OutboxSettings settings;
    settings.group_wait = 30s;
    settings.group_interval = 5min;
    return settings;
}

[[nodiscard]] Alert alert_about(const std::string& run) {
    Alert alert;
    alert.key = "key of " + run;
    alert.run = {run, run, {}, {}};
    alert.summary = "run " + run + " needs attention";
    alert.issues = {"STALLED"};
    return alert;
}

}  // namespace

TEST_CASE("alerts of a group wait for the first one, and the next ones for the interval", "[alert]") {
    detail::AlertGroups groups;
    CHECK(groups.join("a", group_start, grouping()) == group_start + 30s);
    CHECK(groups.join("a", group_start + 20s, grouping()) == group_start + 30s);
    CHECK(groups.join("b", group_start + 20s, grouping()) == group_start + 50s);
    groups.take("a");
    groups.told("a", group_start + 31s, grouping());
    CHECK(groups.join("a", group_start + 40s, grouping()) == group_start + 331s);
    groups.take("a");
    groups.told("a", group_start + 331s, grouping());
    CHECK(groups.join("a", group_start + 1000s, grouping()) == group_start + 1030s);
}

TEST_CASE("what could not be told waits for no interval", "[alert]") {
    detail::AlertGroups groups;
    CHECK(groups.join("a", group_start, grouping()) == group_start + 30s);
    groups.take("a");
    CHECK(groups.join("a", group_start, grouping()) == group_start + 30s);
}

TEST_CASE("groups are forgotten, but not before their interval is over", "[alert]") {
    detail::AlertGroups groups;
    for (int i = 0; i < 1000; ++i) {
        const WallTime now = group_start + i * 1s;
        CHECK(groups.join(std::to_string(i), now, grouping()) == now + 30s);
        groups.take(std::to_string(i));
        groups.told(std::to_string(i), now, grouping());
    }
    CHECK(groups.join("999", group_start + 1000s, grouping()) == group_start + 999s + 300s);
}

TEST_CASE("an alert speaks for others under its own key, and names so many", "[alert]") {
    Alert lead = alert_about("w0");
    CHECK_FALSE(speaks_for_others(lead));
    std::vector<Alert> all;
    for (int i = 0; i < 38; ++i) all.push_back(alert_about("w" + std::to_string(i)));
    all[3].severity = Severity::critical;
    List<const Alert*> others;
    for (const Alert& each : all) others.push_back(&each);
    speak_for(lead, others);
    CHECK(speaks_for_others(lead));
    CHECK(lead.key == "key of w0");
    CHECK(lead.severity == Severity::critical);
    CHECK(lead.summary == "run w0 needs attention, and 37 more runs");
    REQUIRE(lead.issues.size() == 2);
    CHECK(lead.issues[1] ==
          "also: w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15, w16, w17, w18, w19, w20 and 17 "
          "more");
    REQUIRE(lead.details.size() == 1);
    CHECK(lead.details[0].value == "38");
}

TEST_CASE("where no issues are listed, the others stand in a line of their own", "[alert]") {
    Alert lead = alert_about("a");
    lead.issues.clear();
    const Alert other = alert_about("b");
    const Alert same = alert_about("a");
    speak_for(lead, {&other, &same});
    CHECK(lead.summary == "run a needs attention, and 1 more run");
    CHECK(lead.issues.empty());
    REQUIRE(lead.details.size() == 2);
    CHECK(lead.details[1].name == "also");
    CHECK(lead.details[1].value == "b");
}

TEST_CASE("why an alert is not told, or not by itself, is said in words", "[alert]") {
    AlertRow row;
    CHECK(reason_of(row).empty());
    row.last_error = "down";
    CHECK(reason_of(row) == "down");
    row.with_key = "k";
    row.with_run = "r";
    row.how = AlertRow::How::together;
    CHECK(reason_of(row) == "told with k of the run r");
    CHECK(detail::follows(row));
    row.state = AlertRow::State::dead;
    CHECK(reason_of(row) == "told with k of the run r, which nobody received");
    CHECK_FALSE(detail::follows(row));
    row.how = AlertRow::How::inhibited;
    CHECK(reason_of(row) == "inhibited: people know of the run r above it");
    row.how = AlertRow::How::silenced;
    row.note = "silenced by 1";
    CHECK(reason_of(row) == "silenced by 1");
    row.how = AlertRow::How::alone;
    CHECK(reason_of(row) == "down");
    row.last_error.clear();
    CHECK(reason_of(row) == "sent by itself");
    row.state = AlertRow::State::delivered;
    CHECK(reason_of(row).empty());
}

TEST_CASE("what a channel answers is never taken for a word of the watchdog", "[alert]") {
    AlertRow row;
    row.last_error = "told with k of the run r";
    CHECK_FALSE(detail::follows(row));
}
