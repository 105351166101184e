// Two watchdogs and the table of their agents in PostgreSQL: every statement of claim, renewal and giving back is held
// or cut, with one of them paused meanwhile. Never two agents for one stop, and no stop that nobody minds.
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

#include <heeler/agent/postgres_agent_table.hpp>
#include <heeler/agent/table_fenced_control.hpp>
#include <heeler/settings/presets.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/postgres.hpp"
#include "support/statement_proxy.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using heeler_test::Fate;
using heeler_test::Statement;
using heeler_test::StatementProxy;

namespace {

/// What a spawn does, the first time.
enum class Start { works, throws_before, throws_after, is_rejected };

/// The agents that were started, whoever asked.
class World {
public:
    Start first = Start::works;

    void spawn(const ActionRequest& asked) {
        const std::lock_guard guard{lock_};
        const Start how = std::exchange(first, Start::works);
        if (how == Start::throws_before) throw std::runtime_error{"no machine"};
        if (how == Start::is_rejected) throw 1;
        keys_.emplace_back(asked.key);
        if (how == Start::throws_after) throw std::runtime_error{"no answer"};
    }
    [[nodiscard]] bool has(std::string_view key) {
        const std::lock_guard guard{lock_};
        return std::find(keys_.begin(), keys_.end(), key) != keys_.end();
    }
    [[nodiscard]] std::size_t agents() {
        const std::lock_guard guard{lock_};
        return keys_.size();
    }

private:
    std::mutex lock_;
    std::vector<std::string> keys_;
};

struct Blind {
    World* world;
    Result<ActionDone> spawn(const ActionRequest& asked) const {
        try {
            world->spawn(asked);
        } catch (int) {
            return fail(ErrorCode::rejected, "no room");
        }
        return ActionDone{};
    }
};

struct Seeing : Blind {
    [[nodiscard]] Result<Found> find(std::string_view key) const {
        return world->has(key) ? Found::found : Found::absent;
    }
};

/// Which of the statements that change who may work on a run is which.
bool is_of_the_protocol(const std::string& sql) {
    for (const std::string_view begin : {"BEGIN", "COMMIT", "SELECT coalesce(token", "SELECT claimed_by",
                                         "INSERT INTO agent_attempts", "UPDATE agent_progress", "DELETE FROM"})
        if (sql.starts_with(begin)) return true;
    return false;
}

/// The n-th of them, from 0, meets its fate; the others pass.
StatementProxy::Rule at(int n, Fate fate) {
    return [n, fate](const Statement& asked) mutable {
        return is_of_the_protocol(asked.sql) && n-- == 0 ? fate : Fate::pass;
    };
}

EngineSettings named(std::string name) {
    EngineSettings settings;
    settings.holder = std::move(name);
    return settings;
}

PostgresSettings impatient(PostgresSettings settings) {
    settings.lock_timeout = 20ms;
    settings.statement_timeout = 100ms;
    settings.reconnect_after = settings.reconnect_at_most = 1ms;
    return settings;
}

template <class Agents>
struct Claimant {
    Claimant(std::string name, World& world, const ManualClock& clock, MemoryStore& store, PostgresSettings place)
        : table{heeler_test::postgres_at(proxy.directory()), 10min, impatient(std::move(place))},
          agents{{&world}},
          dog{clock, store, told, named(std::move(name))} {
        dog.attach(control);
        dog.attach("checkpoint_continuation", table);
        REQUIRE(dog.define(presets::checkpoint_continuation()));
    }

    StatementProxy proxy{heeler_test::postgres_directory()};
    PostgresAgentTable table;
    Agents agents;
    TableFencedControl<PostgresAgentTable, Agents> control{table, agents};
    RecordingNotifier told;
    Watchdog<ManualClock, MemoryStore, RecordingNotifier> dog;
};

/// One stop of one run, of which w2 learns first.
template <class Agents>
struct Stop {
    Stop(const heeler_test::ScratchSchema& scratch, Start first) : schema{scratch.name()}, place{scratch.settings()} {
        world.first = first;
        (void)w1.dog.cycle();
        (void)w2.dog.cycle();
        static std::atomic<int> count{0};
        id = "run " + std::to_string(++count);
        bool enlisted = false;  // a busy machine may need longer than its statements are given
        for (int tries = 0; !enlisted && tries < 20; ++tries) enlisted = w2.table.enlist(id).has_value();
        REQUIRE(enlisted);
        age();
        REQUIRE(w2.dog.start(bench::spec_of(id), "checkpoint_continuation"));
    }

