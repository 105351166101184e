#include <heeler/store/postgres/leases.hpp>

#include <chrono>
#include <string>
#include <thread>

#include <heeler/store/postgres_store.hpp>
#include <heeler/testing/contract/lease_contract.hpp>
#include <heeler/testing/contract/store_contract.hpp>

#include "support/postgres.hpp"

using namespace heeler;
using heeler_test::postgres_at;
using heeler_test::postgres_directory;
using heeler_test::PostgresClient;
using heeler_test::PostgresServer;
using heeler_test::ScratchSchema;
using heeler_test::wait_for;
using lease_contract::batch_of;
using lease_contract::claim;
using lease_contract::claim_of;
using lease_contract::code;
using lease_contract::let_run_out;
using lease_contract::run_of;
using lease_contract::taken;
using store_contract::commit;
using store_contract::history;
using store_contract::new_run;
using namespace std::chrono_literals;

namespace {

struct LeaseBackend {
    ScratchSchema schema;
    /// Its connections are found by the name of the schema.
    PostgresStore open() {
        return PostgresStore{postgres_at(postgres_directory()) + " application_name=" + schema.name(),
                             schema.settings()};
    }
};

/// A cat with nothing, and a dog with two runs whose lease has run out, beside somebody else's connection.
struct Kennel {
    LeaseBackend backend;
    PostgresStore one = backend.open();
    PostgresStore two = backend.open();
    Lease dog = claim(one, "dog", "d");
    Lease cat = claim(two, "cat", "c");
    PostgresClient other{postgres_at(postgres_directory())};

    Kennel() {
        CHECK(commit(one, batch_of(dog, {run_of(dog, "a"), run_of(dog, "b")})).empty());
        let_run_out(backend, one, "dog", "d");
        other.ask("SET search_path = " + backend.schema.name());
    }

    /// Lets the other connection commit as soon as somebody waits for it.
    std::thread commit_when_waited_for() {
        return std::thread{[this] {
            CHECK(wait_for([&] {
                return PostgresClient{postgres_at(postgres_directory())}.ask(
                           "SELECT count(*) FROM pg_locks WHERE NOT granted") != "0 ";
            }));
            other.ask("COMMIT");
        }};
    }
};

}  // namespace

TEST_CASE("PostgresStore keeps the contract of leases", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    lease_contract::check<LeaseBackend>();
}

TEST_CASE("nobody takes a lease away while its holder writes", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    Kennel k;
    k.other.ask("BEGIN; SELECT 1 FROM leases WHERE name = 'dog' FOR SHARE");
    CHECK(taken(k.two, claim_of(k.cat)).empty());
    CHECK(commit(k.one, batch_of(k.dog, {run_of(k.dog, "c")})).empty());
    k.other.ask("COMMIT");
    CHECK(taken(k.two, claim_of(k.cat)) == "a.2 from 'dog' b.2 from 'dog' c.2 from 'dog' lost dog with 3 ");
}

TEST_CASE("a commit waits for a take-over that goes on, and is fenced", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    Kennel k;
    k.other.ask("BEGIN; UPDATE leases SET owner = '', epoch = epoch + 1 WHERE name = 'dog'");
    auto committer = k.commit_when_waited_for();
    const auto done = k.one.commit(batch_of(k.dog, {run_of(k.dog, "c")}));
    committer.join();
    CHECK(code(done) == "fenced");
    CHECK(store_contract::ids(k.one) == "a b ");
}

TEST_CASE("claimers leave out what somebody else is just taking or writing", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    Kennel k;
    k.other.ask("BEGIN; SELECT 1 FROM runs WHERE id = 'a' FOR UPDATE");
    CHECK(taken(k.two, claim_of(k.cat)) == "b.2 from 'dog' lost dog with 2 ");
    k.other.ask("COMMIT");
    CHECK(taken(k.two, claim_of(k.cat)) == "a.2 from 'dog' ");
}

TEST_CASE("who asks for one run waits for a faster claimer, and then has nothing", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    Kennel k;
    REQUIRE(k.one.claim({"fox", "f"}, 1min));
    k.other.ask("BEGIN; UPDATE runs SET holder = 'fox', epoch = 1, version = version + 1 WHERE id = 'a'");
    auto committer = k.commit_when_waited_for();
    Claim asked = claim_of(k.cat);
    asked.run = "a";
    const std::string got = taken(k.two, asked);
    committer.join();
    CHECK(got == "lost dog with 2 ");
    CHECK(history(k.one, "a").row->holder == "fox");
}

TEST_CASE("leases live by the server's clock", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    Kennel k;
    REQUIRE(k.one.claim({"dog", "d"}, 1min));
    CHECK(k.other.ask("SELECT until BETWEEN now AND now + 60000000 FROM leases, "
                      "(SELECT extract(epoch FROM clock_timestamp()) * 1000000 AS now) n WHERE name = 'dog'") == "t ");
    CHECK(taken(k.two, claim_of(k.cat)).empty());
    // Two minutes pass at the server, and none here.
    k.other.ask("UPDATE leases SET until = until - 120000000 WHERE name = 'dog'");
    CHECK(taken(k.two, claim_of(k.cat)) == "a.2 from 'dog' b.2 from 'dog' lost dog with 2 ");
    // A lease that a server ahead of ours gave is live, whatever is the time here.
    const Lease again = claim(k.one, "dog", "d", 10ms);
    k.other.ask("UPDATE leases SET until = until + 3600000000 WHERE name = 'dog'");
    std::this_thread::sleep_for(20ms);
    CHECK(taken(k.two, claim_of(k.cat)).empty());
    CHECK(code(k.two.claim({"dog", "other"}, 1min)) == "busy");
    CHECK(claim(k.one, "dog", "d").epoch == again.epoch);
}

TEST_CASE("a fenced commit keeps its connection", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    Kennel k;
    const auto pids = [&] {
        return k.other.ask("SELECT pid FROM pg_stat_activity WHERE application_name = '" + k.backend.schema.name() +
                           "' ORDER BY pid");
    };
    const std::string before = pids();
    REQUIRE(!before.empty());
    CHECK(code(k.one.commit(batch_of({"dog", 7}, {new_run("c")}))) == "fenced");
    CHECK(code(k.two.claim({"dog", "c"}, 1min)) == "ok");
    CHECK(code(k.one.claim({"dog", "d"}, 1min)) == "busy");
    CHECK(store_contract::ids(k.one) == "a b ");
    CHECK(pids() == before);
}

TEST_CASE("a claim whose answer gets lost is asked about", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresServer server;
    PostgresSettings settings;
    settings.reconnect_after = 20ms;
    PostgresStore store{server.connection(), settings};
    CHECK(commit(store, {new_run("a")}).empty());
    const Lease dog = claim(store, "dog", "d");
    server.start_again_for_a_standby();
    PostgresClient other{server.connection()};
    std::thread breaker{[&] {
        CHECK(wait_for(
            [&] { return other.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "1 "; }));
        other.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    }};
    const std::string got = taken(store, claim_of(dog));
    breaker.join();
    CHECK(got == "a.2 from '' ");
    CHECK(history(store, "a").row->version == 2);
}
