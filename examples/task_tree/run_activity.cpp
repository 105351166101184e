#include "run_activity.hpp"

#include <charconv>
#include <string>
#include <utility>

namespace tracker {
namespace {

/// The newest that a run did after a row of the feed, if there is anything.
heeler::Polled newest_of(Database& database, const heeler::RunCursor& run) {
    std::int64_t since = 0;
    std::from_chars(run.cursor.data(), run.cursor.data() + run.cursor.size(), since);
    Rows rows = database.query("SELECT n, at FROM audit WHERE actor = ?1 AND n > ?2 ORDER BY n DESC LIMIT 1",
                               "run " + run.name, since);
    heeler::Polled polled;
    polled.cursor = run.cursor.empty() ? "0" : run.cursor;
    if (rows.next()) {
        polled.events.push_back({heeler::Message{}, heeler::WallTime{heeler::Duration{rows.number(1)}}, {}, 0});
        polled.cursor = std::to_string(rows.number(0));
    } else if (run.cursor.empty()) {
        polled.events.push_back({heeler::Message{}, {}, {}, 0});  // it is silent from when it was seen first
    }
    return polled;
}

}  // namespace

heeler::Result<std::vector<heeler::RunSpec>> RunActivity::list() {
    return tracker_.with([](Database& database) -> heeler::Result<std::vector<heeler::RunSpec>> {
        std::vector<heeler::RunSpec> listed;
        for (Rows rows =
                 database.query("SELECT id, issue, agent FROM runs WHERE status IN ('running', 'scheduled_retry')");
             rows.next();) {
            heeler::RunSpec spec;
            spec.name = rows.text(0);
            spec.work_item = rows.text(1);
            spec.tags = {rows.text(2)};
            spec.metric = heeler::MetricKind::undefined;
            listed.push_back(std::move(spec));
        }
        return listed;
    });
}

heeler::Result<std::vector<heeler::PolledRun>> RunActivity::poll(std::span<const heeler::RunCursor> runs) {
    return tracker_.with([&](Database& database) -> heeler::Result<std::vector<heeler::PolledRun>> {
        std::vector<heeler::PolledRun> polled;
        for (const heeler::RunCursor& run : runs) polled.push_back({run.run, newest_of(database, run)});
        return polled;
    });
}

}  // namespace tracker
