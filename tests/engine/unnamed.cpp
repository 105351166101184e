#include <heeler/store/sqlite_store.hpp>

#include "engine/unnamed.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;

TEST_CASE("a second process without a name is refused by its SQLite store until the first has ended") {
    const ScratchLog folder;
    unnamed::sole_watchdog([path = folder.path("store.db")] { return SqliteStore{path}; });
}

TEST_CASE("a run that is started while the store is still its predecessor's is that one's run afterwards") {
    const ScratchLog folder;
    unnamed::handles_stay_good([path = folder.path("store.db")] { return SqliteStore{path}; });
}

TEST_CASE("a watchdog without a name leaves nothing behind that keeps others away") {
    MemoryStore store;
    {
        const auto dog = unnamed::boot(store);
        CHECK(unnamed::errors_of(*dog).empty());
        CHECK(store.holders()->at(0).live);
    }
    CHECK_FALSE(store.holders()->at(0).live);
}

TEST_CASE("no watchdog may bear the name that stands for none") {
    EngineSettings settings;
    settings.holder = unnamed_holder;
    const auto good = check_settings(settings);
    REQUIRE_FALSE(good);
    CHECK_THAT(good.error().message, ContainsSubstring("EngineSettings::holder"));
}
