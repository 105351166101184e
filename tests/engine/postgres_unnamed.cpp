#include <heeler/store/postgres_store.hpp>

#include "engine/unnamed.hpp"
#include "support/postgres.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("a second process without a name is refused by its PostgreSQL store until the first has ended",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const heeler_test::ScratchSchema schema;
    unnamed::sole_watchdog([settings = schema.settings()] {
        return PostgresStore{heeler_test::postgres_at(heeler_test::postgres_directory()), settings};
    });
}

TEST_CASE("a PostgreSQL store whose statement_timeout is not well below the lease is refused", "[postgres]") {
    PostgresSettings store;
    store.statement_timeout = 8s;
    EngineSettings settings;
    settings.holder = "dog";
    Watchdog<ManualClock, PostgresStore, RecordingNotifier> dog{
        ManualClock{bench::start}, PostgresStore{"host=/nowhere/at/all", store}, RecordingNotifier{}, settings};
    const auto defined = dog.define(bench::minute_class());
    REQUIRE_FALSE(defined);
    CHECK_THAT(defined.error().message, ContainsSubstring("statement_timeout is 8"));
}
