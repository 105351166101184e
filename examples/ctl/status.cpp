#include "status.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/spend.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/text/table.hpp>

#include "damage.hpp"
#include "decision_rows.hpp"
#include "find_run.hpp"
#include "lessons.hpp"
#include "print.hpp"
#include "run_view.hpp"
#include "spend.hpp"

namespace ctl {

namespace {

using heeler::Instant;

std::string state_text(const RunView& view, Instant now) {
    std::string text{name_of(view.row.state)};
    if (view.row.ended_at) text += " " + relative(*view.row.ended_at, now);
    return text;
}

std::string idle_text(const RunView& view, Instant now) {
    if (!view.readable) return "?";
    if (view.idle) return heeler::text::spoken(*view.idle) + " ago";
    return "never in " + heeler::text::spoken(view.facts.run.working(now.elapsed));
}

constexpr std::string_view unreadable_note =
    "?: written by another version of heeler, or damaged; a watchdog of that version can read it.\n";

void print_table(const std::vector<RunView>& views, Instant now) {
    const RunTable table = table_of(views, now);
    print(heeler::text::to_table(table.heads, table.rows));
    for (const RunView& view : views)
        if (!view.readable) return print(unreadable_note);
}

void print_one(const RunView& view, const heeler::History& known, const std::string& spend, Instant now) {
    const Facts& facts = view.facts;
    std::vector<heeler::text::TableField> fields{{"Run", heeler::text::shown_name(view.row.id, 160)},
                                                 {"Name", view.row.name},
                                                 {"Class", view.row.class_name},
                                                 {"State", state_text(view, now)},
                                                 {"Status", status_text(view)},
                                                 {"Attempt", std::to_string(view.row.attempt)},
                                                 {"Registered", heeler::text::rfc3339(view.row.created_at)},
                                                 {"Active", idle_text(view, now)},
                                                 {"Written", heeler::text::spoken(view.unwritten) + " ago"},
                                                 {"Incident", incident_text(view, now)},
                                                 {"Next", next_text(view, now)},
                                                 {"Operator", marks_text(view, now)}};
    if (!view.unobservable.empty()) fields.push_back({"Known", view.unobservable});
    if (!view.flapping.empty()) fields.push_back({"Incidents", view.flapping});
    if (!view.poison.empty()) fields.push_back({"Restarts", view.poison});
    if (!view.owner.empty()) fields.push_back({"Owner", view.owner});
    if (const std::string limits = limits_text(view); !limits.empty()) fields.push_back({"Limits", limits});
    if (!spend.empty()) fields.push_back({"Spend", spend});
    if (!view.row.holder.empty()) fields.push_back({"Watchdog", view.row.holder});
    if (view.readable) {
        fields.push_back({"Checkpoint", facts.checkpoints->last.text});
        fields.push_back({"Interventions", std::to_string(known.interventions.size())});
    }
    std::size_t waiting = 0;
    std::size_t dead = 0;
    for (const heeler::AlertRow& row : known.alerts) {
        waiting += row.state == heeler::AlertRow::State::pending;
        dead += row.state == heeler::AlertRow::State::dead;
    }
    fields.push_back({"Alerts", std::to_string(known.alerts.size()) + ", " + std::to_string(waiting) + " waiting, " +
                                    std::to_string(dead) + " given up"});
    print(heeler::text::to_table(fields));
    if (!view.readable) print(unreadable_note);
}

void write_moment(heeler::text::JsonLine& line, const char* key, const std::optional<heeler::WallTime>& when) {
    line.key(key);
    when ? line.string(heeler::text::rfc3339(*when)) : line.null();
}

void write_facts(heeler::text::JsonLine& line, const RunView& view) {
    line.key("idle_s");
    view.idle ? line.number(heeler::in_seconds(*view.idle)) : line.null();
    const heeler::Incident& incident = view.facts.verdict->incident;
    line.key("incident");
    if (incident.open())
        line.begin_object()
            .key("number")
            .number(incident.number)
            .key("condition")
            .string(condition_name(incident.condition))
            .key("attempts")
            .number(incident.attempts)
            .key("escalated")
            .boolean(incident.escalated)
            .end_object();
    else
        line.null();
    line.key("next").string(view.next.what);
    write_moment(line, "next_at", view.next.at);
    const heeler::detail::OperatorMarks& marks = view.facts.verdict->marks;
    line.key("frozen").boolean(marks.frozen);
    line.key("acknowledged").boolean(view.facts.verdict->told.acknowledged);
    line.key("dismissed").boolean(marks.dismissed);
    if (view.facts.run.timeout) line.key("timeout_s").number(heeler::in_seconds(*view.facts.run.timeout));
    if (const auto tokens = view.facts.run.spend->own_tokens; tokens > 0) line.key("budget_tokens").number(tokens);
    if (const auto money = view.facts.run.spend->own_micro_usd; money > 0)
        line.key("budget_usd").number(static_cast<double>(money) / 1e6);
    write_moment(line, "poisoned_at", view.facts.verdict->restarts.poisoned_at);
    write_moment(line, "snoozed_until", marks.snoozed_until);
}

void print_json(const RunView& view) {
    heeler::text::JsonLine line;
    line.begin_object().key("type").string("run").key("run").string(view.row.id).key("name").string(view.row.name);
    line.key("class").string(view.row.class_name).key("state").string(name_of(view.row.state));
    line.key("status").string(name_of(view.row.status)).key("attempt").number(view.row.attempt);
    line.key("holder").string(view.row.holder).key("owner").string(view.owner);
    write_moment(line, "created_at", view.row.created_at);
    write_moment(line, "updated_at", view.row.updated_at);
    write_moment(line, "ended_at", view.row.ended_at);
    line.key("readable").boolean(view.readable).key("unobservable");
    view.unobservable.empty() ? line.null() : line.string(view.unobservable);
    line.key("flapping").boolean(!view.flapping.empty());
    if (view.readable) write_facts(line, view);
    line.end_object();
    print(line);
}

/// Nobody looks at a run whose watchdog is gone before another one, or its host, takes it.
void mark_lost(std::span<RunView> views, Store& store, Instant now) {
    const auto holders = store.holders();
    if (!holders) return;
    for (const heeler::HolderRow& holder : *holders)
        for (RunView& view : views)
            if (!holder.live && view.row.holder == holder.name && !is_terminal(view.row.state))
                view.unobservable =
                    "UNOBSERVABLE since " + heeler::text::rfc3339(now.wall + holder.left) + ": no watchdog holds it";
}

/// Runs that have not ended; with `all` ended ones too, which adds to `damaged`. In order of registration.
heeler::Result<std::vector<RunView>> views_of(const heeler::Snapshot& snapshot, bool all, Store& store, Instant now,
                                              heeler::List<heeler::DamagedRow>& damaged) {
    std::vector<RunView> views;
    if (!all) {
        for (const heeler::StoredRun& run : snapshot.runs)
            if (run.damage.empty() && !is_terminal(run.row.state))
                views.push_back(view_of(run.row, run.interventions, now));
        return views;
    }
    auto rows = store.runs();
    if (!rows) return tl::unexpected<heeler::Error>(rows.error());
    std::map<std::string_view, const heeler::StoredRun*> open;
    for (const heeler::StoredRun& run : snapshot.runs) open[run.row.id] = &run;
    const heeler::List<heeler::Intervention> none;
    for (heeler::DamagedRow& row : rows->damaged) {
        const auto is_it = [&](const heeler::DamagedRow& said) { return said.run == row.run && said.what == row.what; };
        if (std::none_of(damaged.begin(), damaged.end(), is_it)) damaged.push_back(std::move(row));
    }
    for (heeler::RunRow& row : rows->rows) {
        const auto found = open.find(row.id);
        views.push_back(view_of(std::move(row), found == open.end() ? none : found->second->interventions, now));
    }
    return views;
}

Quit show_all(const Options& options, std::span<Store> stores, Instant now) {
    auto seen = overview(options.all, stores, now);
    if (!seen) return store_failed(seen.error());
    if (options.json) {
        for (const RunView& view : seen->views) print_json(view);
        for (const heeler::DecisionRow& row : seen->open) print_decision(row);
        print_spend(seen->spend);
        print_lessons(seen->snapshot);
        return name_damage(seen->damaged, true);
    }
    const Waiting waiting = sort_out(std::move(seen->open), now);
    print(frozen_text(waiting, now) + silenced_text(waiting, now));
    if (seen->views.empty())
        print(options.all ? "The store holds no run.\n" : "No run is under way; --all shows those that have ended.\n");
    else
        print_table(seen->views, now);
    for (const std::string& part :
         {waiting_text(waiting, now), spend_text(seen->spend), lessons_text(seen->snapshot, now)})
        if (!part.empty()) print("\n" + part);
    return name_damage(seen->damaged, false);
}

Quit show_one(const Options& options, Store& store, Instant now) {
    auto found = find_run(store, *options.run);
    if (auto* const quit = std::get_if<Quit>(&found)) return std::move(*quit);
    const auto& known = std::get<heeler::History>(found);
    auto open = store.list();
    if (!open) return store_failed(open.error());
    const auto is_of_another = [&](const heeler::DecisionRow& row) {
        const std::string& of = row.verb == heeler::Verb::silence ? row.about.run : row.run;
        return !of.empty() && of != *options.run;
    };
    open->erase(std::remove_if(open->begin(), open->end(), is_of_another), open->end());
    heeler::List<heeler::DamagedRow> damaged = known.damaged;
    sift(*open, damaged);
    RunView view = view_of(*known.row, known.interventions, now);
    mark_lost({&view, 1}, store, now);
    if (options.json) {
        print_json(view);
        for (const heeler::DecisionRow& row : *open) print_decision(row);
        return name_damage(damaged, true);
    }
    const Waiting waiting = sort_out(std::move(*open), now);
    print(frozen_text(waiting, now) + silenced_text(waiting, now));
    print_one(view, known, spend_of(view, store), now);
    if (const std::string text = waiting_text(waiting, now); !text.empty()) print("\n" + text);
    return name_damage(damaged, false);
}

heeler::Result<Overview> overview_of(bool all, Store& store, Instant now) {
    auto snapshot = store.load();
    if (!snapshot) return tl::unexpected<heeler::Error>(snapshot.error());
    auto open = store.list();
    if (!open) return tl::unexpected<heeler::Error>(open.error());
    heeler::List<heeler::DamagedRow> damaged = damage_of(*snapshot);
    sift(*open, damaged);
    auto views = views_of(*snapshot, all, store, now, damaged);
    if (!views) return tl::unexpected<heeler::Error>(views.error());
    mark_lost(*views, store, now);
    auto spend = store.spent(heeler::detail::spend_day(now.wall), {});
    if (!spend) damaged.push_back({{}, spend.error().message});
    return Overview{std::move(*views), std::move(*open), std::move(*snapshot),
                    spend.value_or(heeler::List<heeler::SpendRow>{}), std::move(damaged)};
}

template <class Rows>
void append(Rows& all, Rows&& more) {
    for (auto& row : more) all.push_back(std::move(row));
}

/// The same class in another store counts with it.
void add(heeler::List<heeler::TallyRow>& tallies, const heeler::TallyRow& row) {
    for (heeler::TallyRow& known : tallies)
        if (known.class_name == row.class_name && known.condition == row.condition) {
            known.incidents += row.incidents;
            known.wrong += row.wrong;
            return;
        }
    tallies.push_back(row);
}

}  // namespace

RunTable table_of(const std::vector<RunView>& views, Instant now) {
    RunTable table{{"Run", "Class", "State", "Status", "Active", "Written", "Incident", "Next", "Operator"}, {}};
    for (const RunView& view : views)
        table.rows.push_back({heeler::text::shown_name(view.row.id, 160), view.row.class_name, state_text(view, now),
                              status_text(view), idle_text(view, now), heeler::text::spoken(view.unwritten) + " ago",
                              incident_text(view, now), next_text(view, now), marks_text(view, now)});
    const auto is_held = [](const RunView& view) { return !view.row.holder.empty(); };
    if (std::any_of(views.begin(), views.end(), is_held)) {
        table.heads.push_back("Watchdog");
        for (std::size_t i = 0; i < views.size(); ++i) table.rows[i].push_back(views[i].row.holder);
    }
    return table;
}

heeler::Result<Overview> overview(bool all, std::span<Store> stores, Instant now) {
    Overview whole;
    for (Store& store : stores) {
        auto part = overview_of(all, store, now);
        if (stores.size() == 1) return part;
        if (!part) {  // one that is broken hides no other
            whole.damaged.push_back({{}, part.error().message});
            continue;
        }
        append(whole.views, std::move(part->views));
        append(whole.open, std::move(part->open));
        append(whole.spend, std::move(part->spend));
        append(whole.damaged, std::move(part->damaged));
        append(whole.snapshot.mutes, std::move(part->snapshot.mutes));
        for (const heeler::TallyRow& row : part->snapshot.tallies) add(whole.snapshot.tallies, row);
    }
    const auto earlier = [](const RunView& a, const RunView& b) { return a.row.created_at < b.row.created_at; };
    std::stable_sort(whole.views.begin(), whole.views.end(), earlier);
    return whole;
}

Quit show_status(const Options& options, std::span<Store> stores, Instant now) {
    return options.run ? show_one(options, stores.front(), now) : show_all(options, stores, now);
}

}  // namespace ctl
