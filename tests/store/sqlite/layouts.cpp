// Stored files of earlier layouts, one each in tests/store/layouts: opened and gone on with, or refused.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <heeler/store/sqlite/open.hpp>
#include <heeler/store/sqlite_store.hpp>

#include "support/real_process.hpp"
#include "support/stored_layout.hpp"

using namespace heeler;
using heeler_test::ScratchDirectory;

namespace {

/// A file as the library of that layout left it (a dump of `sqlite3 FILE .dump`, and what it leaves out).
struct StoredFile {
    ScratchDirectory directory;
    std::string path = directory / "store.db";

    explicit StoredFile(std::int64_t layout) {
        const auto folder = std::filesystem::path{__FILE__}.parent_path().parent_path() / "layouts";
        std::ifstream dump{folder / ("sqlite_" + std::to_string(layout) + ".sql")};
        REQUIRE(dump);
        const std::string sql{std::istreambuf_iterator<char>{dump}, {}};
        auto connection = detail::SqliteConnection::open(path, std::chrono::seconds{1});
        REQUIRE(connection);
        const auto made = connection->run(sql.c_str());
        if (!made) FAIL(made.error().message);
    }
    [[nodiscard]] std::string content() const {
        std::ifstream file{path, std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }
};

}  // namespace

TEST_CASE("a stored file of each layout that is read opens and goes on", "[store][sqlite]") {
    for (const detail::SchemaStep& step : detail::sqlite_schema) {
        INFO("layout " << step.version);
        const StoredFile stored{step.version};
        stored_layout::goes_on(SqliteStore{stored.path});
    }
}

TEST_CASE("a stored file of a layout that was never released is refused as a whole, and left alone",
          "[store][sqlite]") {
    const StoredFile stored{3};
    const std::string before = stored.content();
    {
        Watchdog dog{ManualClock{bench::start}, SqliteStore{stored.path}, RecordingNotifier{}};
        REQUIRE(dog.define(presets::long_run()));
        for (int i = 0; i < 2; ++i) {
            const auto errors = bench::all_of<ErrorEvent>(dog.cycle());
            REQUIRE(errors.size() == 1);  // one for the file, not one for each run
            CHECK((errors[0].where == "load" && errors[0].run.empty()));
            CHECK(errors[0].error.code == ErrorCode::older_schema);
            CHECK_THAT(errors[0].error.message,
                       ContainsSubstring("its store schema is 3, and this heeler reads 4 and newer") &&
                           ContainsSubstring("choose another path"));
        }
        CHECK(dog.start({.name = "new"}, "long_run")->not_stored);
    }
    CHECK(stored.content() == before);
}

/// Run it with HEELER_LAYOUT=FILE.db when a step is added, and keep what `sqlite3 FILE.db .dump` says.
TEST_CASE("writes a stored file of the newest layout", "[.layout]") {
    const char* const path = std::getenv("HEELER_LAYOUT");
    REQUIRE(path != nullptr);
    stored_layout::write(SqliteStore{path});
}
