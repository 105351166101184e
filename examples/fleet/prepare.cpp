#include "prepare.hpp"

#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <heeler/agent/postgres_agent_table.hpp>
#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/notify/log_notifier.hpp>
#include <heeler/store/postgres_store.hpp>

#include "database.hpp"
#include "rules.hpp"

namespace fleet {

namespace {

constexpr const char* tables[] = {
    "CREATE TABLE fleet_spawns(key text PRIMARY KEY, run text NOT NULL, attempt bigint NOT NULL, holder text NOT NULL, "
    "at timestamptz NOT NULL DEFAULT clock_timestamp(), begun boolean NOT NULL DEFAULT false, "
    "asked bigint NOT NULL DEFAULT 1)",
    "CREATE INDEX fleet_waiting ON fleet_spawns(run) WHERE NOT begun",
    "CREATE TABLE fleet_stalls(run text, attempt bigint, checkpoints bigint NOT NULL, PRIMARY KEY (run, attempt))",
    "CREATE TABLE fleet_alerts(key text PRIMARY KEY, kind text NOT NULL, run text NOT NULL, summary text NOT NULL, "
    "holder text NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp())",
    "CREATE TABLE fleet_watchdogs(name text PRIMARY KEY, mean float NOT NULL, worst float NOT NULL, errors bigint NOT "
    "NULL)",
    "CREATE TABLE fleet_agents(late_tried bigint NOT NULL, late_counted bigint NOT NULL, refused bigint NOT NULL, "
    "worst_gap float NOT NULL)"};

/// Registers every `parts`-th run, from `part` on. This watchdog never looks at one.
void register_runs(const Options& options, int part, int parts) {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::PostgresStore{options.store.postgres, store_settings(options)},
                         heeler::LogNotifier{}};
    const heeler::RunClass shared = rules(Times{options.pace});
    if (const auto good = dog.define(shared); !good) throw std::runtime_error{good.error().message};
    for (int number = part; number < options.runs; number += parts) {
        heeler::RunSpec spec;
        spec.id = run_name(number);
        spec.task = "Work on item " + std::to_string(number);
        const auto started = dog.start(std::move(spec), std::string_view{shared.name});
        if (!started) throw std::runtime_error{started.error().message};
        if (started->not_stored) throw std::runtime_error{started->not_stored->message};
    }
}

void register_all(const Options& options) {
    constexpr int parts = 4;
    std::vector<std::exception_ptr> wrong(parts);
    std::vector<std::thread> threads;
    for (int part = 0; part < parts; ++part)
        threads.emplace_back([&options, &wrong, part] {
            try {
                register_runs(options, part, parts);
            } catch (...) {
                wrong[static_cast<std::size_t>(part)] = std::current_exception();
            }
        });
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& one : wrong)
        if (one) std::rethrow_exception(one);
}

}  // namespace

void prepare(const Options& options) {
    Database database{options};
    if (!database.ask("SELECT 1 FROM pg_namespace WHERE nspname = $1", {options.store.schema}).empty())
        throw std::runtime_error{"the schema \"" + options.store.schema +
                                 "\" is there already: choose another with --schema, or drop it"};
    register_all(options);
    heeler::PostgresAgentTable table{options.store.postgres, in_seconds(Times{options.pace}.every),
                                     store_settings(options)};
    if (const auto first = table.enlist(run_name(0)); !first) throw std::runtime_error{first.error().message};
    database.change("INSERT INTO agent_progress(run) SELECT id FROM runs ON CONFLICT DO NOTHING");
    for (const char* const sql : tables) database.change(sql);
    database.change("ANALYZE");
}

}  // namespace fleet