    /// Whatever attempt the row has began an hour ago.
    void age() {
        heeler_test::PostgresClient client{heeler_test::postgres_at(heeler_test::postgres_directory())};
        client.ask("UPDATE " + schema + ".agent_progress SET created_at = now() - interval '1 hour', " +
                   "attempt_started_at = now() - interval '1 hour' WHERE run = '" + id + "'");
    }

    /// w2 notices the stop, in a thread of its own.
    void begin() {
        paused = std::thread{[this] {
            (void)w2.dog.cycle(TickCause::on_demand);
            done = true;
        }};
        while (!done && !w2.proxy.holds()) std::this_thread::sleep_for(1ms);
    }

    /// It stood still for longer than its lease.
    void take_over(int cycles) {
        clock.advance(20s);
        store.let_pass(20s);
        for (int i = 0; i < cycles; ++i) step(w1);
    }

    void wake() {
        w2.proxy.release();
        paused.join();
    }

    /// Everything works again, for both.
    void heal(int rounds = 5) {
        w1.proxy.rule({});
        w2.proxy.rule({});
        for (int i = 0; i < rounds; ++i) {
            step(w1);
            step(w2);
        }
    }

    void step(Claimant<Agents>& holder) {
        clock.advance(2s);
        store.let_pass(2s);
        (void)holder.dog.cycle(TickCause::on_demand);
    }

    [[nodiscard]] bool is_told() {
        for (Claimant<Agents>* holder : {&w1, &w2})
            for (const Alert& alert : holder->told.delivered())
                if (alert.run.id == id && alert.is(AlertKind::escalation)) return true;
        return false;
    }

    /// Never two agents, and never a stop that nobody minds. A claim that could not be given back, of a watchdog that
    /// was replaced, looks like an agent that has just begun: it is missed as late as one.
    void check() {
        if (world.agents() == 0 && !is_told()) {
            age();
            heal(400);  // whoever took over lets a whole limit pass before it accuses anybody
        }
        std::string acts;
        const auto known = store.history(id);
        for (const Action& action : known->actions)
            acts += std::string{name_of(action.kind)} + " " + std::string{name_of(action.outcome)} + " (" +
                    action.note + "); ";
        INFO(id << ": " << acts << (is_told() ? "told" : "nobody told"));
        CHECK((world.agents() == 1 || is_told()));
        CHECK(world.agents() <= 1);
    }

