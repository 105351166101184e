// A watchdog talks to a PostgreSQL server through a proxy: at every statement of it, it is killed or paused, or its
// connection is cut, and the statement is executed at once, late or never.
#include <csignal>

#include <heeler/agent/postgres_agent_table.hpp>
#include <heeler/store/postgres_store.hpp>

#include "crash/player.hpp"
#include "support/catch.hpp"
#include "support/postgres.hpp"
#include "support/real_process.hpp"
#include "support/statement_proxy.hpp"

using namespace crash;
using namespace std::chrono_literals;
using heeler_test::Statement;
using heeler_test::StatementProxy;
using Met = heeler_test::Fate;

namespace {

/// Store and agents' table in one schema, emptied before each trial.
class SharedTables {
public:
    SharedTables() {
        REQUIRE(store("host")->load());
        PostgresAgentTable agents{address("host"), 1s, settings()};
        REQUIRE(agents.enlist("r"));
        // The agents' world is as slow as a story: each attempt began long ago.
        client_.ask("CREATE FUNCTION " + schema_.name() + ".age() RETURNS trigger LANGUAGE plpgsql AS " +
                    "$$ BEGIN NEW.attempt_started_at := now() - interval '1 hour'; " +
                    "NEW.created_at := NEW.attempt_started_at; RETURN NEW; END $$; " +
                    "CREATE TRIGGER age BEFORE INSERT OR UPDATE ON " + schema_.name() +
                    ".agent_progress FOR EACH ROW EXECUTE FUNCTION " + schema_.name() + ".age()");
    }

    /// Of a watchdog that has `proxy` between itself and the server, and calls itself `name` there.
    [[nodiscard]] Place through(const StatementProxy& proxy, const std::string& name) const {
        Place place = direct();
        const std::string there = heeler_test::postgres_at(proxy.directory()) + " application_name=" + name;
        place.reach = [this, there] {
            return std::make_unique<StoreOf<PostgresStore>>(PostgresStore{there, settings()});
        };
        place.table = [this, there] {
            return std::make_unique<TableOf<PostgresAgentTable>>(there, Duration{1s}, settings());
        };
        return place;
    }

    [[nodiscard]] Place direct() const {
        Place place{"PostgreSQL", [this] { return store("host"); }, [this] { clear(); }, scratch_ / "log"};
        place.lasts = true;
        place.table = [this] {
            return std::make_unique<TableOf<PostgresAgentTable>>(address("host"), Duration{1s}, settings());
        };
        return place;
    }

    /// Until the server has done everything that a dead one had asked for.
    void await_end_of(const std::string& name) const {
        const std::string left = "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" + name + "'";
        REQUIRE(heeler_test::wait_for([&] { return client_.ask(left) == "0 "; }));
    }

private:
    [[nodiscard]] static std::string address(const std::string& name) {
        return heeler_test::postgres_at(heeler_test::postgres_directory()) + " application_name=" + name;
    }
    [[nodiscard]] PostgresSettings settings() const {
        PostgresSettings settings = schema_.settings();
        settings.lock_timeout = 100ms;
        settings.statement_timeout = 300ms;
        settings.reconnect_after = settings.reconnect_at_most = 0ms;  // a story does not wait
        return settings;
    }
    [[nodiscard]] std::unique_ptr<AnyStore> store(const std::string& name) const {
        return std::make_unique<StoreOf<PostgresStore>>(PostgresStore{address(name), schema_.settings()});
    }

    void clear() const {
        if (clearing_.empty())
            clearing_ = "SET lock_timeout = '10s'; " +
                        client_.ask(
                            "SELECT string_agg(format('DELETE FROM %I.%I', schemaname, tablename), '; ')"
                            " FROM pg_tables WHERE tablename <> 'meta' AND schemaname = '" +
                            schema_.name() + "'") +
                        "; INSERT INTO " + schema_.name() + ".agent_progress(run) VALUES ('r')";
        client_.ask(clearing_);
    }

