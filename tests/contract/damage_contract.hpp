// What every store in a database must do with values that nobody can read: each column of each table with each bad
// value. Call `damage_contract::check(backend)` inside a TEST_CASE of Catch2. A `Backend` opens a store with `open()`,
// carries out SQL of somebody else with `run(sql)`, lists the columns of a table with `columns_of(table)`, and takes
// all NOT NULL away with `loosen()`.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/testing/contract/store_contract.hpp>

namespace damage_contract {

using namespace heeler;

struct Column {
    std::string name;
    std::string type;  ///< TEXT, number, bytes or anything else
};

/// One row in each table that a watchdog reads when it starts, all of the run "bad"; and the run "good".
template <class Store>
void fill(Store& store) {
    Batch batch;
    RunBatch bad = store_contract::new_run("bad");
    bad.row.memory = "m";
    Action action;
    action.key = "k";
    action.needs = ActionKind::nudge;
    bad.actions = {action};
    Intervention intervention;
    intervention.number = 1;
    bad.interventions = {intervention};
    AlertRow alert;
    alert.alert.key = "a";
    bad.alerts = {alert};
    CheckpointRow checkpoint;
    checkpoint.number = 1;
    checkpoint.step = 1;
    bad.checkpoints = {checkpoint};
    bad.audit = {{WallTime{}, "kind", "bad", "{}"}};
    batch.runs = {bad, store_contract::new_run("good")};
    DecisionRow decision;
    decision.run = "bad";
    decision.until = WallTime{};
    batch.decisions = {decision};
    batch.mutes = {{"c", Condition::loop_detected, 1, "me", {}}};
    batch.tallies = {{"c", Condition::stalled, 1, 1}};
    REQUIRE(store.commit(batch));
}

/// Columns that are not read, or that say whose row it is: another value is a row of somebody else.
inline const std::set<std::string> passed_over{
    "audit.ordinal",     "checkpoints.number", "audit.run",         "checkpoints.run",      "runs.ordinal",
    "run_parts.run",     "run_parts.part",     "interventions.run", "interventions.number", "actions.ordinal",
    "actions.run",       "alerts.ordinal",     "alerts.run",        "alerts.body_text",     "decisions.number",
    "decisions.applied", "mutes.ordinal",      "tallies.ordinal"};
/// May be absent.
inline const std::set<std::string> optional{"checkpoints.step", "runs.ended_at", "actions.needs", "decisions.until_at",
                                            "decisions.at_most"};
/// Of which the library reads any 64 bits.
inline const std::set<std::string> any_number{
    "checkpoints.at",     "checkpoints.step", "audit.at",          "runs.created_at",   "runs.updated_at",
    "runs.ended_at",      "interventions.at", "alerts.created_at", "alerts.not_before", "alerts.at",
    "decisions.until_at", "decisions.at",     "mutes.identity",    "mutes.at",          "runs.epoch"};
/// One word of a list.
inline const std::set<std::string> words{
    "checkpoints.reason",    "runs.state",       "runs.status",     "interventions.condition", "interventions.action",
    "interventions.outcome", "actions.kind",     "actions.needs",   "actions.outcome",         "actions.outcome_from",
    "alerts.state",          "alerts.how",       "alerts.severity", "decisions.verb",          "mutes.condition",
    "tallies.condition",     "decisions.at_most"};

/// What of the row the store says, wherever it says so: `run: what` for each damage.
struct Said {
    std::vector<std::string> all{};
    bool good_is_whole = false;
    bool bad_is_whole = false;
};

template <class Store>
[[nodiscard]] Said look(Store store) {
    Said said;
    const auto snapshot = store.load();
    INFO((snapshot ? "" : snapshot.error().message));
    REQUIRE(snapshot);
    for (const StoredRun& run : snapshot->runs) {
        (run.row.id == "good" ? said.good_is_whole : said.bad_is_whole) |= run.damage.empty();
        if (!run.damage.empty()) said.all.push_back(run.row.id + ": " + run.damage);
    }
    for (const DamagedRow& row : snapshot->damaged) said.all.push_back(row.run + ": " + row.what);
    const auto decisions = store.list();
    INFO((decisions ? "" : decisions.error().message));
    REQUIRE(decisions);
    for (const DecisionRow& row : *decisions)
        if (!row.damage.empty()) said.all.push_back(row.run + ": " + row.damage);
    return said;
}

[[nodiscard]] inline bool must_be_said(const std::string& column, const std::string& type, const std::string& value) {
    if (passed_over.count(column) != 0) return false;
    if (value == "NULL") return optional.count(column) == 0;
    if (type == "number")
        return any_number.count(column) == 0 || value.find('\'') != std::string::npos || value == "1.5";
    if (type == "text") return words.count(column) != 0 || value.find("x'") == 0;
    return true;
}

/// Runs are claimed though one of them cannot be read; `run(sql)` is somebody else's.
template <class Backend, class Run>
void is_given_once(Backend& backend, Run run) {
    auto store = backend.open();
    fill(store);
    run("UPDATE runs SET attempt = -1 WHERE id = 'bad'");
    const auto lease = store.claim({"dog", "o"}, std::chrono::seconds{15});
    REQUIRE(lease);
    const Claim claim{*lease, {""}, {}, {}, 500};
    const auto given = store.claim_runs(claim);
    REQUIRE(given);
    REQUIRE(given->runs.size() == 2);
    CHECK(given->runs[0].damage.find("'attempt'") != std::string::npos);
    CHECK(given->runs[1].damage.empty());
    const auto again = store.claim_runs(claim);
    REQUIRE(again);
    CHECK(again->runs.empty());
}

/// Values that a column of such a type can hold, each bad for some column.
using BadValues = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// What a claim says of the run "bad", and whether it gives the run "good".
[[nodiscard]] inline Said look(const Claimed& given) {
    Said said;
    for (const StoredRun& run : given.runs) {
        said.good_is_whole |= run.row.id == "good" && run.damage.empty();
        if (!run.damage.empty()) said.all.push_back(run.row.id + ": " + run.damage);
    }
    for (const DamagedRow& row : given.damaged) said.all.push_back(row.run + ": " + row.what);
    return said;
}

template <class Store>
[[nodiscard]] Said claim_as(Store& store, const std::string& holder, const std::string& run = {}) {
    const auto lease = store.claim({holder, holder}, std::chrono::seconds{15});
    REQUIRE(lease);
    const auto given = store.claim_runs(Claim{*lease, {""}, {}, run, 500});
    INFO((given ? "" : given.error().message));
    REQUIRE(given);
    return look(*given);
}

/// Whose a run is, of which class, and whether it has ended: where that cannot be read each claim says so, or gives the
/// run as damaged to one watchdog. A `Backend` for each value.
template <class Backend>
void is_said_by_claims(const BadValues& values) {
    for (const auto& [column, type] :
         {std::pair{"state", "text"}, {"class", "text"}, {"holder", "text"}, {"epoch", "number"}}) {
        for (const auto& [of_type, bad] : values) {
            for (const std::string& value : bad) {
                if (of_type != type || (value == "'no such word'" && std::string_view{column} != "state")) continue;
                if (!must_be_said(std::string{"runs."} + column, type, value)) continue;
                const std::string sql = std::string{"UPDATE runs SET "} + column + " = " + value + " WHERE id = 'bad'";
                INFO(sql);
                Backend backend;
                {
                    auto store = backend.open();
                    fill(store);
                }
                backend.loosen();
                backend.run(sql);
                auto store = backend.open();
                const Said first = claim_as(store, "dog");
                CHECK(first.good_is_whole);
                REQUIRE(first.all.size() == 1);
                INFO(first.all.front());
                CHECK(first.all.front().find("bad: table 'runs', column '" + std::string{column} + "'") == 0);
                const bool is_taken = std::string_view{column} == "state" && value != "NULL";
                CHECK(claim_as(store, "dog").all.size() == (is_taken ? 0 : 1));
                CHECK(claim_as(store, "cat").all.size() == (is_taken ? 0 : 1));
                CHECK(claim_as(store, "cat", "bad").all.size() == (is_taken ? 0 : 1));
            }
        }
    }
}

/// Of a run that has ended something may be left to be done, nobody can read whether: that is said once.
template <class Backend>
void is_said_of_ended_runs(const BadValues& values) {
    for (const auto& [table, column, rest] : {std::array{"actions", "outcome", "alerts SET state = 'delivered'"},
                                              {"alerts", "state", "actions SET outcome = 'done'"}}) {
        for (const std::string& value : values.front().second) {
            const std::string sql = std::string{"UPDATE "} + table + " SET " + column + " = " + value;
            INFO(sql);
            Backend backend;
            {
                auto store = backend.open();
                fill(store);
            }
            backend.loosen();
            backend.run("UPDATE runs SET state = 'completed' WHERE id = 'bad'");
            backend.run(std::string{"UPDATE "} + rest);
            CHECK(look(backend.open()).all.empty());
            backend.run(sql);
            const Said said = look(backend.open());
            REQUIRE(said.all.size() == 1);
            INFO(said.all.front());
            CHECK(said.all.front().find("bad: table '" + std::string{table} + "', column '" + column + "'") == 0);
            auto store = backend.open();
            CHECK(claim_as(store, "dog").all == said.all);
            CHECK(claim_as(store, "dog").all.empty());
            CHECK(claim_as(store, "cat").all.empty());
        }
    }
}

/// A trigger takes rows of the run "bad" without a word: the commit says so, and stores nothing. `swallow(table)`
/// makes that trigger.
template <class Backend>
void says_what_was_swallowed() {
    for (const bool is_new : {true, false}) {
        for (const std::string table :
             {"runs", "run_parts", "checkpoints", "interventions", "actions", "alerts", "audit"}) {
            INFO(table << (is_new ? ", new" : ""));
            Backend backend;
            auto store = backend.open();
            fill(store);
            Batch batch;
            RunBatch bad = store_contract::full_run("bad");
            bad.row.version = is_new ? 0 : 1;
            bad.row.id = is_new ? "bad too" : "bad";
            batch.runs = {store_contract::new_run("good too"), bad};
            backend.swallow(table);
            const auto refused = store.commit(batch);
            REQUIRE_FALSE(refused);
            INFO(refused.error().message);
            CHECK(refused.error().code == ErrorCode::unstorable);
            CHECK(refused.error().message.find("table '" + table + "'") != std::string::npos);
            CHECK_FALSE(store.history("good too")->row);
            batch.runs.erase(batch.runs.begin());
            CHECK(store.commit(batch).error().message.find('"' + bad.row.id + '"') != std::string::npos);
            bad.row.version = 7;
            batch.runs = {bad};
            if (table == "runs") CHECK(store.commit(batch) == Conflicts{bad.row.id});
        }
    }
    Backend backend;
    auto store = backend.open();
    fill(store);
    backend.swallow("decisions");
    Batch batch;
    batch.decisions.emplace_back();
    batch.decisions[0].run = "bad";
    const auto refused = store.commit(batch);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("table 'decisions'") != std::string::npos);
}