    std::string schema;
    PostgresSettings place;
    World world;
    ManualClock clock{bench::start};
    MemoryStore store;
    Claimant<Agents> w1{"w1", world, clock, store, place};
    Claimant<Agents> w2{"w2", world, clock, store, place};
    std::string id;
    std::thread paused;
    std::atomic<bool> done{false};
};

/// A claim has six statements, and what follows a spawn that failed for certain four more.
constexpr int statements = 10;

/// Everything is tried with `tests/run.sh --full`.
bool tries_all() { return std::getenv("HEELER_CRASH_ALL") != nullptr; }

void make_tables(const heeler_test::ScratchSchema& schema) {
    PostgresAgentTable table{heeler_test::postgres_at(heeler_test::postgres_directory()), 10min, schema.settings()};
    REQUIRE(table.enlist("makes the tables"));
}

/// w2 alone; a statement that is held is executed after its client gave up.
template <class Agents>
void alone(const heeler_test::ScratchSchema& schema, Start first, int statement, Fate fate) {
    INFO("statement " << statement << " of the only one meets fate " << static_cast<int>(fate));
    Stop<Agents> stop{schema, first};
    stop.w2.proxy.rule(at(statement, fate));
    stop.begin();
    while (!stop.done) std::this_thread::sleep_for(1ms);
    stop.wake();
    stop.heal();
    stop.check();
}

/// w2 stands still in a statement until w1 has taken the run over and has gone on for some cycles, a statement of which
/// is cut. False: w2 has no such statement.
template <class Agents>
bool overtaken(const heeler_test::ScratchSchema& schema, Start first, int held, int cut, Fate fate, int cycles) {
    INFO("paused at statement " << held << ", and statement " << cut << " of the other is cut "
                                << (fate == Fate::cut_after ? "after" : "before"));
    Stop<Agents> stop{schema, first};
    stop.w2.proxy.rule(at(held, Fate::hold));
    stop.w1.proxy.rule(at(cut, fate));
    stop.begin();
    const bool is_held = stop.w2.proxy.holds();
    stop.take_over(cycles);
    stop.wake();
    stop.heal();
    stop.check();
    return is_held;
}

/// w2 cannot give back what it has claimed in vain, and is replaced then.
template <class Agents>
void left_behind(const heeler_test::ScratchSchema& schema, int statement, Fate fate) {
    INFO("statement " << statement << " of one who is replaced afterwards is cut");
    Stop<Agents> stop{schema, Start::is_rejected};
    stop.w2.proxy.rule(at(statement, fate));
    stop.begin();
    stop.wake();
    stop.take_over(3);
    stop.heal();
    stop.check();
}

template <class Agents>
void every_statement(Start first) {
    const heeler_test::ScratchSchema schema;
    make_tables(schema);
    for (int i = 0; i < statements; ++i)
        for (const Fate fate : {Fate::cut_before, Fate::cut_after}) alone<Agents>(schema, first, i, fate);
    for (int i = 0; i < statements; i += tries_all() ? 1 : 5) alone<Agents>(schema, first, i, Fate::hold);
    for (int held = 0; held < statements && overtaken<Agents>(schema, first, held, -1, Fate::pass, 1); ++held) {
        if (held != 0 && !tries_all()) continue;
        for (int cut = 0; cut < statements; ++cut)
            for (const Fate fate : {Fate::cut_before, Fate::cut_after})
                for (const int cycles : {1, 3})
                    if (tries_all() || (cycles == 1) == (cut % 2 == 0))
                        overtaken<Agents>(schema, first, held, cut, fate, cycles);
    }
}

/// Both meet anything at any time.
template <class Agents>
void random_schedules(std::uint32_t seed, int count) {
    const heeler_test::ScratchSchema schema;
    make_tables(schema);
    std::mt19937 random{seed};
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<std::uint32_t>(limit)); };
    for (int i = 0; i < count; ++i) {
        INFO("schedule " << i << " of seed " << seed);
        Stop<Agents> stop{schema, static_cast<Start>(below(4))};
        stop.w2.proxy.rule(at(below(statements), Fate::hold));
        stop.w1.proxy.rule([cuts = below(4), own = std::mt19937{random()}](const Statement& asked) mutable {
            if (cuts == 0 || !is_of_the_protocol(asked.sql) || own() % 4 != 0) return Fate::pass;
            --cuts;
            return own() % 2 == 0 ? Fate::cut_before : Fate::cut_after;
        });
        stop.begin();
        for (int turns = below(4); turns > 0; --turns) stop.take_over(1 + below(3));
        stop.w2.proxy.rule(at(below(statements), below(2) == 0 ? Fate::cut_before : Fate::cut_after));
        stop.wake();
        for (int turns = below(6); turns > 0; --turns) stop.step(below(2) == 0 ? stop.w1 : stop.w2);
        stop.heal();
        stop.check();
    }
}

}  // namespace

TEST_CASE("whichever statement is held or cut, two watchdogs start one agent [A-06] [M-098] [M-101]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    every_statement<Seeing>(Start::works);
}

TEST_CASE("whichever statement is held or cut, nobody is started twice by a control that cannot look [M-098] [M-101]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    every_statement<Blind>(Start::works);
}

TEST_CASE(
    "whichever statement is held or cut, a start that throws is looked up, or a person's business [M-098] [M-101]",
    "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    SECTION("before there is an agent") { every_statement<Seeing>(Start::throws_before); }
    SECTION("after there is one") { every_statement<Seeing>(Start::throws_after); }
    SECTION("with nobody who could look") { every_statement<Blind>(Start::throws_after); }
}

TEST_CASE("whichever statement is held or cut, a run that is given back is taken up once [M-098] [M-101]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    every_statement<Seeing>(Start::is_rejected);
    const heeler_test::ScratchSchema schema;
    make_tables(schema);
    for (int statement = 6; statement < statements; ++statement)
        for (const Fate fate : {Fate::cut_before, Fate::cut_after}) left_behind<Blind>(schema, statement, fate);
}

TEST_CASE("two watchdogs that meet anything at any time start one agent [M-098] [M-101]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    random_schedules<Seeing>(1, tries_all() ? 1000 : 30);
    random_schedules<Blind>(2, tries_all() ? 1000 : 30);
}
