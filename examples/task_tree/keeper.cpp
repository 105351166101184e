#include "keeper.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <variant>

#include <heeler/detect/silence_levels.hpp>
#include <heeler/recover/watch_ladder.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/tree/watch/presets.hpp>

#include "verbs.hpp"

namespace tracker {
namespace {

heeler::RunClass tree_rules(const KeeperSettings& settings) {
    heeler::RunClass rules = heeler::presets::task_tree();
    rules.schedule.period = settings.every;
    rules.interval.fixed = settings.every;
    heeler::TreeSettings trees;
    trees.rules.first_run_grace = settings.first_run_grace;
    rules.detectors.turn_on<heeler::TaskTreeRule>(trees);
    return rules;
}

/// Work that an agent left in progress, in whatever tree.
heeler::RunClass orphan_rules(const KeeperSettings& settings) {
    heeler::RunClass rules = heeler::presets::orphan_recovery();
    rules.schedule.period = settings.every;
    rules.interval.fixed = settings.every;
    rules.detectors.turn_on<heeler::StrandedRule>({settings.first_run_grace});
    return rules;
}

/// On which task the run is, whose it is, and what people can do about it.
void speak_of_run(heeler::Alert& alert, const heeler::Run&, heeler::Duration) {
    const std::string& task = alert.run.work_item;
    alert.details.push_back({"task", task});
    if (!alert.tags.empty()) alert.details.push_back({"agent", alert.tags.front()});
    for (heeler::Detail& detail : alert.details)
        if (detail.name == "next") detail.value += "; you can end the run, or give " + task + " to somebody else";
}

/// A run that is at work and says nothing: people are told, and nothing is done about it.
heeler::RunClass silence_rules(const KeeperSettings& settings) {
    heeler::RunClass rules;
    rules.name = "silent_run";
    rules.schedule.period = settings.every;
    rules.interval.fixed = settings.every;
    rules.applicability.shortest = {};
    rules.ladder = heeler::WatchLadder{};
    rules.prompts.detectors_words = true;
    rules.prompts.alert = speak_of_run;
    rules.detectors.turn_on<heeler::HeartbeatContract<heeler::ActivityAge>>(
        heeler::silence_levels({settings.silence / 4, settings.silence}));
    return rules;
}

/// What is defined once at the start must be good.
void needed(const heeler::Result<void>& result) {
    if (!result) throw std::runtime_error{result.error().message};
}

void complain(const std::string& what) {
    std::fprintf(stderr, "heeler-task-tree: %s\n", heeler::text::one_line(what, 1024).c_str());
}

/// What the watchdog has put on record stands in its own store; the feed has a copy, once.
void add_record(Database& database, const heeler::AuditRow& row) {
    database.run(
        "INSERT INTO audit(at, kind, actor, issue, body, from_watch) SELECT ?1, ?2, 'watchdog', '', ?3, 1 WHERE NOT "
        "EXISTS (SELECT 1 FROM audit WHERE at = ?1 AND kind = ?2 AND body = ?3 AND from_watch = 1)",
        row.at.time_since_epoch().count(), row.kind, row.body);
}

}  // namespace

heeler::Result<heeler::Receipt> Board::send(const heeler::Alert& alert) {
    heeler::text::JsonLine body;
    body.begin_object().key("key").string(alert.key).key("summary").string(alert.summary);
    for (const heeler::Detail& detail : alert.details) {
        body.key(detail.name == "summary" ? "about" : detail.name);
        detail.is_json ? body.raw(detail.value) : body.string(detail.value);
    }
    body.end_object();
    tracker_->with([&](Database& database) {
        if (!database.query("SELECT 1 FROM orders WHERE key = ?1", alert.key).next()) {
            Transaction transaction{database};
            record(database, "alert." + alert.kind, "watchdog", alert.run.work_item, body.text());
            database.run("INSERT INTO orders VALUES (?1, '')", alert.key);
            transaction.commit();
        }
    });
    return heeler::Receipt{};
}

Keeper::Keeper(Tracker& tracker, const KeeperSettings& settings, common::Channels channels)
    : tracker_{tracker},
      settings_{settings},
      dog_{heeler::SystemClock{}, common::AnyStore::in_file(settings.store), {Board{tracker}, std::move(channels)}},
      trees_{dog_, host_, tree_rules(settings)},
      orphans_{trees_, orphan_rules(settings)} {
    needed(trees_.usable());
    needed(orphans_.usable());
    needed(dog_.define(silence_rules(settings)));
    needed(dog_.attach("silent_run", activity_));
    trees_.on_record([this](const heeler::AuditRow& row) { copy(row); });
    copy_all();
    look(heeler::TickCause::startup);
}

Keeper::~Keeper() {
    if (const auto stored = dog_.flush(); !stored) complain(stored.error().message);
}

/// What it blocks may be in another tree.
void Keeper::changed(const heeler::NodeRef& issue) {
    run([&] { return trees_.cycle(issue); });
    std::vector<std::string> blocked;
    tracker_.with([&](Database& database) {
        for (Rows rows = database.query("SELECT issue FROM blockers WHERE blocker = ?1", issue.id); rows.next();)
            blocked.push_back(rows.text(0));
    });
    for (const std::string& id : blocked) run([&] { return trees_.cycle({tracker_.tenant_of(id), id}); });
}

void Keeper::look(heeler::TickCause cause) {
    const auto due = tracker_.with([](Database& database) { return fire_monitors(database); });
    for (const std::string& issue : due) changed({tracker_.tenant_of(issue), issue});
    run([&] { return dog_.cycle(cause); });
}

/// A cycle that has somebody woken saw the tree before that: another look shows it as it is now.
void Keeper::run(const std::function<heeler::CycleReport()>& cycle) {
    const std::lock_guard guard{cycles_};
    const heeler::CycleReport report = cycle();
    tell(report);
    if (report.acted > 0) tell(dog_.cycle(heeler::TickCause::on_demand));
}

heeler::Duration Keeper::idle() {
    const std::lock_guard guard{cycles_};
    const auto due = dog_.next_deadline();
    constexpr heeler::Duration shortest = std::chrono::milliseconds{50}, longest = std::chrono::seconds{1};
    return due ? std::clamp(*due - dog_.clock().now().elapsed, shortest, longest) : longest;
}

void Keeper::tell(const heeler::CycleReport& report) {
    for (const heeler::Event& event : report.events) {
        if (const auto* error = std::get_if<heeler::ErrorEvent>(&event))
            complain(error->where + " " + error->run + ": " + error->error.message);
        if (const auto* audit = std::get_if<heeler::AuditEvent>(&event)) copy(audit->row);
    }
}

void Keeper::copy(const heeler::AuditRow& row) {
    try {
        tracker_.with([&](Database& database) { add_record(database, row); });
    } catch (const DatabaseError& error) {
        complain(std::string{"the audit feed lacks a row: "} + error.what());
    }
}

/// What was put on record just before an earlier process died may not have been copied.
void Keeper::copy_all() {
    common::AnyStore& store = dog_.store();
    const auto known = store.load();
    if (!known) throw std::runtime_error{known.error().message};
    tracker_.with([&](Database& database) {
        Transaction transaction{database};
        for (const auto& run : known->runs)
            if (const auto past = store.history(run.row.id))
                for (const heeler::AuditRow& row : past->audit)
                    if (row.kind.starts_with("issue.")) add_record(database, row);
        transaction.commit();
    });
}

}  // namespace tracker
