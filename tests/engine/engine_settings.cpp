// Settings that cannot work are refused by whatever is called first.
#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// What define, start and tick answer, which must be the same; empty: nothing is wrong.
std::string refusal(void (*change)(EngineSettings&)) {
    EngineSettings settings;
    change(settings);
    bench::Bench b;
    b.settings = settings;
    b.boot();
    const auto defined = b.dog->define(bench::minute_class());
    const auto started = b.dog->start(bench::spec_of("r"), bench::minute_class());
    const auto by_name = b.dog->start(bench::spec_of("r"), "minute");
    const auto errors = bench::all_of<ErrorEvent>(b.dog->tick());
    if (defined) {
        CHECK(started);
        CHECK(errors.empty());
        return "";
    }
    const std::string said = defined.error().message;
    CHECK(defined.error().code == ErrorCode::invalid_argument);
    REQUIRE_FALSE(started);
    REQUIRE_FALSE(by_name);
    CHECK((started.error().message == said && by_name.error().message == said));
    REQUIRE(errors.size() == 1);
    CHECK((errors[0].where == "settings" && errors[0].error.message == said));
    CHECK(b.memory.load()->runs.empty());
    return said;
}

}  // namespace

TEST_CASE("settings of a watchdog that cannot work are refused at once, with their limit [M-186]") {
    CHECK(refusal([](EngineSettings&) {}).empty());
    CHECK(refusal([](EngineSettings& s) { s.holder = "dog"; }).empty());
    CHECK_THAT(refusal([](EngineSettings& s) {
                   s.holder = "dog";
                   s.renew_every = 8s;
               }),
               ContainsSubstring("EngineSettings::renew_every") && ContainsSubstring("at most lease / 2"));
    CHECK_THAT(refusal([](EngineSettings& s) {
                   s.holder = "dog";
                   s.renew_every = 0s;
               }),
               ContainsSubstring("renew_every must be more than 0"));
    CHECK_THAT(refusal([](EngineSettings& s) {
                   s.holder = "dog";
                   s.lease_margin = 10s;
               }),
               ContainsSubstring("EngineSettings::lease_margin must be more than 0 and less than lease - renew_every"));
    CHECK_THAT(refusal([](EngineSettings& s) {
                   s.holder = "dog";
                   s.claim_runs = 0;
               }),
               ContainsSubstring("EngineSettings::claim_runs must be at least 1"));
}

TEST_CASE("lengths that no watchdog could work with are refused, whether it is alone or not [M-186]") {
    CHECK_THAT(refusal([](EngineSettings& s) { s.gap = 0s; }),
               ContainsSubstring("EngineSettings::gap is 0") && ContainsSubstring("more than 0"));
    CHECK_THAT(refusal([](EngineSettings& s) { s.flush_every = -1s; }),
               ContainsSubstring("EngineSettings::flush_every is -1") && ContainsSubstring("0 or more"));
    CHECK_THAT(refusal([](EngineSettings& s) { s.memory_every = -1s; }), ContainsSubstring("memory_every"));
    CHECK_THAT(refusal([](EngineSettings& s) { s.store_down_after = -1s; }), ContainsSubstring("store_down_after"));
    CHECK_THAT(refusal([](EngineSettings& s) { s.store_down_repeat = -1s; }), ContainsSubstring("store_down_repeat"));
    CHECK(refusal([](EngineSettings& s) { s.memory_every = 0s; }).empty());
    CHECK_THAT(refusal([](EngineSettings& s) { s.due_per_tick = 0; }),
               ContainsSubstring("EngineSettings::due_per_tick must be 1 to 4194304"));
    CHECK_THAT(refusal([](EngineSettings& s) { s.due_per_tick = 4'194'305; }), ContainsSubstring("due_per_tick"));
    CHECK(refusal([](EngineSettings& s) { s.due_per_tick = 1; }).empty());
}

TEST_CASE("a store whose statements may outlast half of the lease is refused, with both lengths [M-186]") {
    struct SlowStore : MemoryStore {
        Duration most{};
        explicit SlowStore(Duration longest) : most{longest} {}
        [[nodiscard]] Duration statement_timeout() const noexcept { return most; }
    };
    const auto told = [](Duration longest, const std::string& holder) {
        EngineSettings settings;
        settings.holder = holder;
        Watchdog<ManualClock, SlowStore, RecordingNotifier> dog{ManualClock{bench::start}, SlowStore{longest},
                                                                RecordingNotifier{}, settings};
        const auto defined = dog.define(bench::minute_class());
        const auto errors = bench::all_of<ErrorEvent>(dog.cycle());
        CHECK(defined.has_value() == errors.empty());
        return defined ? "" : defined.error().message;
    };
    CHECK(told(7500ms, "dog").empty());
    CHECK(told(10min, "").empty());
    CHECK_THAT(told(7501ms, "dog"),
               ContainsSubstring("statement_timeout is 7.501") && ContainsSubstring("EngineSettings::lease 15"));
}
