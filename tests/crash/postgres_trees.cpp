// A watchdog of task trees on a PostgreSQL server is killed, everywhere.
#include <heeler/store/postgres_store.hpp>

#include "crash/trees.hpp"
#include "support/catch.hpp"
#include "support/postgres.hpp"

using namespace crash;

namespace {

/// A schema that is emptied before each trial.
class TreeTables {
public:
    [[nodiscard]] Place place() const {
        return {"PostgreSQL", [this] { return std::make_unique<StoreOf<PostgresStore>>(store()); }, [this] { clear(); },
                scratch_ / "log"};
    }

private:
    [[nodiscard]] PostgresStore store() const {
        return PostgresStore{heeler_test::postgres_at(heeler_test::postgres_directory()), schema_.settings()};
    }

    void clear() const {
        heeler_test::PostgresClient client{heeler_test::postgres_at(heeler_test::postgres_directory())};
        const std::string sql = client.ask(
            "SELECT string_agg(format('DELETE FROM %I.%I', schemaname, tablename), '; ')"
            " FROM pg_tables WHERE tablename <> 'meta' AND schemaname = '" +
            schema_.name() + "'");
        // Who was killed may still hold the locks of its last statement, for a moment.
        if (sql != " ") static_cast<void>(client.ask("SET lock_timeout = '10s'; " + sql));
    }

    heeler_test::ScratchDirectory scratch_;
    heeler_test::ScratchSchema schema_;
};

}  // namespace

TEST_CASE("PostgreSQL: killed at any point, each stop of a tree is reviewed once [M-101] [M-157] [M-158]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const TreeTables tables;
    tree_dies_at_every_point(tables.place(), Honesty::finds, 5);
    tree_dies_at_every_point(tables.place(), Honesty::repeats, 9);
}
