#include "watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <variant>

#include <heeler/agent/postgres_agent_table.hpp>
#include <heeler/agent/table_fenced_control.hpp>
#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/runner.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/store/postgres_store.hpp>
#include <heeler/text/shown_name.hpp>

#include "../common/channels.hpp"
#include "database.hpp"
#include "rules.hpp"
#include "standard_input.hpp"

namespace fleet {

namespace {

/// Starts agents: a row for each, under the key of the action. Twice under one key is once.
class Starter {
public:
    static constexpr bool idempotent = true;

    Starter(Database& database, std::string holder) : database_{database}, holder_{std::move(holder)} {}

    heeler::Result<heeler::ActionDone> spawn(const heeler::ActionRequest& asked) {
        database_.change(
            "INSERT INTO fleet_spawns AS f (key, run, attempt, holder) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO "
            "UPDATE SET asked = f.asked + 1",
            {std::string{asked.key}, std::string{asked.run}, std::to_string(asked.attempt), holder_});
        return heeler::ActionDone{};
    }
    heeler::Result<heeler::Found> find(std::string_view key) {
        const bool found = !database_.ask("SELECT 1 FROM fleet_spawns WHERE key = $1", {std::string{key}}).empty();
        return found ? heeler::Found::found : heeler::Found::absent;
    }

private:
    Database& database_;
    std::string holder_;
};

/// Tells people: a row for each alert.
class Teller {
public:
    static constexpr std::string_view name = "fleet";

    Teller(Database& database, std::string holder) : database_{&database}, holder_{std::move(holder)} {}

    heeler::Result<heeler::Receipt> send(const heeler::Alert& alert) {
        database_->change(
            "INSERT INTO fleet_alerts(key, kind, run, summary, holder) VALUES ($1, $2, $3, $4, $5) "
            "ON CONFLICT DO NOTHING",
            {alert.key, alert.kind, alert.run.id, alert.summary, holder_});
        return heeler::Receipt{};
    }

private:
    Database* database_;
    std::string holder_;
};

using Dog = heeler::Watchdog<heeler::SystemClock, heeler::PostgresStore, common::WithChannels<Teller>>;

/// How long cycles take.
class Cycles {
public:
    void note(const heeler::CycleReport& report) {
        if (report.checked == 0) return;
        const double took = heeler::in_seconds(report.took);
        worst_ = std::max(worst_, took);
        sum_ += took;
        ++count_;
    }

    [[nodiscard]] double worst() const { return worst_; }
    [[nodiscard]] double mean() const { return count_ > 0 ? sum_ / count_ : 0; }

private:
    double worst_ = 0;
    double sum_ = 0;
    int count_ = 0;
};

/// The first errors go to the record of this process, all of them are counted.
class Errors {
public:
    void note(const heeler::CycleReport& report) {
        for (const heeler::Event& event : report.events)
            if (const auto* error = std::get_if<heeler::ErrorEvent>(&event))
                if (++count_ <= 50)
                    std::fprintf(stderr, "%s %s: %s\n", error->where.c_str(),
                                 heeler::text::shown_name(error->run, 160).c_str(), error->error.message.c_str());
    }
    [[nodiscard]] int count() const { return count_; }

private:
    int count_ = 0;
};

}  // namespace

void watch(const Options& options) {
    auto channels = common::Channels::named(
        options.notify, [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); });
    if (!channels) throw std::runtime_error{channels.error().message};
    const Times times{options.pace};
    Database database{options};
    heeler::PostgresAgentTable table{options.store.postgres, in_seconds(times.every), store_settings(options)};
    Starter starter{database, options.watchdog};
    heeler::TableFencedControl control{table, starter};
    Dog dog{heeler::SystemClock{},
            heeler::PostgresStore{options.store.postgres, store_settings(options)},
            {Teller{database, options.watchdog}, *std::move(channels)},
            place_of(options, times)};
    dog.attach(control);
    dog.attach("fleet", table);
    if (const auto good = dog.define(rules(times)); !good) throw std::runtime_error{good.error().message};
    Errors errors;
    Cycles cycles;
    {
        heeler::Runner runner{dog, in_seconds(times.tick), [&](const heeler::CycleReport& report) {
                                  errors.note(report);
                                  cycles.note(report);
                              }};
        while (!input_closed(std::chrono::milliseconds{1000})) {
        }
    }
    if (const auto left = dog.leave(); !left) std::fprintf(stderr, "leave: %s\n", left.error().message.c_str());
    database.keep(
        "INSERT INTO fleet_watchdogs(name, mean, worst, errors) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        {options.watchdog, std::to_string(cycles.mean()), std::to_string(cycles.worst()),
         std::to_string(errors.count())});
}

}  // namespace fleet
