// What a watchdog left in a file, gone on with by another.
#include <heeler/store/sqlite_store.hpp>

#include "support/real_process.hpp"
#include "support/stored_layout.hpp"

using namespace heeler;

TEST_CASE("what one watchdog stored in a file, another goes on with", "[store][sqlite]") {
    const heeler_test::ScratchDirectory directory;
    stored_layout::write(SqliteStore{directory / "store.db"});
    stored_layout::goes_on(SqliteStore{directory / "store.db"});
}
