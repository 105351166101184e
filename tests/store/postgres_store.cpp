#include <heeler/store/postgres_store.hpp>

#include <string>

#include "contract/store_contract.hpp"
#include "support/postgres.hpp"

using namespace heeler;
using heeler_test::postgres_at;
using heeler_test::postgres_directory;
using heeler_test::PostgresClient;
using heeler_test::PostgresServer;
using heeler_test::ScratchSchema;
using store_contract::commit;
using store_contract::history;
using store_contract::ids;
using store_contract::new_run;
using namespace std::chrono_literals;

namespace {

struct PostgresBackend {
    ScratchSchema schema;
    PostgresStore open() { return PostgresStore{postgres_at(postgres_directory()), schema.settings()}; }
};

}  // namespace

TEST_CASE("PostgresStore keeps the contract of stores", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    store_contract::check<PostgresBackend>();
}