/// A run that was deleted by hand is no trouble for claims.
template <class Backend>
void claims_pass_over_what_is_gone() {
    Backend backend;
    auto store = backend.open();
    fill(store);
    backend.run("DELETE FROM runs WHERE id = 'bad'");
    const Said said = claim_as(store, "dog");
    CHECK((said.good_is_whole && said.all.empty()));
}

/// What tools are shown while one value of the run "bad" cannot be read, or nothing: all the rest.
template <class Store>
void tools_show_the_rest(Store store, const std::string& table, const std::string& column, bool is_bad) {
    const std::string where = "table '" + table + "', column '" + column + "'";
    const auto names_it = [&](const List<DamagedRow>& damaged, bool expected) {
        CHECK(damaged.size() == (expected ? 1 : 0));
        for (const DamagedRow& row : damaged) CHECK(row.what.find(where) == 0);
    };
    const auto runs = store.runs();
    REQUIRE(runs);
    CHECK(runs->rows.size() + runs->damaged.size() == 2);
    CHECK(runs->rows.back().id == "good");
    names_it(runs->damaged, is_bad && table == "runs");
    const auto alerts = store.undelivered();
    REQUIRE(alerts);
    names_it(alerts->damaged, is_bad && table == "alerts");
    const auto good = store.history("good");
    REQUIRE(good);
    CHECK((good->row && good->damaged.empty() && good->damage.empty()));
    if (table == "runs" && column == "id") return;
    const auto bad = store.history("bad");
    REQUIRE(bad);
    const bool is_of_it = table != "decisions" && table != "mutes" && table != "tallies";
    names_it(bad->damaged, is_bad && is_of_it);
    CHECK(bad->damage.empty() == !(is_bad && is_of_it && table != "alerts" && table != "audit"));
    if (table != "runs" && table != "run_parts") CHECK(bad->row);
}

