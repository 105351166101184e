// What a watchdog left in PostgreSQL, gone on with by another.
#include <heeler/store/postgres_store.hpp>

#include "support/postgres.hpp"
#include "support/stored_layout.hpp"

using namespace heeler;

TEST_CASE("what one watchdog stored in PostgreSQL, another goes on with", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    const heeler_test::ScratchSchema schema;
    const std::string server = heeler_test::postgres_at(heeler_test::postgres_directory());
    stored_layout::write(PostgresStore{server, schema.settings()});
    stored_layout::goes_on(PostgresStore{server, schema.settings()});
}
