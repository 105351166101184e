#include <heeler/explain/observed_error.hpp>

#include <string>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("an answer of observe has an error of its own that names the run") {
    const auto [answer, code, words] = GENERATE(table<Observed, ErrorCode, std::string>(
        {{Observed::unknown, ErrorCode::unknown_run, "not watched here"},
         {Observed::ended, ErrorCode::ended, "is over"},
         {Observed::elsewhere, ErrorCode::conflict, "another watchdog"},
         {Observed::fenced, ErrorCode::fenced, "another agent"},
         {Observed::refused, ErrorCode::invalid_argument, "outside its limits"}}));
    const Error error = error_of(answer, "nightly");
    CHECK(error.code == code);
    CHECK(error.message.starts_with("the run 'nightly' "));
    CHECK(error.message.find(words) != std::string::npos);
}
