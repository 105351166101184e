#include <heeler/alert/suggestions.hpp>

#include <string>

#include <heeler/alert/json.hpp>
#include <heeler/alert/text.hpp>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("each alert about a worker says what can be done, the mildest first [M-118]") {
    CHECK(suggestions_for("worker.stuck") == "investigate, nudge, restart");
    CHECK(suggestions_for("worker.error") == "investigate, retry, abandon");
    CHECK(suggestions_for("worker.complete") == "collect, merge, cleanup");
    CHECK(suggestions_for("worker.needs_input") == "approve, decline, review");
    CHECK(suggestions_for("run.unhealthy").empty());
}

TEST_CASE("messages say what can be done, for programs and for people [M-118]") {
    Alert alert;
    alert.kind = "worker.stuck";
    CHECK_THAT(alert_json(alert),
               ContainsSubstring(R"("details":{},"suggestions":["investigate","nudge","restart"],"at")"));
    CHECK_THAT(format_alert(alert), ContainsSubstring("\nSuggested: investigate, nudge, restart"));
    alert.kind = "run.unhealthy";
    CHECK(alert_json(alert).find("suggestions") == std::string::npos);
    CHECK(format_alert(alert).find("Suggested") == std::string::npos);
}
