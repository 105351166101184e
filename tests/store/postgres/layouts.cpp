// Stored schemas of earlier layouts in PostgreSQL, one each in tests/store/layouts: opened and gone on with.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <heeler/store/postgres/open.hpp>
#include <heeler/store/postgres_store.hpp>

#include "support/postgres.hpp"
#include "support/stored_layout.hpp"

using namespace heeler;
using heeler_test::postgres_at;
using heeler_test::postgres_directory;
using heeler_test::PostgresClient;
using heeler_test::ScratchSchema;

TEST_CASE("a stored PostgreSQL schema of each layout that is read opens and goes on", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    for (const detail::SchemaStep& step : detail::postgres_schema) {
        INFO("layout " << step.version);
        const ScratchSchema schema;
        const auto folder = std::filesystem::path{__FILE__}.parent_path().parent_path() / "layouts";
        std::ifstream dump{folder / ("postgres_" + std::to_string(step.version) + ".sql")};
        REQUIRE(dump);
        const std::string sql{std::istreambuf_iterator<char>{dump}, {}};
        PostgresClient client{postgres_at(postgres_directory())};
        client.ask("CREATE SCHEMA " + schema.name() + "; SET search_path = " + schema.name());
        client.ask(sql);
        stored_layout::goes_on(PostgresStore{postgres_at(postgres_directory()), schema.settings()});
    }
}

/// Run it with HEELER_POSTGRES=DIRECTORY when a step is added, and keep what `pg_dump --inserts --no-owner --no-acl -n
/// layout` says, without the schema's name.
TEST_CASE("writes a stored PostgreSQL schema of the newest layout", "[.layout]") {
    REQUIRE_FALSE(postgres_directory().empty());
    PostgresSettings settings;
    settings.schema = "layout";
    stored_layout::write(PostgresStore{postgres_at(postgres_directory()), settings});
}