    heeler_test::ScratchDirectory scratch_;
    heeler_test::ScratchSchema schema_;
    mutable heeler_test::PostgresClient client_{heeler_test::postgres_at(heeler_test::postgres_directory())};
    mutable std::string clearing_;
};

/// What happens to the first of two watchdogs at a statement.
struct Blow {
    int signal;  ///< 0: none, and there is no second one
    Met then;    ///< of the statement; `pass`: it is executed
    bool late;   ///< only when the second one is through
};

constexpr Blow cuts[] = {{0, Met::cut_before, false}, {0, Met::cut_after, false}};
constexpr Blow deaths[] = {{SIGKILL, Met::cut_before, false}, {SIGKILL, Met::pass, false}, {SIGKILL, Met::pass, true}};
constexpr Blow pauses[] = {{SIGSTOP, Met::pass, true},       {SIGSTOP, Met::cut_after, false},
                           {SIGSTOP, Met::cut_before, true}, {SIGSTOP, Met::pass, false},
                           {SIGSTOP, Met::cut_after, true},  {SIGSTOP, Met::cut_before, false}};

class StruckTrials {
public:
    explicit StruckTrials(const Scene& scene) : trials_{tables_.direct(), scene} {
        first_.rule([this](const Statement&) {
            ++statements_;
            return Met::pass;
        });
        trials_.begin();
        REQUIRE(trials_.player_in(first_place_).wait() == "done");
        trials_.check("nobody dies, through the proxy");
        REQUIRE(statements_ > 100);
    }

    [[nodiscard]] int statements() const noexcept { return statements_; }

    /// At statement `at`, from 0. That one of the second watchdog is cut, too, before or after it.
    void strike(const Blow& blow, int at, int second_at) {
        const std::string about = "signal " + std::to_string(blow.signal) + " at statement " + std::to_string(at) +
                                  ", which meets " + std::to_string(static_cast<int>(blow.then)) +
                                  (blow.late ? " late" : "");
        INFO(about);
        trials_.begin();
        first_.rule(meets(at, Met::hold));
        second_.rule(meets(second_at, second_at % 2 == 0 ? Met::cut_before : Met::cut_after));
        Player first = trials_.player_in(first_place_);
        REQUIRE(heeler_test::wait_for([&] { return first_.holds() || first.changed(); }, 60s));
        if (first_.holds())
            play_on(first, blow);
        else
            REQUIRE(first.wait() == "done");  // there were fewer statements this time
        trials_.check(about + ", statement " + std::to_string(second_at) +
                      " of the second is cut: " + trials_.deaths());
    }

private:
    /// Whichever is the n-th, from 0.
    [[nodiscard]] StatementProxy::Rule meets(int n, Met fate) const {
        return [n, fate, log = Outside{tables_.direct().log}](const Statement& asked) mutable {
            if (n-- != 0) return Met::pass;
            log.note("struck " + asked.sql.substr(0, 80));
            return fate;
        };
    }

    void play_on(Player& first, const Blow& blow) {
        if (blow.signal == 0) {
            first_.release(blow.then);
            REQUIRE(first.wait() == "done");
            return;
        }
        first.signal(blow.signal);
        REQUIRE(first.wait() == (blow.signal == SIGKILL ? "killed" : "stopped"));
        if (!blow.late) first_.release(blow.then);
        REQUIRE(trials_.player_in(second_place_).wait() == "done");
        const std::string before = trials_.summaries();
        if (blow.late) first_.release(blow.then);
        if (blow.signal == SIGSTOP) REQUIRE_FALSE(first.go_on());
        tables_.await_end_of("first");
        CHECK(trials_.summaries() == before);
    }

    SharedTables tables_;
    StatementProxy first_{heeler_test::postgres_directory()};
    StatementProxy second_{heeler_test::postgres_directory()};
    Place first_place_ = tables_.through(first_, "first");
    Place second_place_ = tables_.through(second_, "second");
    Trials trials_;
    int statements_ = 0;
};

/// Over all of them, every statement meets every blow, or each `all_by`-th in turn. Otherwise each is tried at `usual`
/// statements or so.
template <std::size_t count>
void strikes_every_statement(const Blow (&blows)[count], int usual, int all_by = 1) {
    StruckTrials trials{{&continuation_story(), Honesty::repeats, {"r"}, Leases::own_names, false, true}};
    const int all = trials.statements() * static_cast<int>(count);
    // Not a multiple of the number of blows, so that they take turns.
    const int step = stride(all / usual / static_cast<int>(count) * static_cast<int>(count) + 1, all_by);
    for (int i = 0, second = 0; i < all; i += step, second += 7)
        trials.strike(blows[i % static_cast<int>(count)], i / static_cast<int>(count), second % trials.statements());
}

}  // namespace

TEST_CASE("PostgreSQL: cut at any statement, a watchdog goes on I2-I6 I9 I10 [M-098] [M-101]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    strikes_every_statement(cuts, 8);
}

TEST_CASE("PostgreSQL: killed at any statement, another takes over I2-I6 I9 I10 [M-098] [M-101]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    strikes_every_statement(deaths, 6, 4);
}

TEST_CASE("PostgreSQL: paused at any statement, and replaced, it changes nothing any more I2-I6 I9 I10 [M-098] [M-101]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    strikes_every_statement(pauses, 6, 5);
}
