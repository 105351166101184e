#include "reckoning.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <heeler/text/json_writer.hpp>
#include <heeler/text/table.hpp>

namespace fleet {

namespace {

constexpr const char* continued =
    "SELECT s.run, s.attempt, count(f.key), coalesce(string_agg(f.holder || ' ' || f.key, ', '), '') "
    "FROM fleet_stalls s LEFT JOIN fleet_spawns f USING (run, attempt) GROUP BY 1, 2 ORDER BY 1, 2";
/// With how old the attempt's last sign was then. An agent that came late, because its start was held up or the machine
/// was slow, looks like one that stalled.
constexpr const char* unexpected =
    "SELECT f.run, f.attempt, f.holder, f.key, coalesce(extract(epoch FROM a.archived_at - "
    "greatest(a.last_checkpoint, a.attempt_started_at)), 0) FROM fleet_spawns f LEFT JOIN fleet_stalls s USING (run, "
    "attempt) LEFT JOIN agent_attempts a USING (run, attempt) WHERE s.run IS NULL ORDER BY 1, 2";
constexpr const char* waits =
    "SELECT coalesce(avg(w), 0), coalesce(max(w), 0) FROM (SELECT extract(epoch FROM f.at - a.last_checkpoint) AS w "
    "FROM fleet_stalls s JOIN fleet_spawns f USING (run, attempt) JOIN agent_attempts a USING (run, attempt)) "
    "all_waits";
constexpr const char* not_completed =
    "SELECT r.id, r.state, r.incarnation FROM runs r LEFT JOIN agent_progress p ON p.run = r.id "
    "WHERE r.state <> 'completed' OR p.status <> 'completed' OR r.incarnation <> p.attempt OR r.incarnation <> 1 + "
    "(SELECT count(*) FROM fleet_spawns s WHERE s.run = r.id) ORDER BY 1";
constexpr const char* unsettled =
    "SELECT run, key, outcome, note FROM actions WHERE kind <> 'spawn' OR outcome IN ('intended', 'unknown') ORDER BY "
    "1, 2";

std::string in_s(double seconds) {
    char text[32];
    if (seconds < 1)
        std::snprintf(text, sizeof text, "%.0f ms", 1000 * seconds);
    else
        std::snprintf(text, sizeof text, "%.1f s", seconds);
    return text;
}

void count_continued(Database& database, double stall, Figures& figures) {
    for (const auto& row : database.ask(continued)) {
        ++figures.stalls;
        const long times = std::atol(row[2].c_str());
        ++(times == 0 ? figures.never : times == 1 ? figures.once : figures.twice);
        if (times != 1)
            figures.faults.push_back(row[0] + ": attempt " + row[1] + " stalled and was continued " + row[2] +
                                     " times " + row[3]);
    }
    for (const auto& row : database.ask(unexpected)) {
        const double age = std::atof(row[4].c_str());
        if (age >= stall) {
            ++figures.slow;
            continue;
        }
        ++figures.needless;
        figures.faults.push_back(row[0] + ": attempt " + row[1] + " did not stall and was continued by " + row[2] +
                                 " under " + row[3] + ", " + in_s(age) + " after its last checkpoint");
    }
    for (const auto& row : database.ask(not_completed))
        figures.faults.push_back(row[0] + ": is " + row[1] + " in incarnation " + row[2]);
    for (const auto& row : database.ask(unsettled))
        figures.faults.push_back(row[0] + ": action " + row[1] + " is " + row[2] + " (" + row[3] + ")");
}

void take_holders(const Options& options, const Holders& holders, Figures& figures) {
    const Times times{options.pace};
    for (const Orphaned& one : holders.orphaned()) {
        if (one.holder.empty()) {
            figures.first_watched = std::max(figures.first_watched, one.seconds);
            continue;
        }
        figures.handed_over += one.runs;
        figures.unwatched = std::max(figures.unwatched, one.seconds);
        if (one.seconds > times.lease + times.period)
            figures.faults.push_back(std::to_string(one.runs) + " runs of " + one.holder + " were unwatched for " +
                                     std::to_string(one.seconds) + " s");
    }
    if (figures.lost < 2)
        figures.faults.push_back("people were told of " + std::to_string(figures.lost) + " lost watchdogs, not of 2");
}

void take_notes(const Options& options, Database& database, Figures& figures) {
    for (const auto& row : database.ask("SELECT late_tried, late_counted, refused, worst_gap FROM fleet_agents")) {
        figures.late_tried = std::atol(row[0].c_str());
        figures.late_counted = std::atol(row[1].c_str());
        figures.agents_late = std::atof(row[3].c_str()) - Times{options.pace}.every;
        if (figures.late_counted > 0)
            figures.faults.push_back(row[1] + " writes of agents that had been replaced counted");
        if (figures.agents_late + Times{options.pace}.every > Times{options.pace}.stall)
            figures.faults.push_back("the agents were held up for " + in_s(figures.agents_late) +
                                     ": the machine is too slow for this pace, take a greater one");
        if (row[2] != "0")
            figures.faults.push_back(row[2] + " writes of agents that had not been replaced were refused");
    }
    for (const auto& row : database.ask("SELECT avg(mean), max(worst), sum(errors) FROM fleet_watchdogs")) {
        figures.cycle_mean = std::atof(row[0].c_str());
        figures.cycle_worst = std::atof(row[1].c_str());
        figures.errors = std::atol(row[2].c_str());
    }
}

}  // namespace

Figures reckon(const Options& options, Database& database, const Holders& holders, long under_way) {
    Figures figures;
    figures.under_way = under_way;
    figures.asked_again = static_cast<long>(database.number("SELECT count(*) FROM fleet_spawns WHERE asked > 1"));
    figures.tried_again = static_cast<long>(database.number("SELECT count(*) FROM actions WHERE outcome <> 'done'"));
    figures.completed = static_cast<long>(database.number("SELECT count(*) FROM runs WHERE state = 'completed'"));
    figures.lost =
        static_cast<long>(database.number("SELECT count(*) FROM fleet_alerts WHERE kind = 'orchestrator.lost'"));
    count_continued(database, Times{options.pace}.stall, figures);
    for (const auto& row : database.ask(waits)) {
        figures.mean = std::atof(row[0].c_str());
        figures.worst = std::atof(row[1].c_str());
    }
    take_holders(options, holders, figures);
    take_notes(options, database, figures);
    return figures;
}

std::string to_text(const Options& options, const Figures& figures) {
    const Times times{options.pace};
    const auto n = [](long count) { return std::to_string(count); };
    const std::vector<heeler::text::TableRow> rows{
        {"Runs that were watched to their end", n(figures.completed), n(options.runs)},
        {"Stalls", n(figures.stalls), ""},
        {"continued exactly once", n(figures.once), n(figures.stalls)},
        {"continued twice", n(figures.twice), "0"},
        {"never continued", n(figures.never), "0"},
        {"Continued without a stall", n(figures.needless), "0"},
        {"Continued because an agent began late", n(figures.slow), ""},
        {"From the last checkpoint to the continuation, mean", in_s(figures.mean),
         "stalled after " + in_s(times.stall)},
        {"the worst", in_s(figures.worst), ""},
        {"Runs that got another watchdog", n(figures.handed_over), ""},
        {"Without a live watchdog, at most", in_s(figures.unwatched),
         in_s(times.lease + times.period) + " (lease + period)"},
        {"Continuations under way when one was struck", n(figures.under_way), ""},
        {"asked for by two watchdogs, under one key", n(figures.asked_again), ""},
        {"Continuations that could not be started at first", n(figures.tried_again), ""},
        {"Lost watchdogs that people were told of", n(figures.lost), "2 or more"},
        {"Late writes of replaced agents", n(figures.late_tried), ""},
        {"that counted", n(figures.late_counted), "0"},
        {"All runs watched at first after", in_s(figures.first_watched), ""},
        {"A watchdog's cycle, mean", in_s(figures.cycle_mean), in_s(times.period) + " (period)"},
        {"the worst", in_s(figures.cycle_worst), ""},
        {"Errors that watchdogs reported", n(figures.errors), ""},
    };
    return heeler::text::to_table({"What", "Measured", "Must be"}, rows);
}

std::string to_json(const Figures& figures) {
    heeler::text::JsonLine line;
    line.begin_object();
    const auto number = [&](const char* name, auto value) { line.key(name).number(value); };
    number("completed", static_cast<std::int64_t>(figures.completed));
    number("stalls", static_cast<std::int64_t>(figures.stalls));
    number("once", static_cast<std::int64_t>(figures.once));
    number("twice", static_cast<std::int64_t>(figures.twice));
    number("never", static_cast<std::int64_t>(figures.never));
    number("needless", static_cast<std::int64_t>(figures.needless));
    number("slow", static_cast<std::int64_t>(figures.slow));
    number("mean_s", figures.mean);
    number("worst_s", figures.worst);
    number("handed_over", static_cast<std::int64_t>(figures.handed_over));
    number("unwatched_s", figures.unwatched);
    number("under_way", static_cast<std::int64_t>(figures.under_way));
    number("asked_again", static_cast<std::int64_t>(figures.asked_again));
    number("tried_again", static_cast<std::int64_t>(figures.tried_again));
    number("lost", static_cast<std::int64_t>(figures.lost));
    number("late_counted", static_cast<std::int64_t>(figures.late_counted));
    number("cycle_mean_s", figures.cycle_mean);
    number("cycle_worst_s", figures.cycle_worst);
    number("errors", static_cast<std::int64_t>(figures.errors));
    number("faults", static_cast<std::int64_t>(figures.faults.size()));
    line.end_object();
    return std::move(line).text();
}

}  // namespace fleet
