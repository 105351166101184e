// A schema of its own for trials on PostgreSQL.
#pragma once

#include <memory>
#include <string>

#include <heeler/store/postgres_store.hpp>

#include "crash/worker.hpp"
#include "support/catch.hpp"
#include "support/postgres.hpp"

namespace crash {

/// It is emptied before each trial. A server takes longer to begin a connection, and to plan on it what it has never
/// been asked there, than to answer: who empties it stays connected, and so does who looks at it afterwards.
class ScratchTables {
public:
    ScratchTables() { REQUIRE(store()->load()); }

    [[nodiscard]] Place place() const {
        Place place{"PostgreSQL", [this] { return store(); }, [this] { clear(); }, scratch_ / "log"};
        place.lasts = true;
        return place;
    }

private:
    [[nodiscard]] std::unique_ptr<AnyStore> store() const {
        return std::make_unique<StoreOf<PostgresStore>>(
            PostgresStore{heeler_test::postgres_at(heeler_test::postgres_directory()), schema_.settings()});
    }

    void clear() const {
        // Who was killed may still hold the locks of its last statement, for a moment.
        if (clearing_.empty())
            clearing_ = "SET lock_timeout = '10s'; " +
                        client_.ask(
                            "SELECT string_agg(format('DELETE FROM %I.%I', schemaname, tablename), '; ')"
                            " FROM pg_tables WHERE tablename <> 'meta' AND schemaname = '" +
                            schema_.name() + "'");
        client_.ask(clearing_);
    }

    heeler_test::ScratchDirectory scratch_;
    heeler_test::ScratchSchema schema_;
    mutable heeler_test::PostgresClient client_{heeler_test::postgres_at(heeler_test::postgres_directory())};
    mutable std::string clearing_;
};

}  // namespace crash
