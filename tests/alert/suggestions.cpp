#include <heeler/alert/suggestions.hpp>

#include <string>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("each alert about a worker says what can be done, the mildest first [M-118]") {
    const auto all = [](std::string_view kind) {
        std::string text;
        for (const std::string_view each : suggestions_for(kind)) text += std::string{each} + " ";
        return text;
    };
    CHECK(all("worker.stuck") == "investigate nudge restart ");
    CHECK(all("worker.error") == "investigate retry abandon ");
    CHECK(all("worker.complete") == "collect merge cleanup ");
    CHECK(all("worker.needs_input") == "approve decline review ");
    CHECK(all("run.unhealthy").empty());
}
