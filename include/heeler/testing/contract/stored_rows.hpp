// What the contract suites of stores work with: rows as text, so that a difference is shown; rows that are hard to
// keep; and a store that is asked in a way that ends the test case when it answers an error.
#pragma once

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/testing/contract/catch.hpp>

namespace heeler::inline HEELER_ABI::store_contract {

// --- rows as text, so that a difference is shown -------------------------------------------------------------------

template <class E>
requires std::is_enum_v<E>
void write(std::ostream& out, E value) { out << static_cast<int>(value); }
inline void write(std::ostream& out, const Condition& condition) { out << condition.key(); }
inline void write(std::ostream& out, std::uint64_t value) { out << value; }
inline void write(std::ostream& out, std::uint32_t value) { out << value; }
inline void write(std::ostream& out, std::int64_t value) { out << value; }
inline void write(std::ostream& out, WallTime when) { out << when.time_since_epoch().count(); }
inline void write(std::ostream& out, const std::string& text) { out << text.size() << ':' << text; }

template <class T>
void write(std::ostream& out, const std::optional<T>& value) {
    if (value)
        write(out, *value);
    else
        out << "none";
}

template <class... Ts>
[[nodiscard]] std::string joined(const Ts&... values) {
    std::ostringstream out;
    ((write(out, values), out << '|'), ...);
    return out.str();
}

[[nodiscard]] inline std::string show(const RunRow& r) {
    return joined(r.id, r.version, r.name, r.class_name, r.state, r.status, r.attempt, r.incarnation, r.created_at,
                  r.updated_at, r.ended_at, r.holder, r.epoch, r.facts, r.spec, r.memory);
}
[[nodiscard]] inline std::string show(const CheckpointRow& r) {
    return joined(r.number, r.incarnation, r.at, r.step, r.text, r.reason);
}
[[nodiscard]] inline std::string show(const Intervention& r) {
    return joined(r.number, r.incident, r.attempt, r.condition, r.action, r.outcome, r.at);
}
[[nodiscard]] inline std::string show(const Action& r) {
    return joined(r.key, r.kind, r.needs, r.outcome, r.outcome_from, r.incident, r.intervention, r.attempt, r.text,
                  r.note);
}
[[nodiscard]] inline std::string show(const AlertRow& r) {
    const Alert& a = r.alert;
    std::string text = joined(a.key, a.kind, a.to, a.run.id, a.run.name, a.run.work_item, a.run.project, a.severity,
                              a.summary, a.at, a.attempt, r.state, r.attempts, r.created_at, r.not_before, r.last_error,
                              r.how, r.with_key, r.with_run, r.note, r.action_key);
    for (const std::string& issue : a.issues) text += "issue " + joined(issue);
    for (const Detail& detail : a.details) text += "detail " + joined(detail.name, detail.value);
    for (const std::string& tag : a.tags) text += "tag " + joined(tag);
    for (const std::string& channel : a.taken) text += "taken " + joined(channel);
    return text;
}
[[nodiscard]] inline std::string show(const AuditRow& r) { return joined(r.at, r.kind, r.run, r.body); }
[[nodiscard]] inline std::string show(const DecisionRow& r) {
    const AlertMatch& about = r.about;
    return joined(r.number, r.run, r.verb, r.until, r.by, r.at, r.because, about.run, about.class_name, about.tag,
                  about.kind, about.at_most, r.length.count(), r.tokens, r.micro_usd);
}
[[nodiscard]] inline std::string show(const MuteRow& r) {
    return joined(r.class_name, r.condition, r.identity, r.by, r.at);
}
[[nodiscard]] inline std::string show(const SpendRow& r) {
    return joined(r.lineage, r.owner, r.told, r.day, r.tokens, r.micro_usd);
}
[[nodiscard]] inline std::string show(const TallyRow& r) {
    return joined(r.class_name, r.condition, r.incidents, r.wrong);
}

template <class Row>
[[nodiscard]] std::string show(const List<Row>& rows) {
    std::string text;
    for (const Row& row : rows) text += show(row) + "\n";
    return text;
}

// --- material ------------------------------------------------------------------------------------------------------

/// Bytes that a careless store changes: NUL, broken UTF-8, quotes, a statement.
inline const std::string nasty{"a\0b \xff\xc3( 'q' \"d\" ?1 :x $y %s'); DROP TABLE runs; --\r\n\xf0\x9f\x90\x95", 56};

[[nodiscard]] inline WallTime at(std::int64_t microseconds) { return WallTime{Duration{microseconds}}; }

[[nodiscard]] inline RunBatch new_run(std::string id) {
    RunBatch changes;
    changes.row.id = std::move(id);
    changes.row.spec = "spec of " + changes.row.id;
    changes.row.memory = "memory of " + changes.row.id;
    return changes;
}

[[nodiscard]] inline Action action(std::string key, ActionOutcome outcome) {
    Action made;
    made.key = std::move(key);
    made.outcome = outcome;
    return made;
}

[[nodiscard]] inline AlertRow alert(std::string key, AlertRow::State state) {
    AlertRow made;
    made.alert.key = std::move(key);
    made.state = state;
    if (state == AlertRow::State::pending) made.alert.taken = {nasty, "pager"};
    return made;
}

[[nodiscard]] inline CheckpointRow checkpoint(std::uint64_t number, std::string text) {
    CheckpointRow made;
    made.number = number;
    made.text = std::move(text);
    return made;
}

[[nodiscard]] inline Intervention intervention(std::uint32_t number, InterventionOutcome outcome) {
    Intervention made;
    made.number = number;
    made.outcome = outcome;
    return made;
}

/// A run with one row of everything, every field unlike its default and hard to keep.
[[nodiscard]] inline RunBatch full_run(std::string id) {
    constexpr auto most32 = std::numeric_limits<std::uint32_t>::max();
    constexpr auto least64 = std::numeric_limits<std::int64_t>::min();
    constexpr auto most64 = std::numeric_limits<std::uint64_t>::max();
    RunBatch run;
    run.row = {std::move(id),
               0,
               nasty,
               nasty,
               RunState::rate_limited,
               Status::timeout,
               most32,
               most32 - 1,
               at(-62135),
               at(1234567890),
               at(253402300),
               nasty,
               most64,
               nasty,
               nasty,
               ""};
    run.checkpoints = {{1, most32, at(7), least64, nasty, CheckpointReason::user_interrupt}, checkpoint(2, "")};
    run.interventions = {
        {most32, 3, 4, Condition::no_output_access, ActionKind::terminate, InterventionOutcome::skipped, at(8)}};
    run.actions = {{nasty, ActionKind::terminate, ActionKind::snapshot, ActionOutcome::intended, OutcomeFrom::silence,
                    5, 6, most32, nasty, nasty},
                   action("plain", ActionOutcome::done)};
    Alert seen{nasty,
               "run.unhealthy",
               nasty,
               {nasty, nasty, nasty, nasty},
               Severity::critical,
               nasty,
               {nasty, "", "x"},
               {{nasty, nasty}, {"", ""}},
               at(9),
               most32,
               {nasty, "", "night"}};
    run.alerts = {{std::move(seen), AlertRow::State::pending, most32, at(10), at(11), nasty, AlertRow::How::inhibited,
                   nasty, nasty, nasty, nasty},
                  alert("plain", AlertRow::State::dead)};
    run.audit = {{at(12), nasty, run.row.id, nasty}, {at(13), "", run.row.id, "{}"}};
    return run;
}

template <class Store>
[[nodiscard]] Conflicts commit(Store& store, const Batch& batch) {
    auto conflicts = store.commit(batch);
    if (!conflicts) FAIL("commit: " << conflicts.error().message);
    return *conflicts;
}

template <class Store>
[[nodiscard]] Conflicts commit(Store& store, List<RunBatch> runs) {
    Batch batch;
    batch.runs = std::move(runs);
    batch.durable = true;
    return commit(store, batch);
}

template <class Store>
[[nodiscard]] Snapshot snapshot_of(Store& store) {
    auto snapshot = store.load();
    if (!snapshot) FAIL("load: " << snapshot.error().message);
    return *snapshot;
}

template <class Store>
[[nodiscard]] List<StoredRun> load(Store& store) {
    return snapshot_of(store).runs;
}

template <class Store>
[[nodiscard]] List<DecisionRow> list(Store& store) {
    auto decisions = store.list();
    if (!decisions) FAIL("list: " << decisions.error().message);
    return *decisions;
}

template <class Store>
[[nodiscard]] History history(Store& store, std::string_view run) {
    auto found = store.history(run);
    if (!found) FAIL("history: " << found.error().message);
    return *found;
}

template <class Store>
[[nodiscard]] std::string ids(Store& store) {
    std::string text;
    for (const StoredRun& run : load(store)) text += run.row.id + " ";
    return text;
}

}  // namespace heeler::inline HEELER_ABI::store_contract
