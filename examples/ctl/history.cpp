#include "history.hpp"

#include <string>
#include <utility>
#include <vector>

#include <heeler/alert/group.hpp>
#include <heeler/explain/explain.hpp>
#include <heeler/explain/report.hpp>
#include <heeler/explain/stored_loop.hpp>
#include <heeler/report/run_page_html.hpp>
#include <heeler/report/stored_page.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/text/table.hpp>

#include "damage.hpp"
#include "find_run.hpp"
#include "print.hpp"
#include "run_view.hpp"

namespace ctl {

namespace {

using heeler::AlertRow;

void print_json(const AlertRow& row) {
    heeler::text::JsonLine line;
    line.begin_object().key("type").string("alert").key("state").string(
        row.state == AlertRow::State::pending ? "pending" : "dead");
    line.key("kind").string(row.alert.kind).key("run").string(row.alert.run.id).key("key").string(row.alert.key);
    line.key("to").string(row.alert.to).key("severity").string(name_of(row.alert.severity));
    line.key("summary").string(row.alert.summary).key("attempts").number(row.attempts);
    line.key("created_at").string(heeler::text::rfc3339(row.created_at)).key("next_at");
    row.state == AlertRow::State::pending ? line.string(heeler::text::rfc3339(row.not_before)) : line.null();
    line.key("last_error").string(heeler::reason_of(row)).end_object();
    print(line);
}

heeler::text::TableRow table_row(const AlertRow& row, heeler::Instant now) {
    const bool waits = row.state == AlertRow::State::pending;
    return {waits ? "waits" : "given up",
            row.alert.kind,
            row.alert.run.id,
            relative(row.created_at, now),
            std::to_string(row.attempts),
            waits ? relative(row.not_before, now) : std::string{},
            row.alert.summary,
            heeler::reason_of(row)};
}

}  // namespace

Quit show_explanation(const Options& options, Store& store, heeler::Instant now) {
    auto found = find_run(store, *options.run);
    if (auto* const quit = std::get_if<Quit>(&found)) return std::move(*quit);
    const auto& known = std::get<heeler::History>(found);
    print(heeler::detail::explanation(known, now));
    const std::string limits = limits_text(view_of(*known.row, {}, now));
    if (!limits.empty()) print("\nits own limits: " + limits + "\n");
    const std::string loop = heeler::detail::loop_standing(*known.row);
    if (!loop.empty()) print("\n" + loop);
    return name_damage(known.damaged, false);
}

Quit show_report(const Options& options, Store& store, heeler::Instant now) {
    auto found = find_run(store, *options.run);
    if (auto* const quit = std::get_if<Quit>(&found)) return std::move(*quit);
    const auto& known = std::get<heeler::History>(found);
    if (!view_of(*known.row, {}, now).readable)
        return {exit_store, "the facts of the run \"" + heeler::text::shown_name(*options.run, 160) +
                                "\" were written by another version of heeler, or are damaged; `explain` can be read"};
    const heeler::Report report = heeler::detail::stored_report(known, now);
    if (options.html) {
        const std::string page = to_html(heeler::stored_page(report, known, now.wall));
        std::fwrite(page.data(), 1, page.size(), stdout);
        return name_damage(known.damaged, false);
    }
    print(options.json ? heeler::to_json(report) + "\n" : heeler::to_text(report));
    return name_damage(known.damaged, options.json);
}

Quit show_outbox(const Options& options, Store& store, heeler::Instant now) {
    const auto alerts = store.undelivered();
    if (!alerts) return store_failed(alerts.error());
    if (options.json) {
        for (const AlertRow& row : alerts->rows) print_json(row);
        return name_damage(alerts->damaged, true);
    }
    if (alerts->rows.empty()) {
        if (alerts->damaged.empty()) print("No alert waits, none was given up.\n");
        return name_damage(alerts->damaged, false);
    }
    std::vector<heeler::text::TableRow> rows;
    for (const AlertRow& row : alerts->rows) rows.push_back(table_row(row, now));
    print(heeler::text::to_table({"State", "Kind", "Run", "Since", "Attempts", "Next", "Summary", "Last error"}, rows));
    return name_damage(alerts->damaged, false);
}

}  // namespace ctl