template <class Backend>
void check(Backend& backend, const BadValues& values) {
    {
        auto store = backend.open();
        fill(store);
    }
    const Said before = look(backend.open());
    REQUIRE((before.all.empty() && before.good_is_whole && before.bad_is_whole));
    backend.loosen();
    for (const std::string table : {"runs", "run_parts", "interventions", "actions", "alerts", "decisions", "mutes",
                                    "tallies", "checkpoints", "audit"}) {
        backend.run("CREATE TABLE kept_" + table + " AS SELECT * FROM " + table);
        const std::string which = table == "mutes" || table == "tallies" ? ""
                                  : table == "runs"                      ? " WHERE id = 'bad'"
                                  : table == "run_parts"                 ? " WHERE run = 'bad' AND part = 'spec'"
                                                                         : " WHERE run = 'bad'";
        for (const Column& column : backend.columns_of(table)) {
            for (const auto& [type, of_type] : values) {
                if (type != column.type || passed_over.count(table + "." + column.name) != 0) continue;
                for (const std::string& value : of_type) {
                    const std::string sql = "UPDATE " + table + " SET " + column.name + " = " + value + which;
                    INFO(sql);
                    backend.run(sql);
                    const Said said = look(backend.open());
                    CHECK(said.good_is_whole);
                    const bool is_bad = must_be_said(table + "." + column.name, type, value);
                    tools_show_the_rest(backend.open(), table, column.name, is_bad);
                    if (is_bad && table != "checkpoints" && table != "audit") {
                        REQUIRE(said.all.size() == 1);
                        INFO(said.all.front());
                        CHECK(said.all.front().find("table '" + table + "', column '" + column.name + "'") !=
                              std::string::npos);
                    }
                    backend.restore(table);
                }
            }
        }
        CHECK(look(backend.open()).all.empty());
    }
    for (const auto& [type, of_type] : values) {
        if (type != "bytes") continue;
        for (const std::string& value : of_type) {
            backend.run("UPDATE run_parts SET bytes = " + value + " WHERE part = 'memory'");
            const Said said = look(backend.open());
            CHECK((said.all.empty() && said.bad_is_whole));  // the watchdog says what is lost
        }
    }
}

}  // namespace damage_contract
