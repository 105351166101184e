#include <heeler/settings/validate.hpp>

#include <cmath>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

std::string refusal_of(RunSpec spec) {
    const auto answer = detail::check_spec(spec);
    return answer ? "" : answer.error().message;
}

std::string refusal_of(void (*change)(RunClass&)) {
    RunClass rules = bench::minute_class("mine");
    change(rules);
    const auto answer = detail::check_class(rules);
    return answer ? "" : answer.error().message;
}

}  // namespace

TEST_CASE("a run without an id is called by its name, and the other way round", "[settings]") {
    RunSpec spec;
    CHECK_THAT(refusal_of(spec), ContainsSubstring("neither id nor name"));
    spec.name = "nightly";
    REQUIRE(detail::check_spec(spec));
    CHECK((spec.id == "nightly" && spec.name == "nightly"));
    spec = {};
    spec.id = "r";
    REQUIRE(detail::check_spec(spec));
    CHECK(spec.name == "r");
}

TEST_CASE("lengths and moments of a run have limits, which the refusal names", "[settings]") {
    RunSpec spec = bench::spec_of("r");
    spec.expected = 0s;
    CHECK_THAT(refusal_of(spec), ContainsSubstring("expected is 0") && ContainsSubstring("it must be"));
    spec.expected = 1us;
    CHECK(refusal_of(spec).empty());
    spec.timeout = detail::longest_setting + 1us;
    CHECK_THAT(refusal_of(spec), ContainsSubstring("timeout"));
    spec.timeout = detail::longest_setting;
    CHECK(refusal_of(spec).empty());
    spec.created_at = WallTime{std::chrono::hours{24 * 365 * 300}};
    CHECK_THAT(refusal_of(spec), ContainsSubstring("created_at") && ContainsSubstring("2260"));
    spec.created_at.reset();
    spec.started_at = WallTime{-std::chrono::hours{24 * 365 * 80}};
    CHECK_THAT(refusal_of(spec), ContainsSubstring("started_at") && ContainsSubstring("1900"));
}

TEST_CASE("what cannot be counted with is told from what can", "[settings]") {
    CHECK(detail::is_sane(Usage{1, 2, 3, 4, 0.5}));
    CHECK(detail::is_sane(Usage{std::int64_t{1} << 50, 0, 0, 0, 0}));
    CHECK_FALSE(detail::is_sane(Usage{(std::int64_t{1} << 50) + 1, 0, 0, 0, 0}));
    CHECK_FALSE(detail::is_sane(Usage{0, -1, 0, 0, 0}));
    CHECK_FALSE(detail::is_sane(Usage{0, 0, 0, 0, std::nan("")}));
    CHECK(detail::is_sane(Progress{-(std::int64_t{1} << 60)}));
    CHECK_FALSE(detail::is_sane(Progress{(std::int64_t{1} << 60) + 1}));
    CHECK(detail::is_sane(Heartbeat{}));
}

TEST_CASE("a class that cannot work is refused by the setting and its limit", "[settings]") {
    CHECK(refusal_of([](RunClass&) {}).empty());
    CHECK_THAT(refusal_of([](RunClass& r) { r.name = std::string(65, 'x'); }), ContainsSubstring("1 to 64 bytes"));
    CHECK_THAT(refusal_of([](RunClass& r) { r.schedule.period = 500ms; }),
               ContainsSubstring("schedule.period is 0.500000 s; it must be 1s to"));
    CHECK_THAT(refusal_of([](RunClass& r) { r.schedule.aligned = true; }), ContainsSubstring("needs a period"));
    CHECK_THAT(refusal_of([](RunClass& r) { r.schedule.period = 61s; }), ContainsSubstring("shorten the period"));
    CHECK_THAT(refusal_of([](RunClass& r) {
                   r.schedule.period = 60s;
                   r.verify_after = 59s;
               }),
               ContainsSubstring("verify_after") && ContainsSubstring("at least one period"));
    CHECK_THAT(refusal_of([](RunClass& r) { r.grace = -1s; }), ContainsSubstring("grace"));
    CHECK_THAT(refusal_of([](RunClass& r) { r.ladder = {}; }), ContainsSubstring("no ladder"));
    CHECK_THAT(refusal_of([](RunClass& r) { r.limits.debounce = 0; }), ContainsSubstring("1 to 1000"));
    CHECK_THAT(refusal_of([](RunClass& r) { r.alerts.outbox.longest_retry = 48h; }),
               ContainsSubstring("give_up_after"));
}

TEST_CASE("the owner of a run is a name that somebody can bear [M-046]") {
    RunSpec spec = bench::spec_of("r");
    spec.owner = "ann";
    CHECK(refusal_of(spec).empty());
    for (const std::string& nobody : {std::string(129, 'a'), std::string{"a\nb"}, std::string{"\xff"}}) {
        spec.owner = nobody;
        CHECK_THAT(refusal_of(spec), ContainsSubstring("the owner of the run"));
    }
}
